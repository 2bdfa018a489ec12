package db

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"

	"trails/db/disk"
	"trails/db/stmt"
	"trails/e2e/testrun"
	"trails/fault"
)

// rows returns what a statement gives past this package's readers, a text for each row.
func rows(t *testing.T, path, sql string) (list []string) {
	t.Helper()
	err := withConn(path, sqlite.OpenReadWrite, func(c *conn) error {
		return c.Exec(sql, func(s *stmt.Stmt) error {
			list = append(list, fmt.Sprintf("%v", s.Values(s.ColumnCount())))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Files of every format become files of this one, and no row of them is lost. Package kg asks them what
// they say. A format gets its file when it is there, by testdata/files/make-file.
func TestEveryReleasedFormatIsMigrated(t *testing.T) {
	testrun.Alone(t)
	const (
		tables = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"
		kept   = `SELECT 'commit', seq, hex(id), message, flags FROM commits UNION ALL SELECT 'activity', seq, id, outcome, commit_seq FROM prov
			UNION ALL SELECT 'result', seq, key, hex(digest), hex(result) FROM idempotency
			UNION ALL SELECT 'term', id, kind, value, lang FROM terms UNION ALL SELECT s, p, o, g, added FROM live
			UNION ALL SELECT s, p, o, g, 10000 * added + removed FROM hist UNION ALL SELECT seq, s, p, o, 2 * g + op FROM changes ORDER BY 1, 2, 3, 4, 5`
	)
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	if err := Create(t.Context(), fresh, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for format := 1; format < disk.Format; format++ {
		t.Run(fmt.Sprintf("format %d", format), func(t *testing.T) {
			file, err := os.ReadFile(fmt.Sprintf("../testdata/files/format-%d.db", format))
			if err != nil {
				t.Fatalf("format %d has no stored file: %v", format, err)
			}
			path := filepath.Join(t.TempDir(), "stored.db")
			if err := os.WriteFile(path, file, 0o600); err != nil {
				t.Fatal(err)
			}
			if got, want := rows(t, path, "PRAGMA user_version"), []string{fmt.Sprintf("[%d]", format)}; !cmp.Equal(got, want) {
				t.Fatalf("the stored file has format %v, want %v", got, want)
			}
			before := rows(t, path, kept)
			for range 2 { // the second time there is nothing to do
				f, err := Open(t.Context(), path, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if report, err := f.Verify(t.Context(), VerifyOptions{}); err != nil || !report.OK() {
					t.Errorf("%v, error %v", report.Problems, err)
				}
				if err := f.Close(); err != nil {
					t.Error(err)
				}
				if diff := cmp.Diff(rows(t, fresh, tables), rows(t, path, tables)); diff != "" {
					t.Errorf("the tables are not those of a new file:\n%s", diff)
				}
				if diff := cmp.Diff(before, rows(t, path, kept)); diff != "" {
					t.Errorf("the rows are not those of before:\n%s", diff)
				}
			}
		})
	}
}

// A file system that becomes read-only under an open file says so, and readers go on.
func TestWhatCannotBeWrittenKeepsNoArtifact(t *testing.T) {
	f := emptyFile(t)
	keep := func(handle string) error {
		return f.KeepArtifacts(t.Context(), []NewArtifact{{Artifact: Artifact{Handle: handle, Expires: time.Now().Add(time.Hour)}, Data: []byte(handle)}}, time.Now())
	}
	if err := keep("before"); err != nil {
		t.Fatal(err)
	}
	if err := f.writer.Once("PRAGMA query_only = ON"); err != nil {
		t.Fatal(err)
	}
	if err := keep("after"); !fault.Is(err, fault.Unusable) || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("got %v", err)
	}
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Artifact(t.Context(), "", "before", time.Now()); err != nil {
		t.Error(err)
	}
}

// Whoever opens a file of an older format while others migrate it finds the one or the other format, and never the tables of
// the one under the number of the other.
func TestAFileOfAnOlderFormatIsOpenedByManyAtOnce(t *testing.T) {
	file, err := os.ReadFile("../testdata/files/format-6.db")
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		path := filepath.Join(t.TempDir(), "x.db")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				f, err := Open(t.Context(), path, Options{LockWait: time.Minute})
				if err != nil {
					t.Error(err)
					return
				}
				f.Close()
			})
		}
		all.Wait()
	}
}

// A migration that fails, or cannot begin, leaves the file as it was.
func TestAMigrationHappensWholeOrNotAtAll(t *testing.T) {
	file, err := os.ReadFile("../testdata/files/format-6.db")
	if err != nil {
		t.Fatal(err)
	}
	const before = "SELECT (SELECT user_version FROM pragma_user_version), (SELECT max(version_id) FROM goose_db_version), (SELECT count(*) FROM sqlite_schema WHERE name = 'requests')"
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx       context.Context
		statement string // another connection runs it before
		locks     bool   // the migration succeeds when that connection has ended its transaction
		fails     string // a pattern
	}{
		"a statement fails":            {t.Context(), "CREATE TABLE requests (x)", false, "table requests already exists"},
		"another process writes":       {t.Context(), "BEGIN IMMEDIATE", true, "database is locked"},
		"the caller has gone":          {cancelled, "BEGIN IMMEDIATE", true, "canceled|interrupted"},
		"another process has migrated": {t.Context(), "PRAGMA user_version = 99", false, "reads up to format"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.db")
			if err := os.WriteFile(path, file, 0o600); err != nil {
				t.Fatal(err)
			}
			err := withConn(path, sqlite.OpenReadWrite, func(other *conn) error {
				if err := other.Once(c.statement); err != nil {
					return err
				}
				want := rows(t, path, before)
				err := migrate(c.ctx, path, time.Millisecond)
				if err == nil || !regexp.MustCompile(c.fails).MatchString(err.Error()) {
					t.Errorf("got %v, want %q", err, c.fails)
				}
				if diff := cmp.Diff(want, rows(t, path, before)); diff != "" {
					t.Errorf("(-before +after):\n%s", diff)
				}
				return other.End("ROLLBACK")
			})
			if err != nil {
				t.Fatal(err)
			}
			if !c.locks {
				return
			}
			if err := migrate(t.Context(), path, time.Millisecond); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// A process lives for days, and another one with a newer trails opens the file meanwhile.
func TestAProcessStopsWhenAnotherOneHasMigratedTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doors := map[string]func() error{
		"a read": func() error {
			r, err := f.Read(t.Context(), View{})
			if err == nil {
				r.Close()
			}
			return err
		},
		"a write": func() error {
			w, err := f.Write(t.Context())
			if err == nil {
				w.Close()
			}
			return err
		},
		"a record": func() error { return f.Record(t.Context(), []Activity{{ID: "a"}}) },
		"an artifact": func() error {
			return f.KeepArtifacts(t.Context(), []NewArtifact{{Artifact: Artifact{Handle: "a"}}}, time.Now())
		},
		"being ready":     func() error { return f.Ready(t.Context()) },
		"a backup":        func() error { return f.Backup(t.Context(), filepath.Join(t.TempDir(), "backup.db"), BackupOptions{}) },
		"being ready now": func() error { return asFault(t.Context(), path, "ready", f.lockMoves(t.Context())) },
	}
	for _, format := range []int{disk.Format, disk.Format + 1, disk.Format} {
		rows(t, path, fmt.Sprintf("PRAGMA user_version = %d", format))
		for name, door := range doors {
			err := door()
			if format == disk.Format && err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if format != disk.Format && (!fault.Is(err, fault.Unusable) || !strings.Contains(err.Error(), "restart")) {
				t.Errorf("%s is not refused after the migration: %v", name, err)
			}
		}
	}
}
