package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"trails/builtin/view"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/sparql"
)

// queryAnswer is what the capability query answers.
type queryAnswer struct {
	Form    string
	Head    string
	Vars    []string
	Rows    []map[string]view.Term
	Count   int64
	Boolean *bool
	Triples int64
	Text    string
	// Plan, Notes, Stopped, SQL and Steps are an explanation.
	Plan    [][]any
	Notes   []string
	Stopped bool
	SQL     string
	Steps   string
	Cut     string
	// Warnings say what the text probably did not mean.
	Warnings []string
}

// sparqlAnswer is an answer as the page shows it.
type sparqlAnswer struct {
	queryAnswer
	View sparqlView
	// Graph says that the answer is triples, not rows.
	Graph bool
	// Columns and Lines are the table; the first row's number is First.
	Columns []string
	Lines   [][]sparqlCell
	First   int
	// Numbers are the datatypes of the columns of numbers by their index, "numbers" for several.
	Numbers map[int]string
	// Begun is how many cells have the beginning of their text alone.
	Begun int
	// Picture is what the script draws, as JSON; "" for none.
	Picture string
	Drawn   *sparqlPicture
	// Figure is what SVG draws, nil where a script draws.
	Figure *figure
	Chart  *answerChart
	// Raw is the answer as text; Format is in what format.
	Raw, Format string
	Outputs     []output
	Downloads   []download
	// Unordered warns that pages of the answer may overlap.
	Unordered      bool
	Previous, Next *sparqlView
	// More asks for more rows at once.
	More *sparqlView
}

// download is the whole answer, without the page's limits, as a file.
type download struct{ Text, Href, File string }

// formats are the text outputs by form, with the ending of their files.
var (
	rowOutputs   = []download{{Text: "CSV", Href: "csv", File: "answer.csv"}, {Text: "TSV", Href: "tsv", File: "answer.tsv"}, {Text: "JSON", Href: "json", File: "answer.json"}, {Text: "XML", Href: "xml", File: "answer.xml"}}
	graphOutputs = []download{{Text: "Turtle", Href: "turtle", File: "answer.ttl"}, {Text: "N-Triples", Href: "ntriples", File: "answer.nt"}, {Text: "JSON-LD", Href: "jsonld", File: "answer.jsonld"}}
)

// PlanText is the plan as a table.
func (q *queryAnswer) PlanText() string { return view.PlanText(q.Plan) }

// sparqlAnswer makes the call, and makes of its answer what the page shows.
func (a *asker) sparqlAnswer(v sparqlView, address string) (*sparqlAnswer, error) {
	base := address + "/sparql" // what the same text means there
	text, ordered := paged(v, base)
	args := map[string]any{"query": text, "base": base, "limit": v.Limit, "timeout_ms": v.Timeout * 1000}
	switch v.Output {
	case "table", "chart", "picture", "json":
		if form := sparql.FormOf(text); form == sparql.Select || form == sparql.Ask {
			args["format"] = "sparql-json"
		}
	case "explain":
		args["explain"], args["format"] = true, "sql"
	default:
		args["format"] = v.Output
	}
	out := &sparqlAnswer{View: v, First: v.Offset + 1, Unordered: !ordered}
	if err := a.ask("query", args, &out.queryAnswer); err != nil {
		return nil, err
	}
	out.Graph = out.Form == "construct" || out.Form == "describe"
	out.addWays()
	if v.Output == "explain" {
		return out, nil
	}
	out.addPages()
	return out, a.addContent(out)
}

// addContent makes the table, the picture or the text. A graph is read back from its text,
// which is the one answer.
func (a *asker) addContent(out *sparqlAnswer) error {
	var terms [][]view.Term
	switch shown := out.View.Output; {
	case shown == "json" && !out.Graph:
		out.Format, out.Raw = shown, out.resultsJSON()
		return nil
	case !slices.Contains([]string{"table", "chart", "picture", "json"}, shown):
		out.Format, out.Raw = shown, out.Text
		return nil
	case out.Graph:
		quads, err := triplesOf(out.Text)
		if err != nil {
			return err
		}
		out.Columns = []string{"subject", "predicate", "object"}
		for _, q := range quads {
			terms = append(terms, []view.Term{view.TermOf(q.Subject), view.TermOf(q.Predicate), view.TermOf(q.Object)})
		}
	default:
		out.Columns = out.Vars
		for _, row := range out.Rows {
			var found []view.Term
			for _, name := range out.Vars {
				found = append(found, row[name])
			}
			terms = append(terms, found)
		}
	}
	names := a.naming(out.View.Query, terms)
	if out.View.At != "" {
		names.at = out.Head
	}
	for _, row := range terms {
		cells := make([]sparqlCell, len(row))
		for i, t := range row {
			cells[i] = names.cell(t)
		}
		out.Lines = append(out.Lines, cells)
	}
	out.Begun, out.Numbers = names.begun, numberColumns(terms, out.Lines)
	if out.View.Output == "chart" && out.Form == "select" && len(terms) > 0 {
		var err error
		out.Chart, err = out.chartOf(terms)
		return err
	}
	switch {
	case out.View.Output != "picture" || len(terms) == 0:
		return nil
	case out.Graph:
		out.Drawn = names.picture(terms)
	default:
		out.Drawn = names.pictureOfRows(out.Columns, terms)
	}
	if err := a.labelPicture(out.Drawn, stateNamed(names.at)); err != nil {
		return err
	}
	if out.Figure = out.Drawn.figure(); out.Figure != nil {
		return nil
	}
	text, err := json.Marshal(out.Drawn)
	out.Picture = string(text)
	return err
}

// numberColumns are the columns whose values are all numbers, with their datatype.
func numberColumns(rows [][]view.Term, lines [][]sparqlCell) map[int]string {
	out := map[int]string{}
	for i := range slices.Concat(rows[:min(1, len(rows))]...) {
		if columnKind(rows, i) != "number" {
			continue
		}
		for _, cells := range lines {
			if is := cells[i].Datatype; is != "" && out[i] != "" && out[i] != is {
				out[i] = "numbers"
			} else if is != "" {
				out[i] = is
			}
		}
	}
	return out
}

func triplesOf(text string) ([]rdf.Quad, error) {
	r := rdfio.NewTurtleReader(strings.NewReader(text), "", rdfio.Limits{})
	var quads []rdf.Quad
	for {
		q, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return quads, nil
		case err != nil:
			return nil, fmt.Errorf("read the answer's triples: %w", err)
		}
		quads = append(quads, q)
	}
}

// resultsJSON is the answer as SPARQL 1.1 Query Results JSON writes it.
func (q *queryAnswer) resultsJSON() string {
	type binding struct {
		Type     string `json:"type"`
		Value    string `json:"value"`
		Datatype string `json:"datatype,omitempty"`
		Lang     string `json:"xml:lang,omitempty"`
	}
	type head struct {
		Vars []string `json:"vars,omitempty"`
	}
	var value any = map[string]any{"head": head{}, "boolean": q.Boolean}
	if q.Boolean == nil {
		bindings := make([]map[string]binding, len(q.Rows))
		for i, row := range q.Rows {
			bindings[i] = map[string]binding{}
			for name, t := range row {
				bindings[i][name] = binding(t)
			}
		}
		value = map[string]any{"head": head{q.Vars}, "results": map[string]any{"bindings": bindings}}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(value) // of strings alone, into memory
	return text.String()
}

// addWays lists the ways in which the same query can be shown and taken away.
func (out *sparqlAnswer) addWays() {
	files := rowOutputs
	switch {
	case out.Graph:
		out.Outputs, files = []output{{"table", "Triples"}, {"picture", "Picture"}}, graphOutputs
	case out.Form == "ask":
		out.Outputs = []output{{"table", "Answer"}}
	default:
		out.Outputs = []output{{"table", "Table"}, {"chart", "Chart"}, {"picture", "Picture"}}
	}
	for _, f := range files {
		out.Outputs = append(out.Outputs, output{f.Href, f.Text})
		values := url.Values{"query": {out.View.text()}, "format": {f.Href}}
		if out.View.At != "" {
			values.Set("at", out.View.At)
		}
		if href := linkTo("/sparql", values); href != "" {
			out.Downloads = append(out.Downloads, download{f.Text, href, f.File})
		}
	}
	out.Outputs = append(out.Outputs, output{"explain", "How it is run"})
}

// addPages leads to the rows before and after, and to more at once.
func (out *sparqlAnswer) addPages() {
	v := out.View
	if out.Cut != "" && v.Limit < sparqlMax {
		more := v
		more.Limit = min(v.Limit*10, sparqlMax)
		out.More = &more
	}
	if out.Form != "select" {
		return
	}
	if v.Offset > 0 {
		previous := v
		previous.Offset = max(0, v.Offset-v.Limit)
		out.Previous = &previous
	}
	if out.Cut != "" && out.Count > 0 {
		next := v
		next.Offset += int(out.Count)
		out.Next = &next
	}
}

// paged is the query from the view's offset on, and whether its rows have an order.
// A text that does not parse is left to the call, which says what is wrong with it.
func paged(v sparqlView, base string) (text string, ordered bool) {
	q, err := sparql.Parse(v.text(), sparql.Options{Base: base})
	if err != nil || q.Form != sparql.Select {
		return v.text(), true
	}
	slice, ok := q.Op.(sparql.Slice)
	if !ok {
		slice = sparql.Slice{Op: q.Op, Limit: -1}
	}
	ordered = isOrdered(slice.Op)
	if v.Offset == 0 {
		return v.text(), ordered
	}
	slice.Offset += int64(v.Offset)
	if slice.Limit >= 0 {
		slice.Limit = max(0, slice.Limit-int64(v.Offset))
	}
	q.Op = slice
	return q.String(), ordered
}

// isOrdered reports an ORDER BY among the modifiers of the whole.
func isOrdered(op sparql.Op) bool {
	for {
		switch o := op.(type) {
		case sparql.OrderBy:
			return true
		case sparql.Distinct:
			op = o.Op
		case sparql.Reduced:
			op = o.Op
		case sparql.Project:
			op = o.Op
		default:
			return false
		}
	}
}

// LastRow is the number of the last row that is shown.
func (out *sparqlAnswer) LastRow() int64 { return int64(out.View.Offset) + out.Count }

// IsTrue is the answer of ASK.
func (out *sparqlAnswer) IsTrue() bool { return out.Boolean != nil && *out.Boolean }
