package kg_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	commits "trails/db/history"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/rdf"
	"trails/sparql/sparqltest"
)

// What differs between two files is what the one's list of statements has and the other's has not, subject by subject.
func TestTheDifferenceOfTwoFilesIsThatOfTwoLists(t *testing.T) {
	testrun.Alone(t)
	e := newAsker(t)
	rapid.Check(t, func(t *rapid.T) {
		g, err := e.graph(t.Context(), sparqltest.Data(t))
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		snap, err := g.Session(ana).Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer snap.Close()
		other := sparqltest.Data(t)
		var own []rdf.Quad
		for q, err := range snap.Match(t.Context(), rdf.Quad{}) {
			if err != nil {
				t.Fatal(err)
			}
			if own = append(own, q); rapid.Bool().Draw(t, "shared") && !slices.Contains(other, q) {
				other = append(other, q)
			}
		}
		var data strings.Builder
		for _, q := range append(other, rdf.Quad{Subject: rdf.IRI("urn:shape"), Predicate: rdf.Type, Object: rdf.IRI("urn:x"), Label: rdf.SchemaGraph}) {
			fmt.Fprintf(&data, "%s\n", rdf.AppendQuad(nil, q))
		}
		c, err := snap.CompareWith(t.Context(), kg.OtherData{Statements: strings.NewReader(data.String()), Name: "other"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Forget()
		subjects, seen := map[rdf.Term]bool{}, map[rdf.Quad]bool{}
		var last rdf.Term
		for change, err := range c.Statements(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if there := slices.Contains(own, change.Quad); there == slices.Contains(other, change.Quad) || there != (change.Op == commits.OpAdd) || seen[change.Quad] {
				t.Errorf("%c %s is told, twice: %t", change.Op, rdf.AppendQuad(nil, change.Quad), seen[change.Quad])
			}
			seen[change.Quad] = true
			if change.Subject != last && subjects[change.Subject] {
				t.Errorf("%v comes twice", change.Subject)
			}
			last, subjects[change.Subject] = change.Subject, true
		}
		for _, q := range append(slices.Clone(own), other...) {
			if slices.Contains(own, q) != slices.Contains(other, q) && !seen[q] && q.Label != rdf.SchemaGraph {
				t.Errorf("%s is not told", rdf.AppendQuad(nil, q))
			}
		}
	})
}

func TestDataThatIsNoneIsNotCompared(t *testing.T) {
	g := open(t, newFile(t, ""))
	viewOf(t, g.Session(ana), func(snap *kg.Snapshot) {
		_, err := snap.CompareWith(t.Context(), kg.OtherData{Statements: strings.NewReader("<urn:a> <urn:b> .\n"), Name: "other.nq"})
		if !fault.Is(err, fault.Malformed) || !strings.Contains(err.Error(), "other.nq") {
			t.Error(err)
		}
	})
}
