package admin_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
	"trails/auth"
	"trails/auth/policy"
)

// pressStep sends the form of the page that changes the schema, with some of its controls changed, by a button.
func (f fixture) pressStep(t *testing.T, shown answer, do string, changed map[string]string) answer {
	t.Helper()
	values := url.Values{}
	for _, n := range shown.find(func(n *html.Node) bool { return n.Data == "input" || n.Data == "select" || n.Data == "textarea" }) {
		for up := n.Parent; up != nil; up = up.Parent {
			if up.Data != "form" || attribute(up, "class") != "schema-edit" {
				continue
			}
			switch {
			case n.Data == "textarea":
				text := ""
				for d := range n.Descendants() {
					text += d.Data
				}
				values.Set(attribute(n, "name"), text)
			case n.Data == "select":
				for o := range n.Descendants() {
					if o.Data == "option" && (!values.Has(attribute(n, "name")) || hasAttribute(o, "selected")) {
						values.Set(attribute(n, "name"), attribute(o, "value"))
					}
				}
			case attribute(n, "type") != "checkbox" && attribute(n, "type") != "radio" || hasAttribute(n, "checked"):
				values.Add(attribute(n, "name"), attribute(n, "value"))
			}
		}
	}
	for name, v := range changed {
		values.Set(name, v)
		if v == "" {
			values.Del(name)
		}
	}
	values.Set("_do", do)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/admin/schema/edit", strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	a := f.do(t, r)
	if a.StatusCode != http.StatusSeeOther {
		checkPage(t, do, a)
	}
	return a
}

func wants(t *testing.T, a answer, code int, texts ...string) {
	t.Helper()
	if a.StatusCode != code {
		t.Fatalf("got %d, want %d: %s", a.StatusCode, code, mainText(a))
	}
	for _, text := range texts {
		if !strings.Contains(a.text, text) && !strings.Contains(mainText(a), text) {
			t.Errorf("the page does not say %q: %s", text, mainText(a))
		}
	}
}

// applied presses Apply, and returns the page of what was done.
func (f fixture) applied(t *testing.T, shown answer, changed map[string]string) answer {
	t.Helper()
	a := f.pressStep(t, shown, "apply", changed)
	wants(t, a, http.StatusSeeOther)
	return f.get(t, a.Header.Get("Location"), http.StatusOK)
}

func TestATypeIsAddedByAFormAndChangedInSteps(t *testing.T) {
	f := newFixture(t, nil, admin.Options{})
	a := f.get(t, "/admin/schema/edit?on=new-type", http.StatusOK)
	wants(t, a, http.StatusOK, "You may add, change, rename and remove")
	a = f.pressStep(t, a, "add", map[string]string{
		"title": "Purchase order", "p0.title": "Full name", "p0.required": "1", "p1.title": "Due", "p1.kind": "date",
		"p2.title": "State", "p2.kind": "choice", "p2.values": "open, done",
	})
	wants(t, a, http.StatusOK, "Add the type PurchaseOrder with fullName (text, required), due (date), state (text, one of open, done); fullName is its label.", "safe", "badge good")
	if strings.Contains(mainText(f.get(t, "/admin/schema", http.StatusOK)), "PurchaseOrder") {
		t.Error("a step was applied before the button was pressed")
	}
	done := f.applied(t, a, nil)
	wants(t, done, http.StatusOK, "The schema was changed by commit", "Undo…")
	// The same form sent again is the same change.
	if again := f.applied(t, a, nil); mainText(again) != mainText(done) {
		t.Errorf("sent twice: %s", mainText(again))
	}
	f.call(t, "purchase_order.create", map[string]any{"id": "o1", "fullName": "One", "state": "open"})

	// A property is altered and renamed, another is added, and one is removed, which takes data away.
	a = f.pressStep(t, done, "open property PurchaseOrder.state", nil)
	a = f.pressStep(t, a, "add", map[string]string{"p0.title": "stage", "p0.required": "1"})
	wants(t, a, http.StatusOK, "Change PurchaseOrder.state: required.", "Rename PurchaseOrder.state to stage.")
	a = f.pressStep(t, a, "open new-property PurchaseOrder", nil)
	a = f.pressStep(t, a, "add", map[string]string{"p0.title": "Article no", "p0.pattern": "^[A-Z]{2}-[0-9]+$", "p0.example": "12-AB"})
	wants(t, a, http.StatusBadRequest, "does not match the pattern", `value="Article no"`, `value="12-AB"`)
	a = f.pressStep(t, a, "add", map[string]string{"p0.example": "AB-12"})
	wants(t, a, http.StatusOK, "Add articleNo (text, pattern ^[A-Z]{2}-[0-9]+$) to PurchaseOrder.")
	a = f.pressStep(t, a, "drop PurchaseOrder.fullName", nil)
	wants(t, a, http.StatusUnprocessableEntity, "fullName") // it is the label
	a = f.pressStep(t, a, "open type PurchaseOrder", nil)
	a = f.pressStep(t, a, "add", map[string]string{"label": "stage"})
	a = f.pressStep(t, a, "drop PurchaseOrder.fullName", nil)
	wants(t, a, http.StatusOK, "Remove PurchaseOrder.fullName.", "loses 1 statement")
	wants(t, f.pressStep(t, a, "apply", nil), http.StatusPreconditionFailed, "these steps remove 1 statement")
	a = f.applied(t, a, map[string]string{"agreed": "1"})
	wants(t, a, http.StatusOK, "The schema was changed")
	text := mainText(f.get(t, "/admin/schema", http.StatusOK))
	if !strings.Contains(text, "articleNo") || !strings.Contains(text, "stage") || strings.Contains(text, "fullName") {
		t.Errorf("the schema: %s", text)
	}
}

func TestStepsThatDataStandsAgainstNameTheNodes(t *testing.T) {
	f := newExample(t)
	a := f.get(t, "/admin/schema/edit?"+url.Values{"on": {"new-property Requirement"}}.Encode(), http.StatusOK)
	a = f.pressStep(t, a, "add", map[string]string{"p0.title": "Wanted by", "p0.required": "1"})
	wants(t, a, http.StatusOK, "breaks ", "badge bad", "What stands against them")
	wants(t, a, http.StatusOK, "more of Requirement")
	if len(a.leads("/admin/types/Requirement/")) < 3 {
		t.Errorf("nodes that break are not linked: %s", mainText(a))
	}
	wants(t, f.pressStep(t, a, "apply", nil), http.StatusConflict, "nothing was changed", "Add wantedBy")
	if a = f.pressStep(t, a, "take 0", nil); strings.Contains(mainText(a), "Add wantedBy") {
		t.Errorf("the step was not taken back: %s", mainText(a))
	}
}

func TestAChangeOfTheSchemaMeanwhileIsTold(t *testing.T) {
	f := newFixture(t, nil, admin.Options{})
	a := f.get(t, "/admin/schema/edit?on=new-type", http.StatusOK)
	a = f.pressStep(t, a, "add", map[string]string{"title": "Task", "p0.title": "title"})
	f.call(t, "schema_apply", map[string]any{"patch": "- add_type: {Note: {properties: {text: string}}}"})
	stale := f.pressStep(t, a, "apply", nil)
	wants(t, stale, http.StatusConflict, "somebody else changed the schema", "Add the type Task")
	f.applied(t, stale, nil)
	// Another write in between is no change of the schema.
	a = f.pressStep(t, f.get(t, "/admin/schema/edit?"+url.Values{"on": {"new-property Task"}}.Encode(), http.StatusOK), "add", map[string]string{"p0.title": "due", "p0.kind": "date"})
	f.call(t, "task.create", map[string]any{"title": "One"})
	f.applied(t, a, nil)
}

func TestRefusedSchemaStepsKeepWhatWasTyped(t *testing.T) {
	f := newExample(t)
	blank := f.get(t, "/admin/schema/edit?on=new-type", http.StatusOK)
	for _, text := range hostile {
		if len(text) > 1000 {
			continue
		}
		a := f.pressStep(t, blank, "add", map[string]string{"title": "Thing", "p0.title": "a", "p0.kind": text, "p0.values": text, "description": text, "p1.title": text})
		checkHostile(t, text, a)
		if a.StatusCode == http.StatusOK {
			t.Errorf("%q was taken for a kind", text)
		}
		if !strings.Contains(a.text, `value="Thing"`) {
			t.Errorf("what was typed is gone: %s", mainText(a))
		}
		for _, changed := range []map[string]string{{"on": text}, {"step": text}, {"on": "property " + text}, {"seen": text, "rows": text, "agreed": text}} {
			for _, do := range []string{"add", "apply", "take " + text, "drop " + text, "open " + text} {
				a := f.pressStep(t, blank, do, changed)
				checkHostile(t, text, a)
				if a.StatusCode >= http.StatusInternalServerError {
					t.Errorf("%s with %q: %d", do, changed, a.StatusCode)
				}
			}
		}
	}
	wants(t, f.pressStep(t, blank, "add", map[string]string{"title": "Requirement"}), http.StatusUnprocessableEntity, "Requirement", `value="Requirement"`)
	wants(t, f.pressStep(t, blank, "add", map[string]string{"title": "名前"}), http.StatusBadRequest, "Latin letters")
	f.get(t, "/admin/schema/edit?on=property+Requirement.nothing", http.StatusNotFound)
}

func TestFormsShowTheNamesOfPropertiesInWords(t *testing.T) {
	f := newFixture(t, []byte("base: \"urn:x:\"\ntypes: {Person: {properties: {fullName: {type: string, required: true}}}}\n"), admin.Options{})
	form := f.get(t, "/admin/capabilities/person.create", http.StatusOK)
	names := form.find(func(n *html.Node) bool { return attribute(n, "title") == "fullName" })
	if len(names) != 1 || textOf(names[0]) != "Full name" {
		t.Errorf("the form does not show Full name: %s", mainText(form))
	}
	if text := mainText(form); !strings.Contains(text, "Message") {
		t.Errorf("an argument lost its name: %s", text)
	}
}

func TestASafeChangeOfTheSchemaIsNotAskedForInRed(t *testing.T) {
	f := newExample(t)
	for patch, red := range map[string]bool{"- add_type: {Task: {properties: {title: string}}}": false, "- drop_property: Requirement.priority": true} {
		form := f.get(t, "/admin/capabilities/schema_apply", http.StatusOK).form(t, "/admin/capabilities/schema_apply")
		form.Set("arg.patch", patch)
		if red {
			form.Set("arg.allow_data_loss", "true")
		}
		a := f.press(t, form, "_do=call")
		says(t, a, "What this would do")
		if got := len(a.find(func(n *html.Node) bool { return strings.Contains(attribute(n, "class"), "notice-bad") })) > 0; got != red {
			t.Errorf("%s: red is %t", patch, got)
		}
	}
}

func TestThePageOfTheSchemaSaysFirstWhoMayChangeIt(t *testing.T) {
	f := newExample(t)
	pages := admin.New(f.engine, admin.Options{})
	as := func(scopes ...policy.Scope) fixture {
		return fixture{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			pages.ServeHTTP(w, r.WithContext(auth.WithPrincipal(r.Context(), policy.Anonymous("", policy.NewScopes(scopes...)))))
		}), f.engine}
	}
	runtime := as(policy.Runtime)
	a := runtime.get(t, "/admin/schema/edit", http.StatusOK)
	wants(t, a, http.StatusOK, "needs the scope builder")
	a = runtime.pressStep(t, a, "drop Requirement.priority", nil)
	wants(t, a, http.StatusOK, "You cannot apply what removes data", "drop_property")
	wants(t, runtime.pressStep(t, a, "apply", map[string]string{"agreed": "12"}), http.StatusUnauthorized, "Remove Requirement.priority.")
}

func TestAPropertyMovesUpByAStep(t *testing.T) {
	f := newExample(t)
	page := f.get(t, "/admin/schema/edit", http.StatusOK)
	moved := f.pressStep(t, page, "up Requirement.title", nil)
	wants(t, moved, http.StatusOK, "Show Requirement.title before code.", "move_before")
	wants(t, f.pressStep(t, moved, "up Requirement.title", nil), http.StatusBadRequest, "is the first property already")
	wants(t, f.pressStep(t, page, "up Requirement.nothing", nil), http.StatusNotFound, "nothing")
}

func TestStepsThatRemoveATypeSayHowManyOfItGo(t *testing.T) {
	f := newExample(t)
	page := f.get(t, "/admin/schema/edit", http.StatusOK)
	wants(t, f.pressStep(t, page, "drop Decision", nil), http.StatusOK, "Remove the type Decision.", "this takes away 8 Decision", "The history keeps them")
}
