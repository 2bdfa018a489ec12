package lower_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"trails/db/lower"
	"trails/sparql"
)

func shapeOf(t *testing.T, text string) lower.Shape {
	t.Helper()
	q, err := sparql.Parse(text, sparql.Options{Prefixes: prefixes})
	if err != nil {
		t.Fatal(err)
	}
	return lower.ShapeOf(q.Op, q.Vars, q.Dataset, q.Base)
}

func TestOnlyConstantsAtTheEndsOfPatternsAreLifted(t *testing.T) {
	same := [][2]string{
		{"SELECT * { :a :p ?o }", "SELECT * { :b :p ?o }"},
		{"SELECT * { ?s :p 1 . ?s :q 2 }", "SELECT * { ?s :p 3 . ?s :q 4 }"},
		{"SELECT * { ?s :p :a ; :q :a }", "SELECT * { ?s :p :b ; :q :b }"},
		{"SELECT * { ?s :p+ :a }", "SELECT * { ?s :p+ :b }"},
		{"SELECT * { ?s :p ?o } LIMIT 20", "SELECT * { ?s :p ?o } LIMIT 30"},
		{"SELECT * { ?s :p ?o FILTER NOT EXISTS { ?o :q :a } }", "SELECT * { ?s :p ?o FILTER NOT EXISTS { ?o :q :b } }"},
	}
	for _, pair := range same {
		a, b := shapeOf(t, pair[0]), shapeOf(t, pair[1])
		if a.Key == "" || a.Key != b.Key || slices.Equal(a.Constants, b.Constants) {
			t.Errorf("%s\n%s\nhave the constants %v and %v, want one shape", pair[0], pair[1], a.Constants, b.Constants)
		}
	}
	seen := map[string]string{}
	for _, text := range []string{
		"SELECT * { :a :p ?o }", "SELECT * { :a :q ?o }", "SELECT * { ?o :p :a }", "SELECT ?o { ?s :p ?o }", "SELECT * { ?s :p ?o }",
		"SELECT * { ?s :p :a ; :q :a }", "SELECT * { ?s :p :a ; :q :b }", `SELECT * { ?s :p "a" ; :q :b }`,
		"SELECT * { ?s :p+ :a }", "SELECT * { ?s :p* :a }", "SELECT * { ?s :p? :a }", "SELECT * { ?s ^:p :a }", "SELECT * { ?s !:p :a }", "SELECT * { ?s !^:p :a }", "SELECT * { ?s !() :a }", "SELECT * { ?s ^!() :a }",
		"SELECT * { ?s :p ?o FILTER(?o > 1) }", "SELECT * { ?s :p ?o FILTER(?o > 2) }", `SELECT * { ?s :p ?o FILTER(?o > "2") }`, "SELECT * { ?s :p ?o FILTER(?o > 2.0) }",
		`SELECT * { ?s :p ?o FILTER(?o = "a"@en) }`, `SELECT * { ?s :p ?o FILTER(?o = "a"@de) }`,
		"SELECT * { ?s :p ?o } LIMIT 1", "SELECT * { ?s :p ?o } LIMIT 20", "SELECT * { ?s :p ?o } LIMIT 40", "SELECT * { ?s :p ?o } LIMIT 0", "SELECT * { ?s :p ?o } OFFSET 1", "SELECT * { ?s :p ?o } LIMIT 1 OFFSET 1", "SELECT * { ?s :p ?o } LIMIT 1 OFFSET 2",
		"SELECT * { ?s :p ?o } ORDER BY ?o", "SELECT * { ?s :p ?o } ORDER BY DESC(?o)", "SELECT DISTINCT * { ?s :p ?o }", "SELECT REDUCED * { ?s :p ?o }",
		"SELECT * { ?s :p ?o OPTIONAL { ?s :q ?x } }", "SELECT * { ?s :p ?o MINUS { ?s :q ?x } }", "SELECT * { { ?s :p ?o } UNION { ?s :q ?x } }",
		"SELECT * { ?s :p ?o VALUES ?o { 1 2 } }", "SELECT * { ?s :p ?o VALUES ?o { 1 3 } }", "SELECT * { ?s :p ?o VALUES ?o { 1 UNDEF } }",
		"SELECT * { GRAPH :a { ?s :p :x } }", "SELECT * { GRAPH :b { ?s :p :x } }", "SELECT * { GRAPH ?g { ?s :p :x } }", "SELECT * { GRAPH ?g { ?s :p :y } }",
		"SELECT * { :z :p :x . GRAPH ?g { ?s :p :x } }", "SELECT * { :y :p :x . GRAPH ?g { ?s :p :x } }",
		"SELECT * FROM :a { ?s :p ?o }", "SELECT * FROM NAMED :a { ?s :p ?o }", "SELECT * FROM :a { :x :p ?o }", "SELECT * FROM :a { :y :p ?o }",
		"SELECT (COUNT(*) AS ?n) { ?s :p ?o }", "SELECT (COUNT(?o) AS ?n) { ?s :p ?o }", "SELECT (COUNT(DISTINCT ?o) AS ?n) { ?s :p ?o }", "SELECT (SUM(?o) AS ?n) { ?s :p ?o }",
		"SELECT (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?s", "SELECT (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?o",
		"SELECT (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY (?o AS ?x)", "SELECT ?s { ?s ^:p/:q ?o }", "SELECT ?s { ?s ^(:p/:q) ?o }", `SELECT (GROUP_CONCAT(?o) AS ?n) { ?s :p ?o }`, `SELECT (GROUP_CONCAT(?o; SEPARATOR=",") AS ?n) { ?s :p ?o }`,
		"SELECT * { ?s :p ?o BIND(?o + 1 AS ?x) }", "SELECT * { ?s :p ?o BIND(?o + 2 AS ?x) }", "SELECT * { ?s :p ?o BIND(xsd:double(?o) AS ?x) }", "SELECT * { ?s :p ?o BIND(xsd:float(?o) AS ?x) }",
		"SELECT * { ?s :p ?o FILTER EXISTS { ?s :q ?o } }", "SELECT * { ?s :p ?o FILTER NOT EXISTS { ?s :q ?o } }",
		"BASE <http://a/> SELECT * { ?s :p ?o }", "BASE <http://b/> SELECT * { ?s :p ?o }",
	} {
		key := shapeOf(t, text).Key
		if other, ok := seen[key]; ok || key == "" {
			t.Errorf("%s\nhas the shape of\n%s", text, other)
		}
		seen[key] = text
	}
}

// TestPlansOfGraphsOfTheSystemAreNotKept says so of all ways to name one.
func TestPlansOfGraphsOfTheSystemAreNotKept(t *testing.T) {
	for _, text := range []string{
		"SELECT * { GRAPH <urn:trails:graph:prov> { ?s ?p ?o } }", "SELECT * FROM <urn:trails:graph:prov> { ?s ?p ?o }", "SELECT * FROM NAMED <urn:trails:graph:commits> { GRAPH ?g { ?s ?p ?o } }",
	} {
		if key := shapeOf(t, text).Key; key != "" {
			t.Errorf("%s\nhas a shape", text)
		}
	}
}

// TestEveryOptionIsPartOfAShape fails when a lowering learns to ask something new: a
// plan may be kept only under all that it depends on.
func TestEveryOptionIsPartOfAShape(t *testing.T) {
	known := map[string]string{
		"Dataset": "in the key", "Base": "in the key", "Lift": "the constants", "View": "package db adds it to the key",
		"Stats": "asked again", "Subjects": "asked again", "Linked": "asked again", "Region": "asked again", "Within": "asked again", "Scans": "of the file, which keeps the plans", "Explain": "it is not kept",
		"RowsInVirtual": "asked of graphs whose queries have no shape", "OrderInVirtual": "asked of graphs whose queries have no shape",
	}
	for f := range reflect.TypeFor[lower.Options]().Fields() {
		if known[f.Name] == "" {
			t.Errorf("how is a plan that depends on %s told from one that does not?", f.Name)
		}
	}
}

func TestAPlanHasSlotsForLiftedConstants(t *testing.T) {
	q, err := sparql.Parse("SELECT * { :a :p :b . ?s :q :a ; :r ?x FILTER(?x = :b) }", sparql.Options{Prefixes: prefixes})
	if err != nil {
		t.Fatal(err)
	}
	shape := lower.ShapeOf(q.Op, q.Vars, q.Dataset, q.Base)
	plan, err := lower.Lower(q.Op, q.Vars, lower.Options{Lift: shape.Constants})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range plan.Args {
		if _, ok := a.Term.(lower.Slot); ok {
			got = append(got, fmt.Sprint(a.Term))
		}
	}
	if want := []string{"slot 0", "slot 1", "slot 0"}; !slices.Equal(got, want) {
		t.Errorf("slots %q, want %q; the filter's constant is none", got, want)
	}
}
