package db

import (
	"bytes"
	"container/heap"
	"context"
	"errors"
	"iter"
	"math"
	"slices"

	"trails/db/extsort"
	"trails/db/history"
	"trails/rdf"
)

// Lineage is the history of a commit without that of others, parents first. Its order and its lines follow from the
// commits alone, so they are the same in every file that has them.
type Lineage struct {
	// Steps are the commits, the one whose history it is last.
	Steps []Step
	// Needs are the parents of commits of the lineage that are not in it.
	Needs []history.CommitID
}

// Step is a commit of a lineage.
type Step struct {
	Seq history.Seq
	// Line is which line the commit stands on: 0 is the last commit with its first parents, and each further line is such a
	// row that ends at the second parent of a merge.
	Line int
}

// ancestors are a commit's parents.
type ancestors struct{ first, second history.Seq }

// Lineage returns the history of head without the commits that are in the history of without. It reads the commits that
// are newer than the oldest of the answer, and keeps some bytes of each in memory.
func (r *Reader) Lineage(ctx context.Context, head history.Commit, without []history.Commit) (l Lineage, err error) {
	if err := r.ready(ctx); err != nil {
		return l, r.fail(ctx, "lineage", err)
	}
	in, needs, err := r.conn.lineage(ctx, head.Seq, without)
	if err != nil {
		return l, r.fail(ctx, "lineage", err)
	}
	for _, seq := range needs {
		c, err := r.conn.commit(seq)
		if err != nil {
			return l, r.fail(ctx, "lineage", err)
		}
		l.Needs = append(l.Needs, c.ID)
	}
	slices.SortFunc(l.Needs, func(a, b history.CommitID) int { return bytes.Compare(a[:], b[:]) })
	l.Steps = parentsFirst(head.Seq, in)
	return l, nil
}

// lineage walks from the newest commit on: a commit has a greater number than its parents, so when it is reached, it is
// known whether it belongs to what is left out.
func (c *conn) lineage(ctx context.Context, head history.Seq, without []history.Commit) (in map[history.Seq]ancestors, needs []history.Seq, err error) {
	in = map[history.Seq]ancestors{}
	out := map[history.Seq]bool{} // whether a commit that waits is left out
	var left newestFirst
	wanted := 0 // commits that wait and are not left out
	mark := func(seq history.Seq, leftOut bool) {
		was, known := out[seq]
		switch {
		case seq == 0:
			return
		case !known:
			heap.Push(&left, seq)
			if !leftOut {
				wanted++
			}
		case leftOut && !was:
			wanted--
		}
		out[seq] = was || leftOut
	}
	mark(head, false)
	for _, w := range without {
		mark(w.Seq, true)
	}
	needed := map[history.Seq]bool{}
	for n := 1; wanted > 0; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		seq, _ := heap.Pop(&left).(history.Seq)
		leftOut := out[seq]
		delete(out, seq)
		of, err := c.parentsOf(seq)
		if err != nil {
			return nil, nil, err
		}
		if leftOut && needed[seq] {
			needs = append(needs, seq)
		}
		if !leftOut {
			wanted--
			in[seq] = of
			needed[of.first], needed[of.second] = true, true
		}
		mark(of.first, leftOut)
		mark(of.second, leftOut)
	}
	for len(left) > 0 { // what is left out and was not reached
		if seq, _ := heap.Pop(&left).(history.Seq); needed[seq] {
			needs = append(needs, seq)
		}
	}
	return in, needs, nil
}

func (c *conn) parentsOf(seq history.Seq) (of ancestors, err error) {
	commit, err := c.commit(seq)
	if err != nil {
		return of, err
	}
	for parent, into := range map[history.CommitID]*history.Seq{commit.Parent: &of.first, commit.Parent2: &of.second} {
		if parent.IsZero() {
			continue
		}
		before, err := c.identified(parent)
		if err != nil {
			return of, err
		}
		*into = before.Seq
	}
	return of, nil
}

// parentsFirst puts commits in the order of a lineage: before each the history of its first parent, then that of its second.
func parentsFirst(head history.Seq, in map[history.Seq]ancestors) []Step {
	steps := make([]Step, 0, len(in))
	line, done := map[history.Seq]int{}, map[history.Seq]bool{}
	lines := 0
	var stack []visit
	enter := func(seq history.Seq) {
		if _, is := in[seq]; !is || done[seq] {
			return
		}
		stack = append(stack, visit{seq: seq})
		if _, has := line[seq]; has {
			return
		}
		for of, is := in[seq]; is; of, is = in[seq] { // a line ends here
			if _, has := line[seq]; has {
				break
			}
			line[seq], seq = lines, of.first
		}
		lines++
	}
	enter(head)
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		of, seq := in[top.seq], top.seq
		switch top.entered++; top.entered {
		case 1:
			enter(of.first)
		case 2:
			enter(of.second)
		default:
			stack = stack[:len(stack)-1]
			done[seq] = true
			steps = append(steps, Step{seq, line[seq]})
		}
	}
	return steps
}

// visit is a commit, with how many of its parents were entered.
type visit struct {
	seq     history.Seq
	entered int
}

const loggedOfLine = changeColumns + "SELECT s, p, o, g, op, seq FROM main.changes WHERE line = ?1 AND seq = ?2" + changeJoins

// ChangeLines yields what a commit of any line changed: [history.OpAdd] or [history.OpRemove] and a space before each
// canonical line of N-Quads, without line ends, in the bytewise order of the N-Quads. A line is valid until the next one.
// Memory is bounded. The reader must be one without rights.
func (r *Reader) ChangeLines(ctx context.Context, c history.Commit) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if err := r.changeLines(ctx, c, yield); err != nil {
			yield(nil, r.fail(ctx, "changes", err))
		}
	}
}

func (r *Reader) changeLines(ctx context.Context, c history.Commit, yield func([]byte, error) bool) (err error) {
	if err := r.ready(ctx); err != nil {
		return err
	}
	sorter := extsort.Sorter{Key: func(line []byte) []byte { return line[2:] }}
	defer func() { err = errors.Join(err, sorter.Close()) }()
	var failed error
	spool := func(change Change, _ error) bool {
		failed = sorter.Add(func(line []byte) []byte { return rdf.AppendQuad(append(line, change.Op, ' '), change.Quad) })
		return failed == nil
	}
	if c.Bulk {
		err = r.bulkChanges(ctx, c, 0, math.MaxInt64, 0, spool)
	} else {
		err = r.changes(ctx, loggedOfLine, spool, c.Line, c.Seq)
	}
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	sorted, err := sorter.Sorted()
	if err != nil {
		return err
	}
	for line, more := sorted.Peek(); more; line, more = sorted.Peek() {
		if !yield(line, nil) {
			return nil
		}
		if err := sorted.Advance(); err != nil {
			return err
		}
	}
	return nil
}
