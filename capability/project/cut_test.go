package project_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"trails/capability"
	"trails/capability/project"
	"trails/capability/project/projecttest"
	"trails/text/outline"
)

// An answer that was cut to its room lacks members of its parts. OpenAPI and the Thing Description are true of it, too, and
// require the topmost members.
func TestAnAnswerThatIsCutIsOfItsSchema(t *testing.T) {
	part := capability.Field{Name: "parts", Type: capability.Object, Many: true, Required: true}
	member := map[string]string{}
	for i := range 60 {
		name := fmt.Sprintf("a member with a long name %d", i)
		part.Fields = append(part.Fields, capability.Field{Name: name, Type: capability.String, Required: true})
		member[name] = strings.Repeat("text ", 50)
	}
	d := capability.Descriptor{ID: "list", OutputShape: capability.Shape{Closed: true, Fields: []capability.Field{part}}}
	whole, err := json.Marshal(map[string]any{"parts": []any{member, member}})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := outline.Parse(whole)
	if err != nil {
		t.Fatal(err)
	}
	answer.Fit(capability.LeastChars)
	cut := []byte(answer.JSON())
	var action struct{ Output json.RawMessage }
	text, err := project.Actions(project.Process{}).Encode(d)
	if err != nil || json.Unmarshal(text, &action) != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for name, schema := range map[string][]byte{"OpenAPI": project.AnswerSchema(d), "the Thing Description": action.Output} {
		for _, one := range [][]byte{whole, cut} {
			if err := projecttest.Fits(schema, one); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if projecttest.Fits(schema, []byte(`{}`)) == nil {
			t.Errorf("%s does not require the topmost members", name)
		}
	}
	if err := projecttest.Fits(project.WholeSchema(d), whole); err != nil {
		t.Error(err)
	}
	if projecttest.Fits(project.WholeSchema(d), cut) == nil {
		t.Error("nothing that a part must have was cut")
	}
}
