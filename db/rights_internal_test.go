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
	defer f.Close()
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i := range 200 {
		node := rdf.IRI(fmt.Sprintf("urn:%03d", i))
		for _, q := range []rdf.Quad{{Subject: node, Predicate: rdf.Type, Object: rdf.IRI("urn:Secret")}, {Subject: node, Predicate: rdf.IRI("urn:owes"), Object: rdf.IRI("urn:x")}} {
			if _, err := w.Add(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := w.Commit(t.Context(), CommitMeta{}, nil); err != nil {
		t.Fatal(err)
	}
	r, err := f.Read(t.Context(), View{Rights: &Rights{Types: []rdf.IRI{"urn:Secret"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
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
	if reflect.DeepEqual(r.conn.sight.stretches[leaf.POS], scan.Stretches{}) {
		t.Error("the query found 200 hidden statements, and the next one will read them again")
	}
}
