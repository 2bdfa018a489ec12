// Package naive is the oracle: SPARQL 1.1 Query and Update evaluated word for word as the specification defines them
// (https://www.w3.org/TR/sparql11-query/, its section 18 above all), over quads in memory. Solution mappings are
// maps, multisets are slices, joins are nested loops. It is slow, and meant to be obvious; tests hold the engine
// against it, and nothing else uses it.
//
// It shares the parser with the engine, and the lexical forms and the order of dates of package xsd; functions,
// operators and arithmetic are its own.
//
// Where the specification leaves room, or contradicts itself:
//   - A graph without triples does not exist: GRAPH ?g does not find it.
//   - EXISTS (section 18.6) substitutes in patterns, paths, names of graphs, inline
//     data and expressions, and a variable that was substituted stays bound, so that
//     BOUND, MINUS and BIND see it. A subquery sees only the variables that it projects.
//   - Literals of known, different kinds are not equal; to compare literals of unknown datatypes, or ill-typed ones, is an error unless they are the same term.
//   - YEAR and its like take xsd:date and xsd:time, too, for the parts they have;
//     xsd:date and xsd:time are casts, too, and any literal without a language casts to xsd:string.
//   - An error to the left of IN is an error of IN, even if the list is empty.
//   - DESCRIBE is the concise bounded description in the default graph.
//   - SERVICE and LOAD fail.
//
// Start with [Eval] and [Apply].
package naive

import (
	"context"
	"fmt"
	"time"

	"trails/rdf"
	"trails/sparql"
)

// Dataset is an RDF dataset (section 13) as the set of its quads.
type Dataset []rdf.Quad

// Read returns what a source holds.
func Read(ctx context.Context, source rdf.Source) (Dataset, error) {
	var d Dataset
	for q, err := range source.Match(ctx, rdf.Quad{}) {
		if err != nil {
			return nil, err
		}
		d = append(d, q)
	}
	return d, nil
}

// Result is the answer of a query; its form decides which fields are set.
type Result struct {
	Form sparql.Form
	// Vars and Rows are the result of SELECT; a nil term is unbound.
	Vars []sparql.Var
	Rows [][]rdf.Term
	// True is the result of ASK.
	True bool
	// Graph is the result of CONSTRUCT or DESCRIBE, without duplicates.
	Graph []rdf.Quad
}

// Eval answers a query. Only ctx bounds the time it takes.
func Eval(ctx context.Context, q *sparql.Query, d Dataset) (Result, error) {
	e := newEvaluator(ctx, q.Base, d, q.Dataset)
	result := Result{Form: q.Form, Vars: q.Vars}
	solutions := []solution{newSolution()}
	if q.Op != nil {
		solutions = e.eval(q.Op, e.active, newSolution())
	}
	switch q.Form {
	case sparql.Select:
		result.Rows = rows(solutions, q.Vars)
	case sparql.Ask:
		result.True = len(solutions) > 0
	case sparql.Construct:
		result.Graph = e.construct(q.Template, solutions)
	case sparql.Describe:
		result.Graph = e.describe(q, solutions)
	}
	if err := e.stopped(); err != nil {
		return Result{}, err
	}
	return result, nil
}

func rows(solutions []solution, vars []sparql.Var) [][]rdf.Term {
	rows := make([][]rdf.Term, len(solutions))
	for i, s := range solutions {
		rows[i] = make([]rdf.Term, len(vars))
		for j, v := range vars {
			rows[i][j] = s.terms[v]
		}
	}
	return rows
}

// triple is a quad without its graph, and graph is a set of triples.
type (
	triple [3]rdf.Term
	graph  []triple
)

// evaluator is one evaluation of a query: its dataset, and values that do not change meanwhile.
type evaluator struct {
	ctx    context.Context
	base   string
	now    time.Time
	active graph // the default graph
	names  []rdf.Term
	named  map[rdf.Term]graph
	made   int // number of blank nodes made so far
	used   map[rdf.Term]bool
	failed error // the first error that ends the evaluation; expressions cannot catch it
}

func newEvaluator(ctx context.Context, base string, d Dataset, clauses sparql.Dataset) *evaluator {
	e := &evaluator{ctx: ctx, base: base, now: time.Now(), used: map[rdf.Term]bool{}}
	stored := map[rdf.Term]graph{}
	var names []rdf.Term
	seen := map[rdf.Quad]bool{}
	for _, q := range d {
		if seen[q] {
			continue
		}
		seen[q] = true
		e.used[q.Subject], e.used[q.Object] = true, true
		if q.Label != nil && stored[q.Label] == nil {
			names = append(names, q.Label)
		}
		stored[q.Label] = append(stored[q.Label], triple{q.Subject, q.Predicate, q.Object})
	}
	e.active, e.names, e.named = stored[nil], names, stored
	if !clauses.IsZero() {
		e.choose(clauses, stored)
	}
	return e
}

// choose builds the dataset that FROM and FROM NAMED describe (section 13.2): the default graph is the merge of the
// graphs of FROM.
func (e *evaluator) choose(clauses sparql.Dataset, stored map[rdf.Term]graph) {
	e.active, e.names, e.named = nil, nil, map[rdf.Term]graph{}
	for _, name := range clauses.Default {
		e.active = append(e.active, stored[name]...)
	}
	e.active = set(e.active)
	for _, name := range clauses.Named {
		if g := stored[name]; g != nil && e.named[name] == nil {
			e.names = append(e.names, name)
			e.named[name] = g
		}
	}
}

func set(g graph) graph {
	var out graph
	seen := map[triple]bool{}
	for _, t := range g {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}

// stopped returns the error that ends the evaluation, or nil.
func (e *evaluator) stopped() error {
	if e.failed == nil {
		e.failed = e.ctx.Err()
	}
	return e.failed
}

func (e *evaluator) fail(format string, args ...any) {
	if e.failed == nil {
		e.failed = fmt.Errorf(format, args...)
	}
}

// newBlank returns a blank node that occurs nowhere else.
func (e *evaluator) newBlank() rdf.Term {
	for {
		e.made++
		if b := rdf.BNode(fmt.Sprintf("naive-%d", e.made)); !e.used[b] {
			return b
		}
	}
}
