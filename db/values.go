package db

import (
	"context"

	"trails/db/inline"
	"trails/rdf"
	"trails/sparql"
)

// Values returns the objects that a subject of the default graph has for a predicate, in
// the order of their ids, from offset on and limit at most.
func (r *Reader) Values(ctx context.Context, s rdf.Term, p rdf.IRI, limit, offset int) ([]rdf.Term, error) {
	return r.askTerms(ctx, slice(stored(bgp(said(s, p, nil)), false, varO), limit, offset), varO)
}

// CountValues counts what [Reader.Values] lists, up to most.
func (r *Reader) CountValues(ctx context.Context, s rdf.Term, p rdf.IRI, most int) (int, error) {
	n, err := r.askCount(ctx, slice(bgp(said(s, p, nil)), most, 0))
	return int(n), err
}

// Reached returns what a path of several predicates leads to from a subject of the default
// graph, each once, in the order of their ids, limit at most, and counts them up to most.
func (r *Reader) Reached(ctx context.Context, s rdf.Term, path []rdf.IRI, limit, most int) (list []rdf.Term, n int, err error) {
	op := sparql.Distinct{Op: project(bgp(along(s, path, sparql.Operand{Var: varO})...), varO)}
	list, err = r.askTerms(ctx, slice(stored(op, false, varO), limit, 0), varO)
	if err != nil || len(list) < limit {
		return list, len(list), err
	}
	all, err := r.askCount(ctx, slice(op, most, 0))
	return list, int(all), err
}

// Predicates returns the predicates of a subject in the default graph, limit at most. How
// many values one has does not matter.
func (r *Reader) Predicates(ctx context.Context, s rdf.Term, limit int) ([]rdf.IRI, error) {
	return r.askIRIs(ctx, slice(sparql.Distinct{Op: project(bgp(said(s, nil, nil)), varP)}, limit, 0), varP)
}

// NamesInUse returns the predicates and the classes of the statements of all graphs, some of
// them twice.
func (r *Reader) NamesInUse(ctx context.Context) (predicates, classes []rdf.IRI, err error) {
	for _, in := range []func(sparql.Op) sparql.Op{
		func(op sparql.Op) sparql.Op { return op },
		func(op sparql.Op) sparql.Op { return sparql.Graph{Name: sparql.Operand{Var: "g"}, Op: op} },
	} {
		used, err := r.askIRIs(ctx, sparql.Distinct{Op: project(in(bgp(said(nil, nil, nil))), varP)}, varP)
		if err != nil {
			return nil, nil, err
		}
		predicates = append(predicates, used...)
		if used, err = r.askIRIs(ctx, sparql.Distinct{Op: project(in(bgp(said(nil, rdf.Type, nil))), varO)}, varO); err != nil {
			return nil, nil, err
		}
		classes = append(classes, used...)
	}
	return predicates, classes, nil
}

// Exists reports whether anything is said of a subject in the default graph.
func (r *Reader) Exists(ctx context.Context, s rdf.Term) (found bool, err error) {
	err = r.askIDs(ctx, slice(bgp(said(s, nil, nil)), 1, 0), nil, func([]inline.TermID) bool {
		found = true
		return false
	})
	return found, err
}

// A few subjects are asked one by one; of others as many values are read at once as
// ordinary nodes have.
const (
	fewSubjects = 128
	manyValues  = 1000
	valuesEach  = 4 // and so many of each subject
)

// EachValues returns what [Reader.Values] lists for each of the subjects, the first ones,
// each at most.
func (r *Reader) EachValues(ctx context.Context, subjects []rdf.Term, p rdf.IRI, each int) (map[rdf.Term][]rdf.Term, error) {
	out := make(map[rdf.Term][]rdf.Term, len(subjects))
	if len(subjects) >= fewSubjects {
		all, err := r.valuesAtOnce(ctx, subjects, p, each, out)
		if err != nil || all {
			return out, err
		}
		clear(out)
	}
	for _, s := range subjects {
		var values []rdf.Term
		for q, err := range r.Match(ctx, rdf.Quad{Subject: s, Predicate: p, Label: rdf.DefaultGraph}) {
			if err != nil {
				return nil, err
			}
			if values = append(values, q.Object); len(values) == each {
				break
			}
		}
		out[s] = values
	}
	return out, nil
}

// valuesAtOnce reads the values of all subjects; false when they are too many.
func (r *Reader) valuesAtOnce(ctx context.Context, subjects []rdf.Term, p rdf.IRI, each int, out map[rdf.Term][]rdf.Term) (bool, error) {
	if err := r.ready(ctx); err != nil {
		return false, err
	}
	known := make(map[inline.TermID]rdf.Term, len(subjects))
	var ids []inline.TermID
	for _, s := range subjects {
		id, ok, err := r.dict.lookup(s)
		if err != nil {
			return false, r.fail(ctx, "values", err)
		}
		if _, twice := known[id]; ok && !twice {
			known[id], ids = s, append(ids, id)
		}
	}
	most := manyValues + valuesEach*len(ids)
	values := slice(sparql.Join{Left: amongIDs(varS, ids), Right: bgp(said(nil, p, nil))}, most, 0)
	n := 0
	err := r.ask(ctx, stored(project(values, varS, varO), false, varO), []sparql.Var{varS, varO}, func(a *answer) (bool, error) {
		n++
		s := known[a.id(0)]
		if len(out[s]) == each {
			return true, nil
		}
		o, err := a.at(1)
		out[s] = append(out[s], o)
		return true, err
	})
	return n < most, err
}
