package db

import (
	"context"
	"slices"

	"trails/db/inline"
	"trails/rdf"
	"trails/sparql"
)

// Selection says which subjects of the default graph a table shows: those whose rdf:type is one of Classes and that
// meet all conditions of Where.
type Selection struct {
	Classes []rdf.IRI
	Where   []Condition
	// Among, when not nil, restricts the subjects to these; see [Reader.Search].
	Among *Found
}

// selected returns the pattern for the selected subjects, as varS, each once.
func (r *Reader) selected(ctx context.Context, sel Selection) sparql.Op {
	if sel.Among != nil {
		return amongIDs(varS, sel.Among.ids)
	}
	triples, tests := r.asked(ctx, sel.Where)
	if len(tests) > 0 {
		if all := r.conditions(ctx, sel); all[0].leads {
			return meeting(all)
		}
	}
	alternatives := make([]sparql.Op, len(sel.Classes))
	for i, class := range sel.Classes {
		// Types come last: nearly every subject that meets a condition has one of the types.
		alternatives[i] = bgp(append(slices.Clone(triples), triplePattern(nil, rdf.Type, class))...)
	}
	op := oneOf(alternatives)
	for _, test := range tests {
		op = filtered(op, test)
	}
	return op
}

// asked returns conditions as triple patterns of the subject where possible, and the others as tests.
func (r *Reader) asked(ctx context.Context, where []Condition) (triples []sparql.TriplePattern, tests []sparql.Expr) {
	for _, c := range where {
		if p, ok := r.triple(ctx, c); ok {
			triples = append(triples, p)
		} else {
			tests = append(tests, sparql.Exists{Op: r.pattern(ctx, c), Not: c.None})
		}
	}
	return triples, tests
}

// scanCounts counts the selected subjects with [Reader.askScan], if possible; grouped by the object of a predicate if
// one is given.
func (r *Reader) scanCounts(ctx context.Context, sel Selection, of rdf.IRI, vars []sparql.Var, row func(*answer) (more bool, err error)) (did bool, err error) {
	const class sparql.Var = "class"
	if len(sel.Classes) == 0 {
		return false, nil
	}
	triples, tests := r.asked(ctx, sel.Where)
	typed := triplePattern(nil, rdf.Type, sel.Classes[0])
	subjects := sparql.Aggregate{Func: sparql.Count}
	if len(sel.Classes) > 1 { // a subject may have several types
		typed.Object = sparql.Operand{Var: class}
		among := []sparql.Expr{sparql.VarExpr{Var: class}}
		for _, c := range sel.Classes {
			among = append(among, sparql.TermExpr{Term: c})
		}
		tests = append(tests, sparql.Call{Func: sparql.In, Args: among})
		subjects = sparql.Aggregate{Func: sparql.Count, Distinct: true, Expr: sparql.VarExpr{Var: varS}}
	}
	group := sparql.Group{Aggregates: []sparql.Aggregation{{Var: varN, Aggregate: subjects}}}
	triples = append(triples, typed)
	if of != "" {
		triples = append(triples, triplePattern(nil, of, nil))
		group.Keys = []sparql.GroupKey{{Expr: sparql.VarExpr{Var: varO}, Var: varO}}
	}
	group.Op = bgp(triples...)
	for _, test := range tests {
		group.Op = filtered(group.Op, test)
	}
	return r.askScan(ctx, group, vars, row)
}

// oneOf is the union of patterns. A subject with several types occurs once.
func oneOf(alternatives []sparql.Op) sparql.Op {
	switch len(alternatives) {
	case 0:
		return sparql.Table{Vars: []sparql.Var{varS}}
	case 1:
		return alternatives[0]
	}
	union := alternatives[0]
	for _, op := range alternatives[1:] {
		union = sparql.Union{Left: union, Right: op}
	}
	return sparql.Distinct{Op: project(union, varS)}
}

// Select returns up to limit selected subjects in the order of their ids, from offset on.
func (r *Reader) Select(ctx context.Context, sel Selection, limit, offset int) ([]rdf.Term, error) {
	if sel.Among != nil {
		list, err := r.terms(sel.Among.page(limit, offset))
		return list, r.fail(ctx, "select", err)
	}
	return r.askTerms(ctx, slice(stored(r.selected(ctx, sel), false, varS), limit, offset), varS)
}

func (r *Reader) terms(ids []inline.TermID) (list []rdf.Term, err error) {
	for _, id := range ids {
		t, err := r.dict.Term(id)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// countWork bounds how many subjects of the most selective condition are tested for a count that no scan gives.
const countWork = 20_000

// CountSelected counts the selected subjects: all if a scan counts them (see [Reader.askScan]), else up to most. more
// reports that there are others, or that counting stopped early.
func (r *Reader) CountSelected(ctx context.Context, sel Selection, most int) (n int, more bool, err error) {
	if sel.Among != nil {
		return min(len(sel.Among.ids), most), sel.Among.More || len(sel.Among.ids) > most, nil
	}
	counted, err := r.scanCounts(ctx, sel, "", []sparql.Var{varN}, func(a *answer) (bool, error) {
		all, err := a.count(0)
		n = int(all)
		return true, err
	})
	if counted || err != nil {
		return n, false, err
	}
	return r.countUpTo(ctx, r.conditions(ctx, sel), most, countWork)
}

// countUpTo counts the subjects that meet all conditions, up to most. It tests at most work subjects that meet the
// first one.
func (r *Reader) countUpTo(ctx context.Context, all []condition, most, work int) (n int, more bool, err error) {
	first, op := all[0].op, project(all[0].op, varS)
	if len(all) > 1 {
		op = project(slice(first, work, 0), varS)
	}
	for _, c := range all[1:] {
		op = filtered(op, c.test)
	}
	found, err := r.askCount(ctx, slice(op, most+1, 0))
	if err != nil || int(found) > most || len(all) < 2 {
		return min(int(found), most), int(found) > most, err
	}
	tried, err := r.askCount(ctx, slice(first, work+1, 0))
	return int(found), int(tried) > work, err
}

// ValueCount is the number of subjects with a value. More reports that there are or may be others.
type ValueCount struct {
	Count int
	More  bool
}

// Bounds for a facet that no scan counts: up to fewSelected selected subjects, the values of each are read; beyond
// that the subjects of each value are tested, up to facetWork.
const (
	fewSelected = 2000
	facetWork   = 2000
)

// CountValuesAmong counts for each object the selected subjects that have it for p: all if a scan counts them (see
// [Reader.askScan]) or there are at most fewSelected subjects, else up to most for each object.
func (r *Reader) CountValuesAmong(ctx context.Context, sel Selection, p rdf.IRI, objects []rdf.Term, most int) ([]ValueCount, error) {
	counts := make([]ValueCount, len(objects))
	put := func(a *answer) (bool, error) {
		c, err := a.objectCount()
		if i := slices.Index(objects, c.Object); i >= 0 {
			counts[i].Count = int(c.Count)
		}
		return true, err
	}
	values, vars := bgp(triplePattern(nil, p, nil)), []sparql.Var{varO, varN}
	if sel.Among == nil {
		counted, err := r.scanCounts(ctx, sel, p, vars, put)
		if counted || err != nil {
			return counts, err
		}
		_, many, err := r.countUpTo(ctx, r.conditions(ctx, sel), fewSelected, countWork)
		switch {
		case err != nil:
			return nil, err
		case many:
			return counts, r.countByIndex(ctx, sel, p, objects, counts, most)
		}
	}
	return counts, r.ask(ctx, countBy(sparql.LeftJoin{Left: project(r.selected(ctx, sel), varS), Right: values}, varO), vars, put)
}

// countByIndex tests the subjects that have each value.
func (r *Reader) countByIndex(ctx context.Context, sel Selection, p rdf.IRI, objects []rdf.Term, counts []ValueCount, most int) error {
	for i, o := range objects {
		one := sel
		one.Where = append(slices.Clone(sel.Where), Has(p, o))
		n, more, err := r.countUpTo(ctx, r.conditions(ctx, one), most, facetWork)
		if err != nil {
			return err
		}
		counts[i] = ValueCount{n, more}
	}
	return nil
}
