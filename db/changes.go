package db

import (
	"context"
	"iter"

	"trails/db/history"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/stmt"
	"trails/rdf"
)

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
	bulkChanges   = changeColumns + leaf.BulkChanges + changeJoins
)

// Changes returns the quads that a commit added and removed, in the order of ids, from offset on. For a bulk commit
// it reads the table up to the last quad that is returned.
func (r *Reader) Changes(ctx context.Context, seq history.Seq, offset int) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		c, err := r.inView(ctx, seq)
		if err != nil {
			yield(Change{}, err)
			return
		}
		sql := loggedChanges
		if c.Bulk {
			sql = bulkChanges
		}
		if err := r.changes(ctx, sql, yield, mainLine, seq, offset); err != nil {
			yield(Change{}, r.fail(ctx, "changes", err))
		}
	}
}

// ChangedType is a class, with the number of nodes of the default graph that a commit gave it and took from it.
type ChangedType struct {
	Type           rdf.Term
	Added, Removed int64
}

const loggedTypes = "SELECT o, SUM(op = 43), SUM(op = 45) FROM changes WHERE line = ?1 AND seq = ?2 AND p = ?3 AND g = 0 GROUP BY o ORDER BY o"

// ChangedTypes returns the classes of the nodes that a commit changed, in the order of their ids. It is one pass over
// the changes of the commit or, for a bulk commit, over the rdf:type statements in an index.
func (r *Reader) ChangedTypes(ctx context.Context, seq history.Seq) (list []ChangedType, err error) {
	c, err := r.inView(ctx, seq)
	if err != nil {
		return nil, err
	}
	p, ok, err := r.known(ctx, rdf.Type)
	if err != nil || !ok {
		return nil, r.fail(ctx, "changed types", err)
	}
	sql := loggedTypes
	if c.Bulk {
		sql = r.conn.text(leaf.BulkTypes)
	}
	var ids []inline.TermID
	err = r.rows(ctx, sql, func(s *stmt.Stmt) (bool, error) {
		ids = append(ids, inline.TermID(s.ColumnInt64(0)))
		list = append(list, ChangedType{Added: s.ColumnInt64(1), Removed: s.ColumnInt64(2)})
		return true, nil
	}, mainLine, seq, p[0])
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

// Touch is a changed subject of the default graph, with a type that it has or had.
type Touch struct{ Subject, Type rdf.Term }

// Touched returns up to limit typed subjects in the change logs of main's commits from first to last. Bulk commits
// have no log, and are left out.
func (r *Reader) Touched(ctx context.Context, first, last history.Seq, limit int) (list []Touch, err error) {
	err = r.touched(ctx, r.conn.text(leaf.TouchedTypes)+" LIMIT ?5 + 0", []any{first, last, limit}, func(s *stmt.Stmt) error {
		subject, err := r.dict.Term(s.ID(0))
		if err != nil {
			return err
		}
		kind, err := r.dict.Term(s.ID(1))
		list = append(list, Touch{subject, kind})
		return err
	})
	return list, r.fail(ctx, "touched", err)
}

// TouchedTypes returns only the types, without a limit. Its cost is that of reading the change logs.
func (r *Reader) TouchedTypes(ctx context.Context, first, last history.Seq) (list []rdf.Term, err error) {
	err = r.touched(ctx, "SELECT DISTINCT o FROM ("+r.conn.text(leaf.TouchedTypes)+")", []any{first, last}, func(s *stmt.Stmt) error {
		kind, err := r.dict.Term(s.ID(0))
		list = append(list, kind)
		return err
	})
	return list, r.fail(ctx, "touched types", err)
}

// touched runs one of the two statements; args are bound from ?2 on, around ?4.
func (r *Reader) touched(ctx context.Context, sql string, args []any, row func(*stmt.Stmt) error) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	kind, ok, err := r.dict.Lookup(rdf.Type)
	if err != nil || !ok {
		return err
	}
	return r.rows(ctx, sql, func(s *stmt.Stmt) (bool, error) {
		err := row(s)
		return err == nil, err
	}, append([]any{mainLine, args[0], args[1], kind}, args[2:]...)...)
}
