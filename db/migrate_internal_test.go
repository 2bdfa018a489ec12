package db

import (
	"path/filepath"
	"testing"
)

// TestAnOlderFileIsMigrated takes a file back to format 1, which had no indexes on what
// the graphs of history are asked by, and no digests of rows.
func TestAnOlderFileIsMigrated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	act := Activity{ID: "a", Capability: "note.create", Inputs: []byte{}, Used: []string{"urn:a"}}
	key := IdempotentKey{Key: "k", Result: func(Commit) ([]byte, error) { return nil, nil }}
	if _, err := w.Commit(t.Context(), CommitMeta{Author: "me", Idempotent: &key}, &act); err != nil {
		t.Fatal(err)
	}
	if w, err = f.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.AddActivity(t.Context(), Activity{ID: "b"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context(), CommitMeta{Author: "you"}, nil); err != nil {
		t.Fatal(err)
	}
	if w, err = f.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"DROP INDEX commits_ts", "DROP INDEX commits_parent", "DROP INDEX commits_parent2", "DROP INDEX prov_id", "DROP INDEX prov_started",
		"ALTER TABLE prov DROP COLUMN dry_run", "ALTER TABLE prov DROP COLUMN sum",
		"ALTER TABLE idempotency DROP COLUMN sum", "ALTER TABLE commits DROP COLUMN chain",
		"DELETE FROM meta WHERE key = 'sum'", "INSERT INTO meta (key, value) VALUES ('format', '1')",
		"DELETE FROM goose_db_version WHERE version_id > 1", "PRAGMA user_version = 1",
	} {
		if err := w.conn.once(sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.endWith("COMMIT"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for range 2 {
		if f, err = Open(t.Context(), path, Options{}); err != nil {
			t.Fatal(err)
		}
		r, err := f.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n, err := r.conn.int64("SELECT count(*) FROM sqlite_master WHERE name IN ('commits_ts', 'commits_parent', 'commits_parent2', 'prov_id', 'prov_started')")
		if n != 5 || err != nil || f.meta.Format != Format {
			t.Errorf("%d indexes of format %d, error %v", n, f.meta.Format, err)
		}
		r.Close()
		if report, err := f.Verify(t.Context(), nil); err != nil || !report.OK() || report.Commits != 2 {
			t.Errorf("%+v, error %v", report, err)
		}
		f.Close()
	}
}
