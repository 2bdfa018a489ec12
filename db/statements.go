package db

import (
	"errors"

	"trails/db/history"
	"trails/db/leaf"
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
	s, err := m.conn.Take(leaf.Add)
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
	err = m.conn.Exec(leaf.Remove, func(s *stmt.Stmt) error {
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
	return c.Exec(leaf.Retire, nil,
		line, ids[posS], ids[posP], ids[posO], ids[posG], added, removed)
}

func (m onMain) undo(history.Seq) error {
	return errors.Join(m.conn.Exec(leaf.UndoAdded, nil), m.conn.Exec(leaf.UndoRemoved, nil))
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
	err = b.conn.Exec(leaf.AddedBy, func(s *stmt.Stmt) error {
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
	return added, true, b.conn.Exec(leaf.RemoveFrom, nil,
		b.line, ids[posS], ids[posP], ids[posO], ids[posG], added)
}

func (b onBranch) retire(ids quadIDs, added, seq history.Seq) error {
	if added <= b.fork {
		return nil // taking it has kept it
	}
	return b.conn.retired(b.line, ids, added, seq)
}

func (b onBranch) undo(seq history.Seq) error {
	return errors.Join(
		b.conn.Exec(leaf.UndoAddedOnBranch, nil, b.line, seq),
		b.conn.Exec(leaf.UndoOwnOnBranch, nil, b.line, int64(scan.Forever), b.fork),
		b.conn.Exec(leaf.UndoTaken, nil, b.line, b.fork))
}
