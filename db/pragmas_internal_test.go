package db

import (
	"path/filepath"
	"testing"
	"time"

	"trails/rdf"
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

// Readers with rights, and those of earlier commits, have the page caches that others have left, and no more together.
func TestReadersOfAllKindsShareTheCaches(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.trails")
	if err := Create(t.Context(), path, CreateOptions{Base: "urn:t:", Name: "t", Now: time.Unix(0, 0)}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{Readers: 16})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	whole := int64(f.cacheOf(reading, true))
	// large opens as many readers at once, and returns how many of them have a share.
	large := func(v View, n int) (shares int) {
		t.Helper()
		for range n {
			r, err := f.Read(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			switch kib, err := r.conn.Int64("PRAGMA cache_size"); {
			case err != nil:
				t.Fatal(err)
			case -kib == whole:
				shares++
			case -kib != crowdCache:
				t.Errorf("a reader has %d KiB", -kib)
			}
		}
		return shares
	}
	some := View{Rights: &Rights{Types: []rdf.IRI{"urn:t:Note"}}}
	for i, v := range []View{{}, some, some, {}} {
		if got, want := large(v, f.cachedReaders()+1), f.cachedReaders(); got != want {
			t.Errorf("%d: %d readers have a share of the caches, and %d may have", i, got, want)
		}
	}
	sharing := 0
	for _, idle := range f.idle {
		for _, c := range idle {
			if c.shares {
				sharing++
			}
		}
	}
	if sharing != f.sharing || sharing > f.cachedReaders() {
		t.Errorf("%d idle connections share the caches, %d are counted, and %d may", sharing, f.sharing, f.cachedReaders())
	}
}
