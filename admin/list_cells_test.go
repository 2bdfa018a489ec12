package admin_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// A row names the form that its cells are edited by, which are not there in the past.
func TestRowsLeadToTheirForms(t *testing.T) {
	f := newExample(t)
	forms := func(path string) (out []string) {
		for _, n := range f.get(t, path, 200).find(func(n *html.Node) bool { return attribute(n, "data-edit") != "" }) {
			out = append(out, attribute(n, "data-edit"))
		}
		return out
	}
	list := "/admin/types/Requirement?limit=2&sort=code"
	got := forms(list)
	if len(got) != 2 || !strings.HasPrefix(got[0], "/admin/capabilities/requirement.update?id=R-") {
		t.Fatalf("got %q", got)
	}
	heads := f.get(t, list, 200).find(func(n *html.Node) bool { return n.Data == "th" && attribute(n, "data-property") == "priority" })
	if len(heads) != 1 {
		t.Errorf("%d heads name the property", len(heads))
	}
	if got := forms(list + "&at=main~1"); len(got) > 0 {
		t.Errorf("in the past there are %q", got)
	}
}

// TestCellsLeadToTheirFieldsWithoutScripts holds that a list offers it to browsers without scripts, that each of these
// links leads to the element of the field, and that the other links of the list keep them.
func TestCellsLeadToTheirFieldsWithoutScripts(t *testing.T) {
	f := newExample(t)
	list := "/admin/types/Component?limit=2&sort=name&col=row&col=path&col=satisfies.title"
	plain := f.get(t, list, 200)
	edits := func(a answer) []*html.Node {
		return a.find(func(n *html.Node) bool { return n.Data == "a" && attribute(n, "class") == "edit-cell" })
	}
	if len(edits(plain)) > 0 || !strings.Contains(plain.text, "<noscript>") || !strings.Contains(plain.text, "edit=1") {
		t.Error("a list has links in its cells, or offers none")
	}
	a := f.get(t, list+"&edit=1", 200)
	checkPage(t, "edit", a)
	links := edits(a)
	if len(links) != 4 { // none for a column over a reference
		t.Fatalf("there are %d links for two rows of two columns", len(links))
	}
	for _, n := range links {
		href := attribute(n, "href")
		form, id, _ := strings.Cut(href, "#")
		if field := f.get(t, form, 200).byID(t, id); attribute(field, "data-field") != strings.TrimPrefix(id, "field-") {
			t.Errorf("%s leads to the field %q", href, attribute(field, "data-field"))
		}
	}
	for _, n := range a.find(func(n *html.Node) bool { return n.Data == "th" && attribute(n, "data-property") == "row" }) {
		if !strings.Contains(attribute(n.FirstChild, "href"), "edit=1") {
			t.Error("who sorts loses the links")
		}
	}
	if past := f.get(t, list+"&edit=1&at=main~1", 200); len(edits(past)) > 0 {
		t.Error("cells of the past can be changed")
	}
}
