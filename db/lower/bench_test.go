package lower_test

import (
	"testing"

	"trails/db/lower"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/opt"
)

// BenchmarkLower lowers groups of ten patterns, each with ninety thousand rows: to SQL, because its first patterns have few
// rows; to SQL after a comparison with a scan; and to a scan.
func BenchmarkLower(b *testing.B) {
	const star = `?s :a ?a ; :b ?b ; :c ?c ; :d ?d ; :e ?e ; :f ?f ; :g ?g ; :h ?h ; :i ?i ; :j `
	for _, of := range []struct{ name, text string }{
		{"few", `SELECT * { ` + star + `:one }`},
		{"compared", `SELECT ?a (COUNT(*) AS ?n) { ` + star + `:some } GROUP BY ?a`},
		{"scan", `SELECT ?a (COUNT(*) AS ?n) { ` + star + `?j FILTER NOT EXISTS { ?s :k ?k } FILTER(?b != ?c) } GROUP BY ?a`},
	} {
		q, err := sparql.Parse(of.text, sparql.Options{Prefixes: prefixes})
		if err != nil {
			b.Fatal(err)
		}
		op := opt.Rewrite(q.Op, q.Vars)
		opts := lower.Options{Stats: func(p sparql.TriplePattern) float64 {
			switch p.Object.Term {
			case rdf.IRI(prefixes[""] + "one"):
				return 10
			case rdf.IRI(prefixes[""] + "some"):
				return 100
			}
			return 90_000
		}}
		b.Run(of.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				plan, err := lower.Lower(op, q.Vars, opts)
				if err != nil || (len(plan.Programs) == 1) != (of.name == "scan") {
					b.Fatal(len(plan.Programs), err)
				}
			}
		})
	}
}
