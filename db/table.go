package db

import (
	"context"
	"slices"

	"trails/db/inline"
	"trails/rdf"
	"trails/sparql"
)

// Selection says which subjects of the default graph a table shows: those whose
// rdf:type is one of Classes and that meet every one of Where.
type Selection struct {
	Classes []rdf.IRI
	Where   []Condition
	// Among, when it is not nil, keeps only these; see [Reader.Search].
	Among *Found
}

// selected is the pattern whose solutions for varS are the selected subjects, each once.
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
		// The types come last: nearly every subject of a condition has the type.
		alternatives[i] = bgp(append(slices.Clone(triples), said(nil, rdf.Type, class))...)
	}
	op := oneOf(alternatives)
	for _, test := range tests {
		op = that(op, test)
	}
	return op
}

// asked are conditions as triples of the subject, and those that are none as tests.
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

// scanCounts counts the selected subjects as [Reader.askScan] may, those of each object of a
// predicate apart if there is one.
func (r *Reader) scanCounts(ctx context.Context, sel Selection, of rdf.IRI, vars []sparql.Var, row func(*answer) (more bool, err error)) (did bool, err error) {
	const class sparql.Var = "class"
	if len(sel.Classes) == 0 {
		return false, nil
	}
	triples, tests := r.asked(ctx, sel.Where)
	typed := said(nil, rdf.Type, sel.Classes[0])
	subjects := sparql.Aggregate{Func: sparql.Count}
	if len(sel.Classes) > 1 { // a subject may be of several
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
		triples = append(triples, said(nil, of, nil))
		group.Keys = []sparql.GroupKey{{Expr: sparql.VarExpr{Var: varO}, Var: varO}}
	}
	group.Op = bgp(triples...)
	for _, test := range tests {
		group.Op = that(group.Op, test)
	}
	return r.askScan(ctx, group, vars, row)
}

// oneOf is the union of patterns, without repeats of a subject that has several types.
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

// Select returns the selected subjects in the order of their ids, from offset on and
// limit at most.
func (r *Reader) Select(ctx context.Context, sel Selection, limit, offset int) ([]rdf.Term, error) {
	if sel.Among != nil {
		list, err := r.terms(sel.Among.page(limit, offset))
		return list, r.fail(ctx, "select", err)
	}
	return r.askTerms(ctx, slice(stored(r.selected(ctx, sel), false, varS), limit, offset), varS)
}

func (r *Reader) terms(ids []inline.TermID) (list []rdf.Term, err error) {
	for _, id := range ids {
		t, err := r.dict.term(id)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// countWork bounds how many subjects of the rarest condition are tried while counting, where no
// scan counts.
const countWork = 20_000

// CountSelected counts the selected subjects: all where a scan does, see [Reader.askScan], else up
// to most; more means that there are others, or that it stopped before it had tried them all.
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

// countUpTo counts the subjects that meet all conditions, up to most, with work tries at
// most of those that meet the first one.
func (r *Reader) countUpTo(ctx context.Context, all []condition, most, work int) (n int, more bool, err error) {
	first, op := all[0].op, project(all[0].op, varS)
	if len(all) > 1 {
		op = project(slice(first, work, 0), varS)
	}
	for _, c := range all[1:] {
		op = that(op, c.test)
	}
	found, err := r.askCount(ctx, slice(op, most+1, 0))
	if err != nil || int(found) > most || len(all) < 2 {
		return min(int(found), most), int(found) > most, err
	}
	tried, err := r.askCount(ctx, slice(first, work+1, 0))
	return int(found), int(tried) > work, err
}

// ValueCount says how many subjects have a value; More means that there are others,
// or may be.
type ValueCount struct {
	Count int
	More  bool
}

// How much is done for a facet that no scan counts: up to fewSelected subjects are each asked for
// their values; beyond it the index of each value is asked, with facetWork tries.
const (
	fewSelected = 2000
	facetWork   = 2000
)

// CountValuesAmong counts, for each of the objects, how many selected subjects have it for p: all
// of up to fewSelected, and where a scan counts them, see [Reader.askScan], else up to most each.
func (r *Reader) CountValuesAmong(ctx context.Context, sel Selection, p rdf.IRI, objects []rdf.Term, most int) ([]ValueCount, error) {
	counts := make([]ValueCount, len(objects))
	put := func(a *answer) (bool, error) {
		c, err := a.objectCount()
		if i := slices.Index(objects, c.Object); i >= 0 {
			counts[i].Count = int(c.Count)
		}
		return true, err
	}
	values, vars := bgp(said(nil, p, nil)), []sparql.Var{varO, varN}
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

// countByIndex tries the subjects that have each value.
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
