package admin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
)

const prologue = "PREFIX : <urn:trails:example:>\n"

// asked opens the page of queries by its address.
func (f fixture) asked(t *testing.T, status int, query string, more ...string) answer {
	t.Helper()
	values := url.Values{"query": {query}, "run": {"1"}}
	for i := 0; i < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	a := f.get(t, "/admin/query?"+values.Encode(), status)
	checkPage(t, query, a)
	return a
}

// posted sends the form of queries.
func (f fixture) posted(t testing.TB, values url.Values) answer {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/admin/query", strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return f.do(t, r)
}

// table is the answer's, without the numbers of its rows.
func (a answer) table(t testing.TB) [][]string {
	t.Helper()
	tables := a.find(func(n *html.Node) bool { return n.Data == "table" && attribute(n, "class") == "answer-table" })
	if len(tables) != 1 {
		t.Fatalf("the page has %d tables:\n%s", len(tables), mainText(a))
	}
	out := rows(tables[0])
	for i := range out {
		out[i] = out[i][1:]
	}
	return out
}

func (a answer) links(prefix string) []string {
	var out []string
	for _, n := range a.find(tag("a")) {
		if strings.HasPrefix(attribute(n, "href"), prefix) {
			out = append(out, attribute(n, "href"))
		}
	}
	return out
}

func TestAnAnswerIsATableWhoseEntitiesAreLinked(t *testing.T) {
	f := newExample(t)
	a := f.asked(t, 200, prologue+`SELECT ?r ?p ?none (STRLANG("salut", "fr") AS ?word) (BNODE() AS ?b) (IRI("https://example.org/x") AS ?web) (:Requirement\/nothing AS ?gone)
		WHERE { ?r a :Requirement ; :priority ?p FILTER(?r = <urn:trails:example:Requirement/R-001>) }`)
	table := a.table(t)
	if !slices.Equal(table[0], []string{"r", "p", "none", "word", "b", "web", "gone"}) {
		t.Errorf("the head is %q", table[0])
	}
	got := table[1]
	if got[0] != "Requirement/R-001" || got[1] != "1" || got[2] != "" || got[3] != "salut fr" || !strings.HasPrefix(got[4], "_:") || got[5] != "https://example.org/x" {
		t.Errorf("the row is %q", got)
	}
	if len(a.links("/admin/types/Requirement/R-001")) != 1 || len(a.links("/admin/types/Requirement/nothing")) != 0 {
		t.Error("what is there is linked, and nothing else")
	}
	says(t, a, "1 row", "true of")
}

// A column of numbers is at the right, and its head has their datatype; of several datatypes each number has its own.
func TestNumbersOfAnAnswerAreAtTheRight(t *testing.T) {
	a := newExample(t).asked(t, 200, `SELECT * { VALUES (?whole ?mixed ?text) { (1 2 "3") (10 2.5 4) (UNDEF UNDEF UNDEF) } }`)
	if got := a.table(t)[1:]; !slices.Equal(got[0], []string{"1", "2 xsd:integer", "3"}) || !slices.Equal(got[1], []string{"10", "2.5 xsd:decimal", "4 xsd:integer"}) || !slices.Equal(got[2], []string{"", "", ""}) {
		t.Errorf("the rows are %q", got)
	}
	var heads []string
	for _, n := range a.find(tag("th")) {
		if attribute(n, "class") == "num" {
			heads = append(heads, textOf(n)+" "+attribute(n, "title"))
		}
	}
	if !slices.Equal(heads, []string{"Number ", "whole xsd:integer", "mixed numbers"}) {
		t.Errorf("at the right are %q", heads)
	}
}

func TestAnAnswerSaysWhatTheQueryProbablyDidNotMean(t *testing.T) {
	f := newExample(t)
	says(t, f.asked(t, 200, "SELECT ?r { ?r a :Requirement ; :priorty ?p }"), "neither the schema nor the data has the property :priorty; did you mean :priority?", "No rows")
	if a := f.asked(t, 200, "SELECT ?r { ?r a :Requirement ; :priority ?p }"); strings.Contains(mainText(a), "neither") {
		t.Error("a right query is complained of")
	}
}

func TestEntitiesAreKnownByWhatTheyAreAndNotByTheirNames(t *testing.T) {
	f := newFixture(t, []byte(hostileSchema), admin.Options{})
	f.call(t, "thing.create", map[string]any{"id": "https://elsewhere.example/it", "name": "it"})
	a := f.asked(t, 200, "SELECT ?s { ?s a <urn:trails:hostile:Thing> }")
	if links := a.links("/admin/types/Thing/"); !slices.Equal(links, []string{"/admin/types/Thing/https:%2F%2Felsewhere.example%2Fit"}) {
		t.Errorf("links are %q", links)
	}
}

func TestTheFormAsksWithoutScripts(t *testing.T) {
	f := newExample(t)
	page := f.get(t, "/admin/query", 200)
	checkPage(t, "the empty page", page)
	form := page.form(t, "/admin/query")
	if form.Get("query") == "" || form.Get("output") != "table" || form.Get("limit") != "100" {
		t.Fatalf("the form holds %v", form.Values)
	}
	form.Set("query", prologue+"SELECT ?r WHERE {\r\n ?r a :Requirement }\r\nORDER BY ?r")
	form.Set("limit", "5")
	first := f.press(t, form, "run=1")
	says(t, first, "5 rows", "There is more", "the first 5 rows are shown; raise limit, at most 10000, or go on with ORDER BY and OFFSET 5", "Show up to 50")
	seen := column(first.table(t))
	next := first.view(t, "page-next")
	second := f.posted(t, next)
	says(t, second, "Rows 6–10")
	seen = append(seen, column(second.table(t))...)
	third := f.posted(t, second.view(t, "page-next"))
	says(t, third, "Rows 11–12")
	seen = append(seen, column(third.table(t))...)
	want := column(f.asked(t, 200, prologue+"SELECT ?r WHERE { ?r a :Requirement } ORDER BY ?r").table(t))
	if !slices.Equal(seen, want) || len(want) != 12 {
		t.Errorf("the pages together are %q, the whole is %q", seen, want)
	}
	if back := column(f.posted(t, third.view(t, "page-previous")).table(t)); !slices.Equal(back, want[5:10]) {
		t.Errorf("the page before is %q", back)
	}
	if more := column(f.posted(t, first.view(t, "more")).table(t)); !slices.Equal(more, want) {
		t.Errorf("all at once are %q", more)
	}
	if strings.Contains(mainText(first), "not promised") {
		t.Error("an ordered answer is called unordered")
	}
}

func column(table [][]string) []string {
	var out []string
	for _, row := range table[1:] {
		out = append(out, row[0])
	}
	return out
}

// view is what the button with this id sends.
func (a answer) view(t testing.TB, id string) url.Values {
	t.Helper()
	button := a.byID(t, id)
	values := controlsOf(button.Parent)
	values.Set("output", attribute(button, "value"))
	return values
}

func TestPagesOfAnAnswerKeepItsOwnLimitAndOffset(t *testing.T) {
	f := newExample(t)
	text := prologue + "SELECT DISTINCT ?r WHERE { ?r a :Requirement } ORDER BY DESC(?r) LIMIT 6 OFFSET 2"
	want := column(f.asked(t, 200, text).table(t))
	a := f.asked(t, 200, text, "limit", "4")
	got := append(column(a.table(t)), column(f.posted(t, a.view(t, "page-next")).table(t))...)
	if len(want) != 6 || !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	says(t, f.asked(t, 200, prologue+"SELECT ?r { ?r a :Requirement }", "limit", "4"), "Without ORDER BY")
	says(t, f.asked(t, 200, text, "offset", "50"), "Nothing matches")
}

func TestAnAnswerCanBeHadInEveryFormat(t *testing.T) {
	testrun.Alone(t)
	f := newExample(t)
	row, graph := prologue+`SELECT ?t { :Requirement\/R-001 :title ?t }`, `DESCRIBE <urn:trails:example:Requirement/R-001>`
	for _, c := range []struct{ query, output, want string }{
		{row, "json", `"bindings": [ { "t": { "type": "literal", "value": "Everything lives in one SQLite file" } } ]`},
		{row, "csv", "t Everything lives"}, {row, "tsv", `?t "Everything lives`}, {row, "xml", `<literal>Everything lives`},
		{graph, "turtle", `:title "Everything lives`}, {graph, "ntriples", `<urn:trails:example:title> "Everything lives`}, {graph, "jsonld", `"Everything lives`},
		{"ASK {}", "json", `"boolean": true`}, {"ASK {}", "xml", "<boolean>true</boolean>"},
	} {
		a := f.asked(t, 200, c.query, "output", c.output)
		says(t, a, c.want)
	}
	says(t, f.asked(t, 400, graph, "output", "csv"), "the answer to DESCRIBE can be had as turtle, ntriples, jsonld")
	says(t, f.asked(t, 200, "ASK { FILTER(false) }"), "false", "The pattern has no solution")
}

func TestDownloadsAreTheWholeAnswer(t *testing.T) {
	f := newExample(t)
	text := prologue + "SELECT ?r { ?r a :Requirement }"
	a := f.asked(t, 200, text, "limit", "2")
	var formats []string
	for _, href := range a.links("/sparql?") {
		u, err := url.Parse(href)
		if err != nil || u.Query().Get("query") != text {
			t.Errorf("a download of %s: %v", href, err)
		}
		formats = append(formats, u.Query().Get("format"))
	}
	if !slices.Equal(formats, []string{"csv", "tsv", "json", "xml"}) {
		t.Errorf("downloads are %q", formats)
	}
	if got := f.asked(t, 200, "CONSTRUCT WHERE { ?s ?p ?o }").links("/sparql?"); len(got) != 3 || !strings.Contains(got[0], "turtle") {
		t.Errorf("downloads of a graph are %q", got)
	}
	long := f.posted(t, url.Values{"query": {text + " #" + strings.Repeat("x", 20_000)}})
	says(t, long, "12 rows", "too long for a link")
	if len(long.links("/sparql?")) != 0 {
		t.Error("an address that is too long is linked")
	}
}

func TestAnAnswersLinkLeadsToTheSamePage(t *testing.T) {
	f := newExample(t)
	a := f.posted(t, url.Values{"query": {prologue + "SELECT ?r\r\n{ ?r a :Requirement }\r\nORDER BY ?r"}, "limit": {"3"}, "offset": {"3"}})
	links := a.links("/admin/query?")
	i := slices.IndexFunc(links, func(l string) bool { return strings.Contains(l, "offset=3") })
	if i < 0 {
		t.Fatalf("links are %q", links)
	}
	if got, want := f.get(t, links[i], 200).table(t), a.table(t); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the link shows %q, the form %q", got, want)
	}
}

func TestAGraphIsDrawnAndListed(t *testing.T) {
	f := newExample(t)
	a := f.asked(t, 200, prologue+"CONSTRUCT { ?a :dependsOn ?b ; a :Component . ?a :title ?t . ?b <https://example.org/p> [] } WHERE { ?a :dependsOn ?b ; :title ?t }", "output", "picture", "limit", "1000")
	texts, named := map[string]int{}, 0
	for _, n := range a.find(tag("text")) {
		texts[textOf(n)]++
	}
	for _, to := range a.leads("/admin/types/Component/") {
		if strings.Count(to, "/") == 4 {
			named++
		}
	}
	for text, want := range map[string]bool{"The graph as a va…": true, "← Depends on": true, "https://ex… →": true, "Component": false} {
		if (texts[text] > 0) != want {
			t.Errorf("%q is in the picture: %v, want %v: %v", text, !want, want, texts)
		}
	}
	if named < 10 {
		t.Errorf("%d components are drawn", named)
	}
	if head := a.table(t)[0]; !slices.Equal(head, []string{"subject", "predicate", "object"}) {
		t.Errorf("the table's head is %q", head)
	}
	rows := f.asked(t, 200, prologue+"SELECT ?a ?title ?b WHERE { ?a :dependsOn ?b ; :title ?title }", "output", "picture", "limit", "1000")
	says(t, rows, "Each row links ?a to ?b")
	named = 0
	for _, n := range rows.find(tag("text")) {
		if textOf(n) == "← B" || textOf(n) == "B →" {
			named++
		}
	}
	if named < 10 {
		t.Errorf("%d links of rows are drawn", named)
	}
	if !slices.ContainsFunc(rows.find(tag("text")), func(n *html.Node) bool { return textOf(n) == "The graph as a va…" }) {
		t.Error("nodes of rows are not called by their labels")
	}
	rows = f.asked(t, 200, prologue+"SELECT ?a ?p ?b WHERE { ?a ?p ?b . ?a a :Component . ?b a :Component }", "output", "picture", "limit", "1000")
	says(t, rows, "Each row links ?a to ?b by ?p")
	if !slices.ContainsFunc(rows.find(tag("text")), func(n *html.Node) bool { return strings.Contains(textOf(n), "Depends on") }) {
		t.Error("the column of properties does not name the links")
	}
	says(t, f.asked(t, 200, prologue+"SELECT ?t WHERE { ?a :title ?t }", "output", "picture"), "No column has nodes")
	says(t, f.asked(t, 200, "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o FILTER(false) }", "output", "picture"), "0 triples", "The graph is empty")
}

func TestHowAQueryIsRunIsTold(t *testing.T) {
	a := newExample(t).asked(t, 200, prologue+"SELECT ?r { ?r a :Requirement } LIMIT 3", "output", "explain")
	says(t, a, "How it is run", "It gives 3 rows in all", "?r a :Requirement [POS]", "FROM live")
}

func TestASyntaxErrorShowsItsLine(t *testing.T) {
	f := newExample(t)
	for _, c := range []struct {
		text         string
		line, column string
		before, at   string
	}{
		{"SELECT ?s WHERE {\r\n  ?s a }", "2", "8", "2   ?s a ", "}"},
		{"SELECT ?s WHERE {", "1", "18", "1 SELECT ?s WHERE {", " "},
		{"SELECT ?s { \"" + strings.Repeat("é", 200) + "\" }", "1", "216", "", "}"},
	} {
		a := f.posted(t, url.Values{"query": {c.text}})
		if a.StatusCode != 400 {
			t.Fatalf("%q: %d", c.text, a.StatusCode)
		}
		checkPage(t, c.text, a)
		says(t, a, "The query does not parse", "line "+c.line+", column "+c.column)
		quoted := a.find(func(n *html.Node) bool { return attribute(n, "class") == "quoted" })
		marks := a.find(tag("mark"))
		if len(quoted) != 1 || len(marks) != 1 || !strings.HasPrefix(rawText(quoted[0]), c.before) || rawText(marks[0]) != c.at {
			t.Errorf("%q: the line is quoted as %q", c.text, rawText(quoted[0]))
		}
		if len([]rune(rawText(quoted[0]))) > 140 {
			t.Errorf("%q: the quote has %d characters", c.text, len(rawText(quoted[0])))
		}
		if kept := a.form(t, "/admin/query").Get("query"); strings.ReplaceAll(kept, "\r", "") != strings.ReplaceAll(c.text, "\r", "") {
			t.Errorf("the form has lost %q: %q", c.text, kept)
		}
	}
}

func TestAnUpdateIsSentToItsOwnForm(t *testing.T) {
	f := newExample(t)
	text := "INSERT DATA { <urn:a> <urn:b> \"c\" }"
	a := f.asked(t, 400, text)
	says(t, a, "This is an update", "only reads")
	links := a.links("/admin/capabilities/mutate?")
	if len(links) != 1 {
		t.Fatalf("links to mutate: %q", links)
	}
	form := f.get(t, links[0], 200).form(t, "/admin/capabilities/mutate")
	if form.Get("arg.update") != text {
		t.Errorf("the form of mutate holds %q", form.Get("arg.update"))
	}
	if n := len(f.call(t, "query", map[string]any{"query": "SELECT * { <urn:a> ?p ?o }"})["rows"].([]any)); n != 0 {
		t.Error("the page has changed the graph")
	}
}

func TestRefusalsAreTheContracts(t *testing.T) {
	testrun.Alone(t)
	f := newExample(t)
	says(t, f.asked(t, 403, "SELECT * { SERVICE <https://example.org/> { ?s ?p ?o } }"), "SERVICE")
	for _, address := range []string{"/admin/query?limit=0", "/admin/query?limit=10001", "/admin/query?output=pdf", "/admin/query?timeout=61", "/admin/query?what=1", "/admin/query?offset=-1"} {
		f.get(t, address, 400)
	}
	f.get(t, "/admin/query?type=Nothing", 404)
	says(t, f.posted(t, url.Values{"query": {" "}}), "Ask the graph")
	for kind, status := range map[fault.Kind]int{fault.TimedOut: 408, fault.Exhausted: 429, fault.TooLarge: 413} {
		b := fixture{known(admin.New(broken{f.engine, "query", fault.New(kind, "the query is %s", kind)}, admin.Options{})), f.engine}
		says(t, b.asked(t, status, "SELECT * {}"), "The query was not answered", "the query is "+kind.String())
	}
	b := fixture{known(admin.New(broken{f.engine, "query", fmt.Errorf("disk at /home/ana")}, admin.Options{})), f.engine}
	a := b.asked(t, 500, "SELECT * {}")
	says(t, a, "Something broke on our side")
	if strings.Contains(a.text, "/home/ana") {
		t.Error("the page tells the cause")
	}
}

// spy hears of the calls.
type spy struct {
	*invoke.Engine
	calls *[]string
}

func (s spy) Call(ctx context.Context, c invoke.Call) (invoke.Result, error) {
	*s.calls = append(*s.calls, c.Capability)
	return s.Engine.Call(ctx, c)
}

func TestAnAnswerIsOneCallAndOneForItsNames(t *testing.T) {
	testrun.Alone(t)
	f := newExample(t)
	var calls []string
	s := fixture{known(admin.New(spy{f.engine, &calls}, admin.Options{})), f.engine}
	for _, text := range []string{"SELECT * { ?s ?p ?o }", "CONSTRUCT WHERE { ?s ?p ?o }"} {
		calls = nil
		a := s.posted(t, url.Values{"query": {text}, "limit": {"1000"}, "part": {"answer"}})
		queries := 0
		for _, c := range calls {
			if c == "query" {
				queries++
			}
		}
		if queries != 2 || len(calls) > 3 {
			t.Errorf("%s: the calls are %q", text, calls)
		}
		if strings.Contains(a.text, "<html") || !strings.Contains(a.text, "280") {
			t.Errorf("%s: the part is %.200s", text, a.text)
		}
	}
}

func TestExamplesAndTypesAreAskedWithoutAnError(t *testing.T) {
	testrun.Alone(t)
	for name, f := range map[string]fixture{"the example": newExample(t), "notes": newNotes(t), "no types": newFixture(t, []byte("base: \"urn:x:\"\n"), admin.Options{})} {
		page := f.get(t, "/admin/query", 200)
		examples := page.find(func(n *html.Node) bool { return attribute(n, "data-example") != "" })
		if len(examples) < 2 || len(examples) > 5 {
			t.Errorf("%s: %d examples", name, len(examples))
		}
		for _, n := range examples {
			f.get(t, attribute(n, "href"), 200)
			f.get(t, attribute(n, "href")+"&output=explain", 200)
		}
	}
	f := newExample(t)
	for _, path := range []string{"/admin/schema", "/admin/types/Decision"} {
		links := f.get(t, path, 200).links("/admin/query?")
		if len(links) == 0 {
			t.Errorf("%s has no link to the page of queries", path)
		}
		for _, href := range links {
			if a := f.get(t, href, 200); len(a.table(t)) < 2 {
				t.Errorf("%s finds nothing", href)
			}
		}
	}
}

func TestTheEditorCompletesTheSchemasWords(t *testing.T) {
	a := newExample(t).get(t, "/admin/query/words.json", 200)
	var words struct {
		Prefixes          map[string]string
		Types, Properties []string
	}
	if err := json.Unmarshal([]byte(a.text), &words); err != nil {
		t.Fatal(err)
	}
	if words.Prefixes[""] != "urn:trails:example:" || words.Prefixes["skos"] == "" || !slices.Contains(words.Types, "urn:trails:example:Component") || !slices.Contains(words.Properties, "urn:trails:example:dependsOn") ||
		words.Prefixes["trails"] != "urn:trails:ns#" || !slices.Contains(words.Properties, "urn:trails:ns#matches") {
		t.Errorf("the words are %+v", words)
	}
}

func TestALinkOfAnotherSiteShowsAQueryAndDoesNotRunIt(t *testing.T) {
	f := newExample(t)
	for site, want := range map[string]string{"cross-site": "", "same-origin": "query ok", "none": "query ok"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin/query?query=ASK%7B%7D&run=1", nil)
		r.Header.Set("Sec-Fetch-Site", site)
		before := len(f.activities(t))
		a := f.do(t, r)
		if got := strings.Join(f.activities(t)[before:], ", "); got != want || a.StatusCode != http.StatusOK || !strings.Contains(a.text, "ASK{}") {
			t.Errorf("from %q: status %d, made %q, want %q and the query on the page", site, a.StatusCode, got, want)
		}
	}
}
