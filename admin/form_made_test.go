package admin_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

const (
	components = "/admin/capabilities/component.create"
	standards  = "/admin/capabilities/standard.create"
)

func TestANodeIsMadeInPlaceAndTheFormComesBackWithItAndAllThatWasTyped(t *testing.T) {
	f := newExample(t)
	outer := f.blank(t, "component.create", "")
	outer.Set("arg.name", "made-here")
	outer.Set("arg.title", "<b>“Typed”</b>")
	inner := f.press(t, outer, "_do=make follows Standard")
	says(t, inner, "Create Standard", "you are back in “Create Component”")
	form := inner.form(t, standards)
	form.Set("arg.title", "x")
	wrong := f.press(t, form, call)
	says(t, wrong, "to mend", "you are back in")
	before := f.commits(t)
	form = wrong.form(t, standards)
	for name, value := range map[string]string{"arg.name": "our-words", "arg.title": "The words of the house", "arg.organization": "W3C", "arg.url": "https://example.org/words"} {
		if form.Has(name) {
			form.Set(name, value)
		}
	}
	back := f.press(t, form, call)
	says(t, back, "Create Component", "It was made, and is chosen below")
	if got := f.commits(t) - before; got != 1 {
		t.Fatalf("there are %d commits more", got)
	}
	again := back.form(t, components)
	if again.Get("arg.name") != "made-here" || again.Get("arg.title") != "<b>“Typed”</b>" {
		t.Errorf("what was typed is lost: %v", again.Values)
	}
	chosen := again.Values["arg.follows"]
	if i := slices.IndexFunc(chosen, func(text string) bool { return strings.HasPrefix(text, "Standard/") }); i < 0 {
		t.Fatalf("the new node is not chosen: %q", chosen)
	}
	// The browser sends the second form again: it was made once.
	says(t, f.press(t, form, call), "Create Component", "is chosen below")
	if got := f.commits(t) - before; got != 1 {
		t.Errorf("sent twice, there are %d commits more", got)
	}
	again.Set("arg.path", "made/here")
	again.Set("arg.row", "graph")
	again.Set("arg.title", "Typed")
	says(t, f.press(t, again, call), "Component created")
}

func TestAFormThatAnotherOneOpenedLeadsBackWithoutANode(t *testing.T) {
	f := newExample(t)
	f.call(t, "branches_create", map[string]any{"name": "review"})
	outer := f.blank(t, "component.create", "")
	outer.Set("arg.name", "kept")
	before := f.commits(t)
	form := f.press(t, outer, "_do=make dependsOn Component").form(t, components)
	if form.Get("arg.name") != "" {
		t.Fatal("the second form begins with the values of the first")
	}
	back := f.press(t, form, "_do=back").form(t, components)
	if back.Get("arg.name") != "kept" || f.commits(t) != before {
		t.Errorf("the first form has %v", back.Values)
	}
	for _, about := range []string{"follows Requirement", "name Standard", "follows <b>", ""} {
		if a := f.send(t, outer, "_do=make "+about); a.StatusCode != http.StatusNotFound {
			t.Errorf("%q was answered with %d", about, a.StatusCode)
		}
	}
	const review = "?branch=review"
	onBranch := f.get(t, components+review, http.StatusOK).form(t, components+review)
	if got := f.press(t, onBranch, "_do=make follows Standard").form(t, standards+review).Get("arg.branch"); got != "review" {
		t.Errorf("the second form writes to the branch %q", got)
	}
	// A first form under the key of the second does not wait for itself.
	inner := f.press(t, outer, "_do=make follows Standard").form(t, standards)
	first, err := url.ParseQuery(inner.Get("_outer"))
	if err != nil {
		t.Fatal(err)
	}
	first.Set("_key", inner.Get("_key"))
	inner.Set("_outer", first.Encode())
	says(t, f.press(t, inner, "_do=back"), "Create Component")
	outer.Set("arg.title", strings.Repeat("é", 150<<10))
	if a := f.send(t, outer, "_do=make follows Standard"); a.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a form that is too long to take along was answered with %d", a.StatusCode)
	}
}

func TestADraftHasANameOfItsOwnAndEndsWhenTheFormIsSent(t *testing.T) {
	f := newNotes(t)
	f.note(t, "n1", nil)
	f.note(t, "n2", nil)
	draft := func(a answer, attr string) string {
		found := a.find(func(n *html.Node) bool { return hasAttribute(n, attr) })
		if len(found) != 1 {
			return ""
		}
		return attribute(found[0], attr)
	}
	path := "/admin/capabilities/note.update"
	one, two := f.get(t, path+"?id=n1", 200), f.get(t, path+"?id=n2", 200)
	if draft(one, "data-draft") == "" || draft(one, "data-draft") == draft(two, "data-draft") {
		t.Errorf("the drafts of two nodes are %q and %q", draft(one, "data-draft"), draft(two, "data-draft"))
	}
	form := one.form(t, path)
	form.Set("arg.title", "Another one")
	if got, want := draft(f.press(t, form, call), "data-drafted"), draft(one, "data-draft"); got != want {
		t.Errorf("the page of the result ends the draft %q, not %q", got, want)
	}
	if got := draft(f.get(t, "/admin/capabilities/query", 200), "data-draft"); got != "" {
		t.Errorf("a form that changes nothing has the draft %q", got)
	}
}
