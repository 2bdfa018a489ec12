package db

import (
	"fmt"
	"path/filepath"
	"testing"

	"trails/fault"
	"trails/rdf"
)

// The keys of a sort are counted, and given back after it.
func TestASortThatTakesTooMuchMemoryIsRefused(t *testing.T) {
	before := sortBytes
	defer func() { sortBytes = before }()
	path := filepath.Join(t.TempDir(), "sorted.db")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var quads []rdf.Quad
	for i := range 50 {
		s := rdf.IRI(fmt.Sprintf("urn:s:%02d", i))
		quads = append(quads,
			rdf.Quad{Subject: s, Predicate: rdf.IRI("urn:name"), Object: rdf.Literal(fmt.Sprint("name ", i), "")},
			rdf.Quad{Subject: s, Predicate: rdf.Type, Object: rdf.IRI("urn:Thing")})
	}
	commitQuads(t, f, quads, nil)
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, c := range []struct {
		bytes   int64
		refused bool
	}{{before, false}, {50 * (sortKeyBytes + 7), false}, {50 * sortKeyBytes, true}} {
		sortBytes = c.bytes
		list, err := r.SelectSorted(t.Context(), Selection{Classes: []rdf.IRI{"urn:Thing"}}, Order{Property: "urn:name", Datatype: rdf.XSDString}, 10, 0)
		if c.refused != fault.Is(err, fault.TooLarge) || !c.refused && (err != nil || len(list) != 10) {
			t.Errorf("%d bytes: %d nodes, %v", c.bytes, len(list), err)
		}
		if held := f.held.Load(); held != 0 {
			t.Errorf("%d bytes are still counted", held)
		}
	}
}
