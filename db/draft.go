package db

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"trails/db/history"
	"trails/db/leaf"
	"trails/db/stmt"
	"trails/rdf"
)

// Draft is a set of changes that are tried within a write transaction. Reads of the Writer see them at once; they may
// come in any order, and no commit has them. Net returns their net effect. Undo takes them back; then the wanted
// changes are made with the Writer, in its order. Before the transaction goes on, the draft must be undone.
type Draft struct{ w *Writer }

// draft stores for each row that a draft changed the commit that had added it, 0 if the row did not exist. It is a
// temporary table of the connection.
const createDraft = `CREATE TEMP TABLE IF NOT EXISTS draft (
	s INTEGER NOT NULL, p INTEGER NOT NULL, o INTEGER NOT NULL, g INTEGER NOT NULL, was INTEGER NOT NULL,
	PRIMARY KEY (s, p, o, g)) STRICT, WITHOUT ROWID`

const (
	noteDraft  = "INSERT OR IGNORE INTO temp.draft (s, p, o, g, was) VALUES (?, ?, ?, ?, ?)"
	emptyDraft = "DELETE FROM temp.draft"
)

// Draft begins a draft; the transaction must not have changed anything yet.
func (w *Writer) Draft(ctx context.Context) (*Draft, error) {
	if err := w.ready(ctx); err != nil {
		return nil, w.fail(ctx, "begin draft", err)
	}
	if err := w.endBulk(ctx); err != nil {
		return nil, w.broken(ctx, "begin draft", err)
	}
	return &Draft{w}, w.broken(ctx, "begin draft", w.conn.Once(createDraft))
}

// Add adds q, and reports whether it was new.
func (d *Draft) Add(ctx context.Context, q rdf.Quad) (bool, error) {
	w := d.w
	if err := w.usable(ctx); err != nil {
		return false, err
	}
	added, err := d.add(q)
	return added, w.broken(ctx, "draft", err)
}

func (d *Draft) add(q rdf.Quad) (bool, error) {
	d.w.dict.Bound(heldIDs)
	ids, err := d.w.intern(q)
	if err != nil {
		return false, err
	}
	if added, err := d.w.on.add(ids, d.w.seq); err != nil || !added {
		return false, err
	}
	return true, d.note(ids, 0)
}

// Remove removes q, and reports whether it was there.
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
	added, ok, err := d.w.on.take(ids, d.w.seq)
	if err != nil || !ok {
		return false, err
	}
	return true, d.note(ids, added)
}

// note stores the state of a row before the draft. Only the first call for a row has an effect.
func (d *Draft) note(ids quadIDs, was history.Seq) error {
	return d.w.conn.Exec(noteDraft, nil, ids[posS], ids[posP], ids[posO], ids[posG], was)
}

// Net yields the net changes of the draft.
func (d *Draft) Net(ctx context.Context) iter.Seq2[DraftChange, error] {
	return func(yield func(DraftChange, error) bool) {
		if err := d.net(ctx, yield); err != nil {
			yield(DraftChange{}, d.w.fail(ctx, "read draft", err))
		}
	}
}

// TakenBack counts the quads that the draft changed and changed back, and returns one of them.
func (d *Draft) TakenBack(ctx context.Context) (n int64, q rdf.Quad, err error) {
	if err := d.w.ready(ctx); err != nil {
		return 0, q, d.w.fail(ctx, "read draft", err)
	}
	rows := quadRows{dict: &d.w.dict, pattern: pattern{access: &access{}}}
	err = d.w.rows(ctx, leaf.BackDraft, func(s *stmt.Stmt) (_ bool, err error) {
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
	return d.w.rows(ctx, leaf.NetDraft, func(s *stmt.Stmt) (bool, error) {
		q, err := rows.quad(s)
		return err == nil && yield(DraftChange{Added: s.ColumnInt64(len(columns)) == 0, Quad: q}, nil), err
	})
}

// Undo takes back all changes. If the transaction commits, new terms stay in the dictionary.
func (d *Draft) Undo(ctx context.Context) error {
	if err := d.w.usable(ctx); err != nil {
		return err
	}
	if err := errors.Join(d.w.on.undo(d.w.seq), d.w.conn.Exec(emptyDraft, nil)); err != nil {
		return d.w.broken(ctx, "undo draft", fmt.Errorf("undo: %w", err))
	}
	return nil
}
