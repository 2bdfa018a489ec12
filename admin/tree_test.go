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
	if got, want := strings.Join(strings.Fields(textOf(panel[0])), " "), "Ana2 beneathBen1 beneathDee1 beneathEve1 beneathAna stands elsewhere in the tree, tooCy"; got != want {
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

// The list of a type whose nodes refer to each other leads to all of its trees by one click, and they have every node that
// has the relation once, also those of a circle.
func TestTheListOfATypeLeadsToItsTrees(t *testing.T) {
	f := newFixture(t, []byte(`
types:
  Person: {label: name, key: name, iri: key, properties: {name: {type: string, required: true}, reports_to: {class: Person}}}
  Part: {label: name, key: name, iri: key, properties: {name: {type: string, required: true}, parts: {class: Part, many: true}, made_by: {class: Person}}}
`), admin.Options{})
	for _, pair := range [][2]string{{"Ana", ""}, {"Zoe", ""}, {"Alone", ""}, {"Ben", "Ana"}, {"Dee", "Ben"}, {"Yan", "Zoe"}, {"P", ""}, {"Q", "P"}} {
		person := map[string]any{"name": pair[0]}
		if pair[1] != "" {
			person["reports_to"] = pair[1]
		}
		f.call(t, "person.create", person)
	}
	f.call(t, "person.update", map[string]any{"id": "P", "reports_to": "Q"})
	f.call(t, "part.create", map[string]any{"name": "bolt"})
	f.call(t, "part.create", map[string]any{"name": "wheel", "parts": []string{"bolt"}, "made_by": "Ana"})
	tree := func(list, link string) string {
		t.Helper()
		for _, n := range f.get(t, list, 200).find(tag("a")) {
			if textOf(n) == link {
				a := f.get(t, attribute(n, "href"), 200)
				checkPage(t, link, a)
				return textOf(a.find(func(n *html.Node) bool { return attribute(n, "class") == "panel pad tree" })[0])
			}
		}
		t.Fatalf("%s has no link %q", list, link)
		return ""
	}
	if got, want := tree("/admin/types/Person", "Tree by Reports to"), "Ana1 beneathBen1 beneathDeeZoe1 beneathYanQ1 beneathP1 beneathQ stands elsewhere in the tree, too"; got != want {
		t.Errorf("the trees are %q, want %q", got, want)
	}
	if got, want := tree("/admin/types/Part", "Tree by Parts"), "wheel1 beneathbolt"; got != want {
		t.Errorf("the trees are %q, want %q", got, want)
	}
	says(t, f.get(t, "/admin/trees?type=Person&by=reports_to&direction=in&at=head~10", 200), "there is no tree")
	says(t, f.get(t, "/admin/trees?type=Part&by=made_by", 400), "Part has no relation made_by to nodes of the same type")
	f.get(t, "/admin/trees?type=Nope&by=x", 404)
}
