package db

import (
	"path/filepath"
	"testing"

	"trails/db/dbtest"
)

// emptyFile is an empty file, which is open until the end of the test.
func emptyFile(t testing.TB) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "new.db")
	if err := dbtest.Fresh(path, func(path string) error { return Create(t.Context(), path, CreateOptions{}) }); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
