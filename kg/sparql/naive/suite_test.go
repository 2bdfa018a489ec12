package naive_test

import (
	"context"
	"testing"

	"trails/kg/rdf"
	"trails/kg/rdftest"
	"trails/kg/sparql"
	"trails/kg/sparql/naive"
)

// oracle is package naive as the suites' engine.
type oracle struct{}

func (oracle) Accepts(text, base string, update bool) error {
	if update {
		_, err := sparql.ParseUpdate(text, sparql.Options{Base: base})
		return err
	}
	_, err := sparql.Parse(text, sparql.Options{Base: base})
	return err
}

func (oracle) Query(ctx context.Context, text, base string, dataset []rdf.Quad) (rdftest.Answer, error) {
	q, err := sparql.Parse(text, sparql.Options{Base: base})
	if err != nil {
		return rdftest.Answer{}, err
	}
	result, err := naive.Eval(ctx, q, dataset)
	if err != nil {
		return rdftest.Answer{}, err
	}
	return answer(result), nil
}

func (oracle) Update(ctx context.Context, text, base string, dataset []rdf.Quad) ([]rdf.Quad, error) {
	u, err := sparql.ParseUpdate(text, sparql.Options{Base: base})
	if err != nil {
		return nil, err
	}
	return naive.Apply(ctx, u, dataset)
}

func answer(r naive.Result) rdftest.Answer {
	switch r.Form {
	case sparql.Ask:
		return rdftest.Answer{Truth: &r.True}
	case sparql.Construct, sparql.Describe:
		return rdftest.Answer{IsGraph: true, Graph: r.Graph}
	case sparql.Select:
	}
	a := rdftest.Answer{Rows: r.Rows}
	for _, v := range r.Vars {
		a.Vars = append(a.Vars, string(v))
	}
	return a
}

// suites are the manifests that the oracle is proven by. Its figures are its own:
// the engine's have the names of the suites.
var suites = []struct {
	name, suite, manifest string
	categories            []string
}{
	{name: "oracle-sparql10", suite: "sparql10", manifest: "sparql/sparql10/manifest.ttl"},
	{
		name: "oracle-sparql11-query", suite: "sparql11", manifest: "sparql/sparql11/manifest-sparql11-query.ttl",
		categories: []string{
			"aggregates", "bind", "bindings", "cast", "construct", "exists", "functions", "grouping",
			"negation", "project-expression", "property-path", "subquery", "syntax-query",
		},
	},
	{
		name: "oracle-sparql11-update", suite: "sparql11", manifest: "sparql/sparql11/manifest-sparql11-update.ttl",
		categories: []string{
			"add", "basic-update", "clear", "copy", "delete-data", "delete-insert", "delete-where", "delete",
			"drop", "move", "syntax-update-1", "syntax-update-2", "update-silent",
		},
	},
	{
		name: "oracle-sparql11-results", suite: "sparql11", manifest: "sparql/sparql11/manifest-sparql11-results.ttl",
		categories: []string{"csv-tsv-res", "json-res"},
	},
}

func TestTheOraclePassesTheW3CSuites(t *testing.T) {
	dir := rdftest.Dir(t)
	for _, s := range suites {
		t.Run(s.name, func(t *testing.T) {
			tests := rdftest.Load(t, dir, s.manifest)
			rdftest.CheckCounts(t, dir, s.suite, tests, s.categories...)
			rdftest.Suite{Name: s.name, Tests: tests, Run: rdftest.SPARQL(oracle{})}.W3C(t)
		})
	}
}
