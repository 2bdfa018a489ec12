package db

import (
	"context"

	"trails/db/inline"
	"trails/rdf"
	"trails/sparql"
)

// What a page, a list or a suggestion reads is algebra like any other, which [Reader.Plan]
// makes ready and the same statements answer. It is about the default graph alone.

// The variables of these patterns: the positions of a triple, and a count.
const (
	varS sparql.Var = "s"
	varP sparql.Var = "p"
	varO sparql.Var = "o"
	varN sparql.Var = "n"
)

// said is the pattern of a triple; nil is the variable of its position.
func said(s, p, o rdf.Term) sparql.TriplePattern {
	at := func(t rdf.Term, v sparql.Var) sparql.Operand {
		if t == nil {
			return sparql.Operand{Var: v}
		}
		return sparql.Operand{Term: t}
	}
	return sparql.TriplePattern{Subject: at(s, varS), Predicate: at(p, varP), Object: at(o, varO)}
}

func bgp(patterns ...sparql.TriplePattern) sparql.Op { return sparql.BGP{Patterns: patterns} }

func project(op sparql.Op, vars ...sparql.Var) sparql.Op { return sparql.Project{Op: op, Vars: vars} }

func slice(op sparql.Op, limit, offset int) sparql.Op {
	return sparql.Slice{Op: op, Limit: int64(limit), Offset: int64(offset)}
}

// stored sorts by the ids of variables.
func stored(op sparql.Op, descending bool, vars ...sparql.Var) sparql.Op {
	keys := make([]sparql.OrderKey, len(vars))
	for i, v := range vars {
		keys[i] = sparql.OrderKey{Expr: sparql.VarExpr{Var: v}, Descending: descending, Stored: true}
	}
	return sparql.OrderBy{Op: op, Keys: keys}
}

// that keeps the solutions that meet a condition.
func that(op sparql.Op, e sparql.Expr) sparql.Op { return sparql.Filter{Op: op, Expr: e} }

func exists(op sparql.Op) sparql.Expr { return sparql.Exists{Op: op} }

func not(e sparql.Expr) sparql.Expr { return sparql.Call{Func: sparql.Not, Args: []sparql.Expr{e}} }

// countBy counts the solutions, those of each value of some variables apart.
func countBy(op sparql.Op, by ...sparql.Var) sparql.Op {
	g := sparql.Group{Op: op, Aggregates: []sparql.Aggregation{{Var: varN, Aggregate: sparql.Aggregate{Func: sparql.Count}}}}
	for _, v := range by {
		g.Keys = append(g.Keys, sparql.GroupKey{Expr: sparql.VarExpr{Var: v}, Var: v})
	}
	return g
}

// ask answers a pattern, row by row; rows that are not wanted are not read.
func (r *Reader) ask(ctx context.Context, op sparql.Op, vars []sparql.Var, row func(*answer) (more bool, err error)) error {
	plan, err := r.Plan(ctx, op, vars, sparql.Dataset{}, "")
	if err == nil {
		err = r.visit(ctx, plan, Limits{}, row)
	}
	return r.fail(ctx, "read", err)
}

// scannedRows is how many rows of indexes are read to count all there is of something: that takes
// some 20 milliseconds, and no longer than it does by SQL to count the first ten thousand that meet
// a condition.
const scannedRows = 1 << 21

// askScan is ask where a scan alone answers, and reads no more than scannedRows. It reports
// whether it did.
func (r *Reader) askScan(ctx context.Context, op sparql.Op, vars []sparql.Var, row func(*answer) (more bool, err error)) (did bool, err error) {
	plan, err := r.Plan(ctx, op, vars, sparql.Dataset{}, "")
	if did = err == nil && plan.Listing != nil && plan.Programs[plan.Listing.Program].Reads() <= scannedRows; did {
		err = r.visit(ctx, plan, Limits{}, row)
	}
	return did, r.fail(ctx, "read", err)
}

// askIDs reads the ids of the solutions alone, 0 where a variable is unbound.
func (r *Reader) askIDs(ctx context.Context, op sparql.Op, vars []sparql.Var, row func(ids []inline.TermID) (more bool)) error {
	plan, err := r.Plan(ctx, op, vars, sparql.Dataset{}, "")
	if err == nil {
		ids := make([]inline.TermID, len(vars))
		err = r.visit(ctx, plan, Limits{}, func(a *answer) (bool, error) {
			for i := range ids {
				ids[i] = a.id(i)
			}
			return row(ids), nil
		})
	}
	return r.fail(ctx, "read", err)
}

// askTerms returns the values of one variable.
func (r *Reader) askTerms(ctx context.Context, op sparql.Op, v sparql.Var) (list []rdf.Term, err error) {
	err = r.ask(ctx, op, []sparql.Var{v}, func(a *answer) (bool, error) {
		t, err := a.at(0)
		list = append(list, t)
		return true, err
	})
	return list, err
}

// askIRIs returns the values of one variable, all of which are IRIs.
func (r *Reader) askIRIs(ctx context.Context, op sparql.Op, v sparql.Var) ([]rdf.IRI, error) {
	terms, err := r.askTerms(ctx, op, v)
	list := make([]rdf.IRI, len(terms))
	for i, t := range terms {
		list[i], _ = t.(rdf.IRI)
	}
	return list, err
}

// askCount returns how many solutions there are.
func (r *Reader) askCount(ctx context.Context, op sparql.Op) (n int64, err error) {
	err = r.ask(ctx, countBy(op), []sparql.Var{varN}, func(a *answer) (bool, error) {
		n, err = a.count(0)
		return true, err
	})
	return n, err
}

// idTerm stands in a pattern for the term with an id.
type idTerm inline.TermID

// String is for what prints a pattern.
func (idTerm) String() string { return "term" }

// Native is what package quad wants of a term.
func (t idTerm) Native() any { return int64(t) }

// amongIDs is a table of subjects.
func amongIDs(v sparql.Var, ids []inline.TermID) sparql.Op {
	rows := make([][]rdf.Term, len(ids))
	cells := make([]rdf.Term, len(ids))
	for i, id := range ids {
		cells[i] = idTerm(id)
		rows[i] = cells[i : i+1]
	}
	return sparql.Table{Vars: []sparql.Var{v}, Rows: rows}
}
