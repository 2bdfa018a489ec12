package db

import (
	"context"
	"iter"
	"math"

	"trails/db/history"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/pager"
	"trails/db/scan"
	"trails/db/stmt"
	"trails/fault"
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

const loggedChanges = changeColumns + "SELECT s, p, o, g, op, seq FROM changes WHERE line = ?1 AND seq = ?2 AND s BETWEEN ?3 AND ?5 LIMIT -1 OFFSET ?4 + 0" + changeJoins

// Place is where the changes of a commit are read on. The zero Place is their beginning.
type Place struct {
	// Subject is the first one whose changes are read; nil is the first of all.
	Subject rdf.Term
	// Skip is how many changes are passed over, from there on.
	Skip int
	// Only reads the changes of Subject alone.
	Only bool
}

// Changes returns the quads that a commit added and removed from a place on, sorted by the ids of subject, predicate,
// object and graph. Finding the place costs what is skipped. For a bulk commit it also passes over what other commits
// said of the subjects there. A Subject that the file does not know is the fault Missing.
func (r *Reader) Changes(ctx context.Context, seq history.Seq, from Place) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		c, err := r.inView(ctx, seq)
		first := []inline.TermID{0}
		if err == nil && from.Subject != nil {
			var known bool
			if first, known, err = r.known(ctx, from.Subject); err == nil && !known {
				err = fault.New(fault.Missing, "no statement is about %s", from.Subject)
			}
		}
		last := inline.TermID(math.MaxInt64)
		if err == nil && from.Only {
			last = first[0]
		}
		switch {
		case err != nil:
		case c.Bulk:
			err = r.bulkChanges(ctx, c, first[0], last, from.Skip, yield)
		default:
			err = r.changes(ctx, loggedChanges, yield, mainLine, seq, first[0], from.Skip, last)
		}
		if err != nil {
			yield(Change{}, r.fail(ctx, "changes", err))
		}
	}
}

// bulkChanges reads the changes of a commit without a log, of the subjects from first to last: the statements of its state
// that it added.
func (r *Reader) bulkChanges(ctx context.Context, c history.Commit, first, last inline.TermID, skip int, yield func(Change, error) bool) error {
	pages, err := r.conn.Pages()
	if err != nil {
		return err
	}
	defer pages.Release()
	rows, err := r.stateOf(pages, c)
	if err != nil {
		return err
	}
	cursor := scan.NewCursor(rows)
	if err := cursor.Seek([]int64{int64(first)}, []int64{int64(last)}, false); err != nil {
		return unreadable(err)
	}
	for n := 1; ; n++ {
		if n%256 == 0 {
			if err := r.over(ctx); err != nil {
				return err
			}
		}
		row, ok, err := cursor.Next()
		if err != nil || !ok {
			return unreadable(err)
		}
		if row.Added != int64(c.Seq) {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		q, err := r.quadOf(row.Columns)
		if err != nil || !yield(Change{history.OpAdd, c.Seq, q}, nil) {
			return err
		}
	}
}

// quadOf returns the statement with these ids of subject, predicate, object and graph.
func (r *Reader) quadOf(ids [4]int64) (q rdf.Quad, err error) {
	for i, into := range []*rdf.Term{&q.Subject, &q.Predicate, &q.Object, &q.Label} {
		if i == posG && ids[i] == int64(defaultGraph) {
			break
		}
		if *into, err = r.dict.Term(inline.TermID(ids[i])); err != nil {
			return q, err
		}
	}
	return q, nil
}

// stateOf returns the statements as of a commit by subject, as far as the reader may see them.
func (r *Reader) stateOf(pages *pager.Pages, c history.Commit) (scan.Leaf, error) {
	chain, err := r.conn.chainOf(c.Line, c.Seq)
	if err != nil {
		return scan.Leaf{}, err
	}
	return leafOf(pages, leaf.SPO, chain, r.conn.sight) // what is hidden is decided by the view of the reader
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
