package kg_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
	"trails/rdf/rdftest"
	"trails/sparql"
	"trails/sparql/sparqltest"
)

// asker is the whole engine as the suites see it, with a file for each dataset.
// Updates are not this test's.
type asker struct {
	sparqltest.Oracle
	tb  testing.TB
	dir string
}

func newAsker(t testing.TB) asker { return asker{tb: t, dir: t.TempDir()} }

func (e asker) Query(ctx context.Context, text, base string, dataset []rdf.Quad) (rdftest.Answer, error) {
	q, err := sparql.Parse(text, sparql.Options{Base: base})
	if err != nil {
		return rdftest.Answer{}, err
	}
	g, err := e.graph(ctx, dataset)
	if err != nil {
		return rdftest.Answer{}, err
	}
	defer g.Close()
	var answer rdftest.Answer
	err = g.Session(ana).View(ctx, func(s *kg.Snapshot) (err error) {
		answer, err = answerOf(ctx, s, q)
		return err
	})
	return answer, err
}

// graph returns a graph that has these quads.
func (e asker) graph(ctx context.Context, dataset []rdf.Quad) (*kg.Graph, error) {
	path := e.dir + "/asked.db"
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + end); err != nil && !os.IsNotExist(err) {
			return nil, err
		}
	}
	fileAt(e.tb, path, "")
	g, err := kg.Open(ctx, path, kg.Options{})
	if err != nil || len(dataset) == 0 {
		return g, err
	}
	var lines strings.Builder
	for _, q := range dataset {
		lines.Write(rdf.AppendQuad(nil, q))
		lines.WriteByte('\n')
	}
	_, err = g.Session(ana).Load(ctx, kg.Load{Options: load.Options{Inputs: []load.Input{{Name: "data", Reader: strings.NewReader(lines.String())}}, Format: load.NQuads}})
	return g, err
}

func answerOf(ctx context.Context, s *kg.Snapshot, q *sparql.Query) (out rdftest.Answer, err error) {
	a, err := s.Query(ctx, q, kg.QueryOptions{})
	if err != nil {
		return out, err
	}
	switch a.Form {
	case sparql.Ask:
		truth, err := a.Truth(ctx)
		return rdftest.Answer{Truth: &truth}, err
	case sparql.Construct, sparql.Describe:
		out.IsGraph = true
		for t, err := range a.Triples(ctx) {
			if err != nil {
				return out, err
			}
			out.Graph = append(out.Graph, t)
		}
		return out, nil
	case sparql.Select:
	}
	for _, v := range a.Vars {
		out.Vars = append(out.Vars, string(v))
	}
	for row, err := range a.Rows(ctx) {
		if err != nil {
			return out, err
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

func TestQueriesAgreeWithTheOracle(t *testing.T) {
	testrun.Alone(t)
	e := newAsker(t)
	rapid.Check(t, func(t *rapid.T) {
		data, c := sparqltest.Data(t), sparqltest.Query(t)
		got, err := e.Query(t.Context(), c.Text, "", data)
		if err != nil {
			t.Fatalf("%v\nfor\n%s", err, c.Text)
		}
		if err := sparqltest.Agree(t.Context(), c, slices.Clone(data), got); err != nil {
			t.Fatalf("%v\nfor\n%s\non\n%v", err, c.Text, fmt.Sprint(data))
		}
	})
}

func TestQueriesPassTheW3CSuites(t *testing.T) {
	testrun.Alone(t)
	dir := rdftest.Dir(t)
	e := newAsker(t)
	for _, s := range []struct {
		name, suite           string
		manifests, categories []string
	}{
		{name: "sparql10", suite: "sparql10", manifests: []string{"sparql/sparql10/manifest.ttl"}},
		{
			name: "sparql11-query", suite: "sparql11", manifests: []string{"sparql/sparql11/manifest-sparql11-query.ttl"},
			categories: rdftest.QueryCategories,
		},
		{
			name: "sparql11-results", suite: "sparql11",
			manifests:  []string{"sparql/sparql11/manifest-sparql11-results.ttl", "sparql/sparql11/manifest-sparql11-fed.ttl"},
			categories: []string{"csv-tsv-res", "json-res", "syntax-fed"},
		},
	} {
		t.Run(s.name, func(t *testing.T) {
			var tests []rdftest.Test
			for _, manifest := range s.manifests {
				tests = append(tests, rdftest.Load(t, dir, manifest)...)
			}
			rdftest.CheckCounts(t, dir, s.suite, tests, s.categories...)
			rdftest.Suite{Name: s.name, Tests: tests, Run: rdftest.SPARQL(e)}.W3C(t)
		})
	}
}

func TestAGraphWithoutACommitCanConstruct(t *testing.T) {
	e := newAsker(t)
	answer, err := e.Query(t.Context(), "CONSTRUCT { _:b <urn:p> 1 } WHERE {}", "", nil)
	if err != nil || len(answer.Graph) != 1 {
		t.Errorf("%v, %v", answer.Graph, err)
	}
}
