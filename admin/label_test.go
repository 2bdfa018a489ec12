package admin_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
)

// TestPagesCallAPropertyByItsLabel holds that people read the label wherever a page names a property, and that addresses
// and controls have the name.
func TestPagesCallAPropertyByItsLabel(t *testing.T) {
	f := newFixture(t, []byte(`
types:
  Team: {label: name, properties: {name: {type: string, label: Name of the team}}}
  Person:
    label: fullName
    properties:
      fullName: {type: string, label: Full name}
      bornOn: {type: date, label: Date of birth}
      mood: {type: string, one_of: [good, bad], label: State of mind}
      team: {class: Team, label: Plays for}
      chief: {class: Person, label: Reports to}
      plain_name: string
`), admin.Options{})
	team := f.call(t, "team.create", map[string]any{"id": "t", "name": "Reds"})
	f.call(t, "person.create", map[string]any{"id": "p", "fullName": "Ada", "bornOn": "1815-12-10", "mood": "good", "team": team["iri"], "plain_name": "zebra"})
	f.call(t, "person.create", map[string]any{"id": "q", "fullName": "Bob", "bornOn": "1917-12-10", "mood": "bad", "team": team["iri"], "chief": "p"})
	tests := []struct {
		name, path, tag string
		want            []string
	}{
		{"heads of a list", "/admin/types/Person?col=bornOn&col=team&col=plain_name", "th", []string{"Full name", "Date of birth", "Plays for", "Plain name"}},
		{"a head of a path", "/admin/types/Person?col=team.name", "th", []string{"Plays for › Name of the team"}},
		{"facets", "/admin/types/Person", "dt", []string{"Date of birth", "State of mind"}},
		{"filters", "/admin/types/Person", "option", []string{"Full name", "Date of birth", "Plays for › Name of the team", "Plain name"}},
		{"the columns to choose", "/admin/types/Person", "label", []string{"Full name", "Date of birth"}},
		{"active filters", "/admin/types/Person?where=mood%21%3Dgood&where=team.name%3DReds", "li", []string{"State of mind is not", "Plays for › Name of the team"}},
		{"a chart", "/admin/types/Person?by=mood&split=team.name", "h2", []string{"Person: number of Person by State of mind and Plays for › Name of the team"}},
		{"a node", "/admin/types/Person/p", "dt", []string{"Full name", "Date of birth", "Plays for", "Plain name"}},
		{"what refers to a node", "/admin/types/Person/p", "h3", []string{"Reports to"}},
		{"the line about a node", "/admin/types/Person/p", "p", []string{"1 Person refers here by Reports to"}},
		{"the link to trees", "/admin/types/Person", "a", []string{"Tree by Reports to"}},
		{"the trees of a type", "/admin/trees?type=Person&by=chief", "h1", []string{"Person by Reports to"}},
		{"the relations of a tree", "/admin/types/Person/p/tree", "a", []string{"Reports to"}},
		{"the picture of a node", "/admin/types/Person/q", "text", []string{"Reports to →"}},
		{"the links of a neighbourhood", "/admin/types/Person/q/graph", "td", []string{"Reports to", "Plays for"}},
		{"paths", "/admin/paths?from=Person/q&to=Team/t", "li", []string{"—Reports to→"}},
		{"a commit", "/admin/commits/head", "th", []string{"Full name", "Reports to"}},
		{"the history of a node", "/admin/types/Person/q/history", "th", []string{"Date of birth"}},
		{"who said a value", "/admin/types/Person/p?blame=1", "dt", []string{"Plain name"}},
		{"a hit of a search", "/admin/search?q=zebra", "span", []string{"Plain name:"}},
		{"a hit while somebody types", "/admin/find?q=zebra", "span", []string{"Plain name:"}},
		{"the picture of the schema", "/admin/schema", "text", []string{"Reports to"}},
		{"an undo", "/admin/undo?commit=head", "th", []string{"Full name"}},
		{"a form", "/admin/capabilities/person.create", "label", []string{"Full name", "Date of birth", "Plays for", "Plain name"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := f.get(t, test.path, 200)
			if !strings.HasPrefix(test.path, "/admin/find?") { // a part of a page
				checkPage(t, test.name, a)
			}
			all := a.find(func(n *html.Node) bool { return n.Data == test.tag })
			for _, want := range test.want {
				if !slices.ContainsFunc(all, func(n *html.Node) bool { return strings.Contains(textOf(n), want) }) {
					t.Errorf("no %s says %q", test.tag, want)
				}
			}
		})
	}
	picture := f.posted(t, url.Values{"query": {"CONSTRUCT { ?a ?p ?b } WHERE { ?a a :Person ; ?p ?b . ?b a :Team }"}, "output": {"picture"}, "part": {"answer"}})
	if !strings.Contains(picture.text, "Plays for") {
		t.Errorf("the picture that a script asks for does not say Plays for: %.600s", picture.text)
	}
	a := f.get(t, "/admin/types/Person?col=bornOn", 200)
	if !strings.Contains(a.text, "sort=bornOn") || !strings.Contains(a.text, `data-property="bornOn"`) || strings.Contains(a.text, "sort=Date") {
		t.Error("an address has no name of a property")
	}
}
