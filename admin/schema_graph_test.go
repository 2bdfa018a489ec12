package admin_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
)

// A property that may lead to any node stands in the picture and in the table, with its links counted and without a line.
func TestThePictureOfTheSchemaHasWhatLeadsToAnyNode(t *testing.T) {
	f := newFixture(t, []byte(`
types:
  Note: {label: title, properties: {title: {type: string, required: true}, about: {type: iri, many: true, label: Is about}}}
`), admin.Options{})
	f.call(t, "note.create", map[string]any{"id": "a", "title": "A", "about": []string{"https://example.org/x", "https://example.org/y"}})
	a := f.get(t, "/admin/schema", 200)
	checkPage(t, "schema", a)
	page := mainText(a)
	for _, want := range []string{"Is about → any2", "NoteIs aboutany node2"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q: %s", want, page)
		}
	}
	if lines := a.find(func(n *html.Node) bool { return n.Data == "path" && attribute(n, "class") == "link" }); len(lines) > 0 {
		t.Errorf("%d lines are drawn", len(lines))
	}
}

// The page of the schema draws types and what they refer to, with the numbers of nodes and links, and has the same as a
// table. A property that refers to an abstract type leads to those that extend it.
func TestTheSchemaIsDrawnAsAGraph(t *testing.T) {
	f := newFixture(t, []byte(`
types:
  Agent: {abstract: true, label: name, properties: {name: {type: string, required: true}, knows: {class: Agent, many: true}}}
  Person: {extends: Agent, key: name, iri: key}
  Team: {extends: Agent, key: name, iri: key, properties: {lead: {class: Person}}}
`), admin.Options{})
	f.call(t, "person.create", map[string]any{"name": "Ana"})
	f.call(t, "person.create", map[string]any{"name": "Ben", "knows": []string{"Person/Ana"}})
	f.call(t, "team.create", map[string]any{"name": "X", "knows": []string{"Person/Ana", "Person/Ben"}, "lead": "Ana"})
	a := f.get(t, "/admin/schema", 200)
	checkPage(t, "schema", a)
	var names, texts []string
	links := 0
	for _, svg := range a.find(func(n *html.Node) bool {
		return n.Data == "svg" && strings.HasPrefix(attribute(n, "aria-label"), "2 types and 3 properties")
	}) {
		for n := range svg.Descendants() {
			switch n.Data {
			case "a":
				names = append(names, attribute(n, "href")+" "+textOf(n))
			case "text":
				texts = append(texts, textOf(n))
			case "path":
				links++
			}
		}
	}
	for _, want := range []string{"/admin/types/Person?where=knows+not_empty Knows1", "/admin/types/Team?where=knows+not_empty Knows2", "/admin/types/Team?where=lead+not_empty Lead1"} {
		if !slices.Contains(names, want) {
			t.Errorf("%q is not in the picture: %q", want, names)
		}
	}
	if want := 5; links != want { // knows leads from either type to both
		t.Errorf("%d links are drawn, want %d", links, want)
	}
	if !slices.Contains(texts, "Person") || !slices.Contains(texts, "2") || slices.Contains(texts, "Agent") {
		t.Errorf("the types of the picture: %q", texts)
	}
	var rows []string
	for _, table := range a.find(func(n *html.Node) bool { return attribute(n, "aria-label") == "Links of the schema" }) {
		for n := range table.Descendants() {
			if n.Data == "tr" {
				rows = append(rows, textOf(n))
			}
		}
	}
	if want := []string{"FromPropertyToLinks", "PersonKnowsAgent1", "TeamLeadPerson1", "TeamKnowsAgent2"}; !slices.Equal(rows, want) {
		t.Errorf("the table has %q, want %q", rows, want)
	}
	for _, n := range a.find(tag("a")) {
		if to := attribute(n, "href"); strings.Contains(to, "where=") {
			f.get(t, to, 200)
		}
	}
}

// All links are counted, however many properties there are, and a property of two types for each of them.
func TestTheLinksOfManyPropertiesAreCounted(t *testing.T) {
	var text, want strings.Builder
	text.WriteString("types:\n")
	want.WriteString("FromPropertyToLinks")
	for _, name := range []string{"Team", "Unit"} {
		fmt.Fprintf(&text, "  %s:\n    label: name\n    key: name\n    iri: key\n    properties:\n      name: {type: string, required: true}\n", name)
		for i := range 20 {
			fmt.Fprintf(&text, "      %s%02d: {class: Team, many: true}\n", strings.ToLower(name), i)
			fmt.Fprintf(&want, "|%s%s%02dTeam%d", name, name, i, i%3)
		}
		fmt.Fprint(&text, "      both: {class: Team}\n")
		fmt.Fprintf(&want, "|%sBothTeam1", name)
	}
	f := newFixture(t, []byte(text.String()), admin.Options{})
	f.call(t, "team.create", map[string]any{"name": "A"})
	f.call(t, "team.create", map[string]any{"name": "B"})
	for _, name := range []string{"team", "unit"} {
		node := map[string]any{"name": "C", "both": "A"}
		for i := range 20 {
			node[fmt.Sprintf("%s%02d", name, i)] = []string{"A", "B"}[:i%3]
		}
		f.call(t, name+".create", node)
	}
	a := f.get(t, "/admin/schema", 200)
	var rows []string
	for _, table := range a.find(func(n *html.Node) bool { return attribute(n, "aria-label") == "Links of the schema" }) {
		for n := range table.Descendants() {
			if n.Data == "tr" {
				rows = append(rows, textOf(n))
			}
		}
	}
	if got := strings.Join(rows, "|"); got != want.String() {
		t.Errorf("got  %s\nwant %s", got, want.String())
	}
}
