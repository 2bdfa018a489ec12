package sparql_test

import (
	"fmt"
	"strings"
	"testing"

	"trails/fault"
	"trails/sparql"
)

// TestHugeTextsAreReadOrRefused reads texts of nearly the whole size that each make
// something grow: all must end, in an answer or in a fault.
func TestHugeTextsAreReadOrRefused(t *testing.T) {
	const size = sparql.DefaultBytes - 1000
	fill := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	number := func(format string) string {
		var out strings.Builder
		for i := 0; out.Len() < size; i++ {
			fmt.Fprintf(&out, format, i)
		}
		return out.String()
	}
	for name, c := range map[string]struct {
		text string
		want fault.Kind // Internal: it is read
	}{
		"many triples":            {"SELECT * {" + fill("?s ?p ?o.") + "}", fault.Internal},
		"many variables":          {"SELECT * {" + number("?v%d ?p ?o.") + "}", fault.Internal},
		"many filters":            {"SELECT * {" + fill("FILTER(1)") + "}", fault.TooLarge},
		"many operands":           {"SELECT * {FILTER(1" + fill("+1") + ")}", fault.TooLarge},
		"many groups":             {"SELECT * {" + fill("{}") + "}", fault.TooLarge},
		"many unions":             {"SELECT * {{}" + fill("UNION{}") + "}", fault.TooLarge},
		"many bindings":           {"SELECT * {" + number("BIND(1 AS ?v%d)") + "}", fault.TooLarge},
		"deep groups":             {"SELECT * {" + fill("{"), fault.TooLarge},
		"deep brackets":           {"SELECT * {FILTER" + fill("("), fault.TooLarge},
		"deep blank nodes":        {"SELECT * {" + fill("[:p"), fault.TooLarge},
		"deep lists":              {"SELECT * {" + fill("("), fault.TooLarge},
		"deep paths":              {"SELECT * {?s " + fill("("), fault.TooLarge},
		"deep subqueries":         {"SELECT * " + fill("{SELECT * "), fault.TooLarge},
		"deep negations":          {"SELECT * {FILTER(" + fill("!("), fault.TooLarge},
		"deep EXISTS":             {"SELECT * {" + fill("FILTER EXISTS{"), fault.TooLarge},
		"long paths":              {"SELECT * {?s :p" + fill("/:p") + " ?o}", fault.TooLarge},
		"many aggregates":         {"SELECT " + number("(SUM(?x)+%[1]dAS ?y%[1]d)") + "{} HAVING(?y1>1)", fault.TooLarge},
		"many rows":               {"SELECT * {VALUES ?x {" + fill("1 ") + "}}", fault.Internal},
		"a long prefix":           {"PREFIX p: <x:" + strings.Repeat("x", size/2) + "> SELECT * {VALUES ?x {" + number("p:%d ")[:size/2] + "}}", fault.TooLarge},
		"a long string":           {"SELECT * {?s ?p '" + fill("ä") + "'}", fault.Internal},
		"a string without an end": {"SELECT * {?s ?p '''" + fill("''\\'"), fault.Malformed},
		"angle brackets":          {"SELECT * {?s ?p " + fill("<a"), fault.Malformed},
		"services in services":    {"SELECT * {" + strings.Repeat("SERVICE <x:y>{", 100) + strings.Repeat("?s ?p ?o.", 10_000) + strings.Repeat("}", 101), fault.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			q, err := sparql.Parse(c.text, textOptions)
			if err == nil {
				_, _ = q.String(), q.Dump()
			}
			if got := fault.Of(err); (err == nil) != (c.want == fault.Internal) || err != nil && got.Kind != c.want {
				t.Errorf("got %.200v, want %v", err, c.want)
			}
		})
	}
}
