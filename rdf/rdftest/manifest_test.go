package rdftest_test

import (
	"testing"

	"trails/e2e/testrun"
	"trails/rdf/rdftest"
)

// TestManifestsOfAllSuitesAreWhole reads every manifest there is, also those whose
// tests run elsewhere.
func TestManifestsOfAllSuitesAreWhole(t *testing.T) {
	testrun.Alone(t)
	suites := rdftest.Dir(t)
	for suite, manifest := range map[string]string{
		"sparql10": "sparql/sparql10/manifest.ttl",
		"sparql11": "sparql/sparql11/manifest-all.ttl",
	} {
		t.Run(suite, func(t *testing.T) {
			rdftest.CheckCounts(t, suites, suite, rdftest.Load(t, suites, manifest))
		})
	}
}
