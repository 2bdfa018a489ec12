//go:build !sqlite_public

package pager

import (
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

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
