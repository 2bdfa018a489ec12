package db

import (
	"errors"

	"trails/db/history"
	"trails/db/scan"
	"trails/db/stmt"
)

// statements is how a transaction changes the statements of its line.
type statements interface {
	// add adds a statement, and reports whether it was new.
	add(ids quadIDs, seq history.Seq) (bool, error)
	// take makes a statement one that is not there, and returns the commit that had added it.
	take(ids quadIDs, seq history.Seq) (added history.Seq, ok bool, err error)
	// retire keeps a statement that was taken for the history.
	retire(ids quadIDs, added, seq history.Seq) error
	// undo takes back what a draft did, see [createDraft].
	undo(seq history.Seq) error
}

// onMain changes the tables of main: live has its statements, and hist those that it had.
type onMain struct{ conn *conn }

func (m onMain) add(ids quadIDs, seq history.Seq) (bool, error) {
	s, err := m.conn.Take("INSERT OR IGNORE INTO live (s, p, o, g, added) VALUES (?, ?, ?, ?, ?)")
	if err != nil {
		return false, err
	}
	defer s.Release()
	for i, id := range ids {
		s.BindID(i+1, id)
	}
	s.BindInt64(len(ids)+1, int64(seq))
	if _, err := s.Step(); err != nil {
		return false, err
	}
	return m.conn.Changes() > 0, nil
}

func (m onMain) take(ids quadIDs, _ history.Seq) (added history.Seq, ok bool, err error) {
	err = m.conn.Exec("DELETE FROM live WHERE s = ? AND p = ? AND o = ? AND g = ? RETURNING added", func(s *stmt.Stmt) error {
		added, ok = s.Seq(0), true
		return nil
	}, ids[posS], ids[posP], ids[posO], ids[posG])
	return added, ok, err
}

func (m onMain) retire(ids quadIDs, added, seq history.Seq) error {
	return m.conn.retired(mainLine, ids, added, seq)
}

// retired adds a row to hist.
func (c *conn) retired(line int64, ids quadIDs, added, removed history.Seq) error {
	return c.Exec("INSERT INTO main.hist (line, s, p, o, g, added, removed) VALUES (?, ?, ?, ?, ?, ?, ?)", nil,
		line, ids[posS], ids[posP], ids[posO], ids[posG], added, removed)
}

const (
	// The rows are looked up one by one: CROSS JOIN keeps SQLite from scanning live.
	undoAdded = `DELETE FROM live WHERE (s, p, o, g) IN (SELECT l.s, l.p, l.o, l.g
		FROM temp.draft d CROSS JOIN live l ON l.s = d.s AND l.p = d.p AND l.o = d.o AND l.g = d.g)`
	undoRemoved = "INSERT INTO live (s, p, o, g, added) SELECT s, p, o, g, was FROM temp.draft WHERE was > 0"
)

func (m onMain) undo(history.Seq) error {
	return errors.Join(m.conn.Exec(undoAdded, nil), m.conn.Exec(undoRemoved, nil))
}

// onBranch changes hist under the number of a branch. On its connection live stands for the statements of the branch.
type onBranch struct {
	conn *conn
	line int64
	fork history.Seq // up to this commit, what is there was added by earlier lines
}

func (b onBranch) add(ids quadIDs, seq history.Seq) (bool, error) {
	if _, there, err := b.present(ids); err != nil || there {
		return false, err
	}
	return true, b.conn.retired(b.line, ids, seq, scan.Forever)
}

// present returns the commit that added a statement, if it is there.
func (b onBranch) present(ids quadIDs) (added history.Seq, ok bool, err error) {
	err = b.conn.Exec("SELECT added FROM live WHERE s = ? AND p = ? AND o = ? AND g = ?", func(s *stmt.Stmt) error {
		added, ok = s.Seq(0), true
		return nil
	}, ids[posS], ids[posP], ids[posO], ids[posG])
	return added, ok, err
}

func (b onBranch) take(ids quadIDs, seq history.Seq) (added history.Seq, ok bool, err error) {
	added, ok, err = b.present(ids)
	switch {
	case err != nil || !ok:
		return 0, false, err
	case added <= b.fork:
		return added, true, b.conn.retired(-b.line, ids, added, seq)
	}
	return added, true, b.conn.Exec("DELETE FROM main.hist WHERE line = ? AND s = ? AND p = ? AND o = ? AND g = ? AND added = ?", nil,
		b.line, ids[posS], ids[posP], ids[posO], ids[posG], added)
}

func (b onBranch) retire(ids quadIDs, added, seq history.Seq) error {
	if added <= b.fork {
		return nil // taking it has kept it
	}
	return b.conn.retired(b.line, ids, added, seq)
}

const (
	undoAddedOnBranch = `DELETE FROM main.hist WHERE (line, s, p, o, g, added) IN (SELECT ?1, d.s, d.p, d.o, d.g, ?2 FROM temp.draft d)`
	undoOwnOnBranch   = "INSERT INTO main.hist (line, s, p, o, g, added, removed) SELECT ?1, s, p, o, g, was, ?2 FROM temp.draft WHERE was > ?3"
	undoTaken         = `DELETE FROM main.hist WHERE (line, s, p, o, g, added) IN (SELECT -?1, d.s, d.p, d.o, d.g, d.was FROM temp.draft d WHERE d.was BETWEEN 1 AND ?2)`
)

func (b onBranch) undo(seq history.Seq) error {
	return errors.Join(
		b.conn.Exec(undoAddedOnBranch, nil, b.line, seq),
		b.conn.Exec(undoOwnOnBranch, nil, b.line, int64(scan.Forever), b.fork),
		b.conn.Exec(undoTaken, nil, b.line, b.fork))
}
