package kg_test

import (
	"strings"
	"testing"

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
