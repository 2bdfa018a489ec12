package db

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"trails/db/history"
	"trails/db/scan"
	"trails/db/stmt"
	"trails/fault"
)

// A branch is a row of lines: its name, the line and the commit that it was made from, its head, and whether it is
// protected. The statements
// that it added are in hist under its number, until [scan.Forever] while they are there, and those of earlier lines
// that it removed under the negative number. So making a branch costs one row, whatever the size of the graph, and the
// tables of main do not change. See docs/decisions/0113-branches-in-the-file.md.

// Main is the name of the branch that every file has.
const Main = "main"

// maxDepth bounds how many branches a branch may be made of, one from the other: each is two more places to look for
// every statement.
const maxDepth = 100

// maxName is how many bytes of an unknown name an error repeats.
const maxName = 100

// Branch is a line of history with a name.
type Branch struct {
	Name string
	// From is the branch that it was made from, and Fork the commit; "" and the zero Commit for main.
	From       string
	Fork, Head history.Commit
	// Protected means that its head is moved only by those who may decide; see [Writer.Decide].
	Protected bool
}

// lineRow is a row of lines: the number of a branch, what it was made from, its head, and whether it is protected.
type lineRow struct {
	line, parent int64
	fork, head   history.Seq
	protected    bool
}

// lineOf returns the number of a branch, or the fault Missing, which names those that there are.
func (c *conn) lineOf(name string) (line int64, err error) {
	if name == Main || name == "" {
		return mainLine, nil
	}
	err = c.Exec("SELECT line FROM lines WHERE name = ?", func(s *stmt.Stmt) error {
		line = s.ColumnInt64(0)
		return nil
	}, name)
	if err != nil || line != 0 && !c.rights.hidesBranch(name) {
		return line, err
	}
	const listed, mostNames = 10, 1000
	var names []string
	err = c.Exec("SELECT name FROM lines WHERE name IS NOT NULL ORDER BY line LIMIT ? + 0", func(s *stmt.Stmt) error {
		if one := s.ColumnText(0); len(names) <= listed && !c.rights.hidesBranch(one) {
			names = append(names, one)
		}
		return nil
	}, mostNames)
	if err != nil {
		return 0, err
	}
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "") + "…"
	}
	like, there := fault.DidYouMean(name, names), strings.Join(names[:min(len(names), listed)], ", ")
	if len(names) > listed {
		there += " and more"
	}
	if like == "" {
		like = "; branches_create makes one"
	}
	return 0, fault.New(fault.Missing, "no branch %q beside %s%s", name, there, like).With("branch", name)
}

// chainOf returns the lines that the state of a line at a commit is made of, from main on, each with the last commit of
// it that counts.
func (c *conn) chainOf(line int64, until history.Seq) (chain []scan.Bound, err error) {
	for line != mainLine {
		if len(chain) > maxDepth {
			return nil, stmt.Damaged("branch %d comes from too many others", line)
		}
		chain = append(chain, scan.Bound{Line: line, Until: int64(until)})
		var parent int64
		err := c.Exec("SELECT parent, fork FROM lines WHERE line = ?", func(s *stmt.Stmt) error {
			parent, until = s.ColumnInt64(0), s.Seq(1)
			return nil
		}, line)
		if err != nil {
			return nil, err
		}
		if parent < mainLine || parent >= line {
			return nil, stmt.Damaged("branch %d comes from branch %d", line, parent)
		}
		line = parent
	}
	chain = append(chain, scan.Bound{Line: mainLine, Until: int64(until)})
	slices.Reverse(chain)
	return chain, nil
}

// sees reports whether a commit is in the history of the connection's view.
func (c *conn) sees(line, seq int64) bool {
	return c.chain == nil || slices.ContainsFunc(c.chain, func(b scan.Bound) bool { return b.Line == line && seq <= b.Until })
}

// Branch returns the name of the branch that is read; that of a commit if one was asked for, "" if it was deleted.
func (r *Reader) Branch() string { return r.branch }

// Branches lists all branches, main first, in the order in which they were made.
func (r *Reader) Branches(ctx context.Context) (list []Branch, err error) {
	return r.branches(ctx, "l.name IS NOT NULL ORDER BY l.line")
}

// BranchNamed returns the branch with a name, the zero Branch if there is none.
func (r *Reader) BranchNamed(ctx context.Context, name string) (b Branch, err error) {
	list, err := r.branches(ctx, "l.name = ?", name)
	if len(list) > 0 {
		b = list[0]
	}
	return b, err
}

func (r *Reader) branches(ctx context.Context, which string, args ...any) (list []Branch, err error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "branches", err)
	}
	err = r.conn.Exec(`SELECT l.name, coalesce(p.name, ''), coalesce(l.parent, 0), coalesce(l.fork, 0), l.line, l.head, l.protected
		FROM lines l LEFT JOIN lines p ON p.line = l.parent WHERE `+which, func(s *stmt.Stmt) error {
		fork, head := history.Commit{Line: s.ColumnInt64(2), Seq: s.Seq(3)}, history.Commit{Line: s.ColumnInt64(4), Seq: s.Seq(5)}
		b := Branch{s.ColumnText(0), s.ColumnText(1), fork, head, s.ColumnBool(6)}
		if r.conn.rights.hidesBranch(b.From) {
			b.From = Main // what it has of the other one is its own for this reader
		}
		if !r.conn.rights.hidesBranch(b.Name) {
			list = append(list, b)
		}
		return nil
	}, args...)
	for i := range list {
		for _, c := range []*history.Commit{&list[i].Fork, &list[i].Head} {
			switch {
			case err != nil || c.Seq == 0:
				c.Line = 0
			case r.conn.sight == nil:
				*c, err = r.conn.commit(c.Seq)
			default:
				*c, err = r.seenFrom(c.Line, c.Seq, newestOf, 0)
			}
		}
	}
	return list, r.fail(ctx, "branches", err)
}

// newestOf is the end of a statement for the n-th commit before the newest one.
const newestOf = "ORDER BY c.seq DESC LIMIT 1 OFFSET ? + 0"

// CommitOfBranch returns the n-th commit before the head of a branch. An unknown branch, and one with fewer commits, are
// the fault Missing.
func (r *Reader) CommitOfBranch(ctx context.Context, name string, n int64) (c history.Commit, err error) {
	if err := r.ready(ctx); err != nil {
		return c, r.fail(ctx, "commit", err)
	}
	c, err = r.commitOfBranch(name, n)
	if err == nil && c.Seq == 0 {
		err = fault.New(fault.Missing, "%s has no commit %d before its head", name, n)
	}
	return c, r.fail(ctx, "commit", err)
}

func (r *Reader) commitOfBranch(name string, n int64) (c history.Commit, err error) {
	line, err := r.conn.lineOf(name)
	if err != nil {
		return c, err
	}
	head, err := r.conn.Seq("SELECT head FROM lines WHERE line = ?", line)
	if err != nil {
		return c, err
	}
	return r.commitBefore(line, head, n)
}

// commitBefore returns the n-th commit before a commit of a line; the zero Commit if there is none.
func (r *Reader) commitBefore(line int64, head history.Seq, n int64) (c history.Commit, err error) {
	if r.conn.sight != nil {
		return r.seenFrom(line, head, newestOf, n)
	}
	chain, err := r.conn.chainOf(line, head)
	if err != nil {
		return c, err
	}
	var lines []string
	var args []any
	for _, b := range chain {
		lines, args = append(lines, "c.line = ? AND c.seq <= ?"), append(args, b.Line, b.Until)
	}
	err = r.conn.Exec("SELECT "+anyCommit+" WHERE ("+strings.Join(lines, " OR ")+") "+newestOf, func(s *stmt.Stmt) error {
		c = scanCommit(s)
		return nil
	}, append(args, n)...)
	return c, err
}

// branchSeal returns what a branch's row has as its seal: the start of a digest of the row without its head.
func branchSeal(line, parent int64, fork history.Seq, name any, protected bool) []byte {
	return rowSum("lines", withProtection(protected, line, parent, int64(fork), name)...)[:nonceSize]
}

// withProtection returns the values that a seal covers. Those of a branch that is not protected are as they were before
// branches could be.
func withProtection(protected bool, values ...any) []any {
	if protected {
		values = append(values, "protected")
	}
	return values
}

// sameSeal reports whether the row of a branch has the seal of its content.
func sameSeal(s *stmt.Stmt, line int64) bool {
	var name any
	if !s.ColumnIsNull(3) {
		name = s.ColumnText(3)
	}
	return bytes.Equal(s.Blob(6), branchSeal(line, s.ColumnInt64(1), s.Seq(2), name, s.ColumnBool(8)))
}
