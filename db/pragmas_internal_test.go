package db

import (
	"path/filepath"
	"testing"
	"time"
)

// The page caches of connections are a share of those that a file has alone, also when they were opened before the others.
func TestFilesThatAreOpenTogetherShareTheCaches(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.trails")
	if err := Create(t.Context(), path, CreateOptions{Base: "urn:t:", Name: "t", Now: time.Unix(0, 0)}); err != nil {
		t.Fatal(err)
	}
	var pool Pool
	f, err := Open(t.Context(), path, Options{Pool: &pool})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	size := func(f *File) int64 {
		t.Helper()
		r, err := f.Read(t.Context(), View{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		kib, err := r.conn.Int64("PRAGMA cache_size")
		if err != nil {
			t.Fatal(err)
		}
		return -kib
	}
	whole := size(alone)
	for _, step := range []struct{ files, want int64 }{{1, whole / 2}, {4, whole / 8}, {1000, leastCache}, {2, whole / 4}} {
		if pool.files.Store(step.files); size(f) != step.want {
			t.Errorf("shared by %d files a reader has %d KiB, want %d", step.files, size(f), step.want)
		}
	}
	if f.held != &pool.held {
		t.Error("its queries have a memory of their own")
	}
	pool.files.Store(1)
	if err := f.Close(); err != nil || pool.files.Load() != 0 {
		t.Errorf("%v, and after the end %d files are open", err, pool.files.Load())
	}
}
