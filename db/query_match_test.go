package db_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trails/db"
	"trails/e2e/testrun"
	"trails/rdf"
)

// comparedValues are values of which some are equal without being the same term, and some neither equal nor different.
func comparedValues() (list []rdf.Term) {
	typed := func(datatype string, values ...string) {
		for _, v := range values {
			list = append(list, rdf.Literal(v, rdf.XSDNS+rdf.IRI(datatype)))
		}
	}
	typed("integer", "1", "01", "7", "-3", "0", "-0", "16777216", "16777217", "9007199254740993", "99999999999999999999", "x")
	typed("int", "7", "+7")
	typed("decimal", "1", "1.0", "0.1", "0.10", "7.0", "-3.0", "0.0", "0.1000000000000000000001", "1.0000000000000000000001", "16777217.0", "2251799813.685249", "9007199254.740992", "9007199254.740993", "9007199254.740994")
	typed("double", "1.0E0", "1", "0.1", "1.0E-1", "7.0E0", "-0.0E0", "0.0E0", "NaN", "INF", "1.6777217E7", "9.007199254740993E9", "9.007199254740992E15", "1e20")
	typed("float", "1", "0.1", "16777216", "NaN", "7.0")
	typed("boolean", "true", "1", "false", "0")
	typed("date", "2020-02-29", "2020-02-29Z", "2020-02-29+02:00", "2021-01-01", "12020-01-01")
	typed("dateTime", "2020-02-29T00:00:00Z", "2020-02-29T00:00:00.000Z", "2020-02-29T02:00:00+02:00", "2020-02-29T00:00:00", "2020-02-28T24:00:00Z", "2021-01-01T05:06:07.5Z")
	typed("dayTimeDuration", "PT1H", "PT60M")
	typed("anyURI", "http://example.org/", "1")
	typed("gYear", "2020", "2020Z")
	for _, text := range []string{"", "1", "7", "a", "A", "2020", "é", "e\u0301", "http://example.org/", "urn:test:n1"} {
		list = append(list, rdf.String(text), rdf.LangString{Value: rdf.String(text), Lang: "en"})
	}
	list = append(list, rdf.LangString{Value: "a", Lang: "de"}, iri("n1"), rdf.IRI("http://example.org/"), rdf.TypedString{Value: "1", Type: "urn:test:unknown"}, rdf.BNode("b"))
	return list
}

// TestEveryEqualityBetweenPatterns compares each value with each other by expressions of two patterns that share no
// variable: scans that look partners up by a key find what SQL finds pair by pair.
func TestEveryEqualityBetweenPatterns(t *testing.T) {
	testrun.Alone(t)
	path := filepath.Join(t.TempDir(), "equal.db")
	var list []rdf.Quad
	for i, v := range comparedValues() {
		list = append(list,
			rdf.Quad{Subject: iri(fmt.Sprint("l", i)), Predicate: iri("left"), Object: v},
			rdf.Quad{Subject: iri(fmt.Sprint("r", i)), Predicate: iri("right"), Object: v},
			rdf.Quad{Subject: iri(fmt.Sprint("r", i)), Predicate: iri("size"), Object: rdf.Literal(fmt.Sprint(i%5), rdf.XSDInteger)})
		if i%3 == 0 {
			list = append(list, rdf.Quad{Subject: iri(fmt.Sprint("m", i)), Predicate: iri("right"), Object: v})
		}
	}
	written, err := fileOf(t.Context(), path, list)
	if err != nil {
		t.Fatal(err)
	}
	written.Close()
	var readers []*db.Reader
	for _, scans := range []db.Scans{db.ScansNever, db.ScansAlways} {
		f, err := db.Open(t.Context(), path, db.Options{Scans: scans, ScanFailed: func(error, string) { t.Error("a scan failed") }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		readers = append(readers, read(t, f))
	}
	sides := []string{"?v", "STR(?v)", "LCASE(?v)", "?v + 0", "?v * 1.0", "YEAR(?v)", "STRLEN(STR(?v))", "DATATYPE(?v)", `CONCAT(STR(?v), "!")`, "IF(ISNUMERIC(?v), ?v, STR(?v))"}
	forms := []string{
		"SELECT ?a ?v ?b ?w { %p FILTER(%l = %r) }", "SELECT ?a ?b ?x { %p BIND(%l AS ?x) FILTER(?x = %r) }", "SELECT (COUNT(*) AS ?n) { %p FILTER(%r = %l) }", "SELECT ?b (COUNT(*) AS ?n) { %p FILTER(%l = %r) } GROUP BY ?b",
		"SELECT DISTINCT ?v { %p FILTER(%l = %r) }", "SELECT (COUNT(DISTINCT ?a) AS ?n) (COUNT(DISTINCT ?w) AS ?m) { %p BIND(%r AS ?x) FILTER(%l = ?x) }", "SELECT ?x (COUNT(?y) AS ?n) { %p BIND(%l AS ?x) BIND(%r AS ?y) FILTER(?x = ?y) } GROUP BY ?x",
		"SELECT (SUM(?i) AS ?n) { %p . ?b :size ?i FILTER(%l = %r && ?i > 1 && STR(?v) != STR(?w)) }", "SELECT (MIN(STR(?w)) AS ?least) (COUNT(*) AS ?n) { %p FILTER(%l = %r) FILTER(ISLITERAL(?v)) }",
	}
	asked, matched := 0, 0
	for i, form := range forms {
		for k, left := range sides {
			for n, right := range sides {
				if i > 2 && (i+k+n)%4 > 0 {
					continue
				}
				text := strings.NewReplacer("%p", "?a :left ?v . ?b :right ?w", "%l", left, "%r", strings.ReplaceAll(right, "?v", "?w")).Replace(form)
				want, _, err := solved(t.Context(), readers[0], text)
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				got, _, err := solved(t.Context(), readers[1], text)
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Fatalf("%s\n%s", text, diff)
				}
				plan := planOf(t, readers[1], text)
				asked++
				for i := range plan.Programs {
					if plan.Programs[i].Match != nil {
						matched++
						break
					}
				}
			}
		}
	}
	if matched < asked*9/10 {
		t.Errorf("only %d of %d queries look partners up", matched, asked)
	}
}
