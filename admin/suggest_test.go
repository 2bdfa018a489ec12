package admin_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"trails/admin"
	"trails/e2e/testrun"
)

const worksSchema = `
base: https://works.example/
types:
  Agent:
    abstract: true
    label: name
    iri: key
    key: name
    properties:
      name: {type: string, required: true}
  Person: {extends: Agent}
  Group: {extends: Agent}
  Work:
    label: title
    properties:
      title: {type: string, required: true}
      by: {class: Agent, many: true}
      after: {class: Work}
`

func TestSuggestionsAreWhatACallTakes(t *testing.T) {
	testrun.Alone(t)
	f := newFixture(t, []byte(worksSchema), admin.Options{})
	f.call(t, "person.create", map[string]any{"name": "Ana"})
	f.call(t, "group.create", map[string]any{"name": "Analysts"})
	f.call(t, "work.create", map[string]any{"id": "w1", "title": "<b>Bold</b>"})
	for query, want := range map[string][]string{
		"type=Work&property=by&q=an":              {"Person/Ana", "Group/Analysts"},
		"type=Work&property=by&q=Group/an":        {"Person/Ana", "Group/Analysts"},
		"type=Work&property=by&arg.by=x&arg.by=z": nil,
		"type=Work&property=after&q=":             {"Work/w1"},
		"type=Work&property=after&q=Work/w":       {"Work/w1"},
		"type=Work&q=w":                           {"w1"},
		"type=Work&id=w":                          {"w1"},
		"type=Nothing&property=x":                 nil,
		"":                                        {"Group/Analysts", "Person/Ana", "Work/w1"},
	} {
		var got []string
		for _, n := range f.get(t, "/admin/suggest?"+query, http.StatusOK).find(func(n *html.Node) bool { return hasAttribute(n, "data-value") }) {
			got = append(got, attribute(n, "data-value"))
		}
		if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" {
			t.Errorf("%s:\n%s", query, diff)
		}
	}
	if a := f.get(t, "/admin/suggest?type=Work", http.StatusOK); len(a.find(tag("b"))) > 0 {
		t.Error("a label came in as markup")
	}
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/admin/suggest?type=Work&q="+url.QueryEscape("<b"), nil)
	r.Header.Set("Accept", "application/json")
	if got := f.do(t, r).text; got != `{"items":[{"value":"w1","label":"<b>Bold</b>"}]}` {
		t.Errorf("got %s", got)
	}
}
