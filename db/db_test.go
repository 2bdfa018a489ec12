package db_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"trails/db"
	"trails/db/history"
	"trails/rdf"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)

func iri(s string) rdf.IRI { return rdf.IRI("urn:test:" + s) }

func q(s, p string, o rdf.Term) rdf.Quad {
	return rdf.Quad{Subject: iri(s), Predicate: iri(p), Object: o}
}

func in(g rdf.Term, q rdf.Quad) rdf.Quad {
	q.Label = g
	return q
}

// create makes and opens a file in a directory of the test's own.
func create(t testing.TB) *db.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.db")
	if err := db.Create(t.Context(), path, db.CreateOptions{Base: "urn:test:", Name: "test", Now: epoch}); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

func open(t testing.TB, path string) *db.File {
	t.Helper()
	f, err := db.Open(context.Background(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func line(q rdf.Quad) string { return string(rdf.AppendQuad(nil, q)) }

func byLine(a, b rdf.Quad) int { return cmp.Compare(line(a), line(b)) }

// write commits the additions and removals, in canonical order.
func write(t testing.TB, f *db.File, add, remove []rdf.Quad) history.Commit {
	t.Helper()
	c, err := tryWrite(t.Context(), f, add, remove)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func tryWrite(ctx context.Context, f *db.File, add, remove []rdf.Quad) (history.Commit, error) {
	w, err := f.Write(ctx)
	if err != nil {
		return history.Commit{}, err
	}
	defer w.Close()
	if err := apply(ctx, w, add, remove); err != nil {
		return history.Commit{}, err
	}
	return w.Commit(ctx, commitMeta(w, add, remove), nil)
}

// commitMeta is what a test's commit says, with the version of the schema that follows
// from its changes.
func commitMeta(w *db.Writer, add, remove []rdf.Quad) db.CommitMeta {
	meta := db.CommitMeta{Time: epoch, Author: "tester", Message: "a change", SchemaVersion: w.Head().SchemaVersion}
	if slices.ContainsFunc(slices.Concat(add, remove), func(q rdf.Quad) bool { return q.Label == rdf.SchemaGraph }) {
		meta.SchemaVersion, meta.SchemaChanged = meta.SchemaVersion+1, true
	}
	return meta
}

func apply(ctx context.Context, w *db.Writer, add, remove []rdf.Quad) error {
	removing := map[rdf.Quad]bool{}
	all := slices.Clone(add)
	for _, q := range remove {
		removing[q] = true
		all = append(all, q)
	}
	slices.SortFunc(all, byLine)
	for _, q := range all {
		change := w.Add
		if removing[q] {
			change = w.Remove
		}
		if _, err := change(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

func read(t testing.TB, f *db.File) *db.Reader {
	t.Helper()
	r, err := f.Read(t.Context(), db.View{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func collect[T any](t testing.TB, seq iter.Seq2[T, error]) []T {
	t.Helper()
	var list []T
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

func lines(quads []rdf.Quad) string {
	var b strings.Builder
	for _, q := range slices.SortedFunc(slices.Values(quads), byLine) {
		b.WriteString(line(q) + "\n")
	}
	return b.String()
}

func state(t testing.TB, f *db.File) string {
	t.Helper()
	r, err := f.Read(t.Context(), db.View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return lines(collect(t, r.Match(t.Context(), rdf.Quad{})))
}

// entities returns n quads, ten of each entity, in canonical order.
func entities(n int) []rdf.Quad {
	quads := make([]rdf.Quad, 0, n)
	for i := 0; len(quads) < n; i++ {
		s := fmt.Sprintf("Thing/%08d", i)
		quads = append(quads,
			rdf.Quad{Subject: iri(s), Predicate: rdf.Type, Object: iri(fmt.Sprintf("Type%d", i%20))},
			q(s, "name", rdf.String(fmt.Sprintf("thing number %d", i))),
			q(s, "status", rdf.String([]string{"open", "closed", "stuck"}[i%3])),
			q(s, "size", rdf.Literal(fmt.Sprint(i*7919%100000), rdf.XSDInteger)),
			q(s, "born", rdf.Literal(fmt.Sprintf("20%02d-%02d-%02d", i%30, 1+i%12, 1+i%28), rdf.XSDDate)),
			q(s, "likes", iri(fmt.Sprintf("Thing/%08d", i*31%(n/10+1)))),
			q(s, "knows", iri(fmt.Sprintf("Thing/%08d", i*i%(n/10+1)))),
			q(s, "part", iri(fmt.Sprintf("Thing/%08d", i/100))),
			q(s, "note", rdf.String(fmt.Sprintf("a note of some words about thing %d", i))),
			q(s, "seen", rdf.Literal(fmt.Sprintf("2026-01-%02dT%02d:%02d:00Z", 1+i%28, i%24, i%60), rdf.XSDDateTime)),
		)
	}
	quads = quads[:n]
	slices.SortFunc(quads, byLine)
	return quads
}

// longEntities is entities of which one, half way, has a text so long that the commit which adds
// it brings all texts into the index of words.
func longEntities(n int) []rdf.Quad {
	quads := entities(n)
	half := quads[n/2:]
	i := slices.IndexFunc(half, func(q rdf.Quad) bool { return q.Predicate == iri("note") })
	half[i].Object = rdf.String(strings.Repeat("a long text ", 30_000))
	slices.SortFunc(quads, byLine)
	return quads
}
