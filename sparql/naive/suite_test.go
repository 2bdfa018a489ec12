package naive_test

import (
	"testing"

	"trails/e2e/testrun"
	"trails/rdf/rdftest"
	"trails/sparql/sparqltest"
)

// suites are the manifests with which the oracle is tested. Their names begin with "oracle", so that its figures
// are not taken for the engine's.
var suites = []struct {
	name, suite, manifest string
	categories            []string
}{
	{name: "oracle-sparql10", suite: "sparql10", manifest: "sparql/sparql10/manifest.ttl"},
	{
		name: "oracle-sparql11-query", suite: "sparql11", manifest: "sparql/sparql11/manifest-sparql11-query.ttl",
		categories: rdftest.QueryCategories,
	},
	{
		name: "oracle-sparql11-update", suite: "sparql11", manifest: "sparql/sparql11/manifest-sparql11-update.ttl",
		categories: rdftest.UpdateCategories,
	},
	{
		name: "oracle-sparql11-results", suite: "sparql11", manifest: "sparql/sparql11/manifest-sparql11-results.ttl",
		categories: []string{"csv-tsv-res", "json-res"},
	},
	{
		name: "oracle-sparql11-fed", suite: "sparql11", manifest: "sparql/sparql11/manifest-sparql11-fed.ttl",
		categories: []string{"syntax-fed"},
	},
}

func TestTheOraclePassesTheW3CSuites(t *testing.T) {
	testrun.Alone(t)
	dir := rdftest.Dir(t)
	for _, s := range suites {
		t.Run(s.name, func(t *testing.T) {
			tests := rdftest.Load(t, dir, s.manifest)
			rdftest.CheckCounts(t, dir, s.suite, tests, s.categories...)
			rdftest.Suite{Name: s.name, Tests: tests, Run: rdftest.SPARQL(sparqltest.Oracle{})}.W3C(t)
		})
	}
}
