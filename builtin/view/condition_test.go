package view_test

import (
	"fmt"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// A condition on a part of a text heeds accents. One that finds nothing for them says which text it is without.
func TestAConditionThatAccentsKeepFromATextNamesIt(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.New(t, `
types:
  Person: {label: name, properties: {name: string, note: string}}
  Task: {label: title, properties: {title: string, owner: {class: Person}}}`, invoke.Config{})
	e.Must(t, "load", `{"data": "{\"type\":\"Person\",\"id\":\"p\",\"data\":{\"name\":\"Jörg Müller\",\"note\":\"from Kraków\"}}\n{\"type\":\"Task\",\"id\":\"t\",\"data\":{\"title\":\"Mull it over\",\"owner\":\"Person/p\"}}"}`)
	for _, c := range []struct{ kind, property, op, value, named string }{
		{"Person", "name", "contains", "mull", "Jörg Müller"},
		{"Person", "name", "starts", "JORG", "Jörg Müller"},
		{"Person", "note", "contains", "krakow", "from Kraków"},
		{"Task", "owner.name", "contains", "muller", "Jörg Müller"},
		{"Person", "name", "contains", "nobody", ""},
		{"Person", "name", "contains", "krakow", ""},        // which another property has
		{"Task", "title", "contains", "-.-", ""},            // no word
		{"Task", "owner.note", "contains", "mull over", ""}, // which texts of another type have
	} {
		answer := e.Must(t, "list", fmt.Sprintf(`{"type": %q, "where": [{"property": %q, "op": %q, "value": %q}]}`, c.kind, c.property, c.op, c.value))
		says := fmt.Sprint(answer["warnings"])
		if want := fmt.Sprintf("did you mean %q?", c.named); strings.Contains(says, "did you mean") != (c.named != "") || c.named != "" && !strings.Contains(says, want) {
			t.Errorf("%s %s %s: %s", c.property, c.op, c.value, says)
		}
		if !strings.Contains(says, "no "+c.kind+" has "+c.property) {
			t.Errorf("%s %s %s does not say that nothing is found: %s", c.property, c.op, c.value, says)
		}
	}
	if found := e.Must(t, "list", `{"type": "Person", "where": [{"property": "name", "op": "contains", "value": "MÜLL"}]}`); found["warnings"] != nil {
		t.Errorf("it warns where something is found: %v", found["warnings"])
	}
}
