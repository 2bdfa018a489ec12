package db

import (
	"fmt"
	"path/filepath"
	"testing"

	"trails/db/history"
	"trails/rdf"
)

// Counts are kept for one commit, and only for who sees the same: a newer commit, an older snapshot and an open write have
// their own, and so has a reader with rights.
func TestCountsAreThoseOfTheCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counts.db")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const note, secret, kind = rdf.IRI("urn:Note"), rdf.IRI("urn:Secret"), rdf.IRI("urn:kind")
	sel := Selection{Classes: []rdf.IRI{note}, Where: []Condition{{Path: []rdf.IRI{kind}, Test: Any}}}
	add := func(node string, class rdf.IRI) []rdf.Quad {
		return []rdf.Quad{{Subject: rdf.IRI(node), Predicate: rdf.Type, Object: class}, {Subject: rdf.IRI(node), Predicate: kind, Object: rdf.Literal("a", rdf.XSDString)}}
	}
	write := func(quads []rdf.Quad, look func(*Reader)) {
		t.Helper()
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		for _, q := range quads {
			if _, err := w.Add(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
		look(w.Reader)
		if _, err := w.Commit(t.Context(), CommitMeta{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	look := func(want int) func(r *Reader) {
		return func(r *Reader) {
			t.Helper()
			for range 2 {
				n, more, err := r.CountSelected(t.Context(), sel, 100)
				values, errOfValues := r.CountValuesAmong(t.Context(), sel, kind, []rdf.Term{rdf.Literal("a", rdf.XSDString), rdf.Literal("b", rdf.XSDString)}, 100)
				other, errOfOther := r.CountValuesAmong(t.Context(), sel, kind, []rdf.Term{rdf.Literal("b", rdf.XSDString)}, 100)
				found, errOfFound := r.ObjectsAmong(t.Context(), sel, kind, 9)
				if err != nil || errOfValues != nil || errOfOther != nil || errOfFound != nil {
					t.Fatal(err, errOfValues, errOfOther, errOfFound)
				}
				if got := fmt.Sprint(n, more, values, other, found.Most); got != fmt.Sprintf("%d false [{%[1]d false} {0 false}] [{0 false}] [{\"a\" %[1]d}]", want) {
					t.Errorf("%s, want %d", got, want)
				}
				if len(found.Most) > 0 {
					found.Most[0].Count, values[0].Count = 77, 77 // the answers are the caller's
				}
			}
			one := sel
			one.Held = &Held{}
			for range 2 { // the second count uses what the first has read
				n, _, err := r.countSelected(t.Context(), one, 100)
				found, errOfFound := r.objectsAmong(t.Context(), one, kind, 9)
				if err != nil || errOfFound != nil || n != want || len(found.Most) != 1 || found.Most[0].Count != int64(want) {
					t.Errorf("with held ids: %d and %v, want %d: %v, %v", n, found.Most, want, err, errOfFound)
				}
			}
			if holds := one.Held.ids != nil; holds == (r.before != nil) {
				t.Errorf("ids are held: %t, while a write is open: %t", holds, r.before != nil)
			}
		}
	}
	read := func(v View) *Reader {
		t.Helper()
		r, err := f.Read(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	write(append(add("urn:1", note), add("urn:2", note)...), look(2))
	older := read(View{})
	defer older.Close()
	look(2)(older)
	if kept := len(older.caches.facts.exact.found); kept != 4 {
		t.Errorf("%d counts are kept, want 4", kept)
	}
	write(add("urn:3", note), look(3))
	newer := read(View{})
	defer newer.Close()
	for _, one := range []struct {
		r    *Reader
		want int
	}{{newer, 3}, {older, 2}, {newer, 3}} {
		look(one.want)(one.r)
	}
	some := View{Rights: &Rights{Types: []rdf.IRI{secret}}}
	for _, step := range []struct {
		quads []rdf.Quad
		want  int
	}{{nil, 3}, {add("urn:3", secret), 2}} { // of this commit its reader sees nothing, except that a node is gone
		if step.quads != nil {
			write(step.quads, look(3))
		}
		r := read(some)
		look(step.want)(r)
		r.Close()
	}
}

// What is kept is bounded, and an answer that is too large is not kept.
func TestKeptCountsAreBounded(t *testing.T) {
	var k keptCounts
	for i := range 100_000 {
		k.put(history.CommitID{}, countQuestion{kind: fmt.Sprint(i)}, i, i%20)
		if k.bytes > maxCountBytes || len(k.found) > maxCountBytes/bytesOfCount {
			t.Fatalf("%d counts of %d bytes are kept", len(k.found), k.bytes)
		}
	}
	large := countQuestion{kind: "large"}
	k.put(history.CommitID{}, large, 0, maxCountBytes/bytesOfCount)
	if _, known := k.get(history.CommitID{}, large); known {
		t.Error("an answer larger than half of what is kept is kept")
	}
}
