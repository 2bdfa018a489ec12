package db_test

import (
	"testing"

	"trails/kg/rdftest"
)

// The figures have names of their own: those of the suites are the whole engine's.
func TestTheFileAnswersTheW3CSuites(t *testing.T) {
	dir := rdftest.Dir(t)
	for _, s := range []struct{ name, manifest string }{
		{"file-sparql10", "sparql/sparql10/manifest.ttl"},
		{"file-sparql11-query", "sparql/sparql11/manifest-sparql11-query.ttl"},
	} {
		t.Run(s.name, func(t *testing.T) {
			tests := rdftest.Load(t, dir, s.manifest)
			run := rdftest.SPARQL(engine{dir: t.TempDir})
			rdftest.Suite{Name: s.name, Tests: tests, Run: run}.W3C(t)
		})
	}
}
