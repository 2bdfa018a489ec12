package db

import (
	"cmp"
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
	// Held, when not nil, is where the first count puts the ids of the subjects, for the counts that follow.
	Held *Held
}

// selected returns the pattern for the selected subjects, as varS, each once.
func (r *Reader) selected(ctx context.Context, sel Selection) sparql.Op {
	if sel.Among != nil {
		return amongIDs(varS, sel.Among.ids)
	}
	begun, where := r.begun(ctx, sel.Where)
	triples, tests := r.asked(ctx, where)
	return typedOnce(sel.Classes, begun, triples, tests)
}

// typedOnce is the pattern for subjects of some classes, each once, that meet conditions.
func typedOnce(classes []rdf.IRI, begun sparql.Op, triples []sparql.TriplePattern, tests []sparql.Expr) sparql.Op {
	alternatives := make([]sparql.Op, len(classes))
	for i, class := range classes {
		// Types come last: nearly every subject that meets a condition has one of the types.
		all := append(slices.Clip(triples), triplePattern(nil, rdf.Type, class))
		alternatives[i] = filtered(sparql.Join{Left: begun, Right: bgp(all...)}, tests...)
	}
	return oneOf(alternatives)
}

// restricted keeps the solutions of a pattern whose varS is one of the selected subjects.
func (r *Reader) restricted(ctx context.Context, op sparql.Op, sel Selection) sparql.Op {
	triples, tests := r.asked(ctx, sel.Where)
	typed, among := typed(sel.Classes)
	tests = append(tests, exists(filtered(bgp(typed), among...)))
	return filtered(sparql.Join{Left: op, Right: bgp(triples...)}, tests...)
}

// typed is the pattern for the types of subjects, with the condition for several classes, of which a subject may have more
// than one.
func typed(classes []rdf.IRI) (p sparql.TriplePattern, among []sparql.Expr) {
	const class sparql.Var = "class"
	if len(classes) == 1 {
		return triplePattern(nil, rdf.Type, classes[0]), nil
	}
	p = triplePattern(nil, rdf.Type, nil)
	p.Object.Var = class
	args := []sparql.Expr{sparql.VarExpr{Var: class}}
	for _, c := range classes {
		args = append(args, sparql.TermExpr{Term: c})
	}
	return p, []sparql.Expr{sparql.Call{Func: sparql.In, Args: args}}
}

// exactCounts counts the selected subjects if they are counted soon, see [Reader.planSoon]; grouped by the object of a predicate
// if one is given. Without one it calls row only if no ids are held; otherwise [Held] has the number.
func (r *Reader) exactCounts(ctx context.Context, sel Selection, of rdf.IRI, vars []sparql.Var, row func(*answer) (more bool, err error)) (did bool, err error) {
	begun, where := r.begun(ctx, sel.Where)
	triples, tests := r.asked(ctx, where)
	typed, among := typed(sel.Classes)
	triples, tests = append(triples, typed), append(tests, among...)
	subjects := sparql.Aggregate{Func: sparql.Count}
	if among != nil {
		subjects = sparql.Aggregate{Func: sparql.Count, Distinct: true, Expr: sparql.VarExpr{Var: varS}}
	}
	group := sparql.Group{Aggregates: []sparql.Aggregation{{Var: varN, Aggregate: subjects}}}
	selected := filtered(sparql.Join{Left: begun, Right: bgp(triples...)}, tests...)
	group.Op = selected
	if of != "" {
		group.Op = filtered(sparql.Join{Left: begun, Right: bgp(append(slices.Clip(triples), triplePattern(nil, of, nil))...)}, tests...)
		group.Keys = []sparql.GroupKey{{Expr: sparql.VarExpr{Var: varO}, Var: varO}}
	}
	plan, did, err := r.planSoon(ctx, group, vars)
	if err != nil || !did {
		return false, err
	}
	ids, err := r.held(ctx, sel.Held, selected)
	switch {
	case err != nil:
		return true, err
	case ids != nil && of == "":
		return true, nil // the caller has their number
	case ids != nil:
		plan.prepared, plan.known, plan.constants = &countsByObject, ids, []rdf.Term{of, rdf.Literal("0", rdf.XSDInteger)}
	}
	return true, r.fail(ctx, "read", r.visit(ctx, plan, Limits{}, row))
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

// countWork bounds how many subjects are tested for a count that would take longer than is soon, see [Reader.planSoon].
const countWork = 20_000

func (r *Reader) countSelected(ctx context.Context, sel Selection, most int) (n int, more bool, err error) {
	if sel.Among != nil {
		return min(len(sel.Among.ids), most), sel.Among.More || len(sel.Among.ids) > most, nil
	}
	counted, err := r.exactCounts(ctx, sel, "", []sparql.Var{varN}, func(a *answer) (bool, error) {
		all, err := a.count(0)
		n = int(all)
		return true, err
	})
	if counted && sel.Held != nil && sel.Held.ids != nil {
		n = sel.Held.n
	}
	if counted || err != nil {
		return n, false, err
	}
	return r.countUpTo(ctx, sel, most, countWork)
}

// countUpTo counts the selected subjects, up to most. It makes the tests for at most work subjects.
func (r *Reader) countUpTo(ctx context.Context, sel Selection, most, work int) (n int, more bool, err error) {
	triples, tests := r.asked(ctx, sel.Where)
	first := project(slice(typedOnce(sel.Classes, bgp(), triples, nil), work+1, 0), varS)
	found, err := r.askCount(ctx, slice(filtered(first, tests...), most+1, 0))
	if err != nil || int(found) > most || len(tests) == 0 {
		return min(int(found), most), int(found) > most, err
	}
	tried, err := r.askCount(ctx, first)
	return int(found), int(tried) > work, err
}

// ValueCount is the number of subjects with a value. More reports that there are or may be others.
type ValueCount struct {
	Count int
	More  bool
}

// facetWork bounds how many subjects with each value are tested for a facet that would take longer than is soon.
const facetWork = 2000

func (r *Reader) countValuesAmong(ctx context.Context, sel Selection, p rdf.IRI, objects []rdf.Term, most int) ([]ValueCount, error) {
	counts := make([]ValueCount, len(objects))
	put := func(a *answer) (bool, error) {
		c, err := a.objectCount()
		if i := slices.Index(objects, c.Object); i >= 0 {
			counts[i].Count = int(c.Count)
		}
		return true, err
	}
	vars := []sparql.Var{varO, varN}
	if sel.Among != nil {
		values := sparql.Join{Left: r.selected(ctx, sel), Right: bgp(triplePattern(nil, p, nil))}
		return counts, r.ask(ctx, countBy(values, varO), vars, put)
	}
	counted, err := r.exactCounts(ctx, sel, p, vars, put)
	if counted || err != nil {
		return counts, err
	}
	return counts, r.countByIndex(ctx, sel, p, objects, counts, most)
}

// objectsWork bounds how many statements are counted by [Reader.ObjectsAmong] where all would take longer than is soon.
const objectsWork = 10_000

// Objects are the most frequent objects of a predicate, with the numbers of their subjects.
type Objects struct {
	Most []ObjectCount
	// Left counts the other objects.
	Left int
	// Counted is 0 if all subjects are counted. Otherwise it is the number of statements that are.
	Counted int
}

func (r *Reader) objectsAmong(ctx context.Context, sel Selection, p rdf.IRI, most int) (Objects, error) {
	type counted struct {
		id inline.TermID
		n  int64
	}
	var all []counted
	put := func(a *answer) (bool, error) {
		n, err := a.count(1)
		all = append(all, counted{a.id(0), n})
		return true, err
	}
	vars := []sparql.Var{varO, varN}
	did, err := false, error(nil)
	if sel.Among == nil {
		did, err = r.exactCounts(ctx, sel, p, vars, put)
	}
	out := Objects{}
	if err == nil && !did {
		some := sparql.Join{Left: r.selected(ctx, sel), Right: bgp(triplePattern(nil, p, nil))}
		if err = r.ask(ctx, countBy(slice(project(some, varS, varO), objectsWork, 0), varO), vars, put); err == nil {
			rows := int64(0)
			for _, c := range all {
				rows += c.n
			}
			if rows == objectsWork {
				out.Counted = objectsWork
			}
		}
	}
	if err != nil {
		return out, err
	}
	slices.SortFunc(all, func(a, b counted) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.id, b.id)) })
	for _, c := range all[:min(most, len(all))] {
		o, err := r.dict.Term(c.id)
		if err != nil {
			return out, r.fail(ctx, "objects", err)
		}
		out.Most = append(out.Most, ObjectCount{o, c.n})
	}
	out.Left = len(all) - len(out.Most)
	return out, nil
}

// countByIndex tests the subjects that have each value.
func (r *Reader) countByIndex(ctx context.Context, sel Selection, p rdf.IRI, objects []rdf.Term, counts []ValueCount, most int) error {
	for i, o := range objects {
		one := sel
		one.Where = append(slices.Clone(sel.Where), Has(p, o))
		n, more, err := r.countUpTo(ctx, one, most, facetWork)
		if err != nil {
			return err
		}
		counts[i] = ValueCount{n, more}
	}
	return nil
}
