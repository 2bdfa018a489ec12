package db

import (
	"context"
	"maps"

	"trails/db/inline"
	"trails/rdf"
	"trails/sparql"
)

// Values returns up to limit objects of a subject and predicate in the default graph, in the order of their ids, from
// offset on.
func (r *Reader) Values(ctx context.Context, s rdf.Term, p rdf.IRI, limit, offset int) ([]rdf.Term, error) {
	return r.askTerms(ctx, slice(stored(bgp(triplePattern(s, p, nil)), false, varO), limit, offset), varO)
}

// CountValues counts the results of [Reader.Values], up to most.
func (r *Reader) CountValues(ctx context.Context, s rdf.Term, p rdf.IRI, most int) (int, error) {
	n, err := r.askCount(ctx, slice(bgp(triplePattern(s, p, nil)), most, 0))
	return int(n), err
}

// Reached returns up to limit nodes that a path of predicates reaches from a subject in the default graph, each once,
// in the order of their ids, and counts them up to most.
func (r *Reader) Reached(ctx context.Context, s rdf.Term, path []rdf.IRI, limit, most int) (list []rdf.Term, n int, err error) {
	op := sparql.Distinct{Op: project(bgp(along(s, path, sparql.Operand{Var: varO})...), varO)}
	list, err = r.askTerms(ctx, slice(stored(op, false, varO), limit, 0), varO)
	if err != nil || len(list) < limit {
		return list, len(list), err
	}
	all, err := r.askCount(ctx, slice(op, most, 0))
	return list, int(all), err
}

// Predicates returns up to limit predicates of a subject in the default graph. Its cost does not depend on the number
// of values.
func (r *Reader) Predicates(ctx context.Context, s rdf.Term, limit int) ([]rdf.IRI, error) {
	return r.askIRIs(ctx, slice(sparql.Distinct{Op: project(bgp(triplePattern(s, nil, nil)), varP)}, limit, 0), varP)
}

// NamesInUse returns the predicates and classes of the statements of all graphs, with some duplicates.
func (r *Reader) NamesInUse(ctx context.Context) (predicates, classes []rdf.IRI, err error) {
	for _, in := range []func(sparql.Op) sparql.Op{
		func(op sparql.Op) sparql.Op { return op },
		func(op sparql.Op) sparql.Op { return sparql.Graph{Name: sparql.Operand{Var: "g"}, Op: op} },
	} {
		used, err := r.askIRIs(ctx, sparql.Distinct{Op: project(in(bgp(triplePattern(nil, nil, nil))), varP)}, varP)
		if err != nil {
			return nil, nil, err
		}
		predicates = append(predicates, used...)
		if used, err = r.askIRIs(ctx, sparql.Distinct{Op: project(in(bgp(triplePattern(nil, rdf.Type, nil))), varO)}, varO); err != nil {
			return nil, nil, err
		}
		classes = append(classes, used...)
	}
	return predicates, classes, nil
}

// Exists reports whether a subject has statements in the default graph.
func (r *Reader) Exists(ctx context.Context, s rdf.Term) (found bool, err error) {
	err = r.askIDs(ctx, slice(bgp(triplePattern(s, nil, nil)), 1, 0), nil, func([]inline.TermID) bool {
		found = true
		return false
	})
	return found, err
}

// Up to fewSubjects subjects are read one by one. For more, up to manyValues values, and valuesEach for each subject,
// are read by one statement.
const (
	fewSubjects = 128
	manyValues  = 1000
	valuesEach  = 4 // plus this many for each subject
)

// EachValues returns the first values of [Reader.Values] for each subject, up to each.
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

// Of a few subjects, statementsOfEach times as many statements as there are predicates are read at once.
const statementsOfEach = 4

// EachOf is [Reader.EachValues] for several predicates. It reads the first statements of a subject at once, and the values
// of each predicate where a subject has many others.
func (r *Reader) EachOf(ctx context.Context, subjects []rdf.Term, predicates []rdf.IRI, each int) (map[rdf.IRI]map[rdf.Term][]rdf.Term, error) {
	out := make(map[rdf.IRI]map[rdf.Term][]rdf.Term, len(predicates))
	for _, p := range predicates {
		out[p] = map[rdf.Term][]rdf.Term{}
	}
	if len(subjects) < fewSubjects && len(out) > 1 {
		large, err := r.firstOfEach(ctx, subjects, each, out)
		if err != nil {
			return nil, err
		}
		subjects = large
	}
	for p, values := range out {
		found, err := r.EachValues(ctx, subjects, p, each)
		if err != nil {
			return nil, err
		}
		maps.Copy(values, found)
	}
	return out, nil
}

// firstOfEach reads the values of subjects with few statements, and returns the other subjects.
func (r *Reader) firstOfEach(ctx context.Context, subjects []rdf.Term, each int, out map[rdf.IRI]map[rdf.Term][]rdf.Term) (large []rdf.Term, err error) {
	var statements []rdf.Quad
	seen := make(map[rdf.Term]bool, len(subjects))
	for _, s := range subjects {
		if seen[s] {
			continue
		}
		seen[s], statements = true, statements[:0]
		for q, err := range r.Match(ctx, rdf.Quad{Subject: s, Label: rdf.DefaultGraph}) {
			if err != nil {
				return nil, err
			}
			if statements = append(statements, q); len(statements) > statementsOfEach*len(out) {
				break
			}
		}
		if len(statements) > statementsOfEach*len(out) {
			large = append(large, s)
			continue
		}
		for _, q := range statements {
			p, _ := q.Predicate.(rdf.IRI)
			if of, asked := out[p]; asked && len(of[s]) < each {
				of[s] = append(of[s], q.Object)
			}
		}
	}
	return large, nil
}

// valuesAtOnce reads the values of all subjects; it returns false if there are too many.
func (r *Reader) valuesAtOnce(ctx context.Context, subjects []rdf.Term, p rdf.IRI, each int, out map[rdf.Term][]rdf.Term) (bool, error) {
	if err := r.ready(ctx); err != nil {
		return false, err
	}
	known := make(map[inline.TermID]rdf.Term, len(subjects))
	var ids []inline.TermID
	for _, s := range subjects {
		id, ok, err := r.dict.Lookup(s)
		if err != nil {
			return false, r.fail(ctx, "values", err)
		}
		if _, twice := known[id]; ok && !twice {
			known[id], ids = s, append(ids, id)
		}
	}
	most := manyValues + valuesEach*len(ids)
	values := slice(sparql.Join{Left: amongIDs(varS, ids), Right: bgp(triplePattern(nil, p, nil))}, most, 0)
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
