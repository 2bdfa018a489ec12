package db

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"trails/db/history"
	"trails/db/stmt"
	"trails/fault"
)

const flagBulk = 1

const mainLine = 1

// The columns of a commit, of those of the view or of all branches.
const (
	commitColumns = commitFields + " FROM commits c" + commitBranch
	anyCommit     = commitFields + " FROM main.commits c" + commitBranch
	commitFields  = `c.seq, c.id, c.parent, c.parent2, c.line, c.ts, c.author, c.message,
	c.schema_version, c.schema_seq, c.flags, c.added, c.removed, c.quads, l.name`
	commitBranch = " JOIN lines l ON l.line = c.line"
)

func scanCommit(s *stmt.Stmt) history.Commit {
	c := history.Commit{
		Seq: s.Seq(0), Line: s.ColumnInt64(4), Time: s.Time(5),
		Author: s.ColumnText(6), Message: s.ColumnText(7),
		SchemaVersion: s.ColumnInt64(8), SchemaSeq: s.Seq(9),
		Bulk:  s.ColumnInt64(10)&flagBulk != 0,
		Added: s.ColumnInt64(11), Removed: s.ColumnInt64(12), Quads: s.ColumnInt64(13),
		Branch: s.ColumnText(14),
	}
	s.ColumnBytes(1, c.ID[:])
	s.ColumnBytes(2, c.Parent[:])
	s.ColumnBytes(3, c.Parent2[:])
	return c
}

// readHead reads the head of a branch, "" for main, and the epoch, and selects the caches of that epoch. Within an
// epoch a commit never changes, so if the head of main is the one that was read last, it is not read again.
func (r *Reader) readHead(branch string) (head history.Commit, err error) {
	var seq history.Seq
	r.caches, r.branch = nil, Main
	err = r.conn.Exec("SELECT head, epoch FROM lines WHERE line = ?", func(s *stmt.Stmt) error {
		seq, r.caches = s.Seq(0), r.file.cachesOf(string(s.Blob(1)))
		return nil
	}, mainLine)
	if err == nil && r.caches == nil {
		err = stmt.Damaged("there is no branch main")
	}
	if err != nil || seq == 0 {
		r.mainSchema = 0
		return head, err
	}
	last := r.caches.lastHead.Load()
	if last == nil || last.Seq != seq {
		now, err := r.conn.commit(seq) // its own variable, since others read it from now on
		if err != nil {
			return head, err
		}
		last = &now
		r.caches.lastHead.Store(last)
	}
	r.mainSchema = last.SchemaSeq
	if branch != "" && branch != Main {
		line, err := r.conn.lineOf(branch)
		if err != nil {
			return head, err
		}
		if seq, err = r.conn.Seq("SELECT head FROM lines WHERE line = ?", line); err != nil {
			return head, err
		}
		r.branch = branch
		return r.conn.commit(seq)
	}
	return *last, nil
}

// MainSchema returns the number of the commit that made the schema which main has, whatever is read; 0 is the empty schema
// of a new file.
func (r *Reader) MainSchema() history.Seq { return r.mainSchema }

// commit reads the commit at which a branch is said to be.
func (c *conn) commit(seq history.Seq) (history.Commit, error) {
	commit, err := c.numbered(seq)
	if err == nil && commit.Seq != seq {
		err = stmt.Damaged("a branch is at commit %d, which is none", seq)
	}
	return commit, err
}

// numbered reads the commit with a number, of any branch; the zero Commit if there is none.
func (c *conn) numbered(seq history.Seq) (commit history.Commit, err error) {
	err = c.Exec("SELECT "+anyCommit+" WHERE c.seq = ?", func(s *stmt.Stmt) error {
		commit = scanCommit(s)
		return nil
	}, seq)
	return commit, err
}

// Commits returns up to limit commits with numbers less than before, newest first; 0 starts at the newest.
func (r *Reader) Commits(ctx context.Context, before history.Seq, limit int) ([]history.Commit, error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "commits", err)
	}
	if before <= 0 {
		before = 1 << 62
	}
	list, err := r.commits("WHERE c.seq < ? ORDER BY c.seq DESC LIMIT ? + 0", before, limit)
	return list, r.fail(ctx, "commits", err)
}

// CommitDay is a day in UTC, by its beginning, with how many commits were made on it, also by each author, and how many
// statements there were after the last of them.
type CommitDay struct {
	Day        time.Time
	Commits    int64
	Statements int64
	Authors    map[string]int64
}

// microsOfDay is how many of the units of commits.ts a day has.
const microsOfDay = 24 * 3600 * 1_000_000

// commitDays has a row for each day and author. The column quads is that of the row with the greatest seq: SQLite takes other
// columns from the row that max() is of.
const commitDays = `SELECT ts / ?4 AS day, author, count(*), max(seq), quads
	FROM (SELECT ts, author, seq, quads FROM commits c WHERE c.seq < ?1 ORDER BY c.seq DESC LIMIT ?3 + 0)
	WHERE ts >= ?2 GROUP BY day, author ORDER BY day, max(seq)`

// CommitDays returns the days since a time on which commits were made, the first one first. It counts commits with numbers
// less than before, the newest so many at most; 0 starts at the newest.
func (r *Reader) CommitDays(ctx context.Context, before history.Seq, since time.Time, most int) (list []CommitDay, err error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "days", err)
	}
	if before <= 0 {
		before = 1 << 62
	}
	err = r.rows(ctx, commitDays, func(s *stmt.Stmt) (bool, error) {
		day := time.UnixMicro(s.ColumnInt64(0) * microsOfDay).UTC()
		if n := len(list); n == 0 || !list[n-1].Day.Equal(day) {
			list = append(list, CommitDay{Day: day, Authors: map[string]int64{}})
		}
		d := &list[len(list)-1]
		d.Commits += s.ColumnInt64(2)
		d.Authors[s.ColumnText(1)] = s.ColumnInt64(2)
		d.Statements = s.ColumnInt64(4) // the last row of a day is of its last commit
		return true, nil
	}, before, since.UnixMicro(), most, int64(microsOfDay))
	return list, r.fail(ctx, "days", err)
}

func (r *Reader) commits(where string, args ...any) (list []history.Commit, err error) {
	err = r.conn.Exec("SELECT "+commitColumns+" "+where, func(s *stmt.Stmt) error {
		list = append(list, scanCommit(s))
		return nil
	}, args...)
	return list, err
}

// CommitBySeq returns the commit with this number, of whatever branch, or the fault Missing. Provenance and the versions
// of capabilities are of all branches, and name commits by their numbers.
func (r *Reader) CommitBySeq(ctx context.Context, seq history.Seq) (c history.Commit, err error) {
	if err := r.ready(ctx); err != nil {
		return c, r.fail(ctx, "commit", err)
	}
	none := fault.New(fault.Missing, "no commit number %d", seq)
	if r.conn.sight != nil { // those of other branches may not be seen
		return r.oneCommit(ctx, none, "WHERE c.seq = ?", seq)
	}
	if c, err = r.conn.numbered(seq); err == nil && c.Seq == 0 {
		err = none
	}
	return c, r.fail(ctx, "commit", err)
}

// inView returns the commit with this number in the history of the view, or the fault Missing.
func (r *Reader) inView(ctx context.Context, seq history.Seq) (history.Commit, error) {
	return r.oneCommit(ctx, fault.New(fault.Missing, "%s has no commit number %d", r.branch, seq), "WHERE c.seq = ?", seq)
}

// CommitAt returns the newest commit that was not made after a time, or the fault Missing.
func (r *Reader) CommitAt(ctx context.Context, at time.Time) (history.Commit, error) {
	none := fault.New(fault.Missing, "no commit was made at %s or before", at.Format(time.RFC3339))
	return r.oneCommit(ctx, none, "WHERE c.ts <= ? ORDER BY c.seq DESC LIMIT 1", at.UnixMicro())
}

// CommitBack returns the n-th commit before one of the view, or the fault Missing.
func (r *Reader) CommitBack(ctx context.Context, from history.Seq, n int64) (history.Commit, error) {
	return r.oneCommit(ctx, fault.New(fault.Missing, "%s has no commit %d before commit %d", r.branch, n, from), "WHERE c.seq <= ? "+newestOf, from, n)
}

// CommitAfter returns the first commit of the branch behind a number, or the fault Missing.
func (r *Reader) CommitAfter(ctx context.Context, seq history.Seq) (history.Commit, error) {
	return r.oneCommit(ctx, fault.New(fault.Missing, "commit %d is the newest", seq), "WHERE c.seq > ? ORDER BY c.seq LIMIT 1", seq)
}

// CommitCount returns the number of commits of the branch.
func (r *Reader) CommitCount(ctx context.Context) (int64, error) {
	return r.number(ctx, "commits", r.commitCount())
}

// oneCommit returns a commit of the view, or a fault if there is none.
func (r *Reader) oneCommit(ctx context.Context, none error, where string, args ...any) (c history.Commit, err error) {
	if err := r.ready(ctx); err != nil {
		return c, r.fail(ctx, "commit", err)
	}
	list, err := r.commits(where, args...)
	if err == nil && len(list) == 0 {
		err = none
	}
	if err != nil {
		return c, r.fail(ctx, "commit", err)
	}
	return list[0], nil
}

// likeCommits is how many commits an error about an ambiguous id names, of at most mostLike that begin so.
const (
	likeCommits = 5
	mostLike    = 100
)

// CommitByID returns the commit whose id begins with these hexadecimal digits. No such commit is the fault Missing, and
// so is one of another branch, which the fault names; other characters or several such commits are the fault Malformed,
// which names the newest ones.
func (r *Reader) CommitByID(ctx context.Context, prefix string) (history.Commit, error) {
	c, err := r.commitLike(ctx, prefix, r.commits)
	if !fault.Is(err, fault.Missing) {
		return c, err
	}
	if other, found := r.CommitOfFile(ctx, prefix); found == nil && other.Branch != "" {
		err = fault.New(fault.Missing, "commit %s is of branch %s, and not in the history of %s; give branch: %[2]s", other.ID, other.Branch, r.branch).With("branch", other.Branch)
	}
	return c, err
}

// CommitOfFile is CommitByID for the commits of all branches.
func (r *Reader) CommitOfFile(ctx context.Context, prefix string) (history.Commit, error) {
	return r.commitLike(ctx, prefix, r.commitsOfFile)
}

// CommitBefore returns the n-th commit before one of any branch, in the history that led to it, or the fault Missing.
func (r *Reader) CommitBefore(ctx context.Context, of history.Commit, n int64) (c history.Commit, err error) {
	if err := r.ready(ctx); err != nil {
		return c, r.fail(ctx, "commit", err)
	}
	c, err = r.commitBefore(of.Line, of.Seq, n)
	if err == nil && c.Seq == 0 {
		err = fault.New(fault.Missing, "fewer than %d commits come before %s", n, of.ID)
	}
	return c, r.fail(ctx, "commit", err)
}

// commitsOfFile lists commits of all branches. For a reader with rights they are as they may be seen on their branches.
func (r *Reader) commitsOfFile(where string, args ...any) (list []history.Commit, err error) {
	err = r.conn.Exec("SELECT "+anyCommit+" "+where, func(s *stmt.Stmt) error {
		list = append(list, scanCommit(s))
		return nil
	}, args...)
	if r.conn.sight == nil {
		return list, err
	}
	var seen []history.Commit
	for _, c := range list {
		if r.conn.rights.hidesBranch(c.Branch) {
			continue
		}
		if c, err = r.seenFrom(c.Line, c.Seq, "WHERE c.seq = ?", c.Seq); err != nil {
			return nil, err
		}
		if c.Seq != 0 {
			seen = append(seen, c)
		}
	}
	return seen, err
}

// commitLike returns the commit among those that list returns whose id begins with these digits.
func (r *Reader) commitLike(ctx context.Context, prefix string, list func(where string, args ...any) ([]history.Commit, error)) (c history.Commit, err error) {
	low, high, err := prefixRange(prefix)
	if err != nil {
		return c, err
	}
	if err := r.ready(ctx); err != nil {
		return c, r.fail(ctx, "commit", err)
	}
	found, err := list("WHERE c.id BETWEEN ? AND ? ORDER BY c.seq DESC LIMIT ? + 0", low[:], high[:], mostLike)
	switch {
	case err != nil:
		return c, r.fail(ctx, "commit", err)
	case len(found) == 0:
		return c, fault.New(fault.Missing, "no commit %s", prefix)
	case len(found) > 1:
		return c, ambiguous(prefix, found)
	}
	return found[0], nil
}

// ambiguous is the fault that lists the commits, newest first, whose ids begin with prefix. Ids that are equal in the
// digits usually shown are shown in full.
func ambiguous(prefix string, list []history.Commit) error {
	times := map[string]int{}
	for _, c := range list {
		times[c.ID.String()]++
	}
	more := ""
	if len(list) > likeCommits {
		list, more = list[:likeCommits], " and more"
	}
	ids, told := make([]string, len(list)), make([]string, len(list))
	for i, c := range list {
		if ids[i] = c.ID.String(); times[ids[i]] > 1 {
			ids[i] = c.ID.Whole()
		}
		told[i] = fmt.Sprintf("%s of %s", ids[i], c.Time.UTC().Format(time.DateTime))
	}
	return fault.New(fault.Malformed, "%s begins the ids of several commits: %s%s; give one of these", prefix, strings.Join(told, ", "), more).
		With("candidates", ids)
}

// prefixRange returns the least and the greatest id that begin with prefix.
func prefixRange(prefix string) (low, high history.CommitID, err error) {
	missing := 2*len(low) - len(prefix)
	if missing < 0 || prefix == "" {
		return low, high, fault.New(fault.Malformed, "%q is not a commit id", prefix)
	}
	if low, err = history.ParseCommitID(prefix + strings.Repeat("0", missing)); err != nil {
		return low, high, fault.New(fault.Malformed, "%q is not a commit id", prefix)
	}
	high, err = history.ParseCommitID(prefix + strings.Repeat("f", missing))
	return low, high, err
}

// CommitMeta is the part of a commit besides its changes.
type CommitMeta struct {
	// Parent, when set, must be the current head; otherwise it is the fault Precondition.
	Parent *history.CommitID
	// Merged, when set, is the commit whose history this one takes in: its second parent.
	Merged history.CommitID
	// Time is stored to the microsecond; it is a later one if a commit of another branch would be the same otherwise.
	Time            time.Time
	Author, Message string
	SchemaVersion   int64
	// SchemaChanged marks the commit that made SchemaVersion.
	SchemaChanged bool
	// Idempotent, when set, stores the result under a key, in the same transaction.
	Idempotent *IdempotentKey
}

// Commit makes the changes durable as one commit, with its provenance (act may be
// nil) in the same transaction, and ends the Writer. On an error nothing is changed.
func (w *Writer) Commit(ctx context.Context, meta CommitMeta, act *Activity) (history.Commit, error) {
	c, err := w.commit(ctx, meta, act)
	if err != nil {
		w.Close()
		return history.Commit{}, w.fail(ctx, "commit", err)
	}
	return c, nil
}

func (w *Writer) commit(ctx context.Context, meta CommitMeta, act *Activity) (history.Commit, error) {
	if err := w.usable(ctx); err != nil {
		return history.Commit{}, err
	}
	if w.settled {
		return history.Commit{}, errors.New("what was settled cannot be committed")
	}
	if meta.Parent != nil && *meta.Parent != w.head.ID {
		return history.Commit{}, fault.New(fault.Precondition, "%s moved to %s since you read %s; read it and try again", w.branch, w.head.ID, *meta.Parent).With("head", w.head.ID.String())
	}
	if err := w.MayCommit(); err != nil {
		return history.Commit{}, err
	}
	if err := w.finish(ctx); err != nil {
		return history.Commit{}, err
	}
	c, err := w.nextCommit(meta)
	if err != nil {
		return history.Commit{}, err
	}
	activity, err := w.addRecords(c, meta, act)
	if err != nil {
		return history.Commit{}, err
	}
	if err := w.insertCommit(c, activity); err != nil {
		return history.Commit{}, err
	}
	if err := w.conn.sweep(c.Time); err != nil {
		return history.Commit{}, fmt.Errorf("remove expired artifacts: %w", err)
	}
	if err := w.endWith("COMMIT"); err != nil {
		return c, err
	}
	if c.Line == mainLine {
		w.caches.lastHead.Store(&c)
	}
	return c, nil
}

// nextCommit is the commit of the changes, at the first moment from that of meta at which no other has its id: two branches
// can be given the same change at one tick of the clock.
func (w *Writer) nextCommit(meta CommitMeta) (history.Commit, error) {
	for {
		c := w.newCommit(meta)
		same, err := w.conn.identified(c.ID)
		if err != nil || same.Seq == 0 {
			return c, err
		}
		meta.Time = c.Time.Add(time.Microsecond)
	}
}

func (w *Writer) newCommit(meta CommitMeta) history.Commit {
	c := history.Commit{
		Seq: w.seq, Parent: w.head.ID, Parent2: meta.Merged, Line: w.line, Branch: w.branch,
		Time: meta.Time.UTC().Truncate(time.Microsecond), Author: meta.Author, Message: meta.Message,
		SchemaVersion: meta.SchemaVersion, SchemaSeq: w.head.SchemaSeq,
		Added: w.hash.Added, Removed: w.hash.Removed,
		Quads: w.head.Quads + w.hash.Added - w.hash.Removed,
		Bulk:  w.log.skipped,
	}
	if meta.SchemaChanged {
		c.SchemaSeq = c.Seq
	}
	c.ID = w.hash.CommitID(c)
	return c
}

// insertCommit writes the row of the commit; activity is the digest of the activity that made it, or nil.
func (w *Writer) insertCommit(c history.Commit, activity []byte) error {
	flags := 0
	if c.Bulk {
		flags = flagBulk
	}
	var before []byte
	err := w.conn.Exec("SELECT chain FROM main.commits WHERE seq = ?", func(s *stmt.Stmt) error {
		before = s.Blob(0)
		return nil
	}, c.Seq-1)
	if err != nil {
		return err
	}
	chain := commitChain.sum(before, c.Seq, c.ID[:], c.Line, c.SchemaSeq, flags, c.Added, c.Removed, c.Quads, activity)
	err = w.conn.Exec(`INSERT INTO main.commits
		(seq, id, parent, parent2, line, ts, author, message, schema_version, schema_seq, flags, added, removed, quads, chain)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, nil,
		c.Seq, c.ID[:], c.Parent.Bytes(), c.Parent2.Bytes(), c.Line, c.Time.UnixMicro(), c.Author, c.Message,
		c.SchemaVersion, c.SchemaSeq, flags, c.Added, c.Removed, c.Quads, chain)
	if err != nil {
		return fmt.Errorf("insert commit: %w", err)
	}
	return w.conn.Exec("UPDATE lines SET head = ? WHERE line = ?", nil, c.Seq, c.Line)
}

// addRecords writes the activity and the idempotent result of the commit, and returns the digest of the activity.
func (w *Writer) addRecords(c history.Commit, meta CommitMeta, act *Activity) (activity []byte, err error) {
	if act != nil {
		a := *act
		a.CommitSeq = c.Seq
		if activity, err = w.conn.insertActivity(a); err != nil {
			return nil, err
		}
	}
	if meta.Idempotent == nil {
		return activity, nil
	}
	result, err := meta.Idempotent.Result(c)
	if err != nil {
		return nil, err
	}
	return activity, w.conn.insertIdempotent(meta.Idempotent.Key, meta.Idempotent.Digest, result, c.Time)
}
