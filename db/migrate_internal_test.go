package db

import (
	"path/filepath"
	"testing"
)

// TestAnOlderFileIsMigrated takes a file back to format 1, which had no indexes on what
// the graphs of history are asked by.
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
	for _, sql := range []string{
		"DROP INDEX commits_ts", "DROP INDEX commits_parent", "DROP INDEX commits_parent2", "DROP INDEX prov_id", "DROP INDEX prov_started",
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
		f.Close()
	}
}
