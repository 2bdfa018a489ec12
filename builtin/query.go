package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/lint"
	"trails/view"
)

// Bounds of a query. Answers without a stream go to a model, which reads all of them.
const (
	queryText    = 1 << 20
	queryRows    = 100
	queryMaxRows = 10_000
	queryChars   = 256 << 10 // where a program of ours asks
	queryTimeout = 10_000    // milliseconds
	queryMaxTime = 60_000
	queryGraphs  = 1000
	lintTimeout  = time.Second // of a query that failed
)

// queryFields are the arguments of a query that an update has, too.
var (
	paramsField = capability.Field{Name: "params", Type: capability.Object,
		Description: `Terms for variables, by name without ?: a string, number, boolean, {"iri":…} or {"value":…,"datatype"?,"lang"?}.`}
	baseField    = capability.Field{Name: "base", Type: capability.IRI, Rare: true, Description: "What relative IRIs in the text are resolved against."}
	timeoutField = capability.Field{Name: "timeout_ms", Type: capability.Integer, Rare: true, MinValue: 1, MaxValue: queryMaxTime, Default: queryTimeout}
)

var queryBuiltin = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "query", Description: "Answer a SPARQL 1.1 query. :Type, :property and rdf rdfs xsd owl sh skos prov need no PREFIX. Nodes are shown as Type/id.",
		InputShape: capability.Shape{Fields: []capability.Field{
			{Name: "query", Type: capability.String, Required: true, Brief: true, MaxLength: new(queryText)},
			paramsField,
			{Name: "limit", Type: capability.Integer, MinValue: 1, MaxValue: queryMaxRows, Default: queryRows},
			timeoutField,
			{Name: "format", Type: capability.String, Rare: true, OneOf: queryFormats(), Description: "table (default), sparql-json, csv, tsv, xml; for graphs turtle (default), ntriples, jsonld, rdfxml."},
			{Name: "default_graph_uri", Type: capability.IRI, Many: true, MaxCount: new(queryGraphs), Rare: true, Description: "Graphs in the place of FROM."},
			{Name: "named_graph_uri", Type: capability.IRI, Many: true, MaxCount: new(queryGraphs), Rare: true, Description: "Graphs in the place of FROM NAMED."},
			baseField,
			{Name: "explain", Type: capability.Boolean, Rare: true, Default: false, Description: "Show the plan, and count."},
			capability.MaxChars(),
			capability.ReadBranch(),
			capability.ReadAt(),
		}},
		OutputShape:  capability.Shape{Fields: queriedFields},
		CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Action: "read", Remote: true}, Idempotent: true,
	},
	Handle: query,
}

// queriedFields are what a query answers.
var queriedFields = []capability.Field{
	{Name: "form", Type: capability.String, OneOf: []any{"select", "ask", "construct", "describe"}, Description: "Absent for a table."},
	{Name: "head", Type: capability.String, Required: true, Nullable: true, Description: "The commit that the answer is true of, by its first digits."},
	{Name: "columns", Type: capability.String, Many: true, Description: "Of a table."},
	{Name: "rows", Type: capability.Any, Description: `Of a table, a list for each row, null where unbound; with sparql-json {variable: {"type":"uri|literal|bnode","value","datatype"?,"lang"?}}.`},
	{Name: "vars", Type: capability.String, Many: true, Description: "Of SELECT, but for a table."},
	{Name: "count", Type: capability.Integer, Description: "How many rows came."},
	{Name: "boolean", Type: capability.Boolean, Description: "Of ASK."},
	{Name: "triples", Type: capability.Integer, Description: "How many triples text has."},
	{Name: "text", Type: capability.String, Description: "The graph, or the rows in the format that was asked for."},
	{Name: "mime", Type: capability.String, Description: "The media type of text, or of the stream."},
	{Name: "algebra", Type: capability.String, Description: "With explain: what the text means, and how many solutions each operator has by itself."},
	{Name: "sql", Type: capability.String, Description: "With explain: the statement that it became."},
	{Name: "steps", Type: capability.String, Description: "With explain: SQLite's plan of the statement, a step a line."},
}

// queried is what a query answers.
type queried struct {
	Form    string       `json:"form,omitempty"`
	Columns []sparql.Var `json:"columns,omitempty"`
	Vars    []sparql.Var `json:"vars,omitempty"`
	Rows    any          `json:"rows,omitempty"`
	Count   *int64       `json:"count,omitempty"`
	Boolean *bool        `json:"boolean,omitempty"`
	Triples *int64       `json:"triples,omitempty"`
	Text    *string      `json:"text,omitempty"`
	MIME    string       `json:"mime,omitempty"`
	Algebra string       `json:"algebra,omitempty"`
	SQL     string       `json:"sql,omitempty"`
	Steps   string       `json:"steps,omitempty"`
	Head    *string      `json:"head"`
}

func query(ctx context.Context, r *invoke.Request) (any, error) {
	q, err := r.Snapshot.ParseQuery(r.Args.Text("query"), r.Args.Text("base"))
	if err != nil {
		return nil, err
	}
	format, err := queryFormat(r, q.Form)
	if err != nil {
		return nil, err
	}
	options, err := queryOptions(r)
	if err != nil {
		return nil, err
	}
	return answerInTurn(ctx, r, q, options, format)
}

func answerInTurn(ctx context.Context, r *invoke.Request, q *sparql.Query, options kg.QueryOptions, format string) (any, error) {
	return r.InTurn(ctx, func(ctx context.Context) (any, error) {
		if err := readAt(ctx, r); err != nil {
			return nil, err
		}
		return answer(ctx, r, q, options, format)
	})
}

// readAt puts the state that the call asks for in the place of the newest one.
func readAt(ctx context.Context, r *invoke.Request) error {
	at := r.Args.Text("at")
	if at == "" {
		return nil
	}
	c, err := r.Snapshot.FindCommit(ctx, at)
	if err != nil || c.ID == r.Snapshot.Head().ID {
		return err
	}
	now := r.Snapshot
	r.Snapshot = nil
	then, err := now.At(ctx, c)
	if err == nil {
		r.Snapshot, r.Head = then, c.ID.String()
	}
	return err
}

// answer runs a query.
func answer(ctx context.Context, r *invoke.Request, q *sparql.Query, options kg.QueryOptions, format string) (*queried, error) {
	timed, cancel := queryTime(ctx, r)
	defer cancel()
	a, err := r.Snapshot.Query(timed, q, options)
	if err != nil {
		return nil, withWarnings(ctx, r, q, options, outOfTime(ctx, timed, r, err))
	}
	out := &queried{Form: strings.ToLower(string(q.Form)), Head: view.CommitID(r.Snapshot.Head())}
	switch {
	case r.Args.Flag("explain"):
		err = explain(timed, a, out)
	case r.Output != nil:
		err = streamAnswer(timed, r, a, format, out)
	default:
		err = boundedAnswer(timed, r, a, format, out)
	}
	if err == nil {
		err = warnOfQuery(timed, r, q, options, out)
	}
	return out, withWarnings(ctx, r, q, options, outOfTime(ctx, timed, r, err))
}

// withWarnings gives an error that the query took too long, or was too large, what the query
// probably did not mean: that may be why.
func withWarnings(ctx context.Context, r *invoke.Request, q *sparql.Query, options kg.QueryOptions, err error) error {
	if ctx.Err() != nil || !ranOut(err) {
		return err
	}
	brief, cancel := context.WithTimeout(ctx, lintTimeout)
	defer cancel()
	warnings, failed := r.Snapshot.LintQuery(brief, q, options)
	if failed != nil {
		return err
	}
	return warned(err, warnings)
}

// ranOut reports an error that says that something took too long, or was too large.
func ranOut(err error) bool { return fault.Is(err, fault.TimedOut) || fault.Is(err, fault.TooLarge) }

// warned gives an error of a query or an update what its text probably did not mean.
func warned(err error, warnings []lint.Warning) error {
	if said := lint.Sentences(warnings, false); len(said) > 0 {
		return fault.Of(err).With("warnings", said)
	}
	return err
}

// warnOfQuery says what the query probably did not mean. An answer that is there disproves
// that there can be none.
func warnOfQuery(ctx context.Context, r *invoke.Request, q *sparql.Query, options kg.QueryOptions, out *queried) error {
	warnings, err := r.Snapshot.LintQuery(ctx, q, options)
	if err != nil {
		return err
	}
	some := func(n *int64) bool { return n != nil && *n > 0 }
	for _, text := range lint.Sentences(warnings, some(out.Count) || some(out.Triples) || out.Boolean != nil && *out.Boolean) {
		r.Warn("%s", text)
	}
	return nil
}

// explain tells how a query is run, and runs it to count.
func explain(ctx context.Context, a *kg.Answer, out *queried) error {
	e, err := a.Explain(ctx)
	if err != nil {
		return err
	}
	out.Algebra, out.SQL, out.Steps = e.Algebra, e.SQL, e.Steps
	switch a.Form {
	case sparql.Ask:
		truth, err := a.Truth(ctx)
		out.Boolean = &truth
		return err
	case sparql.Select:
		out.Vars, out.Count = a.Vars, new(int64)
		for _, err := range a.Rows(ctx) {
			if err != nil {
				return err
			}
			*out.Count++
		}
	case sparql.Construct, sparql.Describe:
		out.Triples = new(int64)
		for _, err := range a.Triples(ctx) {
			if err != nil {
				return err
			}
			*out.Triples++
		}
	}
	return nil
}

// queryTime bounds a query by timeout_ms. A stream takes as long as its reader, unless
// it is asked for.
func queryTime(ctx context.Context, r *invoke.Request) (context.Context, context.CancelFunc) {
	_, given := r.Args["timeout_ms"]
	if r.Output != nil && !given {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(r.Args.Integer("timeout_ms", queryTimeout))*time.Millisecond)
}

// outOfTime says of a query that its own time ended what to do about it.
func outOfTime(ctx, timed context.Context, r *invoke.Request, err error) error {
	if err == nil || ctx.Err() != nil || !errors.Is(timed.Err(), context.DeadlineExceeded) {
		return err
	}
	return tookLonger("the query", r.Args.Integer("timeout_ms", queryTimeout), queryMaxTime)
}

// tookLonger names the limit and how it is raised. It wraps nothing: [Engine.fail] puts
// words of its own in the place of a deadline's.
func tookLonger(what string, limit, most int) error {
	way := fmt.Sprintf("restrict it, or raise timeout_ms, at most %d", most)
	if limit >= most {
		way = "restrict it; no call may take longer"
	}
	return fault.New(fault.TimedOut, "%s took longer than its %d ms; %s", what, limit, way).With("timeout_ms", limit)
}

// queryOptions reads the parameters and the graphs.
func queryOptions(r *invoke.Request) (kg.QueryOptions, error) {
	params, err := queryParams(r)
	return kg.QueryOptions{Params: params, Dataset: sparql.Dataset{Default: graphsOf(r, "default_graph_uri"), Named: graphsOf(r, "named_graph_uri")}, Text: r.Args.Text("query"), Base: r.Args.Text("base")}, err
}

func graphsOf(r *invoke.Request, argument string) []rdf.IRI {
	var graphs []rdf.IRI
	for _, v := range r.Args.List(argument) {
		text, _ := v.(string)
		graphs = append(graphs, rdf.IRI(text))
	}
	return graphs
}

// queryFormat chooses among the formats that the form has. A stream may name several,
// the dearest first.
func queryFormat(r *invoke.Request, form sparql.Form) (string, error) {
	can := rowFormats
	if r.Output != nil {
		can = streamFormats
	}
	if form == sparql.Construct || form == sparql.Describe {
		can = graphFormats
	}
	wanted := r.Args.Text("format")
	if r.Output != nil && wanted == "" {
		wanted = r.Format
	}
	if wanted == "" {
		return can[0], nil
	}
	for name := range strings.SplitSeq(wanted, ",") {
		if slices.Contains(can, name) {
			return name, nil
		}
	}
	message := "the answer to " + string(form) + " can be had as " + strings.Join(can, ", ")
	return "", fault.Arguments(fault.FieldError{Field: "format", Code: fault.OneOf, Message: message, Value: wanted, Constraint: can})
}

func queryFormats() []any {
	return anyOf(append(slices.Clone(rowFormats), graphFormats...))
}
