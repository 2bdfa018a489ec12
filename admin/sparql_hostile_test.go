package admin_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
	"trails/e2e/testrun"
)

func TestHostileAnswersAreText(t *testing.T) {
	testrun.Alone(t)
	f, _ := newHostile(t)
	for _, c := range [][]string{
		{"SELECT * { ?s ?p ?o }", "table"}, {"SELECT * { ?s ?p ?o }", "json"}, {"SELECT * { ?s ?p ?o }", "csv"},
		{"CONSTRUCT WHERE { ?s ?p ?o }", "table"}, {"CONSTRUCT WHERE { ?s ?p ?o }", "picture"}, {"CONSTRUCT WHERE { ?s ?p ?o }", "turtle"},
		{`SELECT (IRI("javascript:alert(1)") AS ?x) (IRI("data:text/html,<b>") AS ?y) (IRI("https://a.example/\u202e") AS ?z) {}`, "table"},
		{`CONSTRUCT { <javascript:alert(1)> <javascript:alert(2)> <javascript:alert(3)> } {}`, "picture"},
		{`SELECT ("<script>alert(1)</script>" AS ?x) { FILTER("</textarea><script>" != "") }`, "table"},
		{`SELECT ?s { ?s <</textarea><img src=x onerror=alert(1)> }`, "table"},
	} {
		a := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin/query?"+url.Values{"query": {c[0]}, "output": {c[1]}, "run": {"1"}, "limit": {"1000"}}.Encode(), nil))
		checkPage(t, c[0], a)
		checkAttributes(t, c[0], a)
		if n := a.find(func(n *html.Node) bool {
			return n.Data == "img" || n.Data == "b" && textOf(n) == "bold" || n.Data == "script" && attribute(n, "src") == ""
		}); len(n) > 0 {
			t.Errorf("%s: a value became markup", c[0])
		}
	}
}

func TestLongTextsAreFoldedAndCut(t *testing.T) {
	testrun.Alone(t)
	f := newFixture(t, []byte(hostileSchema), admin.Options{})
	f.call(t, "thing.create", map[string]any{"id": "long", "name": strings.Repeat("wide ", 20_000)})
	a := f.asked(t, 200, "SELECT ?o { ?s <urn:trails:hostile:name> ?o }")
	if len(a.text) > 40_000 {
		t.Errorf("the page has %d bytes", len(a.text))
	}
	says(t, a, "100 000 characters")
	f.call(t, "thing.create", map[string]any{"id": "longer", "name": strings.Repeat("x", 900_000)})
	says(t, f.asked(t, 200, "SELECT ?o { <urn:trails:hostile:Thing/longer> <urn:trails:hostile:name> ?o }"), "one row is longer than the 262144 characters")
}

func TestTenThousandRowsArePaged(t *testing.T) {
	testrun.Alone(t)
	f := newExample(t)
	a := f.asked(t, 200, "SELECT ?a ?b { ?s ?p ?a . ?x ?y ?b }", "limit", "10000")
	says(t, a, "There is more", "go on with ORDER BY and OFFSET", "Next")
	first := len(a.table(t)) - 1
	if first < 500 || first > 10_000 || len(a.text) > 4<<20 {
		t.Errorf("%d rows in %d bytes", first, len(a.text))
	}
	next := f.posted(t, a.view(t, "page-next"))
	if next.StatusCode != 200 || !strings.Contains(next.text, "Rows ") {
		t.Errorf("the next page: %d %.300s", next.StatusCode, mainText(next))
	}
	says(t, f.asked(t, 200, "SELECT (1 AS ?n) { ?s ?p ?o . ?x ?y ?z }", "limit", "10000"), "There is more")
}

// Of many long texts a page unfolds the first ones; the others are their beginnings, and the page says so.
func TestAPageOfLongTextsIsBounded(t *testing.T) {
	testrun.Alone(t)
	f := newFixture(t, []byte(hostileSchema), admin.Options{})
	for i := range 30 {
		f.call(t, "thing.create", map[string]any{"id": fmt.Sprint("t", i), "name": strings.Repeat(fmt.Sprint("word", i, " "), 200)})
	}
	a := f.asked(t, 200, "SELECT ?o { ?s <urn:trails:hostile:name> ?o }")
	unfold := len(a.find(func(n *html.Node) bool { return n.Data == "details" && attribute(n, "class") == "long" }))
	if unfold == 0 || unfold == 30 {
		t.Errorf("%d of 30 texts unfold", unfold)
	}
	says(t, a, fmt.Sprint(30-unfold, " long texts are shown by the beginning"), "1 400 characters")
}
