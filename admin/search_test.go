package admin_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
)

func newStaff(t *testing.T) fixture {
	t.Helper()
	f := newFixture(t, []byte(`
types:
  Person: {label: name, key: code, iri: key, properties: {name: {type: string}, code: {type: string, required: true}, about: string}}
  Team: {label: name, key: code, iri: key, properties: {name: {type: string}, code: {type: string, required: true}}}
`), admin.Options{})
	for id, name := range map[string]string{"p1": "Petr Novák", "p2": "Anna Müller", "p3": "Jo"} {
		f.call(t, "person.create", map[string]any{"code": id, "name": name, "about": "Reads <b>papers</b> of Novak about compilers " + id})
	}
	f.call(t, "team.create", map[string]any{"code": "t1", "name": "Novák's compilers"})
	return f
}

// texts are the texts of the elements with a tag below a node.
func texts(a answer, below, name string) []string {
	var out []string
	for _, n := range a.find(tag(name)) {
		for up := n.Parent; up != nil; up = up.Parent {
			if slices.Contains(strings.Fields(attribute(up, "class")), below) {
				out = append(out, textOf(n))
				break
			}
		}
	}
	return out
}

func TestTheSearchPageHasHitsWithTheirTypesAndWords(t *testing.T) {
	f := newStaff(t)
	a := f.get(t, "/admin/search?q=novak", 200)
	checkPage(t, "search", a)
	if got := texts(a, "hits", "a"); len(got) != 4 {
		t.Errorf("novak has the hits %q", got)
	}
	if got := texts(a, "hits", "mark"); !slices.Contains(got, "Novák") || !slices.Contains(got, "Novak") {
		t.Errorf("marked are %q", got)
	}
	if got := texts(a, "facets", "a"); !slices.Equal(got, []string{"Person 3", "Team 1"}) && !slices.Equal(got, []string{"Team 1", "Person 3"}) {
		t.Errorf("the types are %q", got)
	}
	a = f.get(t, "/admin/search?q=novak&type=Team", 200)
	if got := texts(a, "hits", "a"); len(got) != 1 || !strings.Contains(got[0], "compilers") {
		t.Errorf("of Team there are %q", got)
	}
	if got := texts(a, "facets", "a"); len(got) != 2 {
		t.Errorf("with one chosen the types are %q", got)
	}
	if a = f.get(t, "/admin/search?q=novak&type=Team&explain=1", 200); !strings.Contains(mainText(a), `1. all words: "novak" `) || !slices.ContainsFunc(a.find(tag("a")), func(n *html.Node) bool {
		return textOf(n) == "Without explanations" && attribute(n, "href") == "/admin/search?q=novak&type=Team"
	}) {
		t.Errorf("explained it says %s", mainText(a))
	}
	if a = f.get(t, "/admin/search?q=compilres", 200); !strings.Contains(mainText(a), "compilres → compilers") || len(texts(a, "hits", "mark")) == 0 {
		t.Errorf("a misspelt word: %s", mainText(a))
	}
	for query, want := range map[string]string{"": "Type words", "?q=zzzzqq": "nothing has any of these words", "?q=%22compilers+novak%22": `no text has the phrase "compilers novak"; leave the quotation marks out`, "?q=%3F%3F": "no word to search for", "?q=" + strings.Repeat("x", 3000): "at most 2000"} {
		if a := f.get(t, "/admin/search"+query, 200); !strings.Contains(mainText(a), want) {
			t.Errorf("search%.20s says %s", query, mainText(a))
		}
	}
	f.get(t, "/admin/search?q=novak&type=Nope", http.StatusBadRequest)
}

func TestTheBoxLeadsToNodesPagesAndActions(t *testing.T) {
	f := newStaff(t)
	for typed, want := range map[string]string{
		"nov":     "/admin/types/Person/p1",
		"person":  "/admin/types/Person",
		"new tea": "/admin/capabilities/team.create",
		"comm":    "/admin/commits",
		"mull":    "/admin/types/Person/p2",
	} {
		a := f.get(t, "/admin/find?q="+url.QueryEscape(typed), 200)
		if !slices.ContainsFunc(a.find(tag("a")), func(n *html.Node) bool { return attribute(n, "href") == want }) {
			t.Errorf("%q leads to %s", typed, a.text)
		}
	}
	for typed, want := range map[string]string{"zzzzqq": "Nothing has these words", "": "", "??": "Nothing has these words"} {
		if a := f.get(t, "/admin/find?q="+url.QueryEscape(typed), 200); strings.TrimSpace(textOf(a.doc)) != want && !strings.Contains(textOf(a.doc), want) {
			t.Errorf("%q: %s", typed, a.text)
		}
	}
}
