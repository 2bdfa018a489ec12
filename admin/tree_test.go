package admin_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
)

// The tree of a node has who reports to it, and to those, as a list that is folded and as a picture; a circle ends.
func TestWhoReportsToWhomIsATree(t *testing.T) {
	f := newFixture(t, []byte(`
types:
  Person: {label: name, key: name, iri: key, properties: {name: {type: string, required: true}, reports_to: {class: Person}, likes: {class: Person}}}
`), admin.Options{})
	f.call(t, "person.create", map[string]any{"name": "Ana"})
	for _, pair := range [][2]string{{"Ben", "Ana"}, {"Cy", "Ana"}, {"Dee", "Ben"}, {"Eve", "Dee"}} {
		f.call(t, "person.create", map[string]any{"name": pair[0], "reports_to": pair[1]})
	}
	f.call(t, "person.update", map[string]any{"id": "Cy", "likes": "Ana"})
	f.call(t, "person.update", map[string]any{"id": "Ana", "reports_to": "Eve"})
	if a := f.get(t, "/admin/types/Person/Ana", 200); !strings.Contains(a.text, `href="/admin/types/Person/Ana/tree"`) {
		t.Error("the page of a node does not lead to its tree")
	}
	a := f.get(t, "/admin/types/Person/Ana/tree?by=reports_to&direction=in", 200)
	checkPage(t, "tree", a)
	panel := a.find(func(n *html.Node) bool { return n.Data == "div" && attribute(n, "class") == "panel pad tree" })
	if len(panel) != 1 {
		t.Fatal("there is no tree")
	}
	if got, want := strings.Join(strings.Fields(textOf(panel[0])), " "), "Ana 2Ben 1Dee 1Eve 1Ana stands elsewhere in the tree, tooCy"; got != want {
		t.Errorf("the tree is %q, want %q", got, want)
	}
	boxes := 0
	for _, svg := range a.find(func(n *html.Node) bool {
		return n.Data == "svg" && strings.HasPrefix(attribute(n, "aria-label"), "4 nodes beneath Ana")
	}) {
		for n := range svg.Descendants() {
			if n.Data == "rect" {
				boxes++
			}
		}
	}
	if boxes != 6 {
		t.Errorf("%d boxes are drawn, want 6", boxes)
	}
	if a := f.get(t, "/admin/types/Person/Cy/tree?by=reports_to&direction=in", 200); !strings.Contains(a.text, "Nothing is beneath it") {
		t.Error("an empty tree does not say so")
	}
}
