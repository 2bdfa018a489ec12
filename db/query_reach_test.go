package db_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"trails/db"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/rdf"
)

// ring is a file with n nodes in a circle.
func ring(t *testing.T, n int) *db.Reader {
	t.Helper()
	var quads []rdf.Quad
	for i := range n {
		quads = append(quads, q(fmt.Sprint("n", i), "next", rdf.IRI(fmt.Sprint("urn:test:n", (i+1)%n))))
	}
	f, err := fileOf(t.Context(), filepath.Join(t.TempDir(), "ring.db"), quads)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	r, err := f.Read(t.Context(), db.View{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// Walks from one node share what they have found, wherever each of them is.
func TestWalksGoOnBesideEachOther(t *testing.T) {
	r := ring(t, 40)
	for _, c := range []struct {
		query string
		rows  int
	}{
		{"SELECT * { :n0 :next+ ?x . ?x :next+ ?y }", 1600},
		{"SELECT * { :n0 :next* ?x . :n0 :next* ?y }", 1600},
		{"SELECT * { ?x :next+ ?y . ?y :next+ :n7 }", 1600},
		{"SELECT * { ?x :next ?y FILTER EXISTS { ?x :next+ ?z . ?z :next+ ?y } }", 40},
		{"SELECT * { { SELECT * { :n0 :next+ ?x } LIMIT 3 } :n0 :next+ ?y }", 120},
		{"SELECT * { ?x (:next|^:next)+ ?y }", 1600},
		{"SELECT * { ?x :next+ ?x }", 40},
	} {
		if n, err := run(ask(t, t.Context(), r, c.query, db.Limits{})); n != c.rows || err != nil {
			t.Errorf("%s\ngave %d rows and %v, want %d", c.query, n, err, c.rows)
		}
	}
}

// A walk that has found thousands of nodes has them as bits.
func TestALongWalk(t *testing.T) {
	r := ring(t, 9000)
	for _, query := range []string{"SELECT * { :n0 :next+ ?x }", "SELECT * { ?x :next+ :n0 }", "SELECT * { :n0 :next* ?x . ?x :next ?y }", "SELECT * { ?x :next ?y FILTER EXISTS { :n0 :next+ ?x } }"} {
		if n, err := run(ask(t, t.Context(), r, query, db.Limits{Bytes: 300_000})); n != 9000 || err != nil {
			t.Errorf("%s\ngave %d rows and %v, want 9000", query, n, err)
		}
	}
	if n, err := run(ask(t, t.Context(), r, "SELECT * { :n0 :next+ ?x FILTER NOT EXISTS { :n0 :next+ ?x } }", db.Limits{})); n != 0 || err != nil {
		t.Errorf("%d nodes are reached and are not, error %v", n, err)
	}
}

func TestAWalkIsBoundedByTheMemoryOfItsQuery(t *testing.T) {
	r := ring(t, 3000)
	limits := db.Limits{Bytes: 64 << 10}
	for _, c := range []struct {
		query string
		fits  bool
	}{
		{"SELECT * { :n0 :next+ ?x }", false},
		{"SELECT * { ?x :next+ :n0 }", false},
		{"SELECT * { :n0 :next+ ?x } LIMIT 100", true},
		{"ASK { :n0 :next+ :n100 }", true},
		{"ASK { :n0 :next+ :elsewhere }", false},
		{"SELECT * { ?x :next+ ?y } LIMIT 100", true},
		{"SELECT * { ?x :next* ?y } LIMIT 100", true},
	} {
		_, err := run(ask(t, t.Context(), r, c.query, limits))
		if c.fits && err != nil || !c.fits && !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s: got %v", c.query, err)
		}
	}
}

// Short walks from everywhere give their memory back: some hundred of them are more than is kept.
func TestWalksThatAreOverAreForgotten(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine takes 600,000 steps")
	}
	r := ring(t, 3000)
	n, err := run(ask(t, t.Context(), r, "SELECT * { ?x :next ?y . ?x (:next|^:next)+ ?z } LIMIT 600000", db.Limits{Bytes: 20 << 20}))
	if n != 600_000 || err != nil {
		t.Errorf("got %d rows and %v", n, err)
	}
}

func TestACancelledWalkStops(t *testing.T) {
	r := ring(t, 3000)
	for _, query := range []string{"SELECT * { ?x :next+ ?y }", "SELECT * { ?x :next ?y FILTER NOT EXISTS { ?x :next+ ?y . ?x :next+ :elsewhere } }"} {
		ctx, cancel := context.WithCancel(t.Context())
		var last error
		for _, err := range ask(t, ctx, r, query, db.Limits{}) {
			cancel()
			last = err
		}
		cancel()
		if !errors.Is(last, context.Canceled) {
			t.Errorf("%s\nended with %v, want a cancellation", query, last)
		}
	}
}

// The pairs of a large ring are counted without a list of them, in little memory, and until nobody waits any more.
func TestPairsOfARingAreCounted(t *testing.T) {
	r := ring(t, 20_000)
	for query, want := range map[string]string{
		"SELECT (COUNT(*) AS ?n) { ?a :next+ ?b }":                                                       `"400000000"`,
		"SELECT (COUNT(?a) AS ?n) { ?a (:next|^:next)* ?b }":                                             `"400000000"`,
		"SELECT (COUNT(DISTINCT ?a) AS ?n) { ?a :next+ ?b }":                                             `"20000"`,
		"SELECT (SUM(?n) AS ?all) { SELECT ?b (COUNT(DISTINCT ?a) AS ?n) { ?a :next+ ?b } GROUP BY ?b }": `"400000000"`,
		"SELECT (COUNT(*) AS ?n) { SELECT DISTINCT ?a { ?a :next+ ?b } }":                                `"20000"`,
		"SELECT (COUNT(*) AS ?n) { ?a :next+ ?a }":                                                       `"20000"`,
	} {
		lines, _, err := solved(t.Context(), r, query)
		if err != nil || len(lines) != 1 || !strings.Contains(lines[0], want) {
			t.Errorf("%s\ngave %s and %v, want %s", query, lines, err, want)
		}
		if _, err := run(ask(t, t.Context(), r, query, db.Limits{Bytes: 20_000 * 20})); !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s\nended with %v in little memory", query, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
		if _, err := run(ask(t, ctx, r, query, db.Limits{})); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s\nended with %v after its time", query, err)
		}
		cancel()
	}
}

// The grid of TestEveryAnswerOfAClosure: %s is a path.
var (
	closures      = []string{":one+", ":one*", "(:one|^:many)+", "^:many*", "(:size|^:size|:price|^:price)+", "(:one|:nothing)*"}
	closurePlaces = []string{
		"?a %s ?b", "?a %s ?a", "?a %s ?b . ?a :kind :K1", "?a %s ?b . ?b :size ?c", "?a %s ?b FILTER(?a != ?b)", "?a %s ?b FILTER(?b > 5)",
		"?a %s ?b FILTER NOT EXISTS { ?b :one ?c }", "?a :kind ?c FILTER EXISTS { ?a %s ?b }", "?c %s ?a FILTER EXISTS { ?a :kind ?b }", ":nowhere :one* ?a FILTER EXISTS { ?a %s ?b }",
		"?a :kind ?c MINUS { ?b %s ?a }", "GRAPH :g { ?a %s ?b }", "GRAPH :g { ?a %s ?a }", "GRAPH ?g { ?a %s ?b }", "?a %s ?b OPTIONAL { ?b :many ?c }", "?a :kind :K1 OPTIONAL { ?a %s ?b }",
		"{ ?a %s ?b } UNION { ?b :one ?a }", "?a %s ?b . ?a :one+ ?b", ":n1 %s ?a . ?a %s ?b", "?a %s ?b . ?b ?c ?d", "?a %s ?b BIND(STRLEN(STR(?b)) AS ?c)",
		"?a %s ?b BIND(?a = 7.0 AS ?c)",
	}
	closureForms = []string{
		"SELECT * { %s }", "SELECT (COUNT(*) AS ?n) { %s }", "SELECT (COUNT(?a) AS ?n) { %s }", "SELECT (COUNT(DISTINCT ?a) AS ?n) { %s }", "SELECT (COUNT(DISTINCT ?b) AS ?n) (COUNT(*) AS ?m) { %s }",
		"SELECT ?a (COUNT(*) AS ?n) { %s } GROUP BY ?a", "SELECT ?b (COUNT(?a) AS ?n) { %s } GROUP BY ?b", "SELECT ?b (COUNT(DISTINCT ?a) AS ?n) { %s } GROUP BY ?b HAVING(COUNT(DISTINCT ?a) > 2)",
		"SELECT DISTINCT ?a { %s }", "SELECT DISTINCT ?b ?a { %s }", "SELECT ?b { %s }", "SELECT (SUM(?c) AS ?n) { %s }", "SELECT ?a (MAX(?c) AS ?n) { %s } GROUP BY ?a", "ASK { %s }",
	}
)

// TestEveryAnswerOfAClosure asks in every form for closures in every place: scans wherever one fits, scans where they
// are chosen, and SQL agree, of the newest commit and of an earlier one.
func TestEveryAnswerOfAClosure(t *testing.T) {
	testrun.Alone(t)
	path := filepath.Join(t.TempDir(), "closures.db")
	random := rand.New(rand.NewPCG(7, 8))
	equal := []rdf.Quad{q("n1", "size", rdf.Literal("7", rdf.XSDInteger)), q("n1", "price", rdf.Literal("7.0", rdf.XSDDecimal))}
	first := sorted(append(scanGraph(random, 40), equal...))
	written, err := fileOf(t.Context(), path, first)
	if err != nil {
		t.Fatal(err)
	}
	earlier := written.LatestHead(t.Context(), nil).ID
	second := slices.DeleteFunc(sorted(scanGraph(random, 40)), func(q rdf.Quad) bool { return slices.Contains(first, q) })
	write(t, written, second, first[:len(first)/2])
	if err := written.Close(); err != nil {
		t.Fatal(err)
	}
	all := [...]db.Scans{db.ScansNever, db.ScansChosen, db.ScansAlways}
	var views [2][]*db.Reader
	for _, scans := range all {
		f, err := db.Open(t.Context(), path, db.Options{Scans: scans})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		past, err := f.Read(t.Context(), db.View{At: earlier})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { past.Close() })
		views[0], views[1] = append(views[0], read(t, f)), append(views[1], past)
	}
	asked, scanned := 0, 0
	for _, closure := range closures {
		for _, place := range closurePlaces {
			for _, form := range closureForms {
				text := fmt.Sprintf(form, strings.ReplaceAll(place, "%s", closure))
				for view, readers := range views {
					want, _, err := solved(t.Context(), readers[0], text)
					if err != nil {
						continue // too many rows
					}
					asked++
					for i, r := range readers[1:] {
						got, n, err := solved(t.Context(), r, text)
						if diff := gocmp.Diff(want, got); err != nil || diff != "" {
							t.Errorf("%s\nin view %d, with scans %d\n%v\n%s", text, view, all[i+1], err, diff)
						}
						scanned += min(n, 1)
					}
				}
			}
		}
	}
	if all := len(closures) * len(closurePlaces) * len(closureForms) * len(views); asked < all*9/10 || scanned < asked {
		t.Errorf("%d queries of %d were compared, with %d scans", asked, all, scanned)
	}
}
