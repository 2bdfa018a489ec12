package db_test

import (
	"testing"

	"trails/db"
	"trails/e2e/testrun"
	"trails/rdf/rdftest"
)

// The figures have names of their own: those of the suites are the whole engine's, which
// chooses no scan for so few statements. Here they are read by scans wherever one fits, and
// at an earlier commit, of which half has been removed since.
func TestTheFileAnswersTheW3CSuites(t *testing.T) {
	testrun.Alone(t)
	dir := rdftest.Dir(t)
	for _, s := range []struct {
		name, suite, manifest string
		categories            []string
		past                  bool
	}{
		{name: "file-sparql10", suite: "sparql10", manifest: "sparql/sparql10/manifest.ttl"},
		{name: "file-sparql11-query", suite: "sparql11", manifest: "sparql/sparql11/manifest-sparql11-query.ttl", categories: rdftest.QueryCategories},
		{name: "past-sparql10", suite: "sparql10", manifest: "sparql/sparql10/manifest.ttl", past: true},
		{name: "past-sparql11-query", suite: "sparql11", manifest: "sparql/sparql11/manifest-sparql11-query.ttl", categories: rdftest.QueryCategories, past: true},
	} {
		t.Run(s.name, func(t *testing.T) {
			tests := rdftest.Load(t, dir, s.manifest)
			rdftest.CheckCounts(t, dir, s.suite, tests, s.categories...)
			run := rdftest.SPARQL(engine{dir: t.TempDir, scans: db.ScansAlways, past: s.past})
			rdftest.Suite{Name: s.name, Tests: tests, Run: run}.W3C(t)
		})
	}
}
