package db_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"trails/db"
	"trails/rdf"
)

// Callers that have readers open, as many as there may be, get further ones without waiting for each other. Others wait as
// long as one of a caller's readers is open, in whatever order they are closed.
func TestReadersOfOneCallerDoNotWaitForEachOther(t *testing.T) {
	const readers = 2
	f, err := fileWith(t.Context(), filepath.Join(t.TempDir(), "t.db"), []rdf.Quad{q("a", "p", iri("b"))}, db.Options{Readers: readers})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	read := func(ctx context.Context) *db.Reader {
		r, err := f.Read(ctx, db.View{})
		if err != nil {
			t.Error(err)
		}
		return r
	}
	var first, second [readers]*db.Reader
	var callers [readers]context.Context
	for i := range callers {
		callers[i] = f.AsOne(t.Context())
		first[i] = read(callers[i])
	}
	for i := range callers {
		second[i] = read(f.AsOne(callers[i])) // which is the same caller
	}
	ended, end := context.WithCancel(t.Context())
	end()
	full := func(when string) {
		t.Helper()
		for _, ctx := range []context.Context{ended, f.AsOne(ended)} {
			if _, err := f.Read(ctx, db.View{}); err == nil {
				t.Fatalf("%s there are more callers than allowed", when)
			}
		}
	}
	full("with two readers each")
	for _, r := range first {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	full("after the first reader of each was closed")
	for _, r := range second {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	// Whatever a caller does at once, it gives everything back.
	ctx := f.AsOne(t.Context())
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			if r := read(ctx); r != nil {
				r.Close()
			}
		})
	}
	group.Wait()
	for range readers {
		defer read(t.Context()).Close()
	}
}
