package admin

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"trails/auth"
)

// The page of queries is one form. Its address and its post say the same: the text
// and how the answer is wanted. With scripts the editor sends the post and takes the
// answer's part of the page; see static/query.js.

const queryURL = "/admin/query"

// Bounds of what is asked for on the page; the capability has its own.
const (
	sparqlLimit   = 100
	sparqlMax     = 10_000
	sparqlTimeout = 10 // seconds
	sparqlMaxTime = 60
	// linkMost is how long an address may be that a page links to, once encoded: the
	// server takes one KiB more.
	linkMost = 15 << 10
)

// sparqlScripts are the editor, the picture and what holds them together.
var sparqlScripts = []string{"yasgui.min.js", "cytoscape.min.js", "graph.js", "query.js"}

// sparqlView is what the page was asked for.
type sparqlView struct {
	Query string
	// Output is one of [outputs].
	Output  string
	Limit   int
	Offset  int // of the first row
	Timeout int // seconds
	Run     bool
}

// output is a way to show an answer.
type output struct{ Value, Text string }

// outputs are all ways, in the order of the form.
var outputs = []output{
	{"table", "Table"}, {"picture", "Picture of a graph"}, {"explain", "How it is run"},
	{"json", "JSON"}, {"csv", "CSV"}, {"tsv", "TSV"}, {"xml", "XML"},
	{"turtle", "Turtle"}, {"ntriples", "N-Triples"}, {"jsonld", "JSON-LD"},
}

// sparqlChoices are what the form's lists offer.
var sparqlChoices = struct {
	Outputs []output
	Limits  []int
	Seconds []int
}{outputs, []int{sparqlLimit, 1000, sparqlMax}, []int{sparqlTimeout, 30, sparqlMaxTime}}

type sparqlData struct {
	View     sparqlView
	Answer   *sparqlAnswer
	Fault    *sparqlFault
	Examples []example
	Choices  any
	Took     string
	// Words is where the editor finds what it completes.
	Words string
}

// sparql answers the page by its address, which can be shared.
func (s *site) sparql(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "query", "type", "run", "output", "limit", "offset", "timeout")
	v, err := sparqlViewOf(q)
	if err != nil {
		return err
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		v.Run = false // another site's page does not decide what is run here; a person may
	}
	a := s.asker(w, r)
	doc, err := a.schema()
	if err != nil {
		return err
	}
	if name := q.Get("type"); name != "" {
		t, err := doc.named(name)
		if err != nil {
			return err
		}
		v.Query = doc.queryOf(t)
	}
	return s.showSPARQL(w, r, a, v, doc)
}

// sparqlPosted answers the form, or for a script the answer's part of the page.
func (s *site) sparqlPosted(w http.ResponseWriter, r *http.Request) error {
	values, err := readForm(w, r, formLimit)
	if err != nil {
		return err
	}
	v, err := sparqlViewOf(&query{Values: values})
	if err != nil {
		return err
	}
	v.Run = true
	a := s.asker(w, r)
	if values.Get("part") != "" {
		data, status := a.sparqlData(w, r, v, s)
		return s.send(w, status, "query.html", "answer", data)
	}
	doc, err := a.schema()
	if err != nil {
		return err
	}
	return s.showSPARQL(w, r, a, v, doc)
}

func (s *site) showSPARQL(w http.ResponseWriter, r *http.Request, a *asker, v sparqlView, doc schemaDocument) error {
	data, status := a.sparqlData(w, r, v, s)
	data.Examples, data.Choices, data.Words = doc.examples(), sparqlChoices, queryURL+"/words.json"
	if data.View.Query == "" && len(data.Examples) > 0 {
		data.View.Query = data.Examples[0].Query
	}
	return s.respond(w, r, status, "query.html", page{
		Title: "Query", Nav: "query", Data: data, Scripts: sparqlScripts, Styles: []string{"yasgui.min.css", "query.css"},
	})
}

// sparqlViewOf reads the parameters, whichever way they came. A form writes line
// breaks as two characters, which would count as one too many in an error's place.
func sparqlViewOf(q *query) (sparqlView, error) {
	words := make([]string, len(outputs))
	for i, o := range outputs {
		words[i] = o.Value
	}
	v := sparqlView{
		Query: strings.ReplaceAll(q.Get("query"), "\r\n", "\n"), Output: q.word("output", words...), Run: q.Get("run") != "",
		Limit: q.number("limit", sparqlLimit, 1, sparqlMax), Offset: q.number("offset", 0, 0, maxOffset),
		Timeout: q.number("timeout", sparqlTimeout, 1, sparqlMaxTime),
	}
	return v, q.err()
}

// sparqlData runs the query, unless it was not asked for, and returns the status of
// the page that shows what came of it.
func (a *asker) sparqlData(w http.ResponseWriter, r *http.Request, v sparqlView, s *site) (sparqlData, int) {
	data := sparqlData{View: v}
	if !v.Run || strings.TrimSpace(v.Query) == "" {
		return data, http.StatusOK
	}
	began := time.Now()
	answer, err := a.sparqlAnswer(v, auth.Origin(r))
	data.Took = took(time.Since(began))
	if err != nil {
		data.Fault = s.sparqlFaultOf(w, r, v, err)
		return data, data.Fault.Status
	}
	data.Answer = answer
	return data, http.StatusOK
}

// took writes a duration with as many digits as matter.
func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "under 1 ms"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

// values are the view as parameters, without what the page takes for granted.
func (v sparqlView) values() url.Values {
	out := url.Values{"query": {v.Query}, "run": {"1"}}
	if v.Output != outputs[0].Value {
		out.Set("output", v.Output)
	}
	for name, n := range map[string][2]int{"limit": {v.Limit, sparqlLimit}, "timeout": {v.Timeout, sparqlTimeout}, "offset": {v.Offset, 0}} {
		if n[0] != n[1] {
			out.Set(name, strconv.Itoa(n[0]))
		}
	}
	return out
}

// Link is the address of the view, or "" when it would be too long for one.
func (v sparqlView) Link() string { return linkTo(queryURL, v.values()) }

func linkTo(path string, values url.Values) string {
	address := withQuery(path, values)
	if len(address) > linkMost {
		return ""
	}
	return address
}

// UpTo is what a button says that shows more at once.
func (v sparqlView) UpTo() string { return "Show up to " + count(v.Limit) }
