package db

import (
	"context"
	"fmt"
	"strings"

	"trails/db/history"
	"trails/db/stmt"
	"trails/fault"
)

// Decide makes the transaction one of somebody who may decide for protected branches, so that it may move their heads.
// Without it a commit on such a branch is refused, and so is whatever else changes one.
func (w *Writer) Decide() { w.decides = true }

// Protected reports whether the branch of the transaction is protected.
func (w *Writer) Protected() bool { return w.protected }

// MayCommit returns nil, or the fault Denied if the branch is protected from the transaction.
func (w *Writer) MayCommit() error {
	if !w.protected || w.decides {
		return nil
	}
	return fault.New(fault.Denied, "%s is protected: its head moves when a merge is approved; write on a draft (branches_create with draft: true, and its name as branch), then call branches_merge with source: NAME, target: %[1]s and ask: true", w.branch).
		With("branch", w.branch)
}

// AddBranch makes a branch from a commit. A name that another branch or a tag has is the fault Conflict.
func (w *Writer) AddBranch(ctx context.Context, name string, from history.Commit) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	return w.broken(ctx, "make branch", w.addBranch(name, from))
}

func (w *Writer) addBranch(name string, from history.Commit) error {
	if from.Seq == 0 {
		return fault.New(fault.Precondition, "a branch is made from a commit, and there is none yet; write something first")
	}
	if err := w.conn.refuseName(name); err != nil {
		return err
	}
	_, err := w.addLine(name, from, false)
	return err
}

// addLine makes a line of history from a commit, and returns its number. name is nil for one without a name, which is
// read by the ids of its commits.
func (w *Writer) addLine(name any, from history.Commit, protected bool) (line int64, err error) {
	chain, err := w.conn.chainOf(from.Line, from.Seq)
	if err != nil {
		return 0, err
	}
	if len(chain) > maxDepth {
		called := "it"
		if name != nil {
			called = fmt.Sprint(name)
		}
		return 0, fault.New(fault.TooLarge, "%s would be the %dth of a row of branches made one from the other, and %d are allowed; make it from one of the first of these, or merge the last one and begin again from main", called, len(chain), maxDepth)
	}
	last, err := w.conn.Int64("SELECT max(line) FROM lines")
	if err != nil {
		return 0, err
	}
	line = last + 1
	return line, w.conn.Exec("INSERT INTO lines (line, parent, fork, name, head, protected, seal) VALUES (?, ?, ?, ?, ?, ?, ?)", nil,
		line, from.Line, from.Seq, name, from.Seq, bit(protected), branchSeal(line, from.Line, from.Seq, name, protected))
}

// namelessAt returns the line that a commit is the head of, if it has no name; 0 for none.
func (w *Writer) namelessAt(c history.Commit) (int64, error) {
	return w.conn.Int64("SELECT coalesce(max(line), 0) FROM lines WHERE line = ? AND head = ? AND name IS NULL", c.Line, c.Seq)
}

// pointBranch gives a name, which no line has, to one whose head is a commit: one without a name, or a new one.
func (w *Writer) pointBranch(name string, to history.Commit, protected bool) (line int64, err error) {
	if line, err = w.namelessAt(to); err != nil || line == 0 {
		if err == nil {
			line, err = w.addLine(name, to, protected)
		}
		return line, err
	}
	b, err := w.lineRow(line)
	if err != nil {
		return 0, err
	}
	b.protected = protected
	return line, w.nameLine(b, name)
}

// refuseName refuses a name that a branch or a tag has already.
func (c *conn) refuseName(name string) error {
	for _, is := range []struct{ what, sql string }{
		{"branch", "SELECT count(*) FROM lines WHERE name = ?"},
		{"tag", "SELECT count(*) FROM tags WHERE name = ?"},
	} {
		there, err := c.Int64(is.sql, name)
		if err != nil {
			return err
		}
		if there > 0 {
			return fault.New(fault.Conflict, "there is a %s %s; take another name", is.what, name).With(is.what, name)
		}
	}
	return nil
}

// branchToChange returns the row of a branch that a change is made of: not main, and none that is protected from the
// transaction.
func (w *Writer) branchToChange(name, done string) (b lineRow, err error) {
	line, err := w.conn.lineOf(name)
	if err != nil {
		return b, err
	}
	if line == mainLine {
		return b, fault.New(fault.Denied, "main is the branch that every file has, and is not %s", done)
	}
	b, err = w.lineRow(line)
	if err == nil && b.protected && !w.decides {
		err = fault.New(fault.Denied, "%s is protected, and is %s by those who may decide; ask somebody with the scope builder", name, done).With("branch", name)
	}
	return b, err
}

func (w *Writer) lineRow(line int64) (b lineRow, err error) {
	b.line = line
	return b, w.conn.Exec("SELECT parent, fork, head, protected FROM lines WHERE line = ?", func(s *stmt.Stmt) error {
		b.parent, b.fork, b.head, b.protected = s.ColumnInt64(0), s.Seq(1), s.Seq(2), s.ColumnBool(3)
		return nil
	}, line)
}

// nameLine gives the line of a branch another name, or none.
func (w *Writer) nameLine(b lineRow, name any) error {
	protected := b.protected && name != nil
	return w.conn.Exec("UPDATE lines SET name = ?, protected = ?, seal = ? WHERE line = ?", nil,
		name, bit(protected), branchSeal(b.line, b.parent, b.fork, name, protected), b.line)
}

// RemoveBranch takes the name of a branch away, so that nothing reads it as a branch any more. Its commits stay, and
// are read by their ids. A branch that others were made from is the fault Conflict, which names them; main and one that
// is protected are Denied.
func (w *Writer) RemoveBranch(ctx context.Context, name string) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	return w.broken(ctx, "remove branch", w.removeBranch(name))
}

func (w *Writer) removeBranch(name string) error {
	b, err := w.branchToChange(name, "deleted")
	if err != nil {
		return err
	}
	var on []string
	err = w.conn.Exec("SELECT name FROM lines WHERE parent = ? AND name IS NOT NULL ORDER BY line", func(s *stmt.Stmt) error {
		on = append(on, s.ColumnText(0))
		return nil
	}, b.line)
	if err != nil {
		return err
	}
	if len(on) > 0 {
		return fault.New(fault.Conflict, "%s is what %s was made from; delete that first", name, strings.Join(on, ", ")).With("branches", on)
	}
	return w.nameLine(b, nil)
}

// RenameBranch gives a branch another name. A name that a branch or a tag has is the fault Conflict; main and a branch
// that is protected are Denied.
func (w *Writer) RenameBranch(ctx context.Context, name, to string) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	b, err := w.branchToChange(name, "renamed")
	if err == nil {
		err = w.conn.refuseName(to)
	}
	if err == nil {
		err = w.nameLine(b, to)
	}
	return w.broken(ctx, "rename branch", err)
}

// ResetBranch makes a commit the head of a branch. The name goes to another line, one that is made from the commit unless
// it is the head of one without a name, so the commits behind it stay in the file and are read by their ids. Main and a branch that is protected are the fault
// Denied.
func (w *Writer) ResetBranch(ctx context.Context, name string, to history.Commit) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	if name == Main {
		return fault.New(fault.Denied, "main is the branch that every file has, and is not reset; undo takes back what its commits did, as a new commit")
	}
	b, err := w.branchToChange(name, "reset")
	if err == nil && b.head != to.Seq {
		if err = w.nameLine(b, nil); err == nil {
			_, err = w.pointBranch(name, to, b.protected)
		}
	}
	return w.broken(ctx, "reset branch", err)
}

// ProtectBranch protects a branch, or lets everybody write it again, which only those may do who decide; for others it
// is the fault Denied.
func (w *Writer) ProtectBranch(ctx context.Context, name string, protected bool) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	return w.broken(ctx, "protect branch", w.protectBranch(name, protected))
}

func (w *Writer) protectBranch(name string, protected bool) error {
	line, err := w.conn.lineOf(name)
	if err != nil {
		return err
	}
	if !w.decides {
		return fault.New(fault.Denied, "who may write %s is for those to say who may decide; ask somebody with the scope builder", name).With("branch", name)
	}
	if line == mainLine { // whose seal is made anew at the end
		return w.conn.Exec("UPDATE lines SET protected = ? WHERE line = ?", nil, bit(protected), line)
	}
	b, err := w.lineRow(line)
	if err != nil {
		return err
	}
	b.protected = protected
	return w.nameLine(b, name)
}

// bit returns a truth value as a column has it.
func bit(is bool) int64 {
	if is {
		return 1
	}
	return 0
}
