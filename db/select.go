package db

import (
	"context"
	"slices"

	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/scan"
	"trails/db/stmt"
	"trails/rdf"
	"trails/sparql"
)

// Having returns up to limit subjects of the default graph that have all of the predicate-object pairs, in the order
// of their ids. Without pairs it returns none.
func (r *Reader) Having(ctx context.Context, pairs []rdf.PredicateObject, limit int) ([]rdf.Term, error) {
	if len(pairs) == 0 {
		return nil, r.fail(ctx, "having", r.ready(ctx))
	}
	return r.askTerms(ctx, slice(stored(bgp(patternsOf(pairs)...), false, varS), limit, 0), varS)
}

func patternsOf(pairs []rdf.PredicateObject) []sparql.TriplePattern {
	list := make([]sparql.TriplePattern, len(pairs))
	for i, pair := range pairs {
		list[i] = triplePattern(nil, pair.P, pair.O)
	}
	return list
}

// Shared returns the objects of a predicate that several subjects of the default graph share, in the order of their
// ids. whole is false if there are more than limit and some are left out. It is one pass over the statements of the
// predicate in an index.
func (r *Reader) Shared(ctx context.Context, predicate rdf.IRI, limit int) (objects []rdf.Term, whole bool, err error) {
	p, ok, err := r.known(ctx, predicate)
	if err != nil || !ok {
		return nil, true, r.fail(ctx, "shared", err)
	}
	ids, err := column[inline.TermID](ctx, r, r.conn.text(leaf.SharedObjects), p[0], limit+1)
	if err == nil {
		objects, err = r.terms(ids[:min(len(ids), limit)])
	}
	return objects, len(ids) <= limit, r.fail(ctx, "shared", err)
}

// ObjectCount is an object with the number of its subjects in the default graph.
type ObjectCount struct {
	Object rdf.Term
	Count  int64
}

// CountByObject returns the objects of a predicate in the default graph with their counts, in the order of their ids:
// for rdf:type, the types with their numbers of instances. It is one pass over an index, and kept for others who read the
// same commit.
func (r *Reader) CountByObject(ctx context.Context, predicate rdf.IRI) ([]ObjectCount, error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "count", err)
	}
	answer, err := r.keptCount(countQuestion{kind: "objects of all", of: predicate}, Selection{}, nil, func() (any, int, error) {
		list, err := r.countByObject(ctx, bgp(triplePattern(nil, predicate, nil)))
		return list, len(list), err
	})
	return slices.Clone(answer.([]ObjectCount)), err
}

func (r *Reader) countByObject(ctx context.Context, op sparql.Op) (list []ObjectCount, err error) {
	err = r.ask(ctx, countBy(op, varO), []sparql.Var{varO, varN}, func(a *answer) (bool, error) {
		c, err := a.objectCount()
		list = append(list, c)
		return true, err
	})
	return list, err
}

// objectCount converts a row of an object and its count.
func (a *answer) objectCount() (c ObjectCount, err error) {
	if c.Object, err = a.at(0); err == nil {
		c.Count, err = a.count(1)
	}
	return c, err
}

// maxInstanceIDs bounds the ids in a bit set of instances or of held subjects: 4 MB.
const maxInstanceIDs = 32 << 20

// anySize lets a set grow whose ids are bounded.
func anySize(int64) error { return nil }

// Instances returns a function that reports whether a term has one of some types in the default graph. It uses a bit
// set over all terms, filled in one pass over the instances, and is valid until the next write. It is nil if the file
// has too many terms.
func (r *Reader) Instances(ctx context.Context, classes []rdf.IRI) (func(rdf.Term) (bool, error), error) {
	last, err := r.number(ctx, "instances", "SELECT max(id) FROM terms")
	if err != nil || last > maxInstanceIDs {
		return nil, err
	}
	has := scan.NewSet(anySize)
	for _, class := range classes {
		ids, ok, err := r.known(ctx, rdf.Type, class)
		if err != nil {
			return nil, r.fail(ctx, "instances", err)
		}
		if !ok {
			continue
		}
		err = r.rows(ctx, r.conn.text(leaf.Instances), func(s *stmt.Stmt) (bool, error) {
			id := s.ID(0)
			if id < 0 || int64(id) > last {
				return false, stmt.Damaged("a subject has the id %d", id)
			}
			return true, has.Add(int64(id))
		}, ids[0], ids[1])
		if err != nil {
			return nil, r.fail(ctx, "instances", err)
		}
	}
	return func(t rdf.Term) (bool, error) {
		id, ok, err := r.dict.Lookup(t)
		if err != nil || !ok || id < 0 || int64(id) > last {
			return false, r.fail(ctx, "instances", err)
		}
		return has.Has(int64(id)), nil
	}, nil
}
