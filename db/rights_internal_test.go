package db

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"trails/db/leaf"
	"trails/db/scan"
	"trails/rdf"
	"trails/sparql"
)

// Every query of a reader passes hidden statements over as earlier ones found them.
func TestAReaderRemembersStretchesOfHiddenStatements(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hidden.db")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	write := func(quads ...rdf.Quad) {
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
		if _, err := w.Commit(t.Context(), CommitMeta{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	owes := func(node string) rdf.Quad {
		return rdf.Quad{Subject: rdf.IRI(node), Predicate: rdf.IRI("urn:owes"), Object: rdf.IRI("urn:x")}
	}
	var secret []rdf.Quad
	for i := range 200 {
		q := owes(fmt.Sprintf("urn:%03d", i))
		secret = append(secret, rdf.Quad{Subject: q.Subject, Predicate: rdf.Type, Object: rdf.IRI("urn:Secret")}, q)
	}
	write(secret...)
	read := func() *Reader {
		t.Helper()
		r, err := f.Read(t.Context(), View{Rights: &Rights{Types: []rdf.IRI{"urn:Secret"}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	}
	r := read()
	q, err := sparql.Parse("SELECT ?s { ?s <urn:owes> ?o }", sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := r.Plan(t.Context(), q.Op, q.Vars, q.Dataset, "")
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range r.Run(t.Context(), plan, Limits{}) {
		t.Errorf("the answer has %v: %v", row, err)
	}
	found := r.conn.sight.stretches[leaf.POS]
	if reflect.DeepEqual(found, scan.Stretches{}) {
		t.Error("the query found 200 hidden statements, and the next one will read them again")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got := read().conn.sight.stretches[leaf.POS]; got.Bytes() != found.Bytes() {
		t.Errorf("the next reader begins with %d bytes of stretches, and %d were found", got.Bytes(), found.Bytes())
	}
	write(owes("urn:100a"))
	if got := read().conn.sight.stretches[leaf.POS]; got.Bytes() != 0 {
		t.Errorf("a reader of another commit begins with %d bytes of stretches", got.Bytes())
	}
}
