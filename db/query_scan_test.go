package db_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trails/db"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/rdf"
	"trails/sparql"
)

// scanGraph is a graph with properties of many kinds: links with hubs, one value and many,
// numbers in one region and in two, labels, some of several pages; in the default graph and
// in a named one. Its indexes have several levels.
func scanGraph(random *rand.Rand, n int) (list []rdf.Quad) {
	node := func(i int) rdf.IRI { return iri(fmt.Sprint("n", i)) }
	hub := func() rdf.IRI { return node(int(float64(n) * random.Float64() * random.Float64() * random.Float64())) }
	number := func(i int, datatype rdf.IRI) rdf.Term { return rdf.Literal(fmt.Sprint(i), datatype) }
	seen := map[rdf.Quad]bool{}
	add := func(q rdf.Quad) {
		if random.IntN(5) == 0 {
			q.Label = iri("g")
		}
		if !seen[q] {
			seen[q] = true
			list = append(list, q)
		}
	}
	for i := range n {
		s := rdf.Quad{Subject: node(i)}
		said := func(p string, o rdf.Term) { s.Predicate, s.Object = iri(p), o; add(s) }
		said("kind", iri(fmt.Sprint("K", random.IntN(3))))
		if random.IntN(3) > 0 {
			said("one", hub())
		}
		for range random.IntN(4) {
			said("many", hub())
		}
		if random.IntN(4) > 0 {
			said("size", number(random.IntN(50)-10, rdf.XSDInteger))
		}
		if random.IntN(2) > 0 {
			said("price", rdf.Literal(fmt.Sprintf("%d.%d", random.IntN(20), random.IntN(10)), rdf.XSDDecimal))
		}
		if random.IntN(2) > 0 {
			said("mixed", rdf.String(fmt.Sprint(random.IntN(30))))
			said("mixed", number(random.IntN(30), rdf.XSDInteger))
		}
		if random.IntN(2) > 0 {
			text := fmt.Sprint("Nr ", random.IntN(200), strings.Repeat(" long", random.IntN(2)*random.IntN(2)*random.IntN(2)*1200))
			said("label", rdf.LangString{Value: rdf.String(text), Lang: []string{"en", "de"}[random.IntN(2)]})
		}
	}
	return list
}

// drawScan draws a query that a scan may answer, or parts of it.
func drawScan(t *rapid.T, nodes int) string {
	vars := []string{"?a", "?b", "?c", "?d"}
	predicates := []string{"kind", "one", "many", "size", "price", "mixed", "label"}
	end := func(p, v string) string {
		if rapid.IntRange(0, 5).Draw(t, "constant") > 0 {
			return v
		}
		switch p {
		case "kind":
			return ":K1"
		case "size":
			return "7"
		case "price":
			return "3.4"
		case "mixed":
			return `"5"`
		}
		return fmt.Sprint(":n", rapid.IntRange(-1, nodes/3).Draw(t, "node")) // there is no :n-1
	}
	pattern := func(from, to string) string {
		p := rapid.SampledFrom(predicates).Draw(t, "predicate")
		if rapid.Bool().Draw(t, "turned") && (p == "one" || p == "many") {
			from, to = to, from
		}
		path := ":" + p
		if (p == "one" || p == "many") && rapid.IntRange(0, 7).Draw(t, "path") == 0 {
			path = rapid.SampledFrom([]string{":one+", "^:one*", "(:one|^:many)+", ":many+"}).Draw(t, "closure")
		}
		if rapid.IntRange(0, 9).Draw(t, "open") == 0 {
			path = rapid.SampledFrom([]string{"?p", "?p", "?p", "?q", "?b"}).Draw(t, "predicates")
		}
		return from + " " + path + " " + end(p, to) + " . "
	}
	if rapid.IntRange(0, 19).Draw(t, "all of few") == 0 {
		few := fmt.Sprintf(":n%d %s ?a . ", rapid.IntRange(0, nodes/3).Draw(t, "node"), rapid.SampledFrom([]string{":many", "^:one"}).Draw(t, "of"))
		return rapid.SampledFrom([]string{
			"SELECT ?p (COUNT(*) AS ?n) { " + few + "?a ?p ?b } GROUP BY ?p", "SELECT DISTINCT ?a ?p { " + few + "?a ?p ?b }", "SELECT DISTINCT ?p { " + few + "?b ?p ?a }",
		}).Draw(t, "all")
	}
	// Patterns hang together, by and large: what does not is too much.
	group := func() string {
		text, used := "", 1
		for range rapid.IntRange(1, 4).Draw(t, "patterns") {
			from := rapid.IntRange(0, used-1).Draw(t, "from")
			to := rapid.IntRange(0, min(used, len(vars)-1)).Draw(t, "to")
			subject := vars[from]
			if rapid.IntRange(0, 9).Draw(t, "known") == 0 {
				subject = fmt.Sprint(":n", rapid.IntRange(-1, 9).Draw(t, "node"))
			}
			text += pattern(subject, vars[to])
			used = max(used, to+1)
		}
		return text
	}
	computed := func(v string) string {
		other := rapid.SampledFrom(vars).Draw(t, "other value")
		return strings.NewReplacer("?v", v, "?w", other).Replace(rapid.SampledFrom(append([]string{"?v", "7", "?w"}, expressions...)).Draw(t, "expression"))
	}
	body := group()
	if rapid.IntRange(0, 9).Draw(t, "matched") == 0 { // by an equality alone
		body = pattern("?a", "?b") + pattern("?c", "?d") + "FILTER(" + computed(rapid.SampledFrom([]string{"?a", "?b"}).Draw(t, "one")) + " = " + computed(rapid.SampledFrom([]string{"?c", "?d"}).Draw(t, "other")) + ") "
	}
	if len(varsOf(body)) == 0 {
		return "SELECT * { " + body + "}"
	}
	for range rapid.IntRange(0, 2).Draw(t, "conditions") {
		v := rapid.SampledFrom(varsOf(body)).Draw(t, "tested")
		switch rapid.IntRange(0, 12).Draw(t, "condition") {
		case 0:
			body += fmt.Sprintf("FILTER(%s > %d) ", v, rapid.IntRange(-10, 40).Draw(t, "bound"))
		case 1:
			body += fmt.Sprintf("FILTER(%s <= 12.5 && %s != 3) ", v, v)
		case 2:
			body += "FILTER NOT EXISTS { " + pattern(v, "?x") + " } "
		case 3:
			body += "FILTER EXISTS { " + pattern("?x", v) + pattern("?x", "?y") + " } "
		case 4:
			body += "MINUS { " + pattern(v, "?x") + "FILTER(?x > 5) } "
		case 5:
			body += "FILTER NOT EXISTS { " + pattern(v, "?a") + " } "
		case 6:
			body += "MINUS { " + pattern(v, "?x") + pattern("?x", "?a") + " } "
		case 7:
			optional := pattern(v, rapid.SampledFrom([]string{"?d", "?z"}).Draw(t, "optional"))
			if rapid.Bool().Draw(t, "star") {
				optional += pattern(v, "?y")
			}
			if rapid.Bool().Draw(t, "further") {
				optional += pattern("?z", "?y")
			}
			body += "OPTIONAL { " + optional + rapid.SampledFrom([]string{"", "", "FILTER(?z > 5)", "FILTER(?z != ?a)"}).Draw(t, "fits") + " } "
		case 11:
			body += fmt.Sprintf(rapid.SampledFrom([]string{"%s", "%s", "{ %s} "}).Draw(t, "group"), "BIND("+computed(v)+" AS ?f) ")
		case 12:
			body += "FILTER(" + computed(v) + rapid.SampledFrom([]string{" = ", " < ", " != "}).Draw(t, "compared") + computed(v) + ") "
		case 10:
			body += fmt.Sprintf("FILTER(%s %s %s) ", v, rapid.SampledFrom([]string{"!=", "!=", "="}).Draw(t, "equal"), rapid.SampledFrom(vars).Draw(t, "other"))
		case 8, 9: // of terms
			test := "FILTER(" + strings.ReplaceAll(rapid.SampledFrom([]string{
				`CONTAINS(?v, "1")`, `STRSTARTS(STR(?v), "urn:test:n1")`, `LANG(?v) = "de"`, `LANG(?v) = ""`, `?v = "5"`, `?v != "5"`, `?v = 7`, `?v != 7`,
				`?v > "3"`, `REGEX(STR(?v), "^(Nr )?1.*2$")`, `isIRI(?v)`, `STRLEN(STR(?v)) > 4`, `DATATYPE(?v) = <http://www.w3.org/2001/XMLSchema#integer>`,
				`?v IN ("5", "6", :K1, 7)`, `?v IN ("5", "no such", :K1) || ?v = "7"`, `?v * 2 < 20`, `CONTAINS(LCASE(?v), "nr 1") || ?v = :K2`, `CONTAINS(LCASE(?v), "nr 1")`, `STRSTARTS(LCASE(STR(?v)), "urn:test:n1")`, `LCASE(LANG(?v)) = "de"`, `?v`, `BOUND(?v)`, `LANGMATCHES(LANG(?v), "*")`,
				`RAND() < 2 && STRLEN(STR(?v)) < 100`, `STRLEN(?v) > 1000`,
			}).Draw(t, "test"), "?v", v) + ") "
			switch rapid.IntRange(0, 5).Draw(t, "inside") {
			case 0:
				test = "{ " + test + "} "
			case 1:
				test = "{ " + pattern("?a", v) + test + "} "
			}
			body += test
		}
	}
	if rapid.IntRange(0, 4).Draw(t, "named") == 0 {
		body = "GRAPH :g { " + body + "} "
	}
	if rapid.IntRange(0, 5).Draw(t, "union") == 0 {
		body = "{ " + body + "} UNION { " + group() + "} "
		of := rapid.SampledFrom(varsOf(body)).Draw(t, "of either")
		switch rapid.IntRange(0, 7).Draw(t, "around") {
		case 0:
			body += "MINUS { " + pattern(of, "?x") + "} "
		case 1:
			body += "OPTIONAL { " + pattern(of, "?z") + "} "
		case 2:
			body += "FILTER NOT EXISTS { " + pattern(of, "?x") + "} "
		case 3:
			body += "BIND(" + computed(of) + " AS ?f) "
		case 4:
			body += pattern("?a", of)
		}
	}
	if rapid.IntRange(0, 5).Draw(t, "joined") == 0 {
		body += "{ SELECT ?a (COUNT(*) AS ?n) { " + group() + "} GROUP BY ?a } "
	}
	// What is asked for is mostly in the body: of a variable that is not, no scan can be made.
	asked := append(varsOf(body), "?d")
	any := func() string { return rapid.SampledFrom(asked).Draw(t, "asked") }
	aggregates := strings.NewReplacer("?x", any(), "?y", any(), "?z", any()).Replace(rapid.SampledFrom([]string{
		"(COUNT(*) AS ?all)", "(COUNT(?x) AS ?some)", "(COUNT(*) AS ?all) (COUNT(?x) AS ?some)", "(COUNT(DISTINCT ?x) AS ?different)",
		"(COUNT(DISTINCT ?x) AS ?different) (MIN(?y) AS ?least) (MAX(?z) AS ?most)", "(MIN(?x) AS ?least) (MAX(?x) AS ?most)", "(SUM(?x) AS ?sum) (COUNT(?y) AS ?some)",
		"(MIN(STR(?x)) AS ?least) (MAX(LCASE(STR(?y))) AS ?most)", "(STRLEN(GROUP_CONCAT(?x; SEPARATOR=\"--\")) AS ?long) (MAX(?y) AS ?most)", "(COUNT(DISTINCT UCASE(STR(?x))) AS ?different) (STRLEN(GROUP_CONCAT(DISTINCT STR(?y))) AS ?long)",
		"(SUM(?x * 2) AS ?sum) (COUNT(?x + ?y) AS ?some) (COUNT(DISTINCT STR(?z)) AS ?different)", "(AVG(ABS(?x)) AS ?mean) (MAX(STRLEN(STR(?y))) AS ?most)",
		"(COUNT(*) AS ?all) (COUNT(?x) AS ?some) (COUNT(DISTINCT ?x) AS ?different) (SUM(?y) AS ?sum) (AVG(?y) AS ?mean) (MIN(?z) AS ?least) (MAX(?z) AS ?most)",
	}).Draw(t, "aggregates"))
	by := any()
	if other := any(); rapid.IntRange(0, 3).Draw(t, "two keys") == 0 && other != by {
		by += " " + other
	}
	switch rapid.IntRange(0, 5).Draw(t, "form") {
	case 0:
		return "SELECT * { " + body + "}"
	case 1:
		return "SELECT DISTINCT " + by + " { " + body + "}"
	case 2:
		return "SELECT " + by + " { " + body + "}"
	case 3:
		return "SELECT " + aggregates + " { " + body + "}"
	case 4:
		return "SELECT " + by + " " + aggregates + " { " + body + "} GROUP BY " + by
	}
	return "SELECT " + by + " " + rapid.SampledFrom([]string{"(COUNT(*) AS ?all)", "(COUNT(*) AS ?all) (SUM(?a) AS ?sum)"}).Draw(t, "sum") + " { " + body + "} GROUP BY " + by + " HAVING(COUNT(*) > 1 && COUNT(*) <= 40)"
}

var variable = regexp.MustCompile(`\?[a-z]+`)

// varsOf are the variables of a text, each once.
func varsOf(text string) []string {
	vars := variable.FindAllString(text, -1)
	slices.Sort(vars)
	return slices.Compact(vars)
}

// solved are the sorted solutions of a query; the error when it has too many.
func solved(ctx context.Context, r *db.Reader, text string) (lines []string, scans int, err error) {
	q, err := sparql.Parse("PREFIX : <urn:test:>\n"+text, sparql.Options{})
	if err != nil {
		return nil, 0, err
	}
	plan, err := r.Plan(ctx, q.Op, q.Vars, q.Dataset, q.Base)
	if err != nil {
		return nil, 0, err
	}
	for row, err := range r.Run(ctx, plan, db.Limits{Rows: 5_000}) {
		if err != nil {
			return nil, 0, err
		}
		lines = append(lines, fmt.Sprint(row))
	}
	slices.Sort(lines)
	return lines, strings.Count(plan.SQL, "t_scan "), nil
}

// TestScansAgreeWithSQL holds scans to what SQL finds: in a snapshot, inside a write, and in
// a snapshot that is older than a commit.
func TestScansAgreeWithSQL(t *testing.T) {
	testrun.Alone(t)
	const nodes = 600
	path := filepath.Join(t.TempDir(), "scans.db")
	random := rand.New(rand.NewPCG(1, 2))
	written, err := fileOf(t.Context(), path, scanGraph(random, nodes))
	if err != nil {
		t.Fatal(err)
	}
	defer written.Close()
	open := func(scans db.Scans) *db.File {
		f, err := db.Open(t.Context(), path, db.Options{Scans: scans})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	bySQL, always := open(db.ScansNever), open(db.ScansAlways)
	before, oldScans := read(t, bySQL), read(t, always)
	w, err := always.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, q := range sorted(scanGraph(random, nodes/2)) {
		if _, err := w.Add(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	var texts []string
	inWrite := map[string][]string{}
	scans, rows := 0, 0
	inTime := func(r *db.Reader, text string) ([]string, int, error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return solved(ctx, r, text)
	}
	agrees := func(rt *rapid.T, text string) {
		want, _, err := inTime(before, text)
		if err != nil {
			return // too many rows, or too long
		}
		got, n, err := inTime(oldScans, text)
		if errors.Is(err, context.DeadlineExceeded) {
			return
		}
		if err != nil {
			rt.Fatalf("%s\n%v", text, err)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			rt.Fatalf("%s\n%s", text, diff)
		}
		scans, rows = scans+n, rows+len(got)
		if got, _, err := inTime(w.Reader, text); err == nil {
			texts = append(texts, text)
			inWrite[text] = got
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		for range 10 {
			agrees(rt, drawScan(rt, nodes))
		}
	})
	if scans < 30 || rows < 1000 {
		t.Errorf("only %d scans with %d rows", scans, rows)
	}
	if _, err := w.Commit(t.Context(), db.CommitMeta{Time: time.Unix(0, 0)}, nil); err != nil {
		t.Fatal(err)
	}
	after := read(t, bySQL)
	for _, text := range texts {
		want, _, err := inTime(after, text)
		if err != nil {
			continue
		}
		if diff := gocmp.Diff(want, inWrite[text]); diff != "" {
			t.Fatalf("inside the write: %s\n%s", text, diff)
		}
	}
}

// The grid of TestEveryAnswerOfAnOptional: ?s has a value by the first patterns, ?o and ?x have
// theirs by one OPTIONAL or two.
var (
	firstPatterns = []string{
		"?s :kind :K1 .", "?s :kind :K1 . ?s :mixed \"5\" .", ":n1 :many+ ?s .", "?s :one ?t .", "?s :kind ?t . ?s :size ?u FILTER(?u > 7)",
		"?s :kind :K1 FILTER EXISTS { ?s :one ?e }", "?s :kind :K1 FILTER NOT EXISTS { ?s :one ?e . ?e :kind :K2 }", "?s :kind :K1 MINUS { ?s :size 7 }", "?s ?t ?u .",
	}
	optionals = []string{
		"OPTIONAL { ?s :many ?o }", "OPTIONAL { ?o :many ?s }", "OPTIONAL { ?s :one ?o }", "OPTIONAL { ?s :size ?o }", "OPTIONAL { ?s :one :n1 }",
		"OPTIONAL { ?s :many ?o } OPTIONAL { ?x :one ?s }", "OPTIONAL { ?o :one ?s } OPTIONAL { ?x :one ?s }", "OPTIONAL { ?s :size ?o } OPTIONAL { ?s :price ?x }",
		"OPTIONAL { ?s :many ?o . ?o :size ?x }", "OPTIONAL { ?s :size ?o FILTER(?o > 20) }", "OPTIONAL { ?s :one ?o OPTIONAL { ?o :one ?x } }",
		"OPTIONAL { ?s :many ?o } FILTER(!BOUND(?o))", "OPTIONAL { ?s :size ?o } FILTER(?o < 20)", "OPTIONAL { ?s :one ?o } OPTIONAL { ?o :one ?x }",
		"{ ?s :many ?o } UNION { ?s :one ?o }", "{ ?s :size ?o } UNION { ?x :one ?s . ?x :many ?o }", "{ ?s :one ?o OPTIONAL { ?o :many ?x } } UNION { ?s :many ?x } MINUS { ?s :size 7 }",
		"{ ?s :size ?o FILTER(?o > 20) } UNION { ?s :size ?o } UNION { ?s :mixed ?x }",
	}
	answerForms = []string{
		"SELECT (COUNT(*) AS ?n) { %s }", "SELECT (COUNT(?s) AS ?n) { %s }", "SELECT (COUNT(?o) AS ?n) { %s }", "SELECT (COUNT(?x) AS ?n) (COUNT(*) AS ?m) { %s }",
		"SELECT (COUNT(DISTINCT ?o) AS ?n) { %s }", "SELECT (COUNT(DISTINCT ?s) AS ?n) (COUNT(?o) AS ?m) { %s }", "SELECT DISTINCT ?o { %s }", "SELECT DISTINCT ?s ?x { %s }",
		"SELECT ?s (COUNT(*) AS ?n) { %s } GROUP BY ?s", "SELECT ?o (COUNT(*) AS ?n) { %s } GROUP BY ?o", "SELECT ?o ?x (COUNT(?s) AS ?n) { %s } GROUP BY ?o ?x", "SELECT ?s { %s }", "SELECT ?s ?o ?x { %s }",
		"SELECT (MIN(?s) AS ?n) (MAX(?s) AS ?m) { %s }", "SELECT (MIN(?o) AS ?n) (MAX(?o) AS ?m) { %s }", "SELECT (SUM(?o) AS ?n) { %s }", "SELECT ?s (SUM(?o) AS ?n) (COUNT(?x) AS ?m) { %s } GROUP BY ?s",
		"SELECT ?o (SAMPLE(?s) AS ?n) { %s } GROUP BY ?o HAVING(COUNT(*) > 2)", "ASK { %s }",
	}
)

// TestEveryAnswerOfAnOptional asks in every form for what one OPTIONAL or two find, or a UNION, behind first
// patterns of every kind: scans wherever one fits, scans where they are chosen, and SQL agree.
func TestEveryAnswerOfAnOptional(t *testing.T) {
	testrun.Alone(t)
	path := filepath.Join(t.TempDir(), "grid.db")
	written, err := fileOf(t.Context(), path, scanGraph(rand.New(rand.NewPCG(5, 6)), 300))
	if err != nil {
		t.Fatal(err)
	}
	defer written.Close()
	readers := map[db.Scans]*db.Reader{}
	for _, scans := range []db.Scans{db.ScansNever, db.ScansChosen, db.ScansAlways} {
		f, err := db.Open(t.Context(), path, db.Options{Scans: scans})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		readers[scans] = read(t, f)
	}
	asked, scanned := 0, 0
	for _, first := range firstPatterns {
		for _, optional := range optionals {
			for _, form := range answerForms {
				text := fmt.Sprintf(form, first+" "+optional)
				want, _, err := solved(t.Context(), readers[db.ScansNever], text)
				if err != nil {
					continue // too many rows
				}
				for _, scans := range []db.Scans{db.ScansChosen, db.ScansAlways} {
					got, n, err := solved(t.Context(), readers[scans], text)
					if diff := gocmp.Diff(sampled(form, want), sampled(form, got)); err != nil || diff != "" {
						t.Errorf("%s\n%v\n%s", text, err, diff)
					}
					scanned += min(n, 1)
				}
				asked++
			}
		}
	}
	if all := len(firstPatterns) * len(optionals) * len(answerForms); asked < all*9/10 || scanned < asked/2 {
		t.Errorf("%d queries of %d were compared, of which scans answered %d", asked, all, scanned)
	}
}

// sampled are the rows of an answer, or how many they are where they have any one of several values.
func sampled(form string, rows []string) any {
	if strings.Contains(form, "SAMPLE") {
		return len(rows)
	}
	return rows
}

// A pattern that reads nothing is no scan, alone and as a side of a union.
func TestAPatternWithoutStepsIsNoScan(t *testing.T) {
	r := hubOf(t, 3)
	for text, want := range map[string]int{
		"SELECT DISTINCT * { }": 1, "SELECT (COUNT(*) AS ?n) { }": 1, "SELECT DISTINCT ?s { { } UNION { ?s :to ?h } }": 4,
		"SELECT DISTINCT ?s { ?s :to ?h FILTER EXISTS { } }": 3, "SELECT ?h (COUNT(*) AS ?n) { { ?s :to ?h } UNION { } } GROUP BY ?h": 2,
	} {
		rows, _, err := solved(t.Context(), r, text)
		if err != nil || len(rows) != want {
			t.Errorf("%s has %d rows, want %d: %v", text, len(rows), want, err)
		}
	}
}

// hubOf is a file in which n nodes link to one.
func hubOf(t *testing.T, n int) *db.Reader {
	t.Helper()
	var quads []rdf.Quad
	for i := range n {
		quads = append(quads, q(fmt.Sprint("n", i), "to", iri("hub")))
	}
	f, err := fileWith(t.Context(), filepath.Join(t.TempDir(), "hub.db"), quads, db.Options{Scans: db.ScansAlways})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return read(t, f)
}

// TestAScanCountsWhatItNeverJoins counts paths through a hub, more of them than anybody could
// go, and more than a number can say.
func TestAScanCountsWhatItNeverJoins(t *testing.T) {
	r := hubOf(t, 4000)
	for text, want := range map[string]string{
		"SELECT (COUNT(*) AS ?n) { ?a :to ?h . ?b :to ?h . ?c :to ?h }":                                        "64000000000",
		"SELECT ?h (COUNT(?c) AS ?n) { ?a :to ?h . ?b :to ?h . ?c :to ?h } GROUP BY ?h":                        "64000000000",
		"SELECT (COUNT(?d) AS ?n) { ?a :to ?h . ?b :to ?h OPTIONAL { ?c :to ?h } OPTIONAL { ?h :to ?d } }":     "0",
		"SELECT (COUNT(*) AS ?n) { ?a :to ?h . ?b :to ?h OPTIONAL { ?c :to ?h } OPTIONAL { ?h :to ?d } }":      "64000000000",
		"SELECT (COUNT(*) AS ?n) { { SELECT DISTINCT ?h { ?a :to ?h . ?b :to ?h . ?c :to ?h . ?d :to ?h } } }": "1",
		"SELECT (COUNT(*) AS ?n) { ?x :to ?y FILTER NOT EXISTS { ?a :to ?y . ?b :to ?y . ?c :to ?y } }":        "0",
	} {
		lines, scans, err := solved(t.Context(), r, text)
		if err != nil || scans == 0 || len(lines) != 1 || !strings.Contains(lines[0], `"`+want+`"`) {
			t.Errorf("%s\n%s by %d scans, error %v, want %s", text, lines, scans, err, want)
		}
	}
	for _, text := range []string{
		"SELECT (COUNT(*) AS ?n) { ?a :to ?h . ?b :to ?h . ?c :to ?h . ?d :to ?h }",
		"SELECT (COUNT(*) AS ?n) { ?a :to ?h . ?b :to ?h . ?c :to ?h . ?d :to ?h . ?e :to ?h . ?f :to ?h . ?g :to ?h . ?i :to ?h }",
	} {
		if lines, _, err := solved(t.Context(), r, text); !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s\n%s, error %v, want that it is too large", text, lines, err)
		}
	}
}

// TestAScanIsCancelled goes 64,000,000,000 paths through a hub, which no page is read for.
func TestAScanIsCancelled(t *testing.T) {
	r := hubOf(t, 4000)
	for _, text := range []string{
		"SELECT (COUNT(*) AS ?n) { ?a :to ?h . ?b :to ?h . ?c :to ?h FILTER(?a != ?b && ?b != ?c && ?c != ?a) }",
		"SELECT DISTINCT ?h { ?a :to ?h . ?b :to ?h . ?c :to ?h FILTER(?a != ?b && ?b != ?c && ?c != ?a) }",
		"SELECT (SUM(?c) AS ?n) { ?a :to ?h . ?b :to ?h . ?c :to ?h }",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		began := time.Now()
		_, err := run(ask(t, ctx, r, text, db.Limits{}))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s\nended with %v, want a cancellation", text, err)
		}
		t.Logf("%s: %v", text, time.Since(began).Round(time.Millisecond))
	}
	if n, err := run(ask(t, t.Context(), r, "SELECT ?a { ?a :to ?h . ?h2 :to ?h } LIMIT 5", db.Limits{})); n != 5 || err != nil {
		t.Errorf("%d rows, error %v behind a query that was cancelled", n, err)
	}
}

// TestAScanHoldsNoMoreThanItMay asks for tables, sets and groups that are larger than the
// memory of the query.
func TestAScanHoldsNoMoreThanItMay(t *testing.T) {
	r := hubOf(t, 4000)
	for _, text := range []string{
		"SELECT (COUNT(*) AS ?n) { ?a :to ?h . ?b :to ?h }",
		"SELECT ?a (COUNT(*) AS ?n) { ?a :to ?h } GROUP BY ?a",
		"SELECT DISTINCT ?a ?h { ?a :to ?h }",
		"SELECT (COUNT(*) AS ?n) { ?a :to :hub . ?a :to ?h FILTER EXISTS { ?a :to :hub } }",
	} {
		if _, err := run(ask(t, t.Context(), r, text, db.Limits{Bytes: 1000})); !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s\nended with %v", text, err)
		}
		if n, err := run(ask(t, t.Context(), r, text, db.Limits{Bytes: 1 << 20})); n == 0 || err != nil {
			t.Errorf("%s\n%d rows, error %v", text, n, err)
		}
	}
	// What is computed from values is more than the ids beside it.
	for _, text := range []string{
		"SELECT (COUNT(DISTINCT UCASE(STR(?a))) AS ?n) { ?a :to ?h }",
		`SELECT (GROUP_CONCAT(?a; SEPARATOR=" ` + strings.Repeat("-", 100) + ` ") AS ?n) { ?a :to ?h }`,
		"SELECT ?a (MAX(STR(?a)) AS ?n) { ?a :to ?h } GROUP BY ?a",
	} {
		if _, err := run(ask(t, t.Context(), r, text, db.Limits{Bytes: 300_000})); !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s\nended with %v", text, err)
		}
		if n, err := run(ask(t, t.Context(), r, text, db.Limits{Bytes: 2 << 20})); n == 0 || err != nil {
			t.Errorf("%s\n%d rows, error %v", text, n, err)
		}
	}
}

// TestAScanOfADamagedPageIsRefused makes the first leaf of an index one whose cells lie
// outside of it.
func TestAScanOfADamagedPageIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "damaged.db")
	var quads []rdf.Quad
	for i := range 3000 {
		quads = append(quads, q(fmt.Sprint("n", i), "to", iri(fmt.Sprint("m", i%7))))
	}
	f, err := fileOf(t.Context(), path, quads)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := sqlite.OpenConn(path)
	if err != nil {
		t.Fatal(err)
	}
	root := 0
	err = sqlitex.ExecuteTransient(c, "SELECT rootpage FROM sqlite_schema WHERE name = 'live_pos'", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		root = s.ColumnInt(0)
		return nil
	}})
	if err := errors.Join(err, c.Close()); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const size = 4096
	page := func(n int) []byte { return file[(n-1)*size : n*size] }
	first := binary.BigEndian.Uint16(page(root)[12:])
	leaf := page(int(binary.BigEndian.Uint32(page(root)[first:])))
	for i := 8; i < 200; i++ {
		leaf[i] = 0xff
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err = db.Open(t.Context(), path, db.Options{Scans: db.ScansAlways}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	r := read(t, f)
	for _, text := range []string{"SELECT (COUNT(*) AS ?n) { ?a :to ?h }", "SELECT ?h (COUNT(*) AS ?n) { ?a :to ?h } GROUP BY ?h"} {
		if _, err := run(ask(t, t.Context(), r, text, db.Limits{})); !fault.Is(err, fault.Unusable) {
			t.Errorf("%s\nended with %v", text, err)
		}
	}
}

// An explanation of a scan has the rows that its steps really have beside the estimate.
func TestExplainRunsScans(t *testing.T) {
	quads := []rdf.Quad{q("a", "kind", iri("K")), q("b", "kind", iri("K")), q("c", "kind", iri("L")), q("a", "one", iri("b")), q("c", "one", iri("a"))}
	f, err := fileWith(t.Context(), filepath.Join(t.TempDir(), "graph.db"), quads, db.Options{Scans: db.ScansAlways})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	parsed, err := sparql.Parse(`SELECT ?a { ?a <urn:test:one> ?b . ?a <urn:test:kind> <urn:test:K> }`, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := read(t, f)
	plan, err := r.Plan(t.Context(), parsed.Op, parsed.Vars, parsed.Dataset, parsed.Base)
	if err != nil {
		t.Fatal(err)
	}
	e, err := r.Explain(t.Context(), plan, db.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`(?s)t_scan 0 reads\n.* about \d+ rows of which 1 pass, each row in turn\n.* about \d+ rows of which 2 pass, into a set\n`)
	if !want.MatchString(e.SQL) || e.Rows != 1 {
		t.Errorf("explained as\n%s", e.SQL)
	}
}

// TestAnOptionalWalkKeepsItsLeftSide has a left side that is no node of the graph: no walk to it
// is a solution, though it may stay there where its end is given.
func TestAnOptionalWalkKeepsItsLeftSide(t *testing.T) {
	r := hubOf(t, 3)
	for _, text := range []string{"SELECT * { ?d :to? :nowhere OPTIONAL { ?e :to* ?d } }", "SELECT DISTINCT ?d { :nowhere :to* ?d }"} {
		if lines, _, err := solved(t.Context(), r, text); err != nil || len(lines) != 1 || !strings.Contains(lines[0], "nowhere") {
			t.Errorf("%s gave %s, error %v", text, lines, err)
		}
	}
}
