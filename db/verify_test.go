package db_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"trails/db"
	"trails/db/dbtest"
	"trails/kg/fault"
	"trails/kg/rdf"
)

// history makes a file with small commits, a bulk commit, and removals from both.
func history(t *testing.T) *db.File {
	t.Helper()
	f := create(t)
	all := entities(11_000)
	write(t, f, all[:10], nil)
	bulk := write(t, f, all[10:10_020], nil)
	if !bulk.Bulk {
		t.Fatal("10,010 additions are no bulk commit")
	}
	write(t, f, all[10_020:10_030], all[5:15])
	write(t, f, []rdf.Quad{in(rdf.SchemaGraph, q("s", "p", iri("o")))}, nil)
	write(t, f, all[10_030:], all[:5])
	return f
}

func verify(t *testing.T, f *db.File) db.VerifyReport {
	t.Helper()
	report, err := f.Verify(t.Context(), db.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestVerifyAgreesWithWhatWasWritten(t *testing.T) {
	report := verify(t, history(t))
	if !report.OK() || report.Commits != 5 || report.Quads != 11_000-15+1 {
		t.Errorf("%+v", report)
	}
}

func TestVerifyFindsWhatWasChangedBehindItsBack(t *testing.T) {
	base := filepath.Join(t.TempDir(), "base.db")
	if err := history(t).Backup(t.Context(), base, nil); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	for name, sql := range map[string]string{
		"a quad is gone":                   "DELETE FROM live WHERE (s, p, o, g) IN (SELECT s, p, o, g FROM live WHERE added = 2 LIMIT 1)",
		"a quad came from nowhere":         "INSERT INTO live SELECT s + 1, p, o, 5, added FROM live LIMIT 1",
		"a term has another value":         "UPDATE terms SET value = value || 'x' WHERE id = 7",
		"a message was rewritten":          "UPDATE commits SET message = 'nothing happened' WHERE seq = 3",
		"an author was rewritten":          "UPDATE commits SET author = 'nobody' WHERE seq = 2",
		"a change is gone from the log":    "DELETE FROM changes WHERE seq = 3 AND op = 45",
		"the head is no commit":            "UPDATE lines SET head = 77",
		"a removed quad was forgotten":     "DELETE FROM hist",
		"the index disagrees with a table": "DELETE FROM terms WHERE id = 9",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "broken.db")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			dbtest.Exec(t, path, sql)
			if report := verify(t, open(t, path)); report.OK() {
				t.Error("verify found nothing")
			}
		})
	}
}

func TestABackupIsTheSameFile(t *testing.T) {
	f := history(t)
	dest := filepath.Join(t.TempDir(), "copy.db")
	var last, total int64
	if err := f.Backup(t.Context(), dest, func(d, n int64) { last, total = d, n }); err != nil {
		t.Fatal(err)
	}
	if last != total || total == 0 {
		t.Errorf("progress ended at %d of %d", last, total)
	}
	twin := open(t, dest)
	if diff := gocmp.Diff(read(t, f).Head(), read(t, twin).Head()); diff != "" {
		t.Error(diff)
	}
	if report := verify(t, twin); !report.OK() {
		t.Errorf("%+v", report)
	}
	write(t, twin, []rdf.Quad{q("more", "p", iri("o"))}, nil)
	if err := f.Backup(t.Context(), dest, nil); !fault.Is(err, fault.Conflict) {
		t.Errorf("a second backup to the same place: %v", err)
	}
}

func TestABackupThatIsCancelledLeavesNothing(t *testing.T) {
	f := history(t)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	err := f.Backup(ctx, filepath.Join(dir, "copy.db"), func(int64, int64) { cancel() })
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if err := f.Backup(ctx, filepath.Join(dir, "never.db"), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 1 {
		t.Errorf("left: %v, error %v", left, err)
	}
}

func TestASampleFindsWhatIsWrongInTheNewestCommits(t *testing.T) {
	f := create(t)
	all := entities(30_000)
	write(t, f, all[:20_000], nil)
	last := write(t, f, all[20_000:20_010], all[:5])
	path := f.Path()
	f.Close()
	sample := func() db.VerifyReport {
		t.Helper()
		report, err := open(t, path).Verify(t.Context(), db.VerifyOptions{Sample: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	if report := sample(); !report.OK() || report.Whole || report.Commits != 1 || report.Quads == 0 || report.Terms == 0 {
		t.Errorf("%+v", report)
	}
	dbtest.Exec(t, path, "DELETE FROM live WHERE added = 2 AND s = (SELECT max(s) FROM live WHERE added = 2)")
	if report := sample(); report.OK() || !strings.Contains(report.Problems[0], fmt.Sprintf("commit %d changed a statement", last.Seq)) {
		t.Errorf("%+v", report)
	}
}
