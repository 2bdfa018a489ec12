package kg_test

import (
	"strings"
	"testing"
	"time"

	"trails/db"
	"trails/fault"
	"trails/kg"
	"trails/rdf"
)

// Who may see a part of the graph changes nothing, and its schema is not taken for that of others.
func TestASessionWithRightsReadsOnly(t *testing.T) {
	g := open(t, newFile(t, searchSchema))
	all := g.Session(ana)
	hidden := all.Seeing(&kg.Rights{Types: []rdf.IRI{rdf.IRI(g.Base() + "Place")}})
	for range 2 {
		for s, want := range map[*kg.Session]bool{all: true, hidden: false, all.Seeing(nil): true, all.Seeing(&kg.Rights{}): true} {
			err := s.View(t.Context(), func(snap *kg.Snapshot) error {
				if sees := snap.Schema().Type("Place") != nil; sees != want || snap.SeesAll() != want {
					t.Errorf("a session sees Place: %t, and all: %t; want %t", sees, snap.SeesAll(), want)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, err := range []error{
		func() error { _, err := hidden.Commit(t.Context(), kg.ChangeSet{}); return err }(),
		func() error { _, err := hidden.MakeBranch(t.Context(), kg.NewBranch{Name: "mine"}); return err }(),
	} {
		if !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "may see a part of the graph only, and so may not change it") {
			t.Errorf("a write by somebody who may not see everything: %v", err)
		}
	}
}

// What the schema of an earlier commit says of a type is not seen any more once a later commit hides the type.
func TestASchemaIsSeenAsTheNewestOneHidesIt(t *testing.T) {
	g := open(t, newFile(t, searchSchema))
	rights := &kg.Rights{Types: []rdf.IRI{rdf.IRI(g.Base() + "Secret")}}
	var first kg.Commit
	sees := func() (is bool) {
		t.Helper()
		err := g.Session(ana).Seeing(rights).View(t.Context(), func(snap *kg.Snapshot) error {
			then, err := snap.At(t.Context(), first)
			if err == nil {
				defer then.Close()
				is = then.Schema().Type("Place") != nil
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	first = g.Session(ana).LatestHead(t.Context())
	if !sees() {
		t.Error("a type that nothing hides is not seen")
	}
	hide(t, g, rdf.IRI(g.Base()+"Place"), rights.Types[0], first.SchemaVersion+1)
	if sees() {
		t.Error("the type is seen where nothing hid it yet")
	}
}

// hide gives a node a type, in the schema's graph of the file.
func hide(t *testing.T, g *kg.Graph, node, class rdf.IRI, version int64) {
	t.Helper()
	f, err := db.Open(t.Context(), g.Path(), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Add(t.Context(), rdf.Quad{Subject: node, Predicate: rdf.Type, Object: class, Label: rdf.SchemaGraph}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context(), db.CommitMeta{Time: time.Now(), SchemaVersion: version, SchemaChanged: true}, nil); err != nil {
		t.Fatal(err)
	}
}
