package db_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trails/db"
	"trails/e2e/testrun"
	"trails/rdf"
)

// The grid of TestEveryExpressionInEveryAnswer: ?v has a value by the pattern, ?w may have one.
var (
	valuePatterns = []string{
		"?s :size ?v", "?s :price ?v", "?s :mixed ?v", "?s :label ?v", "?s :born ?v", "?s :at ?v", "?s :ratio ?v", "?s :ratio ?v ; :size ?w", "?s :huge ?v", "?s :kind :K1 ; :size ?v", "?s :many ?o . ?o :size ?v",
		"?s :size ?v OPTIONAL { ?s :price ?w }", "?s :size ?v ; :price ?w", "?s ?p ?v",
	}
	expressions = []string{
		"YEAR(?v)", "HOURS(?v)", "MONTH(?v) * 100 + DAY(?v)", "SECONDS(?v)", "FLOOR(YEAR(?v) / 10)", "ABS(?v)", "CEIL(?v / 3)", "ROUND(?v)", "?v / 7", "1 / ?v", "-?v", "?v + 0.5",
		"?v * 9999999999999", "?v * ?w", "STRLEN(?v)", "STRLEN(STR(?v))", "UCASE(?v)", `STRBEFORE(?v, " ")`, "CONCAT(STR(?v), STR(?w))", "STR(?s)", "IF(?v > 7, 1, 2)",
		`IF(?v > 7, ?v, "x")`, "COALESCE()", "COALESCE(?w, 0)", "COALESCE(?w, ?v)", "?v < ?w", "!(?v > 3)", "?v > 3 || ?w > 3", "DATATYPE(?v)", "LANG(?v)", "ISLITERAL(?v)", "ISIRI(?v)", "BOUND(?w)",
	}
	expressionForms = []string{
		"SELECT (SUM(%e) AS ?x) { %p }", "SELECT (AVG(%e) AS ?x) (COUNT(%e) AS ?y) { %p }", "SELECT (COUNT(DISTINCT %e) AS ?x) { %p }", "SELECT (MIN(%e) AS ?x) (MAX(%e) AS ?y) { %p }",
		"SELECT ?g (COUNT(*) AS ?x) { %p } GROUP BY (%e AS ?g)", "SELECT ?g (SUM(?v) AS ?x) { %p BIND(%e AS ?g) } GROUP BY ?g", "SELECT ?s (SUM(%e) AS ?x) { %p } GROUP BY ?s HAVING(SUM(%e) > 10)",
		"SELECT ?s (%e AS ?x) { %p }", "SELECT DISTINCT (%e AS ?x) { %p }", "SELECT (SUM(?g) AS ?x) { %p BIND(%e AS ?g) }", "SELECT (COUNT(*) AS ?x) { %p BIND(%e AS ?g) FILTER(?g > 5) }",
		"SELECT (COUNT(*) AS ?x) { %p FILTER(%e) }", "SELECT ?s ?v { %p FILTER((%e) = 7) }", "SELECT (COUNT(?s) AS ?x) { %p FILTER((%e) < 20 && (%e) != 3) }",
		"SELECT (COUNT(*) AS ?x) { %p BIND(%e AS ?g) OPTIONAL { ?s :one ?g } }", "SELECT (COUNT(*) AS ?x) { %p BIND(%e AS ?g) MINUS { ?s :one ?g } }",
	}
)

// datedGraph is a graph for scans whose nodes have dates and moments, too.
func datedGraph(random *rand.Rand, nodes int) []rdf.Quad {
	list := scanGraph(random, nodes)
	for i := range nodes {
		s := rdf.Quad{Subject: iri(fmt.Sprint("n", i))}
		date := fmt.Sprintf("%d-%02d-%02d", 1950+random.IntN(60), 1+random.IntN(12), 1+random.IntN(28))
		s.Predicate, s.Object = iri("born"), rdf.Literal(date, rdf.XSDDate)
		list = append(list, s)
		fraction := []string{"", ".250", ".000"}[random.IntN(3)]
		s.Predicate, s.Object = iri("at"), rdf.Literal(fmt.Sprintf("%sT%02d:%02d:%02d%sZ", date, random.IntN(24), random.IntN(60), random.IntN(60), fraction), rdf.XSDDateTime)
		list = append(list, s)
		// Integers at both ends of what ids hold, of which the least have no absolute value there.
		huge := []int64{-1 << 45, -1 << 44, 1<<45 - 1<<24 - 3, 7}[random.IntN(4)] + random.Int64N(3)
		s.Predicate, s.Object = iri("huge"), rdf.Literal(fmt.Sprint(huge), rdf.XSDInteger)
		list = append(list, s)
		s.Predicate, s.Object = iri("ratio"), rdf.Literal(fmt.Sprintf("%d.%dE0", 1+random.IntN(9), random.IntN(10)), rdf.XSDDouble)
		list = append(list, s)
	}
	return list
}

// TestEveryExpressionInEveryAnswer asks for each expression in each place of a query, behind each pattern: scans
// wherever one fits, scans where they are chosen, and SQL agree.
func TestEveryExpressionInEveryAnswer(t *testing.T) {
	testrun.Alone(t)
	path := filepath.Join(t.TempDir(), "grid.db")
	written, err := fileOf(t.Context(), path, datedGraph(rand.New(rand.NewPCG(7, 8)), 60))
	if err != nil {
		t.Fatal(err)
	}
	written.Close()
	var readers []*db.Reader
	for _, scans := range []db.Scans{db.ScansNever, db.ScansChosen, db.ScansAlways} {
		f, err := db.Open(t.Context(), path, db.Options{Scans: scans, ScanFailed: func(error, string) { t.Error("a scan failed") }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		readers = append(readers, read(t, f))
	}
	computed := 0
	for _, form := range expressionForms {
		for _, pattern := range valuePatterns {
			for _, e := range expressions {
				text := strings.NewReplacer("%e", e, "%p", pattern).Replace(form)
				want, _, err := solved(t.Context(), readers[0], text)
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				for _, r := range readers[1:] {
					got, _, err := solved(t.Context(), r, text)
					if err != nil {
						t.Fatalf("%s: %v", text, err)
					}
					if diff := gocmp.Diff(want, got); diff != "" {
						t.Fatalf("%s\n%s", text, diff)
					}
				}
				computed += computes(t, readers[2], text)
			}
		}
	}
	if computed < 2000 {
		t.Errorf("only %d queries compute in a scan", computed)
	}
}

// computes is 1 for a query with a scan that computes values.
func computes(t *testing.T, r *db.Reader, text string) int {
	t.Helper()
	plan := planOf(t, r, text)
	for i := range plan.Programs {
		if len(plan.Programs[i].Computed) > 0 {
			return 1
		}
	}
	return 0
}
