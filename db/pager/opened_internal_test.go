package pager

import (
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
)

// opened makes an empty database and opens it.
func opened(t *testing.T) (*sqlite.Conn, *Temporary) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.db")
	made, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	c, counted, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, counted
}
