package db

import (
	"context"
	"path/filepath"
	"testing"

	"trails/db/dbtest"
)

// fresh makes a file, or a copy of one that was made before.
func fresh(ctx context.Context, path string) error {
	return dbtest.Fresh(path, func(path string) error { return Create(ctx, path, CreateOptions{}) })
}

// emptyFile is an empty file, which is open until the end of the test.
func emptyFile(t testing.TB) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "new.db")
	if err := fresh(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
