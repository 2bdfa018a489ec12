package db_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/db"
	"trails/e2e/testrun"
	"trails/rdf"
	"trails/sparql/sparqltest"
)

// TestConcatenationsKeepTheOrderOfASubquery holds queries whose values come in an order that
// no index has beside the oracle, which evaluates what a text says from the inside out.
func TestConcatenationsKeepTheOrderOfASubquery(t *testing.T) {
	testrun.Alone(t)
	const ns = "http://example.org/"
	var quads []rdf.Quad
	add := func(s, p string, o rdf.Term) {
		quads = append(quads, rdf.Quad{Subject: rdf.IRI(ns + s), Predicate: rdf.IRI(ns + p), Object: o})
	}
	for i := range 40 {
		s := fmt.Sprintf("s%02d", i*17%40)
		add(s, "n", rdf.String(fmt.Sprintf("n%02d", i*23%40)))
		add(s, "k", rdf.Literal(fmt.Sprint(i*29%40), rdf.XSDInteger))
		add(s, "g", rdf.IRI(fmt.Sprintf("%sg%d", ns, i%3)))
	}
	for _, inner := range []string{
		`{ SELECT ?n ?g { ?s :n ?n ; :g ?g ; :k ?k } ORDER BY ?k }`,
		`{ SELECT ?n ?g { ?s :n ?n ; :g ?g ; :k ?k } ORDER BY DESC(?k * ?k - 30 * ?k) ?n }`,
		`{ SELECT ?n ?g ?k { ?s :n ?n ; :g ?g ; :k ?k } ORDER BY DESC(?k) }`,
		`{ SELECT ?n ?g { ?s :n ?n ; :g ?g ; :k ?k } ORDER BY ?k LIMIT 20 OFFSET 3 }`,
		`{ SELECT DISTINCT ?n ?g { ?s :n ?n ; :g ?g } ORDER BY DESC(?n) }`,
		`{ SELECT ?s ?g { ?s :g ?g ; :k ?k } ORDER BY ?k } ?s :n ?n`,
		`{ SELECT ?s ?g { ?s :g ?g ; :k ?k } ORDER BY ?k } OPTIONAL { ?s :n ?n }`,
		`{ SELECT ?m ?g { ?s :n ?m ; :g ?g ; :k ?k } ORDER BY DESC(?k) } BIND(UCASE(?m) AS ?n) FILTER(?m != "n07")`,
		`{ SELECT ?m ?g { { SELECT ?s ?m ?g { ?s :n ?m ; :g ?g ; :k ?k } ORDER BY ?k } } } BIND(?m AS ?n)`,
		`{ SELECT ?n ?g { ?s :n ?n ; :g ?g ; :k ?k } ORDER BY ?k } ?t :k ?k FILTER(?k = 3)`,
	} {
		for _, aggregate := range []string{`GROUP_CONCAT(?n)`, `GROUP_CONCAT(DISTINCT ?n; SEPARATOR=",")`, `GROUP_CONCAT(CONCAT("<", ?n, ">"))`} {
			for _, by := range []string{"", "GROUP BY ?g ORDER BY ?g"} {
				text := "PREFIX : <" + ns + "> SELECT (" + aggregate + " AS ?x) (COUNT(*) AS ?c) { " + inner + " } " + by
				want, err := sparqltest.Oracle{}.Query(t.Context(), text, "", quads)
				if err != nil {
					t.Fatal(err)
				}
				for _, scans := range []db.Scans{db.ScansNever, db.ScansAlways} {
					got, err := engine{dir: t.TempDir, scans: scans}.Query(t.Context(), text, "", quads)
					if err != nil {
						t.Fatalf("%s: %v", text, err)
					}
					if diff := cmp.Diff(want.Rows, got.Rows); diff != "" {
						t.Errorf("%s\nwith scans %d: %s", text, scans, diff)
					}
				}
			}
		}
	}
}
