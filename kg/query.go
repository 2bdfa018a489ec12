package kg

import (
	"context"
	"iter"
	"slices"

	"trails/db"
	"trails/fault"
	"trails/rdf"
	"trails/schema"
	"trails/sparql"
	"trails/sparql/lint"
)

// QueryLimits bound what a query takes; see [db.Limits].
type QueryLimits = db.Limits

// QueryOptions are the settings that the text of a query does not contain. The zero value works.
type QueryOptions struct {
	// Params are terms that replace variables, see [sparql.Query.Bind].
	Params map[sparql.Var]rdf.Term
	// Free are omitted parameters: they may stay unbound without a warning.
	Free map[sparql.Var]*schema.Property
	// Dataset, unless it is zero, replaces FROM and FROM NAMED.
	Dataset sparql.Dataset
	Limits  QueryLimits
	// Meaning makes the vectors of texts that the query searches; nil finds nodes by words alone.
	Meaning Meaning
	// Text and Base are the query's text and base, for the places of warnings, and Found what it answered, if it ran.
	Text, Base string
	Found      lint.Answer
	// Searched are the searches of the query, if it ran.
	Searched Searched
}

// Answer is a query that is ready to run. The form decides which of [Answer.Rows], [Answer.Truth] and
// [Answer.Triples] is used; each runs the query anew. It is valid while its snapshot is open.
type Answer struct {
	Form sparql.Form
	// Vars are the columns of SELECT.
	Vars []sparql.Var
	// Prefixes are the query's prefixes, for output for people.
	Prefixes map[string]string

	snapshot *Snapshot
	query    *sparql.Query
	options  QueryOptions
	plan     db.Plan
	found    lint.Answer
	searched *matching
}

// Query prepares a query. A query that cannot be run is refused here: InvalidArguments for parameters and graphs, Missing
// for an unknown commit, Denied for SERVICE, TooLarge beyond a limit.
func (s *Snapshot) Query(ctx context.Context, q *sparql.Query, o QueryOptions) (*Answer, error) {
	q, err := q.Bind(o.Params)
	if err != nil {
		return nil, err
	}
	dataset := q.Dataset
	if !o.Dataset.IsZero() {
		dataset = o.Dataset
	}
	if err := checkDataset(dataset); err != nil {
		return nil, err
	}
	if q, err = s.graph.withServices(ctx, q); err != nil {
		return nil, err
	}
	searched := s.matching(o.Meaning)
	if q, err = searched.in(ctx, q, dataset); err != nil {
		return nil, err
	}
	var past graphsAt
	past.dataset(dataset)
	past.pattern(q.Op)
	if err := s.readAt(ctx, past); err != nil {
		return nil, err
	}
	a := &Answer{Form: q.Form, Prefixes: q.Prefixes, snapshot: s, options: o, searched: searched}
	if q.Form == sparql.Select {
		a.Vars = q.Vars
	}
	bound := *q
	bound.Dataset = dataset
	a.query = &bound
	if q.Form == sparql.Ask && bound.Op != nil { // one solution suffices, so the plan is not made for many
		bound.Op = sparql.Slice{Op: bound.Op, Limit: 1}
	}
	if bound.Op != nil {
		a.plan, err = s.source.Plan(ctx, bound.Op, a.columns(), dataset, bound.Base)
	}
	return a, err
}

// checkDataset refuses the default graph in FROM and FROM NAMED, where it has no name.
func checkDataset(d sparql.Dataset) error {
	if slices.Contains(d.Default, rdf.DefaultGraph) || slices.Contains(d.Named, rdf.DefaultGraph) {
		return fault.New(fault.InvalidArguments, "the default graph has no name in FROM; it is queried when there is no FROM")
	}
	return nil
}

// columns are the variables from which the answer is made.
func (a *Answer) columns() []sparql.Var {
	if a.Form != sparql.Construct {
		return a.query.Vars
	}
	var ends []sparql.Operand
	for _, p := range a.query.Template {
		ends = append(ends, p.Subject, p.Predicate, p.Object)
	}
	return varsOf(ends)
}

// Rows runs the query and yields its solutions as they are found: a term for each of
// Vars, nil where it is unbound. A row belongs to the caller.
func (a *Answer) Rows(ctx context.Context) iter.Seq2[[]rdf.Term, error] {
	if a.query.Op == nil {
		return func(yield func([]rdf.Term, error) bool) { yield(a.withParams(make([]rdf.Term, len(a.columns()))), nil) }
	}
	return func(yield func([]rdf.Term, error) bool) {
		columns, some, aggregate := a.columns(), false, a.isAggregate()
		left := slices.Clone(columns)
		defer func() {
			if a.found = (lint.Answer{Empty: !some}); some {
				a.found.Unbound = left
			}
		}()
		for row, err := range a.snapshot.source.Run(ctx, a.plan, a.options.Limits) {
			if err != nil {
				yield(nil, err)
				return
			}
			if some = !aggregate || !countsNothing(row); len(left) > 0 {
				left = slices.DeleteFunc(left, func(v sparql.Var) bool { return row[slices.Index(columns, v)] != nil })
			}
			if !yield(a.withParams(row), nil) {
				return
			}
		}
	}
}

// isAggregate reports whether the query has one row for all its solutions: aggregates without GROUP BY.
func (a *Answer) isAggregate() bool {
	for op := a.query.Op; ; {
		switch o := op.(type) {
		case sparql.Project:
			op = o.Op
		case sparql.Extend:
			op = o.Op
		case sparql.Slice:
			op = o.Op
		case sparql.OrderBy:
			op = o.Op
		case sparql.Group:
			return len(o.Keys) == 0
		default:
			return false
		}
	}
}

// countsNothing reports whether the row of aggregates is one of no solutions: a count is 0.
func countsNothing(row []rdf.Term) bool {
	return slices.ContainsFunc(row, func(t rdf.Term) bool { return t != nil && rdf.Lexical(t) == "0" && rdf.DatatypeOf(t) == rdf.XSDInteger })
}

// Found returns what the query answered when it last ran.
func (a *Answer) Found() lint.Answer { return a.found }

// Told is what there is to say about the searches of the query: what was taken for their words, and what is left out.
func (a *Answer) Told() []string { return a.searched.told }

// Searched returns the searches of the query.
func (a *Answer) Searched() Searched { return Searched{a.searched} }

// withParams fills in the columns that are parameters.
func (a *Answer) withParams(row []rdf.Term) []rdf.Term {
	if len(a.options.Params) == 0 {
		return row
	}
	for i, v := range a.columns() {
		if t, ok := a.options.Params[v]; ok {
			row[i] = t
		}
	}
	return row
}

// Truth runs the query until its first solution.
func (a *Answer) Truth(ctx context.Context) (bool, error) {
	for _, err := range a.Rows(ctx) {
		return err == nil, err
	}
	return false, nil
}
