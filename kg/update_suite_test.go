package kg_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/kg"
	"trails/kg/change"
	"trails/rdf"
	"trails/rdf/rdftest"
	"trails/sparql"
	"trails/sparql/naive"
	"trails/sparql/sparqltest"
)

// updater is the graph as an engine of the suites: each update runs on a file of its own.
type updater struct {
	sparqltest.Oracle
	testing.TB
}

func (e updater) Update(ctx context.Context, text, base string, dataset []rdf.Quad) ([]rdf.Quad, error) {
	u, err := sparql.ParseUpdate(text, sparql.Options{Base: base})
	if err != nil {
		return nil, err
	}
	g, err := kg.Open(ctx, newFile(e, ""), kg.Options{})
	if err != nil {
		return nil, err
	}
	defer g.Close()
	s := g.Session(ana)
	var set kg.ChangeSet
	for _, q := range dataset {
		set.Edits = append(set.Edits, change.Edit{Op: change.Assert, Quad: q})
	}
	if _, err := s.Commit(ctx, set); err != nil {
		return nil, err
	}
	if _, err := s.Update(ctx, u, kg.ChangeSet{}, kg.UpdateOptions{}); err != nil {
		return nil, err
	}
	return contents(ctx, s)
}

// contents is every statement.
func contents(ctx context.Context, s *kg.Session) (quads []rdf.Quad, err error) {
	err = s.View(ctx, func(snap *kg.Snapshot) error {
		for q, err := range snap.Match(ctx, rdf.Quad{}) {
			if err != nil {
				return err
			}
			quads = append(quads, q)
		}
		return nil
	})
	return quads, err
}

func TestUpdatesPassTheW3CSuite(t *testing.T) {
	testrun.Alone(t)
	dir := rdftest.Dir(t)
	tests := rdftest.Load(t, dir, "sparql/sparql11/manifest-sparql11-update.ttl")
	rdftest.CheckCounts(t, dir, "sparql11", tests, rdftest.UpdateCategories...)
	rdftest.Suite{Name: "sparql11-update", Tests: tests, Run: rdftest.SPARQL(updater{TB: t})}.W3C(t)
}

// TestUpdatesAgreeWithTheOracle draws data and requests of up to three operations:
// the file must have what the specification says, or refuse what it refuses.
func TestUpdatesAgreeWithTheOracle(t *testing.T) {
	testrun.Alone(t)
	e := updater{TB: t}
	rapid.Check(t, func(rt *rapid.T) {
		data, text := sparqltest.Data(rt), sparqltest.Update(rt)
		u, err := sparql.ParseUpdate(text, sparql.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		want, refused := naive.Apply(t.Context(), u, slices.Clone(data))
		got, err := e.Update(t.Context(), text, "", data)
		switch {
		case (err == nil) != (refused == nil):
			rt.Fatalf("got %v, the oracle %v\nfor\n%s", err, refused, text)
		case err == nil && !rdf.Isomorphic(want, got):
			rt.Fatalf("another dataset: got\n%v\nwant\n%v\nfor\n%s", got, want, text)
		}
	})
}
