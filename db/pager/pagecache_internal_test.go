package pager

import (
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
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

// The caches are made separate where the library has them in one group, and only there.
func TestPageCachesAreSeparate(t *testing.T) {
	c, _ := opened(t)
	if pageCaches.FseparateCache != 1 || pageCaches.Fgrp.FnMaxPage != 0 {
		t.Errorf("the caches of connections are one group of %d pages", pageCaches.Fgrp.FnMaxPage)
	}
	grouped := false
	err := sqlitex.ExecuteTransient(c, "SELECT sqlite_compileoption_used('ENABLE_MEMORY_MANAGEMENT')", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		grouped = s.ColumnBool(0)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !grouped {
		t.Error("the library is compiled without the group: remove separatePageCaches")
	}
}
