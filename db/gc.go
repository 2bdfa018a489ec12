package db

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"trails/db/history"
	"trails/db/leaf"
	"trails/db/scan"
	"trails/db/stmt"
)

// What a branch or a tag names is needed, with all of its ancestors, and so are the commits of a request that waits for
// a decision. Other commits are left behind when a branch is deleted or reset. On each line of history what is needed is
// its beginning, so what is dropped is the rest of a line, with what its commits added to the tables. See
// docs/decisions/0134-unreachable-history.md.

// Unreachable is the end of a line of history that nothing needs any more.
type Unreachable struct {
	// Head is the newest of its commits.
	Head history.Commit
	// Commits is how many they are, Changes how many statements they added and removed.
	Commits, Changes int64
	// Since is when it was left behind, as far as the file tells: the time of the last activity that left one of its
	// commits behind or, if there is none, of its newest commit.
	Since time.Time
}

// Collection is what [Writer.Collect] dropped and what it left.
type Collection struct {
	// Dropped is what is no longer in the file, Kept what is not old enough for that, both with the newest head first.
	Dropped, Kept []Unreachable
	// Activities is how many activities were dropped, each with its commit.
	Activities int64
	// Bytes is how many bytes are free in the file for other content because of that.
	Bytes int64
}

// Collect drops the commits that nothing needs: no branch, tag or pending request has them or comes from them. What was
// left behind after the given time stays, with all that it comes from. leaving are the capabilities whose activities
// leave commits behind; each such activity names as used the commits that its branch, tag or request had.
//
// It changes no commit that stays, and no statement of one. Terms stay in the dictionary. It ends with Keep, or with
// Close to only find out what it drops. The time that it takes grows with the number of dropped statements and of the
// commits that are newer than the oldest dropped one.
func (w *Writer) Collect(ctx context.Context, until time.Time, leaving []string) (done Collection, err error) {
	if err := w.usable(ctx); err != nil {
		return done, err
	}
	done, err = w.collect(until, leaving)
	return done, w.broken(ctx, "drop unreachable history", err)
}

func (w *Writer) collect(until time.Time, leaving []string) (done Collection, err error) {
	needs, err := w.conn.neededLines()
	if err != nil {
		return done, err
	}
	all, err := w.conn.unreachable(needs)
	if err != nil || len(all) == 0 {
		return done, err
	}
	left, err := w.conn.leftBehind(leaving)
	if err != nil {
		return done, err
	}
	for _, end := range all {
		if end[len(end)-1].Time.After(until) {
			needs.until(end[0].Line, end[len(end)-1].Seq)
		}
	}
	for _, l := range left {
		if l.at.After(until) {
			needs.until(l.Line, l.Seq)
		}
	}
	needs.withMerged()
	var drop [][]history.Commit
	for _, end := range all {
		n := 0
		for n < len(end) && needs.has(end[n].Line, end[n].Seq) {
			n++
		}
		if n > 0 {
			done.Kept = append(done.Kept, unreachableOf(end[:n], left))
		}
		if n < len(end) {
			done.Dropped, drop = append(done.Dropped, unreachableOf(end[n:], left)), append(drop, end[n:])
		}
	}
	if len(drop) == 0 {
		return done, nil
	}
	free, err := w.conn.freeBytes()
	if err != nil {
		return done, err
	}
	if done.Activities, err = w.dropLines(needs, drop); err != nil {
		return done, err
	}
	after, err := w.conn.freeBytes()
	done.Bytes = after - free
	return done, err
}

// unreachableOf says what some commits of a line are.
func unreachableOf(commits []history.Commit, left []leftCommit) Unreachable {
	u := Unreachable{Head: commits[len(commits)-1], Commits: int64(len(commits))}
	for _, c := range commits {
		u.Changes += c.Added + c.Removed
	}
	u.Since = u.Head.Time
	for _, l := range left {
		if l.Line == u.Head.Line && l.Seq >= commits[0].Seq && l.Seq <= u.Head.Seq && l.at.After(u.Since) {
			u.Since = l.at
		}
	}
	return u
}

func (c *conn) freeBytes() (int64, error) {
	return c.Int64("SELECT (SELECT freelist_count FROM pragma_freelist_count) * (SELECT page_size FROM pragma_page_size)")
}

// needed says of each line of history how much of it is needed: its commits up to a number.
type needed struct {
	rows   map[int64]lineRow
	last   map[int64]history.Seq
	merges []mergeOf // newest first
}

// mergeOf is a commit with two parents, and the second one.
type mergeOf struct {
	line       int64
	seq        history.Seq
	parentLine int64
	parent     history.Seq
}

// until notes that a line is needed up to a commit, with what it was made from.
func (n *needed) until(line int64, seq history.Seq) {
	for line != mainLine && n.last[line] < seq {
		n.last[line] = seq
		row := n.rows[line]
		line, seq = row.parent, row.fork
	}
}

func (n *needed) has(line int64, seq history.Seq) bool {
	return line == mainLine || seq <= n.last[line]
}

// withMerged adds what was merged into commits that are needed. A merge is newer than what it merges, so one pass from
// the newest on finds all but those that a line was made from, which may need another one.
func (n *needed) withMerged() {
	for more := true; more; {
		more = false
		for _, m := range n.merges {
			if n.has(m.line, m.seq) && !n.has(m.parentLine, m.parent) {
				n.until(m.parentLine, m.parent)
				more = true
			}
		}
	}
}

// neededLines reads the lines, and what branches, tags and pending requests need of them.
func (c *conn) neededLines() (*needed, error) {
	n := &needed{rows: map[int64]lineRow{}, last: map[int64]history.Seq{}}
	var roots []history.Commit // with line and number only
	err := c.Exec("SELECT line, parent, fork, head, name IS NOT NULL FROM lines ORDER BY line", func(s *stmt.Stmt) error {
		row := lineRow{line: s.ColumnInt64(0), parent: s.ColumnInt64(1), fork: s.Seq(2), head: s.Seq(3)}
		if n.rows[row.line] = row; s.ColumnBool(4) {
			roots = append(roots, history.Commit{Line: row.line, Seq: row.head})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = c.Exec(`SELECT line, seq FROM main.commits WHERE seq IN (SELECT commit_seq FROM tags
		UNION SELECT head FROM requests WHERE state = 'pending' UNION SELECT source FROM requests WHERE state = 'pending')`, func(s *stmt.Stmt) error {
		roots = append(roots, history.Commit{Line: s.ColumnInt64(0), Seq: s.Seq(1)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = c.Exec(`SELECT m.line, m.seq, p.line, p.seq FROM main.commits m JOIN main.commits p ON p.id = m.parent2
		WHERE m.parent2 IS NOT NULL ORDER BY m.seq DESC`, func(s *stmt.Stmt) error {
		n.merges = append(n.merges, mergeOf{s.ColumnInt64(0), s.Seq(1), s.ColumnInt64(2), s.Seq(3)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		n.until(root.Line, root.Seq)
	}
	n.withMerged()
	return n, nil
}

// unreachable lists the ends of lines that are not needed, each as its commits, oldest first. The one with the newest
// commit is the first.
func (c *conn) unreachable(n *needed) (list [][]history.Commit, err error) {
	ends := map[int64][]history.Commit{}
	oldest := history.Seq(scan.Forever)
	for line, row := range n.rows {
		if last := max(row.fork, n.last[line]); line != mainLine && row.head > last {
			ends[line] = nil
			oldest = min(oldest, last)
		}
	}
	if len(ends) == 0 {
		return nil, nil
	}
	err = c.Exec("SELECT "+anyCommit+" WHERE c.seq > ? AND c.line <> ? ORDER BY c.seq", func(s *stmt.Stmt) error {
		commit := scanCommit(s)
		if end, is := ends[commit.Line]; is && !n.has(commit.Line, commit.Seq) {
			ends[commit.Line] = append(end, commit)
		}
		return nil
	}, oldest, mainLine)
	for _, end := range ends {
		list = append(list, end)
	}
	slices.SortFunc(list, func(a, b []history.Commit) int { return cmp.Compare(b[len(b)-1].Seq, a[len(a)-1].Seq) })
	return list, err
}

// leftCommit is a commit that an activity left behind.
type leftCommit struct {
	history.Commit
	at time.Time
}

// leftBehind lists the commits that activities of these capabilities name as used.
func (c *conn) leftBehind(leaving []string) (list []leftCommit, err error) {
	names, err := json.Marshal(leaving)
	if err != nil {
		return nil, err
	}
	times := map[string]time.Time{}
	err = c.Exec(`SELECT seq, used, ended FROM prov INDEXED BY prov_reads WHERE commit_seq = 0 AND outcome = 'ok' AND used IS NOT NULL AND dry_run = 0
		AND capability IN (SELECT value FROM json_each(?))`, func(s *stmt.Stmt) error {
		var used []string
		if err := unmarshalIRIs(s, 1, &used); err != nil {
			return err
		}
		for _, iri := range used {
			if ended := s.Time(2); ended.After(times[iri]) {
				times[iri] = ended
			}
		}
		return nil
	}, string(names))
	for iri, at := range times {
		id, is := strings.CutPrefix(iri, history.CommitPrefix)
		if err != nil || !is {
			continue
		}
		var found leftCommit
		var known history.CommitID
		if known, err = history.ParseCommitID(id); err == nil {
			found.Commit, err = c.identified(known)
		}
		if found.at = at; found.Seq != 0 {
			list = append(list, found)
		}
	}
	return list, err
}

// dropLines drops ends of lines, and returns the number of activities that go with them.
func (w *Writer) dropLines(n *needed, ends [][]history.Commit) (activities int64, err error) {
	oldest := history.Seq(scan.Forever)
	for _, end := range ends {
		line, from := end[0].Line, end[0].Seq
		err := errors.Join(
			w.conn.Exec("DELETE FROM main.changes WHERE line = ? AND seq >= ?", nil, line, from),
			w.conn.Exec(leaf.DropAdded, nil, line, from),
			w.conn.Exec(leaf.DropRemoved, nil, line, from, int64(scan.Forever)),
			w.conn.Exec(leaf.DropTaken, nil, line, from))
		if err != nil {
			return 0, err
		}
		for _, c := range end {
			if err := w.conn.Exec("DELETE FROM prov WHERE commit_seq = ? AND commit_seq <> 0", nil, c.Seq); err != nil {
				return 0, err
			}
			activities += int64(w.conn.Changes())
			if err := w.conn.Exec("DELETE FROM main.commits WHERE seq = ?", nil, c.Seq); err != nil {
				return 0, err
			}
		}
		oldest = min(oldest, from)
	}
	for _, step := range []func() error{
		func() error { return w.shortenLines(n) },
		w.forgetDropped,
		func() error { return w.chainFrom(oldest) },
		// The numbers of the newest commits may be given again, so what other processes remember of them ends here.
		func() error {
			return w.conn.Exec("UPDATE lines SET epoch = ? WHERE line = ?", nil, newEpoch(), mainLine)
		},
	} {
		if err := step(); err != nil {
			return 0, err
		}
	}
	return activities, nil
}

// shortenLines gives each line without a name the head that it has left. One that was made from a dropped commit is then
// made from the last one before that is still there. Its row stays, so that its number is never given again.
func (w *Writer) shortenLines(n *needed) error {
	for _, line := range slices.Sorted(maps.Keys(n.rows)) {
		row := n.rows[line]
		if line == mainLine {
			continue
		}
		is := row
		if !n.has(row.parent, row.fork) {
			is.parent, is.fork = row.parent, n.rows[row.parent].head
			if parent := n.rows[row.parent]; parent.head == parent.fork { // it has no commit of its own
				is.parent = parent.parent
			}
		}
		is.head = max(is.fork, min(row.head, n.last[line]))
		if is == row {
			continue
		}
		n.rows[line] = is
		err := w.conn.Exec("UPDATE lines SET parent = ?, fork = ?, head = ?, seal = ? WHERE line = ?", nil,
			is.parent, is.fork, is.head, branchSeal(line, is.parent, is.fork, nil, false), line)
		if err != nil {
			return err
		}
	}
	return nil
}

// forgetDropped takes dropped commits out of the requests that were decided.
func (w *Writer) forgetDropped() error {
	var rows [][]any
	err := w.conn.Exec("SELECT "+requestRow+" FROM requests", func(s *stmt.Stmt) error {
		rows = append(rows, s.Values(14))
		return nil
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		changed := false
		for _, at := range []int{4, 6, 13} { // head, source, commit_seq
			there, err := w.conn.Int64("SELECT count(*) FROM main.commits WHERE seq = ?", row[at])
			if err != nil {
				return err
			}
			if there == 0 && row[at] != int64(0) {
				row[at], changed = int64(0), true
			}
		}
		if !changed {
			continue
		}
		err := w.conn.Exec("UPDATE requests SET head = ?, source = ?, commit_seq = ?, sum = ? WHERE seq = ?", nil,
			row[4], row[6], row[13], requestSums.sum(nil, row...), row[0])
		if err != nil {
			return err
		}
	}
	return nil
}

// chainPage is how many commits get their digests anew at a time.
const chainPage = 1000

// chainFrom computes the digests of the commits from a number on anew, since each covers the one before.
func (w *Writer) chainFrom(seq history.Seq) error {
	var before []byte
	last := int64(0)
	err := w.conn.Exec("SELECT seq, chain FROM main.commits WHERE seq < ? ORDER BY seq DESC LIMIT 1", func(s *stmt.Stmt) error {
		last, before = s.ColumnInt64(0), s.Blob(1)
		return nil
	}, seq)
	for err == nil {
		var page [][]any
		err = w.conn.Exec(commitChain.rows, func(s *stmt.Stmt) error {
			row := s.Values(s.ColumnCount() - 1)
			before = commitChain.sum(before, row...)
			page = append(page, []any{before, row[0]})
			last = s.ColumnInt64(0)
			return nil
		}, last, chainPage)
		if err != nil || len(page) == 0 {
			break
		}
		for _, p := range page {
			if err := w.conn.Exec("UPDATE main.commits SET chain = ? WHERE seq = ?", nil, p...); err != nil {
				return err
			}
		}
	}
	return err
}
