package db

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"trails/kg/rdf"
)

// VerifyReport is what [File.Verify] found.
type VerifyReport struct {
	// Head is the commit that the verified state is.
	Head Commit
	// Commits, Quads and Terms were checked.
	Commits, Quads, Terms int64
	// Problems say what is wrong, one line each; none means that all is well. After
	// the first hundred the rest is left out.
	Problems []string
}

// OK reports whether nothing is wrong.
func (r VerifyReport) OK() bool { return len(r.Problems) == 0 }

const maxProblems = 100

// VerifyProgress says how far a verification is. Total is 0 when it is not known.
type VerifyProgress struct {
	Phase       string // "pages", "tables", "terms", "records", "changes", "hashes"
	Done, Total int64
}

// Verify checks the whole file in one pinned state: SQLite's own integrity check,
// that the tables agree with each other, and that the changes of every commit give
// the commit's id again. Its memory is bounded; progress may be nil.
// An error means that it could not be done; what it found is in the report.
func (f *File) Verify(ctx context.Context, progress func(VerifyProgress)) (VerifyReport, error) {
	if progress == nil {
		progress = func(VerifyProgress) {}
	}
	r, err := f.Read(ctx)
	if isDamage(err) {
		return VerifyReport{Problems: []string{err.Error()}}, nil
	}
	if err != nil {
		return VerifyReport{}, err
	}
	defer r.Close()
	// What the process remembers of the dictionary is not what the file says.
	r.dict = readingDictionary(r.conn, newTermCache())
	v := &verifier{Reader: r, ctx: ctx, progress: progress, report: VerifyReport{Head: r.head}}
	err = v.run()
	return v.report, r.fail(ctx, "verify", err)
}

type verifier struct {
	*Reader
	ctx      context.Context
	progress func(VerifyProgress)
	report   VerifyReport
}

func (v *verifier) problem(format string, args ...any) {
	if len(v.report.Problems) < maxProblems {
		v.report.Problems = append(v.report.Problems, fmt.Sprintf(format, args...))
	}
}

func (v *verifier) run() error {
	for _, step := range []func() error{v.pages, v.tables, v.dictionary, v.sums, v.history} {
		err := step()
		if isDamage(err) {
			v.problem("%v", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pages runs SQLite's check of its trees, indexes included.
func (v *verifier) pages() error {
	v.progress(VerifyProgress{Phase: "pages"})
	return v.conn.exec("PRAGMA integrity_check", func(s *stmt) error {
		if text := s.ColumnText(0); text != "ok" {
			v.problem("SQLite: %s", text)
		}
		return nil
	})
}

// structure lists what must be zero.
var structure = []struct{ what, sql string }{
	{"dictionary ids are missing", "SELECT coalesce(max(id), 0) - count(*) FROM terms"},
	{"quads name terms that are not in the dictionary",
		"SELECT count(*) FROM live WHERE max(s, p, o, g) > (SELECT coalesce(max(id), 0) FROM terms)"},
	{"removed quads name terms that are not in the dictionary",
		"SELECT count(*) FROM hist WHERE max(s, p, o, g) > (SELECT coalesce(max(id), 0) FROM terms)"},
	{"literals have a datatype that is no IRI",
		"SELECT count(*) FROM terms t WHERE kind = 4 AND NOT EXISTS (SELECT 1 FROM terms d WHERE d.id = t.datatype AND d.kind = 1)"},
	{"branches have a head that is no commit",
		"SELECT count(*) FROM lines WHERE head <> 0 AND head NOT IN (SELECT seq FROM commits)"},
	{"commits have a parent that is none",
		"SELECT count(*) FROM commits c WHERE parent IS NOT NULL AND NOT EXISTS (SELECT 1 FROM commits p WHERE p.id = c.parent AND p.seq < c.seq)"},
	{"quads are of no commit", "SELECT count(*) FROM live WHERE added NOT IN (SELECT seq FROM commits)"},
	{"the head's count of quads is wrong by",
		"SELECT (SELECT count(*) FROM live) - coalesce((SELECT quads FROM commits WHERE seq = (SELECT head FROM lines WHERE line = 1)), 0)"},
}

func (v *verifier) tables() (err error) {
	for i, check := range structure {
		v.progress(VerifyProgress{"tables", int64(i), int64(len(structure))})
		n, err := v.conn.int64(check.sql)
		if err != nil {
			return err
		}
		if n != 0 {
			v.problem("%s: %d", check.what, n)
		}
	}
	if v.report.Terms, err = v.conn.int64("SELECT count(*) FROM terms"); err != nil {
		return err
	}
	v.report.Quads, err = v.conn.int64("SELECT count(*) FROM live")
	return err
}

// dictionary checks that every term is found by its hash.
func (v *verifier) dictionary() error {
	s, err := v.conn.take("SELECT id, hash, kind, value, datatype, lang FROM terms")
	if err != nil {
		return err
	}
	defer s.release()
	var done int64
	return v.steps(v.ctx, s, func() (bool, error) {
		t, err := v.dict.scan(s, 2)
		if err != nil {
			return false, err
		}
		if v.dict.termHash(t) != s.ColumnInt64(1) {
			v.problem("term %d is not found by its hash: %v", s.ColumnInt64(0), t)
		}
		return true, v.tick("terms", &done)
	})
}

// sums recomputes the digests of rows; see [summedTables].
func (v *verifier) sums() error {
	for _, table := range summedTables {
		if err := v.rowSums(table); err != nil {
			return err
		}
	}
	var covered []any
	err := v.conn.exec(metaRows, func(s *stmt) error {
		covered = append(covered, s.values(2)...)
		return nil
	})
	if err != nil {
		return err
	}
	var sum string
	err = v.conn.exec("SELECT value FROM meta WHERE key = 'sum'", func(s *stmt) error {
		sum = s.ColumnText(0)
		return nil
	})
	if err == nil && sum != metaSum(covered...) {
		v.problem("meta: the rows do not give their digest")
	}
	return err
}

func (v *verifier) rowSums(table summedTable) error {
	var done int64
	var before []byte
	return v.conn.exec(table.rows, func(s *stmt) error {
		last := s.ColumnCount() - 1
		row := s.values(last)
		if before = table.sum(before, row...); !bytes.Equal(before, s.blob(last)) {
			v.problem("%s %v: the row does not give its digest", table.name, row[0])
			before = s.blob(last)
		}
		return v.tick("records", &done)
	}, int64(math.MinInt64), int64(math.MaxInt64))
}

// history recomputes every commit's id. All changes are sorted together, as
// number of the commit, N-Quads line, operation: so the hashes are one pass.
func (v *verifier) history() error {
	sorted := &lineSort{}
	defer sorted.close()
	if err := v.gather(sorted); err != nil {
		return err
	}
	next := v.commitCheck()
	defer next.close()
	err := sorted.each(func(line []byte) error {
		if err := v.tick("hashes", &next.lines); err != nil {
			return err
		}
		return next.change(int64(binary.BigEndian.Uint64(line)), line[8:])
	})
	if err != nil {
		return err
	}
	return next.upTo(1 << 62)
}

// gathered are the changes of all commits: the logs, and for bulk commits, which
// have none, what they added.
var gathered = []string{
	changeColumns + "SELECT s, p, o, g, op, seq FROM changes" + changeJoins,
	changeColumns + "SELECT s, p, o, g, 43 AS op, added AS seq FROM live WHERE added IN (SELECT seq FROM commits WHERE flags & 1)" + changeJoins,
	changeColumns + "SELECT s, p, o, g, 43 AS op, added AS seq FROM hist WHERE added IN (SELECT seq FROM commits WHERE flags & 1)" + changeJoins,
}

func (v *verifier) gather(into *lineSort) error {
	var done int64
	var line []byte
	var failed error
	for _, sql := range gathered {
		err := v.changes(v.ctx, sql, func(c Change, _ error) bool {
			line = binary.BigEndian.AppendUint64(line[:0], uint64(c.Seq))
			line = append(rdf.AppendQuad(line, c.Quad), c.Op)
			if failed = v.tick("changes", &done); failed == nil {
				failed = into.add(line)
			}
			return failed == nil
		})
		if err = errors.Join(err, failed); err != nil {
			return err
		}
	}
	return nil
}

// tick counts a step, reports every so many, and asks whether to go on.
func (v *verifier) tick(phase string, done *int64) error {
	if *done++; *done%4096 != 0 {
		return nil
	}
	v.progress(VerifyProgress{Phase: phase, Done: *done})
	return v.ctx.Err()
}

// commitCheck walks the commits in step with their sorted changes.
type commitCheck struct {
	v     *verifier
	rows  *stmt
	have  bool
	at    Commit
	hash  *changeHash
	lines int64
	err   error
}

func (v *verifier) commitCheck() *commitCheck {
	c := &commitCheck{v: v}
	c.rows, c.err = v.conn.take("SELECT " + commitColumns + " ORDER BY c.seq")
	if c.err == nil {
		c.advance()
	}
	return c
}

func (c *commitCheck) close() {
	if c.rows != nil {
		c.rows.release()
	}
}

func (c *commitCheck) advance() {
	if c.have, c.err = c.rows.Step(); c.err == nil && c.have {
		c.at, c.hash = scanCommit(c.rows), newChangeHash()
	}
}

// upTo checks the commits before seq, whose changes have all been seen.
func (c *commitCheck) upTo(seq int64) error {
	for c.err == nil && c.have && c.at.Seq < seq {
		c.check()
		c.advance()
	}
	return c.err
}

func (c *commitCheck) check() {
	c.v.report.Commits++
	if c.hash.added != c.at.Added || c.hash.removed != c.at.Removed {
		c.v.problem("commit %d (%s) says +%d −%d but its changes are +%d −%d", c.at.Seq, c.at.ID, c.at.Added, c.at.Removed, c.hash.added, c.hash.removed)
		return
	}
	if got := c.hash.commitID(c.at); got != c.at.ID {
		c.v.problem("commit %d has the id %s but its content gives %s", c.at.Seq, c.at.ID, got)
	}
}

// change adds a sorted change, an N-Quads line and its operation.
func (c *commitCheck) change(seq int64, line []byte) error {
	if err := c.upTo(seq); err != nil {
		return err
	}
	if !c.have || c.at.Seq != seq {
		c.v.problem("changes of commit %d, which is none", seq)
		return nil
	}
	last := len(line) - 1
	c.hash.keepLine(line[last], line[:last])
	return nil
}
