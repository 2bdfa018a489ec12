package db_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"trails/db"
	"trails/fault"
	"trails/rdf"
)

// ring is a file with n nodes in a circle.
func ring(t *testing.T, n int) *db.Reader {
	t.Helper()
	var quads []rdf.Quad
	for i := range n {
		quads = append(quads, q(fmt.Sprint("n", i), "next", rdf.IRI(fmt.Sprint("urn:test:n", (i+1)%n))))
	}
	f, err := fileOf(t.Context(), filepath.Join(t.TempDir(), "ring.db"), quads)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	r, err := f.Read(t.Context(), db.View{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// Walks from one node share what they have found, wherever each of them is.
func TestWalksGoOnBesideEachOther(t *testing.T) {
	r := ring(t, 40)
	for _, c := range []struct {
		query string
		rows  int
	}{
		{"SELECT * { :n0 :next+ ?x . ?x :next+ ?y }", 1600},
		{"SELECT * { :n0 :next* ?x . :n0 :next* ?y }", 1600},
		{"SELECT * { ?x :next+ ?y . ?y :next+ :n7 }", 1600},
		{"SELECT * { ?x :next ?y FILTER EXISTS { ?x :next+ ?z . ?z :next+ ?y } }", 40},
		{"SELECT * { { SELECT * { :n0 :next+ ?x } LIMIT 3 } :n0 :next+ ?y }", 120},
		{"SELECT * { ?x (:next|^:next)+ ?y }", 1600},
		{"SELECT * { ?x :next+ ?x }", 40},
	} {
		if n, err := run(ask(t, t.Context(), r, c.query, db.Limits{})); n != c.rows || err != nil {
			t.Errorf("%s\ngave %d rows and %v, want %d", c.query, n, err, c.rows)
		}
	}
}

// A walk that has found thousands of nodes has them as bits.
func TestALongWalk(t *testing.T) {
	r := ring(t, 9000)
	for _, query := range []string{"SELECT * { :n0 :next+ ?x }", "SELECT * { ?x :next+ :n0 }", "SELECT * { :n0 :next* ?x . ?x :next ?y }", "SELECT * { ?x :next ?y FILTER EXISTS { :n0 :next+ ?x } }"} {
		if n, err := run(ask(t, t.Context(), r, query, db.Limits{Bytes: 300_000})); n != 9000 || err != nil {
			t.Errorf("%s\ngave %d rows and %v, want 9000", query, n, err)
		}
	}
	if n, err := run(ask(t, t.Context(), r, "SELECT * { :n0 :next+ ?x FILTER NOT EXISTS { :n0 :next+ ?x } }", db.Limits{})); n != 0 || err != nil {
		t.Errorf("%d nodes are reached and are not, error %v", n, err)
	}
}

func TestAWalkIsBoundedByTheMemoryOfItsQuery(t *testing.T) {
	r := ring(t, 3000)
	limits := db.Limits{Bytes: 64 << 10}
	for _, c := range []struct {
		query string
		fits  bool
	}{
		{"SELECT * { :n0 :next+ ?x }", false},
		{"SELECT * { ?x :next+ :n0 }", false},
		{"SELECT * { :n0 :next+ ?x } LIMIT 100", true},
		{"ASK { :n0 :next+ :n100 }", true},
		{"ASK { :n0 :next+ :elsewhere }", false},
		{"SELECT * { ?x :next+ ?y } LIMIT 100", true},
		{"SELECT * { ?x :next* ?y } LIMIT 100", true},
	} {
		_, err := run(ask(t, t.Context(), r, c.query, limits))
		if c.fits && err != nil || !c.fits && !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s: got %v", c.query, err)
		}
	}
}

// Short walks from everywhere give their memory back: some hundred of them are more than is kept.
func TestWalksThatAreOverAreForgotten(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine takes 600,000 steps")
	}
	r := ring(t, 3000)
	n, err := run(ask(t, t.Context(), r, "SELECT * { ?x :next ?y . ?x (:next|^:next)+ ?z } LIMIT 600000", db.Limits{Bytes: 20 << 20}))
	if n != 600_000 || err != nil {
		t.Errorf("got %d rows and %v", n, err)
	}
}

func TestACancelledWalkStops(t *testing.T) {
	r := ring(t, 3000)
	for _, query := range []string{"SELECT * { ?x :next+ ?y }", "SELECT * { ?x :next ?y FILTER NOT EXISTS { ?x :next+ ?y . ?x :next+ :elsewhere } }"} {
		ctx, cancel := context.WithCancel(t.Context())
		var last error
		for _, err := range ask(t, ctx, r, query, db.Limits{}) {
			cancel()
			last = err
		}
		cancel()
		if !errors.Is(last, context.Canceled) {
			t.Errorf("%s\nended with %v, want a cancellation", query, last)
		}
	}
}
