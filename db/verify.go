package db

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"trails/db/dictionary"
	"trails/db/disk"
	"trails/db/history"
	"trails/db/inline"
	"trails/db/stmt"
	"trails/db/wordindex"
	"trails/rdf"
	"trails/text/fulltext"
)

// VerifyReport is the result of [File.Verify].
type VerifyReport struct {
	// Head is the commit of the verified state.
	Head history.Commit
	// Whole reports that everything was checked, not a sample.
	Whole bool
	// Commits, Quads and Terms are the numbers of checked ones.
	Commits, Quads, Terms int64
	// Problems describe what is wrong, one line each. Beyond the first hundred they are left out.
	Problems []string
}

// OK reports whether nothing is wrong.
func (r VerifyReport) OK() bool { return len(r.Problems) == 0 }

const maxProblems = 100

// VerifyProgress is the progress of a verification. Total is 0 if it is not known.
type VerifyProgress struct {
	Phase       string // "pages", "records", "terms", "words", "statements", "indexes", "changes", "hashes", "artifacts", "sample"
	Done, Total int64
}

// VerifyOptions say how much is checked. The zero value checks everything.
type VerifyOptions struct {
	// Sample, if it is not 0, is the time that the check should take. If that is too short for the whole file, the
	// newest commits are checked, and rows of each table from random places. A file of at most 1 MiB is always
	// checked whole.
	Sample time.Duration
	// Progress, when set, is called with the progress.
	Progress func(VerifyProgress)
}

// Verify checks one pinned state of the file:
//
//   - the trees of all tables and indexes, by SQLite's own checks, and that tables
//     and indexes are those of [disk.Format];
//   - that every index has the rows of its table and no others, in their order;
//   - that each term has one id, and is found by its hash;
//   - that the index of words has the words of every text and no others;
//   - that each vector is the one that was made of its text;
//   - that the current and the removed statements are exactly those that follow from the changes of the commits;
//   - that the changes of every commit give the commit's id, and that what the id does not cover (numbers, counts, the schema's version) follows from them;
//   - the digests of the other rows: see [summedTables];
//   - that the bytes of artifacts have their hashes, and that all bytes belong to an artifact, except those that are being removed.
//
// So every accident and every edit by hand is detected. Somebody who recomputes every digest is not, but cannot keep
// the id of the head: compare it with one that was noted elsewhere. Not covered are SQLite's statistics, which only
// affect plans, and missing rows among artifacts, activities without a commit (the oldest of which are deleted
// regularly), the newest idempotency keys and the newest descriptors.
//
// Its memory is bounded. An error means that the verification could not be completed; problems are in the report.
func (f *File) Verify(ctx context.Context, opts VerifyOptions) (VerifyReport, error) {
	if opts.Progress == nil {
		opts.Progress = func(VerifyProgress) {}
	}
	r, err := f.Read(ctx, View{})
	if stmt.IsDamage(err) {
		return VerifyReport{Problems: []string{err.Error()}}, nil
	}
	if err != nil {
		return VerifyReport{}, err
	}
	defer r.Close()
	r.Outlast()
	// The verification must read the dictionary from the file, not from the cache.
	r.dict = dictionary.ForReading(r.conn.Conn, dictionary.NewCache())
	v := &verifier{Reader: r, ctx: ctx, progress: opts.Progress, report: VerifyReport{Head: r.head}}
	err = v.run(opts.Sample)
	return v.report, r.fail(ctx, "verify", err)
}

type verifier struct {
	*Reader
	ctx      context.Context
	progress func(VerifyProgress)
	report   VerifyReport
	bulk     map[history.Seq]bool // commits without a change log
	lines    map[int64]lineRow    // the branches by number
	of       lineOfCommit
	terms    inline.TermID // last id of the dictionary
	key      rowKey
	live     rowSet // the rows of live
	entry    fulltext.Entry
	words    rowSet        // words of the texts of the dictionary, and their places
	texts    int64         // number of these texts
	indexed  inline.TermID // last term in the index of words
}

// Not inlined, for the size of the binary.
//
//go:noinline
func (v *verifier) problem(format string, args ...any) {
	if len(v.report.Problems) < maxProblems {
		v.report.Problems = append(v.report.Problems, fmt.Sprintf(format, args...))
	}
}

// pageTime is the average time to check one page with all its rows.
const pageTime = 500 * time.Microsecond

// wholePages is the size up to which a file is always checked whole. A small file has few rows to sample, and the
// result must not depend on which rows, such as descriptors, are stored besides.
const wholePages = 256

func (v *verifier) run(sample time.Duration) error {
	pages, err := v.conn.Int64("PRAGMA page_count")
	if err != nil {
		return err
	}
	v.key = newRowKey()
	steps := []func() error{v.begin, v.schemaObjects, v.meta}
	if v.report.Whole = sample == 0 || pages <= wholePages || time.Duration(pages)*pageTime <= sample; v.report.Whole {
		steps = append(steps, v.pages, v.records, v.dictionary, v.indexOfWords, v.vectors, v.statements, v.indexes, func() error { return v.history(history.Commit{}) },
			func() error { return v.checkContents(0, math.MaxInt64, math.MaxInt64) })
	} else {
		deadline := time.Now().Add(sample)
		steps = append(steps, v.newest, func() error { return v.sample(deadline) })
	}
	for _, step := range steps {
		err := step()
		// If the tables differ from those of the format, statements cannot be prepared.
		if stmt.IsDamage(err) || len(v.report.Problems) > 0 && v.ctx.Err() == nil && stmt.ResultCode(err) == sqlite.ResultError {
			v.problem("%v", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// begin reads what later steps need.
func (v *verifier) begin() (err error) {
	if v.terms, err = v.conn.ID("SELECT max(id) FROM terms"); err != nil {
		return err
	}
	if v.indexed, err = v.conn.ID("SELECT term FROM words_until"); err != nil {
		return err
	}
	if v.indexed > v.terms {
		v.problem("words_until: the index of words is said to end at term %d, and the last term is %d", v.indexed, v.terms)
	}
	v.bulk = map[history.Seq]bool{}
	return v.conn.Exec("SELECT seq FROM main.commits WHERE flags & ?", func(s *stmt.Stmt) error {
		v.bulk[s.Seq(0)] = true
		return nil
	}, flagBulk)
}

// foreignProblem is the end of a problem about an object that no format has.
const foreignProblem = " does not belong into the file"

// schemaObjects compares the tables and indexes with those of the migrations.
func (v *verifier) schemaObjects() error {
	got, err := objects(v.conn)
	if err != nil || digestOf(got) == objectsDigest {
		return err
	}
	want, err := objectsOf(disk.Format)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(want)) {
		if _, ok := got[id]; !ok {
			v.problem("%s is not there", id)
		}
	}
	list, err := v.conn.foreign(disk.Format)
	for _, f := range list {
		v.problem("%s%s", f.what, foreignProblem)
	}
	return err
}

// meta checks the single rows and small tables: meta, the branches, and the migrations that were run.
func (v *verifier) meta() error {
	var covered []any
	err := v.conn.Exec(metaRows, func(s *stmt.Stmt) error {
		covered = append(covered, s.Values(2)...)
		return nil
	})
	if err != nil {
		return err
	}
	var sum string
	err = v.conn.Exec("SELECT value FROM meta WHERE key = 'sum'", func(s *stmt.Stmt) error {
		sum = s.ColumnText(0)
		return nil
	})
	if err != nil {
		return err
	}
	if sum != metaSum(covered...) {
		v.problem("meta: the rows do not give their digest: %q", covered)
	}
	if err := v.branches(); err != nil {
		return err
	}
	next := int64(0)
	err = v.conn.Exec("SELECT id, version_id, is_applied FROM goose_db_version ORDER BY id", func(s *stmt.Stmt) error {
		if got, want := s.Values(3), []any{next + 1, next, int64(1)}; !slices.Equal(got, want) {
			v.problem("goose_db_version: a row is %v and should be %v (id, version_id, is_applied)", got, want)
		}
		next++
		return nil
	})
	if err == nil && next != disk.Format+1 {
		v.problem("goose_db_version: %d migrations were applied, and format %d has %d", next-1, disk.Format, disk.Format)
	}
	return err
}

// pages runs SQLite's checks of all b-trees and of the small tables' indexes. The indexes of live are compared in
// [verifier.indexes], which takes a fifth of the time.
func (v *verifier) pages() error {
	v.progress(VerifyProgress{Phase: "pages"})
	checks := []string{"PRAGMA quick_check"}
	ours, err := objectsOf(disk.Format)
	if err != nil {
		return err
	}
	err = v.conn.Exec("SELECT DISTINCT tbl_name FROM sqlite_schema WHERE type = 'index' AND tbl_name <> 'live'", func(s *stmt.Stmt) error {
		checks = append(checks, fmt.Sprintf("PRAGMA main.integrity_check(\"%s\")", strings.ReplaceAll(s.ColumnText(0), `"`, `""`)))
		return nil
	})
	if err != nil {
		return err
	}
	for i, check := range checks {
		err := v.conn.Exec(check, func(s *stmt.Stmt) error {
			if text := s.ColumnText(0); text != "ok" {
				v.problem("pages: %s", text)
			}
			return nil
		})
		if err != nil {
			return err
		}
		v.progress(VerifyProgress{"pages", int64(i) + 1, int64(len(checks))})
	}
	// SQLite checks that each row of the table is in its partial indexes, but not that these have no other rows.
	return v.conn.Exec("SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'index' AND sql LIKE '% WHERE %' AND tbl_name <> 'live'", func(s *stmt.Stmt) error {
		index, table := s.ColumnText(0), s.ColumnText(1)
		if newObject("index", index, table, s.ColumnText(2)) != ours["index "+index] {
			return nil // its text was written by somebody else; schemaObjects reports it
		}
		_, where, _ := strings.Cut(s.ColumnText(2), " WHERE ")
		n, err := v.conn.Int64(fmt.Sprintf("SELECT (SELECT count(*) FROM main.%s INDEXED BY %s WHERE %s) - (SELECT count(*) FROM main.%[1]s NOT INDEXED WHERE %[3]s)", table, index, where))
		if err == nil && n != 0 {
			v.problem("index %s has rows that table %s has not: %d", index, table, n)
		}
		return err
	})
}

// recordChecks are counts that must be zero.
var recordChecks = []struct{ what, sql string }{
	{"prov: activities that say of a commit that they made it, as another one does",
		"SELECT count(*) - count(DISTINCT commit_seq) FROM prov WHERE commit_seq <> 0"},
	{"prov: activities of a commit that is not there",
		"SELECT count(*) FROM prov WHERE commit_seq <> 0 AND commit_seq NOT IN (SELECT seq FROM main.commits)"},
	{"idempotency: remembered keys that are not there any more",
		"SELECT coalesce(max(seq) - max(0, max(seq) - " + fmt.Sprint(keptKeys) + ") - count(*), 0) FROM idempotency"},
	{"commits: ids that are no ids, or that merge what is not there", `SELECT count(*) FROM main.commits c
		WHERE length(id) <> 32 OR length(coalesce(parent, id)) <> 32
			OR parent2 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM main.commits p WHERE p.id = c.parent2 AND p.seq < c.seq)`},
	{"commits: on a branch that is not there, or with flags that do not exist", `SELECT count(*) FROM main.commits
		WHERE line NOT IN (SELECT line FROM lines) OR flags NOT IN (0, 1) OR flags <> 0 AND line <> 1`},
	{"descriptors: rows that are missing, or name a commit that is not there",
		"SELECT coalesce(max(seq), 0) - count(*) + coalesce(sum(commit_seq <> 0 AND commit_seq NOT IN (SELECT seq FROM main.commits)), 0) FROM descriptors"},
	{"tags: names of commits that are not there, or of branches", `SELECT count(*) FROM tags
		WHERE commit_seq NOT IN (SELECT seq FROM main.commits) OR name IN (SELECT name FROM lines WHERE name IS NOT NULL)`},
	{"requests: of commits or branches that are not there", `SELECT count(*) FROM requests q
		WHERE line NOT IN (SELECT line FROM lines) OR EXISTS (SELECT 1 FROM (SELECT q.head AS seq UNION ALL SELECT q.source UNION ALL SELECT q.commit_seq) n
			WHERE n.seq <> 0 AND NOT EXISTS (SELECT 1 FROM main.commits c WHERE c.seq = n.seq))`},
	{"artifacts: whose bytes are not there", "SELECT count(*) FROM artifacts WHERE content NOT IN (SELECT id FROM artifact_contents WHERE hash IS NOT NULL)"},
	{"artifact_contents: bytes that no artifact has", "SELECT count(*) FROM artifact_contents WHERE hash IS NOT NULL AND id NOT IN (SELECT content FROM artifacts)"},
	{"artifact_chunks: of bytes that are not there", "SELECT count(*) FROM artifact_chunks WHERE content NOT IN (SELECT id FROM artifact_contents)"},
}

// records recomputes the digests of rows; see [summedTables].
func (v *verifier) records() error {
	for _, check := range recordChecks {
		n, err := v.conn.Int64(check.sql)
		if err != nil {
			return err
		}
		if n != 0 {
			v.problem("%s: %d", check.what, n)
		}
	}
	for _, table := range summedTables {
		if err := v.sums(table, math.MinInt64, math.MaxInt64, nil); err != nil {
			return err
		}
	}
	return nil
}

// sums checks the digests of up to limit rows after seq, where before is the digest of the row seq.
func (v *verifier) sums(table summedTable, seq, limit int64, before []byte) error {
	var done int64
	return v.conn.Exec(table.rows, func(s *stmt.Stmt) error {
		last := s.ColumnCount() - 1
		row := s.Values(last)
		if before = table.sum(before, row...); !bytes.Equal(before, s.Blob(last)) {
			v.problem("%s %v: %s do not give its digest", table.name, row[0], table.covers)
			before = s.Blob(last)
		}
		return v.tick("records", 0, &done)
	}, seq, limit)
}

// dictionary checks that every term is found by its hash and has only one id.
func (v *verifier) dictionary() error {
	n, err := v.conn.Int64("SELECT coalesce(max(id), 0) - count(*) FROM terms")
	if err != nil {
		return err
	}
	if n != 0 {
		v.problem("terms: dictionary ids that are missing: %d", n)
	}
	s, err := v.conn.Take(termRows + " WHERE id > ?")
	if err != nil {
		return err
	}
	defer s.Release()
	s.BindInt64(1, math.MinInt64)
	err = v.steps(v.ctx, s, func() (bool, error) {
		v.checkTerm(s)
		if wordindex.Indexed(s.ColumnInt64(2)) {
			text := s.ColumnText(3)
			v.noteWords(wordindex.PlaceOf(s.ID(0), text), text)
		}
		return true, v.tick("terms", int64(v.terms), &v.report.Terms)
	})
	if err != nil {
		return err
	}
	return v.conn.Exec("SELECT hash FROM terms INDEXED BY terms_hash GROUP BY hash HAVING count(*) > 1", func(s *stmt.Stmt) error {
		ids := map[string]inline.TermID{}
		return v.conn.Exec(termRows+" WHERE hash = ?", func(s *stmt.Stmt) error {
			t, err := v.dict.Scan(s, 2)
			if err != nil {
				return err
			}
			text := string(rdf.AppendTerm(nil, t))
			if other, ok := ids[text]; ok {
				v.problem("terms %d and %d are the same: %s", other, s.ID(0), text)
			}
			ids[text] = s.ID(0)
			return nil
		}, s.ColumnInt64(0))
	})
}

const termRows = "SELECT id, hash, kind, value, datatype, lang FROM terms"

// checkTerm checks a row of [termRows].
func (v *verifier) checkTerm(s *stmt.Stmt) {
	id, kind := s.ID(0), s.ColumnInt64(2)
	t, err := v.dict.Scan(s, 2)
	if err != nil {
		v.problem("term %d: %v", id, err)
		return
	}
	if v.dict.Key(t).Hash() != s.ColumnInt64(1) {
		v.problem("term %d is not found by its hash: %v", id, t)
	}
	if s.ColumnIsNull(4) != (kind != dictionary.KindTyped) || s.ColumnIsNull(5) != (kind != dictionary.KindLang) {
		v.problem("term %d of kind %d has a datatype or a language that it cannot have, or lacks one: %v", id, kind, t)
	}
	if _, ok := inline.ID(t); ok || id < 1 {
		v.problem("term %d has another id of its own: %v", id, t)
	}
}

// tick counts a step, reports the progress now and then, and checks for cancellation.
func (v *verifier) tick(phase string, total int64, done *int64) error {
	if *done++; *done%4096 != 0 {
		return nil
	}
	v.progress(VerifyProgress{Phase: phase, Done: *done, Total: total})
	return v.ctx.Err()
}
