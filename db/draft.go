package db

import (
	"context"
	"fmt"
	"iter"

	"trails/rdf"
)

// Draft is changes that are tried inside a write transaction: reads of the Writer
// see them at once, in whatever order they come, and no commit knows of them. What
// they come to is read with Net; Undo takes them back, and what is to stay is then
// given to the Writer, in its order. The transaction must be undone or ended before
// it goes on.
type Draft struct{ w *Writer }

// draft remembers, for every row that a draft touched, the commit that had added it;
// 0 when it was not there. It is the connection's own, and lives in its temporary file.
const createDraft = `CREATE TEMP TABLE IF NOT EXISTS draft (
	s INTEGER NOT NULL, p INTEGER NOT NULL, o INTEGER NOT NULL, g INTEGER NOT NULL, was INTEGER NOT NULL,
	PRIMARY KEY (s, p, o, g)) STRICT, WITHOUT ROWID`

const (
	noteDraft = "INSERT OR IGNORE INTO temp.draft (s, p, o, g, was) VALUES (?, ?, ?, ?, ?)"
	netDraft  = `SELECT d.s, d.p, d.o, d.g, d.was FROM temp.draft d
		WHERE (d.was = 0) = EXISTS (SELECT 1 FROM live l WHERE l.s = d.s AND l.p = d.p AND l.o = d.o AND l.g = d.g)`
	backDraft = `SELECT d.s, d.p, d.o, d.g, COUNT(*) FROM temp.draft d
		WHERE (d.was = 0) != EXISTS (SELECT 1 FROM live l WHERE l.s = d.s AND l.p = d.p AND l.o = d.o AND l.g = d.g) HAVING COUNT(*) > 0`
	// The rows are found one by one: CROSS JOIN keeps SQLite from scanning live.
	undoAdded = `DELETE FROM live WHERE (s, p, o, g) IN (SELECT l.s, l.p, l.o, l.g
		FROM temp.draft d CROSS JOIN live l ON l.s = d.s AND l.p = d.p AND l.o = d.o AND l.g = d.g)`
	undoRemoved = "INSERT INTO live (s, p, o, g, added) SELECT s, p, o, g, was FROM temp.draft WHERE was > 0"
	emptyDraft  = "DELETE FROM temp.draft"
)

// Draft begins a draft, before anything was added or removed.
func (w *Writer) Draft(ctx context.Context) (*Draft, error) {
	if err := w.ready(ctx); err != nil {
		return nil, w.fail(ctx, "begin draft", err)
	}
	if err := w.endBulk(ctx); err != nil {
		return nil, w.broken(ctx, "begin draft", err)
	}
	return &Draft{w}, w.broken(ctx, "begin draft", w.conn.once(createDraft))
}

// Add adds q, unless it is there, and reports whether it did.
func (d *Draft) Add(ctx context.Context, q rdf.Quad) (bool, error) {
	w := d.w
	if err := w.usable(ctx); err != nil {
		return false, err
	}
	added, err := d.add(q)
	return added, w.broken(ctx, "draft", err)
}

func (d *Draft) add(q rdf.Quad) (bool, error) {
	d.w.boundIDs()
	ids, err := d.w.intern(q)
	if err != nil {
		return false, err
	}
	c := d.w.conn
	err = c.exec("INSERT OR IGNORE INTO live (s, p, o, g, added) VALUES (?, ?, ?, ?, ?)", nil,
		ids[posS], ids[posP], ids[posO], ids[posG], d.w.seq)
	if err != nil || c.Changes() == 0 {
		return false, err
	}
	return true, d.note(ids, 0)
}

// Remove removes q, if it is there, and reports whether it did.
func (d *Draft) Remove(ctx context.Context, q rdf.Quad) (bool, error) {
	w := d.w
	if err := w.usable(ctx); err != nil {
		return false, err
	}
	removed, err := d.remove(q)
	return removed, w.broken(ctx, "draft", err)
}

func (d *Draft) remove(q rdf.Quad) (bool, error) {
	ids, ok, err := d.w.known(q)
	if err != nil || !ok {
		return false, err
	}
	added, ok, err := d.w.take(ids)
	if err != nil || !ok {
		return false, err
	}
	return true, d.note(ids, added)
}

// note keeps what a row was before the draft; what came later does not count.
func (d *Draft) note(ids quadIDs, was Seq) error {
	return d.w.conn.exec(noteDraft, nil, ids[posS], ids[posP], ids[posO], ids[posG], was)
}

// Net yields each quad that the draft really adds, with true, or removes.
func (d *Draft) Net(ctx context.Context) iter.Seq2[DraftChange, error] {
	return func(yield func(DraftChange, error) bool) {
		if err := d.net(ctx, yield); err != nil {
			yield(DraftChange{}, d.w.fail(ctx, "read draft", err))
		}
	}
}

// TakenBack counts the quads that the draft has changed and that are as they were before it,
// and returns one of them.
func (d *Draft) TakenBack(ctx context.Context) (n int64, q rdf.Quad, err error) {
	if err := d.w.ready(ctx); err != nil {
		return 0, q, d.w.fail(ctx, "read draft", err)
	}
	rows := quadRows{dict: &d.w.dict, pattern: pattern{access: &access{}}}
	err = d.w.rows(ctx, backDraft, func(s *stmt) (_ bool, err error) {
		n = s.ColumnInt64(len(columns))
		q, err = rows.quad(s)
		return false, err
	})
	return n, q, d.w.fail(ctx, "read draft", err)
}

// DraftChange is a quad that a draft adds or removes.
type DraftChange struct {
	Added bool
	Quad  rdf.Quad
}

func (d *Draft) net(ctx context.Context, yield func(DraftChange, error) bool) error {
	if err := d.w.ready(ctx); err != nil {
		return err
	}
	rows := quadRows{dict: &d.w.dict, pattern: pattern{access: &access{}}}
	return d.w.rows(ctx, netDraft, func(s *stmt) (bool, error) {
		q, err := rows.quad(s)
		return err == nil && yield(DraftChange{Added: s.ColumnInt64(len(columns)) == 0, Quad: q}, nil), err
	})
}

// Undo takes back all that was added and removed. The terms that the draft made stay
// in the dictionary if the transaction commits.
func (d *Draft) Undo(ctx context.Context) error {
	if err := d.w.usable(ctx); err != nil {
		return err
	}
	for _, sql := range []string{undoAdded, undoRemoved, emptyDraft} {
		if err := d.w.conn.exec(sql, nil); err != nil {
			return d.w.broken(ctx, "undo draft", fmt.Errorf("undo: %w", err))
		}
	}
	return nil
}
