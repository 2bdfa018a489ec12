package querykit_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"trails/db/history"
	"trails/db/querykit"
	"trails/kg"
	"trails/rdf"
)

// BenchmarkRights measures each shape that looks at many rows, by turns for somebody who sees all and for somebody from whom
// a type is hidden: the one whose share of the typed nodes is nearest to a tenth. ns/op is the latter's time, and ratio the
// quotient of the medians of the processor's time. At the end of a set stands the median of the ratios.
func BenchmarkRights(b *testing.B) {
	for _, set := range querykit.Sets {
		for _, n := range sizes() {
			b.Run(fmt.Sprint(set.Name, "/", n), func(b *testing.B) {
				g := open(b, fileOf(b, set, n))
				class := tenth(b, g)
				var ratios times
				for _, s := range set.Shapes {
					if slices.Contains(set.Scans, s.Name) {
						b.Run(s.Name, func(b *testing.B) { ratios = append(ratios, benchRights(b, g, s, class)) })
					}
				}
				if len(ratios) > 0 {
					b.Logf("without %s, %d shapes that look at many rows: %.2f times as long", class, len(ratios), ratios.median())
				}
			})
		}
	}
}

// tenth returns the class whose share of the typed nodes is nearest to a tenth.
func tenth(b *testing.B, g *kg.Graph) (class rdf.IRI) {
	b.Helper()
	count := map[rdf.IRI]float64{}
	all := 0.0
	for row, err := range asked(b.Context(), g, "SELECT ?c (COUNT(*) AS ?n) { ?s a ?c } GROUP BY ?c") {
		if err != nil {
			b.Fatal(err)
		}
		n, err := strconv.ParseFloat(rdf.Lexical(row[1]), 64)
		if err != nil {
			b.Fatal(err)
		}
		count[row[0].(rdf.IRI)] = n
		all += n
	}
	for c, n := range count {
		if class == "" || math.Abs(n-all/10) < math.Abs(count[class]-all/10) {
			class = c
		}
	}
	return class
}

// benchRights measures one shape and returns the ratio.
func benchRights(b *testing.B, g *kg.Graph, s querykit.Shape, hidden rdf.IRI) float64 {
	b.Helper()
	all := g.Session(anyone)
	some := all.Seeing(&kg.Rights{Types: []rdf.IRI{hidden}})
	ask := func(by *kg.Session) reply {
		asks++
		r := answered(askedBy(b.Context(), by, history.Commit{}, fmt.Sprintf("%s\n# %d", s.Text(), asks)), question{})
		if r.Error != "" {
			b.Fatalf("%s: %s", s.Name, r.Error)
		}
		return r
	}
	whole, part := ask(all), ask(some) // the first ones also decide what is hidden
	var ofAll, ofSome rounds
	for i := 0; b.Loop(); i++ {
		if i%2 == 0 {
			ofAll.add(b, s, whole.Rows, ask(all))
			ofSome.add(b, s, part.Rows, ask(some))
		} else {
			ofSome.add(b, s, part.Rows, ask(some))
			ofAll.add(b, s, whole.Rows, ask(all))
		}
	}
	ratio := ofSome.cpu.median() / ofAll.cpu.median()
	b.ReportMetric(float64(part.Rows), "rows")
	b.ReportMetric(ofSome.clock.median(), "ns/op")
	b.ReportMetric(part.NS/1e6, "first-ms")
	b.ReportMetric(ratio, "ratio")
	return ratio
}
