package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"trails/admin"
	"trails/e2e/testrun"
)

const labelledSchema = `
types:
  Psn:
    label: fn
    unique: [[fn, dpt]]
    properties:
      fn: {type: string, required: true, min_length: 3, label: Full name}
      dpt: {type: string, label: Department, one_of: [sales, it, legal]}
      age: {type: integer}
`

// newLabelled serves a graph whose properties people call otherwise than programs do.
func newLabelled(t testing.TB) fixture {
	t.Helper()
	f := newFixture(t, []byte(labelledSchema), admin.Options{})
	f.call(t, "psn.create", map[string]any{"id": "ann", "fn": "Ann Lee", "dpt": "it"})
	return f
}

// What is wrong, and what stands against a call, is told by the labels of properties; names stand beside them where a
// program needs them.
func TestPagesCallPropertiesByTheirLabels(t *testing.T) {
	testrun.Alone(t)
	f := newLabelled(t)
	form := f.blank(t, "psn.create", "")
	form.Set("arg.fn", "Al")
	says(t, f.send(t, form, call), "Full name must have at least 3 characters, not 2")
	form.Set("arg.fn", "Ann Lee")
	form.Set("arg.dpt", "it")
	a := f.send(t, form, call)
	says(t, a, "Full name and Department must be unique together")
	if text := mainText(a); strings.Contains(text, "fn and dpt must") || strings.Contains(text, "Full name: Full name") {
		t.Errorf("the page says %s", text)
	}
	says(t, f.get(t, "/admin/schema", http.StatusOK), "unique together fn Full name, dpt Department", "label fn Full name")

	first := f.call(t, "psn.update", map[string]any{"id": "ann", "dpt": "sales"})["commit"].(string)
	second := f.call(t, "psn.update", map[string]any{"id": "ann", "dpt": "legal"})["commit"].(string)
	says(t, f.get(t, "/admin/undo?commit="+first, http.StatusOK), "Psn/ann: Department has another value now, by commit "+second)

	f.call(t, "schema_apply", map[string]any{"patch": "- add_property: {Psn.ph: {type: string, label: Phone}}"})
	a = f.get(t, "/admin/commits", http.StatusOK)
	says(t, a, "Added the property ph “Phone” of Psn")
	if text := mainText(a); strings.Contains(text, "add property") {
		t.Errorf("the commit says twice what it did: %s", text)
	}
}

// The page of a capability that the caller may not call says why, and where to go; it says the same of one that there is
// not, whose name it repeats alone.
func TestThePageOfWhatIsNotOfferedSaysWhy(t *testing.T) {
	testrun.Alone(t)
	f := newLabelled(t)
	says(t, f.get(t, "/admin/capabilities/psn.craete", http.StatusNotFound), "psn.craete is not offered to you: either there is no capability of this name", "psn.create", "All that you may call")
	alike := map[string]string{}
	for _, id := range []string{"trails.internal.none", "entity_history"} {
		alike[id] = strings.ReplaceAll(mainText(f.get(t, "/admin/capabilities/"+id, http.StatusNotFound)), id, "")
	}
	if one, other := alike["trails.internal.none"], alike["entity_history"]; !strings.Contains(one, "a scope, a group or a policy") || !strings.Contains(other, "a scope, a group or a policy") {
		t.Errorf("they are told apart:\n%s\n%s", one, other)
	}
}

// The question about a delete counts what refers to the node by type, and its button takes these links away, too. Where a
// node cannot be without its link the delete is refused.
func TestADeleteAsksAboutTheLinksToTheNode(t *testing.T) {
	testrun.Alone(t)
	f := newFixture(t, []byte("types:\n  Dpt: {label: nm, properties: {nm: string}}\n  Psn: {properties: {dpt: {class: Dpt, label: Department}}}\n  Job: {properties: {dpt: {class: Dpt, required: true}}}\n"), admin.Options{})
	for _, id := range []string{"it", "law"} {
		f.call(t, "dpt.create", map[string]any{"id": id, "nm": id})
	}
	f.call(t, "psn.create", map[string]any{"id": "ann", "dpt": "it"})
	f.call(t, "job.create", map[string]any{"id": "clerk", "dpt": "law"})
	a := f.send(t, f.blank(t, "dpt.delete", "?id=it"), call)
	says(t, a, "This deletes 1 Dpt", "changes 1 Psn", "1 Psn refer to it by Department", "Yes, delete it and the links to it")
	says(t, f.press(t, a.form(t, "/admin/capabilities/dpt.delete"), call), "Dpt deleted", "Undo")
	if rows := f.call(t, "list", map[string]any{"type": "Psn"})["rows"].([]any); len(rows) != 1 {
		t.Errorf("the people are %v", rows)
	}
	says(t, f.send(t, f.blank(t, "dpt.delete", "?id=law"), call), "Dpt/law is referred to by 1 of Job", "they cannot be without it")
}
