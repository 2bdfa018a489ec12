package db

import (
	"container/heap"
	"context"

	"trails/db/history"
	"trails/db/stmt"
)

// MergeBases returns the best common ancestors of two commits of the file, the newest first: the commits that are
// ancestors of both, or one of the two itself, and of which no descendant is. Histories that were merged with each other
// in turn have several; those that have nothing in common have none. It reads the commits that are newer than the oldest
// of the answer.
func (r *Reader) MergeBases(ctx context.Context, a, b history.Commit) (bases []history.Commit, err error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "ancestors", err)
	}
	found, err := r.conn.mergeBases(a.Seq, b.Seq)
	for _, seq := range found {
		if err != nil {
			break
		}
		var c history.Commit
		c, err = r.conn.commit(seq)
		bases = append(bases, c)
	}
	return bases, r.fail(ctx, "ancestors", err)
}

// descent is of which of the two commits a commit is an ancestor.
type descent byte

const (
	ofA descent = 1 << iota
	ofB
	beyond // it is an ancestor of a commit that was found
	ofBoth = ofA | ofB
)

// mergeBases walks both histories from the newest commit on. A commit has a greater number than its parents, so when it
// is reached, all its descendants were.
func (c *conn) mergeBases(a, b history.Seq) (found []history.Seq, err error) {
	marks := map[history.Seq]descent{}
	var left newestFirst
	open := 0 // commits in left that are not beyond
	mark := func(seq history.Seq, as descent) {
		before, known := marks[seq]
		if marks[seq] = before | as; !known {
			heap.Push(&left, seq)
		}
		wasOpen, isOpen := known && before&beyond == 0, marks[seq]&beyond == 0
		switch {
		case isOpen && !wasOpen:
			open++
		case wasOpen && !isOpen:
			open--
		}
	}
	mark(a, ofA)
	mark(b, ofB)
	for open > 0 {
		seq, _ := heap.Pop(&left).(history.Seq)
		as := marks[seq]
		if as&beyond == 0 {
			if open--; as == ofBoth {
				found, as = append(found, seq), as|beyond
			}
		}
		err := c.Exec(`SELECT p.seq FROM main.commits c JOIN main.commits p ON p.id = c.parent WHERE c.seq = ?1
			UNION ALL SELECT p.seq FROM main.commits c JOIN main.commits p ON p.id = c.parent2 WHERE c.seq = ?1`, func(s *stmt.Stmt) error {
			if parent := s.Seq(0); parent < seq {
				mark(parent, as)
				return nil
			}
			return stmt.Damaged("commit %d has a later one as its parent", seq)
		}, seq)
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// newestFirst is a heap of commits.
type newestFirst []history.Seq

func (h newestFirst) Len() int           { return len(h) }
func (h newestFirst) Less(i, j int) bool { return h[i] > h[j] }
func (h newestFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push is of [heap.Interface].
func (h *newestFirst) Push(x any) { seq, _ := x.(history.Seq); *h = append(*h, seq) }

// Pop is of [heap.Interface].
func (h *newestFirst) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
