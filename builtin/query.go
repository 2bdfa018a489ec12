package builtin

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/lint"
)

// Bounds of a query. Answers that are not streamed go to a model, which reads all of them.
const (
	queryRows    = 100
	queryMaxRows = 10_000
	queryChars   = 256 << 10 // for our own programs
	queryTimeout = 10_000    // milliseconds
	queryMaxTime = 60_000
	lintTimeout  = time.Second // for linting a query that failed
)

// parameters are those of a query or an update.
type parameters struct {
	Params map[string]any `json:"params,omitempty" doc:"Terms for variables, by name without ?: a string, number, boolean, {\"iri\":…} or {\"value\":…,\"datatype\"?,\"lang\"?}."`
}

type baseArgument struct {
	Base rdf.IRI `json:"base,omitempty" is:"rare" doc:"What relative IRIs in the text are resolved against."`
}

// limits bound the size and the time of an answer, and select its form.
type limits struct {
	Limit   int    `json:"limit" is:"brief" min:"1"`
	Timeout int    `json:"timeout_ms" is:"rare" min:"1"`
	Format  string `json:"format,omitempty" is:"rare" doc:"table (default), sparql-json, csv, tsv, xml; for graphs turtle (default), ntriples, jsonld, rdfxml; with explain sql adds the statement."`
}

// limitsOf says what the limits are bounded by.
var limitsOf = details(
	capability.Field{Name: "limit", Default: queryRows, MaxValue: queryMaxRows}, capability.Field{Name: "timeout_ms", Default: queryTimeout, MaxValue: queryMaxTime},
	capability.Field{Name: "format", OneOf: anyOf(slices.Concat(rowFormats, graphFormats, []string{sqlFormat}))})

// sqlFormat is the format of an explanation with the SQL.
const sqlFormat = "sql"

// asked is a query.
type asked struct {
	Query string `json:"query" is:"brief" max:"1048576"`
	parameters
	limits
	Default []rdf.IRI `json:"default_graph_uri,omitempty" is:"rare" max:"1000" doc:"Graphs in the place of FROM."`
	Named   []rdf.IRI `json:"named_graph_uri,omitempty" is:"rare" max:"1000" doc:"Graphs in the place of FROM NAMED."`
	baseArgument
	Explain bool `json:"explain" is:"rare" default:"false" doc:"Show the plan, and count."`
	capability.ReadArguments
}

// queried is what a query answers.
type queried struct {
	Form    string       `json:"form,omitempty" oneof:"select,ask,construct,describe" doc:"Absent for a table."`
	Columns []sparql.Var `json:"columns,omitempty" doc:"Of a table."`
	Vars    []sparql.Var `json:"vars,omitempty" doc:"Of SELECT, but for a table."`
	Rows    any          `json:"rows,omitempty" doc:"Of a table, a list for each row, null where unbound; with sparql-json {variable: {\"type\":\"uri|literal|bnode\",\"value\",\"datatype\"?,\"lang\"?}}."`
	Count   *int64       `json:"count,omitempty" doc:"How many rows came."`
	Boolean *bool        `json:"boolean,omitempty" doc:"Of ASK."`
	Triples *int64       `json:"triples,omitempty" doc:"How many triples text has."`
	Text    *string      `json:"text,omitempty" doc:"The graph, or the rows in the format that was asked for."`
	MIME    string       `json:"mime,omitempty" doc:"The media type of text, or of the stream."`
	Plan    any          `json:"plan,omitempty" doc:"With explain: a list for each operator, indented below the one that takes its rows: what it is, rows estimated, rows counted, milliseconds, and sql or scan; null is not known."`
	Stopped bool         `json:"stopped,omitempty" doc:"With explain: the query was ended at a limit, and the numbers are those so far."`
	Notes   []string     `json:"notes,omitempty" doc:"With explain: what was not counted."`
	SQL     string       `json:"sql,omitempty" doc:"With explain and format sql: the statement that it became."`
	Steps   string       `json:"steps,omitempty" doc:"With explain and format sql: SQLite's plan of the statement, a step a line."`
	Head    *string      `json:"head" doc:"The commit that the answer is true of, by its first digits."`
}

func (s searcher) queries() invoke.Capability { return invoke.Define(queryDescriptor, s.query) }

var queriesByWords = byWords.queries()

var queryDescriptor = capability.Descriptor{
	ID: "query", Description: "Answer a SPARQL 1.1 query. :Type, :property and rdf rdfs xsd owl sh skos prov need no PREFIX. Nodes are shown as Type/id.",
	InputShape:   limitsOf,
	CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Action: policy.Read, Remote: true}, Idempotent: true,
}

func (s searcher) query(ctx context.Context, r *invoke.Request, in asked) (*queried, error) {
	q, err := r.Snapshot.ParseQuery(in.Query, string(in.Base))
	if err != nil {
		return nil, err
	}
	if !in.Explain || in.Format != sqlFormat {
		if in.Format, err = queryFormat(r, q.Form, in.Format); err != nil {
			return nil, err
		}
	}
	params, err := queryParams(r, in.Params)
	if err != nil {
		return nil, err
	}
	options := kg.QueryOptions{Params: params, Dataset: sparql.Dataset{Default: in.Default, Named: in.Named}, Meaning: s.meaning(r), Text: in.Query, Base: string(in.Base)}
	return answerInTurn(ctx, r, q, options, asking{in.limits, in.Explain})
}

// asking is how a query is answered.
type asking struct {
	limits
	explain bool
}

func answerInTurn(ctx context.Context, r *invoke.Request, q *sparql.Query, options kg.QueryOptions, in asking) (out *queried, err error) {
	_, err = r.InTurn(ctx, func(ctx context.Context) (any, error) {
		out, err = answer(ctx, r, q, options, in)
		return nil, err
	})
	return out, err
}

// answer runs a query.
func answer(ctx context.Context, r *invoke.Request, q *sparql.Query, options kg.QueryOptions, in asking) (*queried, error) {
	timed, cancel := queryTime(ctx, r, in.Timeout)
	defer cancel()
	a, err := r.Snapshot.Query(timed, q, options)
	if err != nil {
		return nil, withWarnings(ctx, r, q, options, outOfTime(ctx, timed, in.Timeout, err))
	}
	out := &queried{Form: strings.ToLower(string(q.Form)), Head: view.CommitID(r.Snapshot.Head())}
	switch {
	case in.explain:
		err = explain(timed, a, in.Format == sqlFormat, out)
	case r.Output != nil:
		err = streamAnswer(timed, r, a, in, out)
	default:
		err = boundedAnswer(timed, r, a, in, out)
	}
	if err == nil {
		for _, text := range a.Told() {
			r.Warn("%s", text)
		}
		options.Found, options.Searched = a.Found(), a.Searched()
		err = warnOfQuery(timed, r, q, options)
	}
	return out, withWarnings(ctx, r, q, options, outOfTime(ctx, timed, in.Timeout, err))
}

// withWarnings adds the warnings about a query to an error that it took too long or was too large, because they may
// explain it.
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

// ranOut reports whether an error says that something took too long or was too large.
func ranOut(err error) bool { return fault.Is(err, fault.TimedOut) || fault.Is(err, fault.TooLarge) }

// warned adds the warnings about its text to an error of a query or an update.
func warned(err error, warnings []lint.Warning) error {
	if sentences := lint.Sentences(warnings, false); len(sentences) > 0 {
		return fault.Of(err).With("warnings", sentences)
	}
	return err
}

// warnOfQuery adds the warnings about the query. An answer with solutions disproves those that say there can be none.
func warnOfQuery(ctx context.Context, r *invoke.Request, q *sparql.Query, options kg.QueryOptions) error {
	warnings, err := r.Snapshot.LintQuery(ctx, q, options)
	if err != nil {
		return err
	}
	for _, text := range lint.Sentences(warnings, !options.Found.Empty) {
		r.Warn("%s", text)
	}
	return nil
}

// explain explains how a query is run, and runs it to count.
func explain(ctx context.Context, a *kg.Answer, sql bool, out *queried) error {
	e, err := a.Explain(ctx)
	if err != nil {
		return err
	}
	out.Notes = e.Notes
	plan, uncounted := [][]any{}, false
	for _, line := range e.Lines {
		row := []any{strings.Repeat("  ", line.Depth) + line.Operator, nil, nil, nil, line.Emitter}
		if line.Estimate >= 0 {
			row[1] = math.Round(line.Estimate)
		}
		if line.Counted {
			row[2] = line.Rows
		}
		if line.Time > 0 {
			row[3] = math.Round(line.Time.Seconds()*1e5) / 100
		}
		uncounted = uncounted || !line.Counted
		plan = append(plan, row)
	}
	out.Plan = plan
	if uncounted {
		out.Notes = append(out.Notes, "rows that are missing were not counted: the operator is done together with another one")
	}
	if e.Left > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d more operators are not shown", e.Left))
	}
	if sql {
		out.SQL, out.Steps = e.SQL, e.Steps
	}
	if out.Stopped = e.Stopped; e.Stopped {
		return nil
	}
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

// queryTime bounds a query by timeout_ms. A stream has no limit unless one is given, because it depends on its
// reader.
func queryTime(ctx context.Context, r *invoke.Request, limit int) (context.Context, context.CancelFunc) {
	if r.Output != nil && !r.Args.Has("timeout_ms") {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(limit)*time.Millisecond)
}

// outOfTime adds advice to the error of a query that reached its time limit.
func outOfTime(ctx, timed context.Context, limit int, err error) error {
	if err == nil || ctx.Err() != nil || !errors.Is(timed.Err(), context.DeadlineExceeded) {
		return err
	}
	return tookLonger("the query", limit, queryMaxTime)
}

// tookLonger names the limit and how to raise it. It does not wrap the error, because [Engine.fail] has its own text
// for deadlines.
func tookLonger(what string, limit, most int) error {
	way := fmt.Sprintf("restrict it, or raise timeout_ms, at most %d", most)
	if limit >= most {
		way = "restrict it; no call may take longer"
	}
	return fault.New(fault.TimedOut, "%s took longer than its %d ms; %s", what, limit, way).With("timeout_ms", limit)
}

// queryFormat chooses one of the formats of the query's form. A stream may name several, in order of preference.
func queryFormat(r *invoke.Request, form sparql.Form, wanted string) (string, error) {
	can := rowFormats
	if r.Output != nil {
		can = streamFormats
	}
	if form == sparql.Construct || form == sparql.Describe {
		can = graphFormats
	}
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
