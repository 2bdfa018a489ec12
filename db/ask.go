package db

import (
	"context"

	"trails/db/inline"
	"trails/rdf"
	"trails/sparql"
)

// Reads for pages, lists and suggestions are built as SPARQL algebra here, planned by [Reader.Plan] and run like any
// query. They only read the default graph.

// The variables of these patterns: the positions of a triple, and a count.
const (
	varS sparql.Var = "s"
	varP sparql.Var = "p"
	varO sparql.Var = "o"
	varN sparql.Var = "n"
)

// triplePattern returns a triple pattern. nil stands for the variable of its position: varS, varP or varO.
func triplePattern(s, p, o rdf.Term) sparql.TriplePattern {
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

// stored sorts solutions by the ids of variables.
func stored(op sparql.Op, descending bool, vars ...sparql.Var) sparql.Op {
	keys := make([]sparql.OrderKey, len(vars))
	for i, v := range vars {
		keys[i] = sparql.OrderKey{Expr: sparql.VarExpr{Var: v}, Descending: descending, Stored: true}
	}
	return sparql.OrderBy{Op: op, Keys: keys}
}

// filtered keeps the solutions for which all conditions are true.
func filtered(op sparql.Op, conditions ...sparql.Expr) sparql.Op {
	for _, e := range conditions {
		op = sparql.Filter{Op: op, Expr: e}
	}
	return op
}

func exists(op sparql.Op) sparql.Expr { return sparql.Exists{Op: op} }

func not(e sparql.Expr) sparql.Expr { return sparql.Call{Func: sparql.Not, Args: []sparql.Expr{e}} }

// countBy counts the solutions, grouped by the values of some variables.
func countBy(op sparql.Op, by ...sparql.Var) sparql.Op {
	g := sparql.Group{Op: op, Aggregates: []sparql.Aggregation{{Var: varN, Aggregate: sparql.Aggregate{Func: sparql.Count}}}}
	for _, v := range by {
		g.Keys = append(g.Keys, sparql.GroupKey{Expr: sparql.VarExpr{Var: v}, Var: v})
	}
	return g
}

// ask runs a pattern and calls row for each solution until it returns false. Further rows are not read.
func (r *Reader) ask(ctx context.Context, op sparql.Op, vars []sparql.Var, row func(*answer) (more bool, err error)) error {
	plan, err := r.Plan(ctx, op, vars, sparql.Dataset{}, "")
	if err == nil {
		err = r.visit(ctx, plan, Limits{}, row)
	}
	return r.fail(ctx, "read", err)
}

// An exact count may read scannedRows index rows by a scan, or take soon microseconds of SQL. Both are some 20
// milliseconds, as long as SQL takes for the first ten thousand matches of a condition.
const (
	scannedRows = 1 << 21
	soon        = 15_000
)

// planSoon plans groups, and reports whether they are estimated to be counted soon.
func (r *Reader) planSoon(ctx context.Context, groups sparql.Group, vars []sparql.Var) (plan Plan, is bool, err error) {
	plan, err = r.Plan(ctx, groups, vars, sparql.Dataset{}, "")
	switch {
	case err != nil:
		return plan, false, r.fail(ctx, "read", err)
	case plan.Listing != nil:
		return plan, plan.Programs[plan.Listing.Program].Reads() <= scannedRows, nil
	}
	return plan, plan.Work <= soon, nil
}

// askIDs is ask for the ids of the solutions; 0 is an unbound variable.
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

// askIRIs returns the values of one variable, which must be IRIs.
func (r *Reader) askIRIs(ctx context.Context, op sparql.Op, v sparql.Var) ([]rdf.IRI, error) {
	terms, err := r.askTerms(ctx, op, v)
	list := make([]rdf.IRI, len(terms))
	for i, t := range terms {
		list[i], _ = t.(rdf.IRI)
	}
	return list, err
}

// askCount returns the number of solutions.
func (r *Reader) askCount(ctx context.Context, op sparql.Op) (n int64, err error) {
	err = r.ask(ctx, countBy(op), []sparql.Var{varN}, func(a *answer) (bool, error) {
		n, err = a.count(0)
		return true, err
	})
	return n, err
}

// idTerm stands for the term with this id, in patterns.
type idTerm inline.TermID

// String is for printing a pattern.
func (idTerm) String() string { return "term" }

// Native makes idTerm a term.
func (t idTerm) Native() any { return int64(t) }

// amongIDs is inline data with one variable whose values are the terms with these ids.
func amongIDs(v sparql.Var, ids []inline.TermID) sparql.Op {
	rows := make([][]rdf.Term, len(ids))
	cells := make([]rdf.Term, len(ids))
	for i, id := range ids {
		cells[i] = idTerm(id)
		rows[i] = cells[i : i+1]
	}
	return sparql.Table{Vars: []sparql.Var{v}, Rows: rows}
}
