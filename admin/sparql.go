package admin

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"trails/admin/form"
	"trails/auth"
)

// The page of queries is one form. Its address and its post have the same parameters: the text and how to show the
// answer. With scripts the editor posts the form and replaces the answer on the page; see static/query.js.

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
var sparqlScripts = []string{"yasgui.min.js", "graph.js", "form.js", "query.js"}

// sparqlView is what the page was asked for.
type sparqlView struct {
	Query string
	// Output is one of [outputs].
	Output  string
	Limit   int
	Offset  int // of the first row
	Timeout int // seconds
	// At names the commit that is asked, "" for the newest.
	At  string
	Run bool
	// Do is what to do other than running the text: one of [storedDeeds], or "".
	Do string
	// Part is the part of the page that a script requests: "answer", "stored" for the declarations of the text, or ""
	// for the whole page.
	Part string
	// Was identifies the text that a person confirmed to replace or remove.
	Was string
	// ID and Description are for a text without them in its front matter.
	ID, Description string
	// Given are the posted values of the parameters.
	Given url.Values
	// Chart says how a chart is drawn.
	Chart answerView
	// asked is the text with the parameters' values filled in; "" without parameters.
	asked string
}

// output is a way to show an answer.
type output struct{ Value, Text string }

// outputs are all ways, in the order of the form.
var outputs = []output{
	{"table", "Table"}, {"chart", "Chart"}, {"picture", "Picture"}, {"explain", "How it is run"},
	{"json", "JSON"}, {"csv", "CSV"}, {"tsv", "TSV"}, {"xml", "XML"},
	{"turtle", "Turtle"}, {"ntriples", "N-Triples"}, {"jsonld", "JSON-LD"},
}

// sparqlLimits and sparqlTimes are what the form offers.
var (
	sparqlLimits = []int{sparqlLimit, 1000, sparqlMax}
	sparqlTimes  = []int{sparqlTimeout, 30, sparqlMaxTime}
)

type sparqlData struct {
	View     sparqlView
	Answer   *sparqlAnswer
	Fault    *sparqlFault
	Examples []example
	Took     string
	// Words is where the editor finds what it completes.
	Words string
	// Stored is what the page says of stored queries, Kept what came of changing them.
	Stored storedPart
	Kept   *kept
	// Renew means that a script puts what is said of stored queries into the page, too.
	Renew bool
}

// sparql answers the page by its address, which can be shared.
func (s *site) sparql(w http.ResponseWriter, r *http.Request) error {
	given := givenOf(r.URL.Query())
	q := queryOf(r, slices.AppendSeq([]string{"query", "type", "stored", "run", "output", "limit", "offset", "timeout", "at", "x", "y", "split", "chart"}, maps.Keys(given))...)
	v, err := sparqlViewOf(q)
	if err != nil {
		return err
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		v.Run = false // other sites' pages must not run queries here; a person may
	}
	a := s.asker(w, r)
	a.At = v.At
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
	if name := q.Get("stored"); name != "" {
		if v.Query, err = a.storedText(name); err != nil {
			return err
		}
	}
	return s.showSPARQL(w, r, a, v, &doc)
}

// sparqlPosted answers the form, or for a script the answer's part of the page.
func (s *site) sparqlPosted(w http.ResponseWriter, r *http.Request) error {
	values, err := readForm(w, r, formLimit)
	if err != nil {
		return err
	}
	values.Set("run", "1")
	v, err := sparqlViewOf(&query{Values: values})
	if err != nil {
		return err
	}
	v.Part = values.Get("part")
	v.Run = v.Run && v.Part != "stored"
	a := s.asker(w, r)
	a.At = v.At
	if v.Part == "" {
		return s.showSPARQL(w, r, a, v, nil)
	}
	data, status, err := a.sparqlData(w, r, v, s)
	if err != nil {
		return err
	}
	colours := newPalette(s.colours, nil)
	if a.parsed != nil { // for the names of nodes
		colours = newPalette(s.colours, a.parsed.JSON().Types)
	}
	return send(w, r, status, data.drawAnswer(colours), state{Branch: a.Branch})
}

// showSPARQL answers with the whole page. doc is nil where it was not read yet.
func (s *site) showSPARQL(w http.ResponseWriter, r *http.Request, a *asker, v sparqlView, doc *schemaDocument) error {
	if doc == nil {
		read, err := a.schema()
		if err != nil {
			return err
		}
		doc = &read
	}
	data, status, err := a.sparqlData(w, r, v, s)
	if err != nil {
		return err
	}
	data.Examples, data.Words = doc.examples(), queryURL+"/words.json"
	if data.View.Query == "" && len(data.Examples) > 0 {
		data.View.Query = data.Examples[0].Query
	}
	return s.respond(w, r, status, page{
		Title: "Query", Nav: "query", Main: data.main, Scripts: sparqlScripts, Styles: []string{"yasgui.min.css", "query.css"},
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
		At:      strings.TrimSpace(q.Get("at")),
		Do:      q.word("do", storedDeeds...), Was: q.Get("was"), ID: strings.TrimSpace(q.Get("id")), Description: strings.TrimSpace(q.Get("description")),
	}
	v.Given, v.Chart = givenOf(q.Values), answerViewOf(q)
	// A button that adds or removes rows of a list asks for no more than that.
	v.Run = v.Run && v.Do == "" && !slices.ContainsFunc(slices.Collect(maps.Keys(v.Given)), func(name string) bool {
		return strings.HasPrefix(name, form.AddPrefix) || strings.HasPrefix(name, form.DropPrefix)
	})
	return v, q.err()
}

// sparqlData does what was asked for, with the query or with the stored queries, and returns
// the status of the page that shows what came of it.
func (a *asker) sparqlData(w http.ResponseWriter, r *http.Request, v sparqlView, s *site) (sparqlData, int, error) {
	data, status := sparqlData{View: v}, http.StatusOK
	var err error
	if v.Do != "" {
		data.Kept, err = a.keep(&data.View)
	}
	declared, wrong := a.declaredIn(data.View)
	if wrong != nil {
		return data, 0, wrong
	}
	if err == nil && v.Run && strings.TrimSpace(v.Query) != "" {
		began := time.Now()
		if data.View.asked, err = declared.ask(data.View); err == nil {
			data.Answer, err = a.sparqlAnswer(data.View, auth.Base(r))
		}
		data.Took = took(time.Since(began))
	}
	if err != nil {
		data.Fault = s.sparqlFaultOf(w, r, data.View, err)
		status = data.Fault.Status
		if data.Fault.Added = strings.Count(data.View.Query, "\n") - strings.Count(v.Query, "\n"); data.Fault.Added > 0 { // what was refused stays as it was written
			data.View.Query = v.Query
		}
	}
	data.Renew = v.Part != "" && (v.Part == "stored" || v.Do != "" || declared.head != nil)
	if v.Part == "" || data.Renew {
		data.Stored, wrong = a.storedPart(declared)
	}
	return data, status, wrong
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
	if v.At != "" {
		out.Set("at", v.At)
	}
	maps.Copy(out, v.Chart.values())
	for name, given := range v.Given {
		if !slices.Equal(given, []string{""}) {
			out[name] = given
		}
	}
	return out
}

// Hidden are the parameters for a form that only changes how the answer is shown.
func (v sparqlView) Hidden() []hidden { return hiddenOf(v.Given) }

// Now is the address of the view of the newest commit.
func (v sparqlView) Now() string {
	v.At = ""
	return v.Link()
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
