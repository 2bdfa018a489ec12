package admin_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
)

const pathsSchema = `
types:
  Person: {label: name, key: name, iri: key, properties: {name: {type: string, required: true}, manages: {class: Person, many: true}, member_of: {class: Team}}}
  Team: {label: name, key: name, iri: key, properties: {name: {type: string, required: true}}}
`

// The page of two nodes tells the paths between them, the shortest first, each in a line and in a picture whose nodes are
// links, and needs no script; it is reached from the page of a node.
func TestThePathsBetweenTwoNodes(t *testing.T) {
	f := newFixture(t, []byte(pathsSchema), admin.Options{})
	f.call(t, "team.create", map[string]any{"name": "X"})
	f.call(t, "team.create", map[string]any{"name": "Alone"})
	f.call(t, "person.create", map[string]any{"name": "Cy", "member_of": "X"})
	f.call(t, "person.create", map[string]any{"name": "Ben <b>", "member_of": "X"})
	f.call(t, "person.create", map[string]any{"name": "Ana", "manages": []string{"Ben <b>"}})
	node := f.get(t, "/admin/types/Person/Ana", 200)
	if !slices.ContainsFunc(node.find(tag("a")), func(n *html.Node) bool { return attribute(n, "href") == "/admin/paths?from=Person%2FAna" }) {
		t.Error("the page of a node does not lead to its paths")
	}
	if a := f.get(t, "/admin/paths?from=Person%2FAna", 200); strings.Contains(a.text, "The paths as a picture") {
		t.Error("there is a picture before the second node is known")
	}
	a := f.get(t, "/admin/paths?from=Person%2FAna&to=Person%2FCy", 200)
	checkPage(t, "paths", a)
	var lines, links []string
	for _, n := range a.find(tag("ol")) {
		for li := range n.ChildNodes() {
			lines = append(lines, textOf(li))
		}
	}
	if want := []string{"Ana —Manages→ Ben <b> —Member of→ X ←Member of— Cy"}; !slices.Equal(lines, want) {
		t.Errorf("paths %q, want %q", lines, want)
	}
	for _, svg := range a.find(func(n *html.Node) bool {
		return n.Data == "svg" && strings.HasPrefix(attribute(n, "aria-label"), "1 path between Ana and Cy")
	}) {
		for n := range svg.Descendants() {
			if n.Data == "a" {
				links = append(links, attribute(n, "href"))
			}
		}
	}
	slices.Sort(links)
	if want := []string{"/admin/types/Person/Ana", "/admin/types/Person/Ben%20%3Cb%3E", "/admin/types/Person/Cy", "/admin/types/Team/X"}; !slices.Equal(links, want) {
		t.Errorf("the picture links %q, want %q", links, want)
	}
	for path, want := range map[string]string{
		"/admin/paths?from=Person%2FAna&to=Team%2FAlone": "No path of up to 4 steps was found",
		"/admin/paths?from=Person%2FAna&to=Cy&steps=2":   "No path of up to 2 steps was found",
		"/admin/paths?from=Person%2FAna&to=nobody":       `no node is "nobody"`,
		"/admin/paths?from=Person%2FAna&to=Ana":          "are the same node",
		"/admin/suggest?list=to-list&to=be":              "Person/Ben",
	} {
		if a := f.get(t, path, 200); !strings.Contains(textOf(a.find(tag("html"))[0]), want) {
			t.Errorf("%s does not say %q", path, want)
		}
	}
	if a := f.get(t, "/admin/paths?from=Person%2FAna&to=Cy&steps=5", 400); !strings.Contains(a.text, "steps is at most 4") {
		t.Error("a bad number of steps is not refused")
	}
}
