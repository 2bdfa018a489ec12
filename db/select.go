package db

import (
	"context"
	"iter"

	"trails/db/history"
	"trails/db/inline"
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

// sharedObjects reads the index in its order.
const sharedObjects = "SELECT o FROM live INDEXED BY live_pos WHERE p = ?1 AND g = 0 GROUP BY o HAVING COUNT(*) > 1 LIMIT ?2 + 0"

// Shared returns the objects of a predicate that several subjects of the default graph share, in the order of their
// ids. whole is false if there are more than limit and some are left out. It is one pass over the statements of the
// predicate in an index.
func (r *Reader) Shared(ctx context.Context, predicate rdf.IRI, limit int) (objects []rdf.Term, whole bool, err error) {
	p, ok, err := r.known(ctx, predicate)
	if err != nil || !ok {
		return nil, true, r.fail(ctx, "shared", err)
	}
	ids, err := column[inline.TermID](ctx, r, sharedObjects, p[0], limit+1)
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
// for rdf:type, the types with their numbers of instances. It is one pass over an index.
func (r *Reader) CountByObject(ctx context.Context, predicate rdf.IRI) ([]ObjectCount, error) {
	return r.countByObject(ctx, bgp(triplePattern(nil, predicate, nil)))
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

// Change is one quad that a commit added or removed.
type Change struct {
	// Op is [OpAdd] or [OpRemove].
	Op byte
	// Seq is the commit's number.
	Seq history.Seq
	rdf.Quad
}

// changeColumns joins the terms of a row x. The columns are those of an access without given positions.
const changeColumns = `SELECT x.s, x.p, x.o, x.g,
	ts.kind, ts.value, ts.datatype, ts.lang, ob.kind, ob.value, ob.datatype, ob.lang, x.op, x.seq FROM (`

const changeJoins = `) x LEFT JOIN terms ts ON ts.id = x.s LEFT JOIN terms ob ON ob.id = x.o`

const (
	loggedChanges = changeColumns + "SELECT s, p, o, g, op, seq FROM changes WHERE line = ?1 AND seq = ?2 LIMIT -1 OFFSET ?3 + 0" + changeJoins
	// A bulk commit only adds: its quads are in live, or were removed later.
	bulkChanges = changeColumns + `SELECT s, p, o, g, 43 AS op, added AS seq FROM live WHERE added = ?2
		UNION ALL SELECT s, p, o, g, 43, added FROM hist WHERE line = ?1 AND added = ?2 LIMIT -1 OFFSET ?3 + 0` + changeJoins
)

// Changes returns the quads that a commit added and removed, in the order of ids, from offset on. For a bulk commit
// it reads the table up to the last quad that is returned.
func (r *Reader) Changes(ctx context.Context, seq history.Seq, offset int) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		c, err := r.CommitBySeq(ctx, seq)
		if err != nil {
			yield(Change{}, err)
			return
		}
		sql := loggedChanges
		if c.Bulk {
			sql = bulkChanges
		}
		if err := r.changes(ctx, sql, yield, c.Line, seq, offset); err != nil {
			yield(Change{}, r.fail(ctx, "changes", err))
		}
	}
}

// ChangedType is a class, with the number of nodes of the default graph that a commit gave it and took from it.
type ChangedType struct {
	Type           rdf.Term
	Added, Removed int64
}

const (
	loggedTypes = "SELECT o, SUM(op = 43), SUM(op = 45) FROM changes WHERE line = ?1 AND seq = ?2 AND p = ?3 AND g = 0 GROUP BY o ORDER BY o"
	bulkTypes   = `SELECT o, COUNT(*), 0 FROM (SELECT o FROM live INDEXED BY live_pos WHERE p = ?3 AND g = 0 AND added = ?2
		UNION ALL SELECT o FROM hist WHERE line = ?1 AND p = ?3 AND g = 0 AND added = ?2) GROUP BY o ORDER BY o`
)

// ChangedTypes returns the classes of the nodes that a commit changed, in the order of their ids. It is one pass over
// the changes of the commit or, for a bulk commit, over the rdf:type statements in an index.
func (r *Reader) ChangedTypes(ctx context.Context, seq history.Seq) (list []ChangedType, err error) {
	c, err := r.CommitBySeq(ctx, seq)
	if err != nil {
		return nil, err
	}
	p, ok, err := r.known(ctx, rdf.Type)
	if err != nil || !ok {
		return nil, r.fail(ctx, "changed types", err)
	}
	sql := loggedTypes
	if c.Bulk {
		sql = bulkTypes
	}
	var ids []inline.TermID
	err = r.rows(ctx, sql, func(s *stmt.Stmt) (bool, error) {
		ids = append(ids, inline.TermID(s.ColumnInt64(0)))
		list = append(list, ChangedType{Added: s.ColumnInt64(1), Removed: s.ColumnInt64(2)})
		return true, nil
	}, c.Line, seq, p[0])
	if err != nil {
		return nil, r.fail(ctx, "changed types", err)
	}
	terms, err := r.terms(ids)
	for i, t := range terms {
		list[i].Type = t
	}
	return list, r.fail(ctx, "changed types", err)
}

func (r *Reader) changes(ctx context.Context, sql string, yield func(Change, error) bool, args ...any) error {
	rows := quadRows{dict: &r.dict, pattern: pattern{access: accesses[bound{}]}}
	return r.rows(ctx, sql, func(s *stmt.Stmt) (bool, error) {
		q, err := rows.quad(s)
		c := Change{Op: byte(s.ColumnInt64(12)), Seq: s.Seq(13), Quad: q}
		return err == nil && yield(c, nil), err
	}, args...)
}
