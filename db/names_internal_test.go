package db

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"trails/e2e/testrun"
	"trails/rdf"
)

// The name of a file goes to SQLite as a URI, where these characters mean something.
func TestAFileMayHaveAnyName(t *testing.T) {
	testrun.Alone(t)
	for _, name := range []string{
		"a b.db", "a?vfs=none.db", "a#b.db", "100%.db", "a%3Fb.db", "a&mode=ro.db", "file:x.db", "ä\xff.db", "a;b=c.db", "'\"[].db", "\\a\nb.db",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := Create(t.Context(), path, CreateOptions{}); err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		f, err := Open(t.Context(), path, Options{})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if _, err := w.Add(t.Context(), rdf.Quad{Subject: rdf.IRI("urn:s"), Predicate: rdf.IRI("urn:p"), Object: rdf.IRI("urn:o")}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := w.Commit(t.Context(), CommitMeta{Author: "test", Time: time.Unix(1, 0)}, nil); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := os.Stat(path + "-wal"); err != nil {
			t.Errorf("%q: the log is elsewhere: %v", name, err)
		}
		if err := f.Close(); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		left, err := os.ReadDir(filepath.Dir(path))
		if err != nil || len(left) != 1 || left[0].Name() != name {
			t.Errorf("%q: the directory has %v, %v", name, left, err)
		}
	}
}
