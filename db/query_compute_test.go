package db_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
		"?s :size ?v . ?t :mixed ?w FILTER(?v + 1 = ?w)",
	}
	expressions = []string{
		"YEAR(?v)", "HOURS(?v)", "MONTH(?v) * 100 + DAY(?v)", "SECONDS(?v)", "TZ(?v)", "TIMEZONE(?v)", "FLOOR(YEAR(?v) / 10)", "ABS(?v)", "CEIL(?v / 3)", "ROUND(?v)", "?v / 7", "1 / ?v", "-?v", "?v + 0.5",
		"?v * 9999999999999", "?v * ?w", "STRLEN(?v)", "STRLEN(STR(?v))", "UCASE(?v)", `STRBEFORE(?v, " ")`, "CONCAT(STR(?v), STR(?w))", "STR(?s)", "IF(?v > 7, 1, 2)",
		`IF(?v > 7, ?v, "x")`, "COALESCE()", "COALESCE(?w, 0)", "COALESCE(?w, ?v)", "?v < ?w", "!(?v > 3)", "?v > 3 || ?w > 3", "DATATYPE(?v)", "LANG(?v)", "ISLITERAL(?v)", "ISIRI(?v)", "BOUND(?w)",
	}
	expressionForms = []string{
		"SELECT (SUM(%e) AS ?x) { %p }", "SELECT (AVG(%e) AS ?x) (COUNT(%e) AS ?y) { %p }", "SELECT (COUNT(DISTINCT %e) AS ?x) { %p }", "SELECT (MIN(%e) AS ?x) (MAX(%e) AS ?y) { %p }",
		"SELECT ?g (COUNT(*) AS ?x) { %p } GROUP BY (%e AS ?g)", "SELECT ?g (SUM(?v) AS ?x) { %p BIND(%e AS ?g) } GROUP BY ?g", "SELECT ?s (SUM(%e) AS ?x) { %p } GROUP BY ?s HAVING(SUM(%e) > 10)",
		"SELECT ?s (%e AS ?x) { %p }", "SELECT DISTINCT (%e AS ?x) { %p }", "SELECT (SUM(?g) AS ?x) { %p BIND(%e AS ?g) }", "SELECT (COUNT(*) AS ?x) { %p BIND(%e AS ?g) FILTER(?g > 5) }",
		"SELECT (COUNT(*) AS ?x) { %p FILTER(%e) }", "SELECT ?s ?v { %p FILTER((%e) = 7) }", "SELECT (COUNT(?s) AS ?x) { %p FILTER((%e) < 20 && (%e) != 3) }",
		"SELECT (COUNT(*) AS ?x) { %p BIND(%e AS ?g) OPTIONAL { ?s :one ?g } }", "SELECT (COUNT(*) AS ?x) { %p BIND(%e AS ?g) MINUS { ?s :one ?g } }",
		"SELECT ?k (COUNT(DISTINCT %e) AS ?x) (COUNT(%e) AS ?y) { %p . ?s :kind ?k } GROUP BY ?k", "SELECT (COUNT(DISTINCT ?g) AS ?x) (COUNT(DISTINCT ?h) AS ?y) { %p BIND(%e AS ?g) BIND(CONCAT(STR(?g), \"x\") AS ?h) }",
		"SELECT (COUNT(DISTINCT ?g) AS ?x) (MIN(?g) AS ?y) (STRLEN(GROUP_CONCAT(DISTINCT ?h; SEPARATOR=\"\")) AS ?z) { %p BIND(%e AS ?g) BIND(DATATYPE(?g) = DATATYPE(?v) AS ?h) }",
		"SELECT ?k (MIN(%e) AS ?x) (MAX(%e) AS ?y) (STRLEN(GROUP_CONCAT(STR(%e); SEPARATOR=\"+\")) AS ?z) { %p . ?s :kind ?k } GROUP BY ?k HAVING(MAX(%e) != \"x\")",
		"SELECT (MIN(?v) AS ?x) (MAX(?w) AS ?y) (STRLEN(GROUP_CONCAT(DISTINCT %e)) AS ?z) { %p }", "SELECT (GROUP_CONCAT(%e) AS ?x) (SAMPLE(%e) AS ?y) (SAMPLE(?w) AS ?z) { %p } GROUP BY ?s ?v ?w",
		"SELECT ?s ?v (%e AS ?x) { %p } ORDER BY (%e) ?s ?v ?w LIMIT 7", "SELECT ?s ?v ?w { %p } ORDER BY DESC(%e) DESC(?v) ?s ?w LIMIT 5 OFFSET 30",
		"SELECT ?s (COUNT(?t) AS ?n) { { SELECT ?s ?v { %p BIND(%e AS ?g) } ORDER BY ?g DESC(?s) ?v ?w LIMIT 9 } ?s :one ?t } GROUP BY ?s",
		"SELECT (COUNT(?x) AS ?n) (MIN(?x) AS ?y) { { SELECT ?s (MAX(%e) AS ?x) { %p } GROUP BY ?s } ?s :kind :K1 }",
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
		zone := []string{"", "Z", "+01:00", "-05:30"}[random.IntN(4)]
		s.Predicate, s.Object = iri("mixed"), rdf.Literal(date+"T01:02:03.5"+zone, rdf.XSDDateTime)
		list = append(list, s)
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
// wherever one fits, scans where they are chosen, and SQL agree, at the newest commit and, of every fifth query, at an
// earlier one.
func TestEveryExpressionInEveryAnswer(t *testing.T) {
	testrun.Alone(t)
	path := filepath.Join(t.TempDir(), "grid.db")
	random := rand.New(rand.NewPCG(7, 8))
	written, err := fileOf(t.Context(), path, datedGraph(random, 60))
	if err != nil {
		t.Fatal(err)
	}
	w, err := written.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	earlier := db.View{At: w.Head().ID}
	for i, q := range sorted(slices.Concat(datedGraph(random, 70), datedGraph(rand.New(rand.NewPCG(7, 8)), 60))) {
		change := w.Add
		if i%3 == 0 {
			change = w.Remove
		}
		if _, err := change(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Commit(t.Context(), db.CommitMeta{Time: epoch}, nil); err != nil {
		t.Fatal(err)
	}
	w.Close()
	written.Close()
	var readers, past []*db.Reader
	for _, scans := range []db.Scans{db.ScansNever, db.ScansChosen, db.ScansAlways} {
		f, err := db.Open(t.Context(), path, db.Options{Scans: scans, ScanFailed: func(error, string) { t.Error("a scan failed") }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		then, err := f.Read(t.Context(), earlier)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { then.Close() })
		readers, past = append(readers, read(t, f)), append(past, then)
	}
	asked, computed, sorted := 0, 0, 0
	agree := func(text string, readers []*db.Reader) {
		want, _, err := solved(t.Context(), readers[0], text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, r := range readers[1:] {
			got, _, err := solved(t.Context(), r, text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if diff := gocmp.Diff(roundedDoubles(want), roundedDoubles(got)); diff != "" {
				t.Fatalf("%s\n%s", text, diff)
			}
		}
	}
	for _, form := range expressionForms {
		for _, pattern := range valuePatterns {
			for _, e := range expressions {
				text := strings.NewReplacer("%e", e, "%p", pattern).Replace(form)
				agree(text, readers)
				if asked++; asked%5 == 0 { // which are others in each form
					agree(text, past)
				}
				computes, sorts := computes(t, readers[2], text)
				computed, sorted = computed+computes, sorted+sorts
			}
		}
	}
	if computed < 4000 || sorted < 300 {
		t.Errorf("only %d queries compute in a scan, and %d find the first rows in one", computed, sorted)
	}
}

var doubles = regexp.MustCompile(`"[^"]+"\^\^<http://www.w3.org/2001/XMLSchema#double>`)

// roundedDoubles has fewer digits of the doubles in an answer: the last ones of a sum depend on the order of its values.
func roundedDoubles(lines []string) []string {
	for i, line := range lines {
		lines[i] = doubles.ReplaceAllStringFunc(line, func(text string) string {
			value, err := strconv.ParseFloat(text[1:strings.LastIndexByte(text, '"')], 64)
			if err != nil {
				return text
			}
			return fmt.Sprintf("%.10g", value)
		})
	}
	return lines
}

// computes has 1 for a query with a scan that computes values, and for one with a scan that keeps the first rows.
func computes(t *testing.T, r *db.Reader, text string) (computed, sorted int) {
	t.Helper()
	plan := planOf(t, r, text)
	for i := range plan.Programs {
		computed = max(computed, min(1, len(plan.Programs[i].Computed)))
		sorted = max(sorted, min(1, len(plan.Programs[i].Order)))
	}
	return computed, sorted
}
