package querykit_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"trails/db/querykit"
	"trails/kg"
)

// unordered are queries without ORDER BY that have up to a billion rows.
var unordered = []struct{ name, query string }{
	{"everything", `SELECT * { ?s ?p ?o }`},
	{"join", `SELECT * { ?w ex:creator ?p ; rdfs:label ?title . ?p rdfs:label ?name }`},
	{"product", `SELECT * { ?a a ex:Person . ?b a ex:Person }`},
	{"optional", `SELECT * { ?w a ex:Work OPTIONAL { ?w ex:isbn ?i } }`},
	{"union", `SELECT ?x { { ?x ex:cites ?y } UNION { ?y ex:cites ?x } }`},
	{"distinct", `SELECT DISTINCT ?p { ?w ex:creator ?p }`},
	{"filter", `SELECT * { ?x rdfs:label ?l FILTER(STRLEN(?l) > 3) }`},
	{"bind", `SELECT * { ?x rdfs:label ?l BIND(UCASE(?l) AS ?u) }`},
	{"minus", `SELECT * { ?w a ex:Work MINUS { ?w ex:status "lost" } }`},
	{"reach", `SELECT ?x { work:0 ex:related+ ?x }`},
	{"closure", `SELECT * { ?a ex:related+ ?b }`},
	{"chain", `SELECT * { ?a ?p ?b . ?b ?q ?c . ?c ?r ?d }`},
	{"construct", `CONSTRUCT { ?p ex:wrote ?w } { ?w ex:creator ?p }`},
}

// BenchmarkFirstRow measures from the text of a query to its first row, including the end of the query after
// that row.
func BenchmarkFirstRow(b *testing.B) {
	for _, n := range sizes() {
		for _, q := range unordered {
			b.Run(fmt.Sprint(n, "/", q.name), func(b *testing.B) {
				g := open(b, fileOf(b, querykit.Library, n))
				var rounds times
				for b.Loop() {
					begin := time.Now()
					takeOne(b, asked(b.Context(), g, querykit.Library.Prologue+q.query))
					rounds = append(rounds, float64(time.Since(begin)))
				}
				b.ReportMetric(rounds.least(), "ns/op")
				b.ReportMetric(rounds.median(), "median-ns")
			})
		}
	}
}

func takeOne(b *testing.B, a answers) {
	for _, err := range a {
		if err != nil {
			b.Fatal(err)
		}
		return
	}
	b.Fatal("no row")
}

// tenPatterns is a query of ten patterns that has no solution, because works have no code. Nearly all of its
// time is spent on the way to a prepared statement.
var tenPatterns = querykit.Library.Prologue + `SELECT ?title ?name ?born ?where ?about {
	work:%d ex:code ?code ; rdfs:label ?title ; ex:creator ?p ; ex:topic ?t ; ex:published ?d ; ex:pages ?n .
	?p rdfs:label ?name ; ex:bornIn ?place . ?place rdfs:label ?where . ?t rdfs:label ?about
	FILTER(?n > 100 && ?d > "1990-01-01"^^xsd:date) }`

// BenchmarkCompile measures from the text of a query with ten patterns to its prepared statement: cold, in a
// graph that has kept no plan, and warm, after the same query for other nodes.
func BenchmarkCompile(b *testing.B) {
	path := fileOf(b, querykit.Library, sizes()[len(sizes())-1])
	b.Run("cold", func(b *testing.B) {
		var rounds times
		for b.Loop() {
			rounds = append(rounds, compileCold(b, path))
		}
		b.ReportMetric(rounds.least(), "ns/op")
		b.ReportMetric(rounds.median(), "median-ns")
	})
	b.Run("cached", func(b *testing.B) {
		g := open(b, path)
		var rounds times
		for i := 0; b.Loop(); i++ {
			rounds = append(rounds, compile(b, g, i%40_000))
		}
		b.ReportMetric(rounds.least(), "ns/op")
		b.ReportMetric(rounds.median(), "median-ns")
	})
}

// compileCold compiles in a graph that has just been opened and has read the definitions of its tables.
func compileCold(b *testing.B, path string) float64 {
	g, err := kg.Open(context.Background(), path, kg.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	takeOne(b, asked(b.Context(), g, querykit.Library.Prologue+"SELECT ?c { work:1 a ?c }"))
	return compile(b, g, 1)
}

func compile(b *testing.B, g *kg.Graph, work int) float64 {
	begin := time.Now()
	n, err := asked(b.Context(), g, fmt.Sprintf(tenPatterns, work)).count()
	if err != nil || n != 0 {
		b.Fatalf("%d rows, %v", n, err)
	}
	return float64(time.Since(begin))
}
