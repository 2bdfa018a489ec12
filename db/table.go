package db

import (
	"cmp"
	"context"
	"slices"

	"trails/db/inline"
	"trails/rdf"
	"trails/sparql"
)

// Selection says which subjects of the default graph a table shows: those whose
// rdf:type is one of Classes and that have every one of Pairs.
type Selection struct {
	Classes []rdf.IRI
	Pairs   []rdf.PredicateObject
	// Among, when it is not nil, keeps only these; see [Reader.Search].
	Among *Found
}

// op is the pattern whose solutions for varS are the selected subjects, each once.
func (sel Selection) op() sparql.Op {
	if sel.Among != nil {
		return amongIDs(varS, sel.Among.ids)
	}
	return sel.with()
}

// with is op for what has more triples, too; without Among.
func (sel Selection) with(more ...sparql.TriplePattern) sparql.Op {
	alternatives := make([]sparql.Op, len(sel.Classes))
	for i, class := range sel.Classes {
		// The types come last: nearly every subject of a condition has the type.
		alternatives[i] = bgp(append(append(patternsOf(sel.Pairs), said(nil, rdf.Type, class)), more...)...)
	}
	return oneOf(alternatives)
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

// condition is one of those that a selected subject meets, as a pattern of all that meet it
// and as what is asked of a subject.
type condition struct {
	op   sparql.Op
	rows float64
	test sparql.Expr
}

// conditions are those of a selection, the one that the fewest meet first.
func (r *Reader) conditions(ctx context.Context, sel Selection) []condition {
	known := r.statistics(ctx, nil)
	var list []condition
	for _, p := range patternsOf(sel.Pairs) {
		list = append(list, condition{bgp(p), known.rows(p), exists(bgp(p))})
	}
	types := condition{}
	var all []sparql.Op
	for i, class := range sel.Classes {
		p := said(nil, rdf.Type, class)
		all = append(all, bgp(p))
		types.rows += known.rows(p)
		if i == 0 {
			types.test = exists(bgp(p))
		} else {
			types.test = sparql.Call{Func: sparql.Or, Args: []sparql.Expr{types.test, exists(bgp(p))}}
		}
	}
	types.op = project(oneOf(all), varS)
	list = append(list, types)
	slices.SortStableFunc(list, func(a, b condition) int { return cmp.Compare(a.rows, b.rows) })
	return list
}

// Select returns the selected subjects in the order of their ids, from offset on and
// limit at most.
func (r *Reader) Select(ctx context.Context, sel Selection, limit, offset int) ([]rdf.Term, error) {
	if sel.Among != nil {
		list, err := r.terms(sel.Among.page(limit, offset))
		return list, r.fail(ctx, "select", err)
	}
	return r.askTerms(ctx, slice(stored(sel.op(), false, varS), limit, offset), varS)
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

// countWork bounds how many subjects of the rarest condition are tried while counting.
const countWork = 20_000

// CountSelected counts the selected subjects, up to most; more means that there are
// others, or that it stopped before it had tried them all.
func (r *Reader) CountSelected(ctx context.Context, sel Selection, most int) (n int, more bool, err error) {
	if sel.Among != nil {
		return min(len(sel.Among.ids), most), sel.Among.More || len(sel.Among.ids) > most, nil
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

// How much is done for a facet: up to fewSelected subjects are each asked for their
// values; beyond it the index of each value is asked, with facetWork tries.
const (
	fewSelected = 2000
	facetWork   = 2000
)

// CountValuesAmong counts, for each of the objects, how many selected subjects have
// it for p, up to most each.
func (r *Reader) CountValuesAmong(ctx context.Context, sel Selection, p rdf.IRI, objects []rdf.Term, most int) ([]ValueCount, error) {
	counts := make([]ValueCount, len(objects))
	many := false
	if sel.Among == nil {
		var err error
		if _, many, err = r.countUpTo(ctx, r.conditions(ctx, sel), fewSelected, countWork); err != nil {
			return nil, err
		}
	}
	if !many {
		values := sparql.LeftJoin{Left: project(sel.op(), varS), Right: bgp(said(nil, p, nil))}
		list, err := r.countByObject(ctx, values)
		for _, c := range list {
			if i := slices.Index(objects, c.Object); i >= 0 {
				counts[i] = ValueCount{min(int(c.Count), most), int(c.Count) > most}
			}
		}
		return counts, err
	}
	return counts, r.countByIndex(ctx, sel, p, objects, counts, most)
}

// countByIndex tries the subjects that have each value.
func (r *Reader) countByIndex(ctx context.Context, sel Selection, p rdf.IRI, objects []rdf.Term, counts []ValueCount, most int) error {
	for i, o := range objects {
		one := sel
		one.Pairs = append(slices.Clone(sel.Pairs), rdf.PredicateObject{P: p, O: o})
		n, more, err := r.countUpTo(ctx, r.conditions(ctx, one), most, facetWork)
		if err != nil {
			return err
		}
		counts[i] = ValueCount{n, more}
	}
	return nil
}
