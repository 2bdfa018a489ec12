package db

import (
	"path/filepath"
	"testing"
)

// The caches are made separate where the library has them in one group, and only there.
func TestPageCachesAreSeparate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph.db")
	if err := Create(t.Context(), path, CreateOptions{Base: "urn:test:"}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if pageCaches.FseparateCache != 1 || pageCaches.Fgrp.FnMaxPage != 0 {
		t.Errorf("the caches of connections are one group of %d pages", pageCaches.Fgrp.FnMaxPage)
	}
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	grouped, err := r.conn.int64("SELECT sqlite_compileoption_used('ENABLE_MEMORY_MANAGEMENT')")
	if err != nil {
		t.Fatal(err)
	}
	if grouped == 0 {
		t.Error("the library is compiled without the group: remove separatePageCaches")
	}
}
