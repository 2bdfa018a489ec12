package db_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trails/rdf"
	"trails/sparql"
	"trails/sparql/expr"
)

// TestVariablesOfOneKindCompareLikeTheirValues joins two properties by a comparison of their values: of each kind that
// has a region, in both of its forms, also where one value is in no region, and finds the pairs that expressions find.
func TestVariablesOfOneKindCompareLikeTheirValues(t *testing.T) {
	kinds := map[rdf.IRI][]string{
		rdf.XSDInteger:  {"-5", "0", "1", "2", "40"},
		rdf.XSDDecimal:  {"-1.5", "0.0", "0", "2.0", "2", "2.5", "7"},
		rdf.XSDDouble:   {"-1.5E0", "0.0E0", "2.0E0", "2", "2.5E0", "2.5"},
		rdf.XSDDate:     {"1999-12-31", "2024-01-01", "2024-02-29", "2024-03-01"},
		rdf.XSDDateTime: {"1999-12-31T23:59:59Z", "1999-12-31T23:59:59.000Z", "1999-12-31T23:59:59.001Z", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000Z"},
		rdf.XSDBoolean:  {"false", "true"},
	}
	others := map[string]rdf.Term{"": nil, "a text": rdf.String("x"), "a time with a zone": rdf.Literal("2000-01-01T00:00:00+01:00", rdf.XSDDateTime), "a number": rdf.Literal("01", rdf.XSDInteger)}
	for kind, lexical := range kinds {
		for name, other := range others {
			var values []rdf.Term
			var quads []rdf.Quad
			for i, text := range lexical {
				values = append(values, rdf.Literal(text, kind))
				quads = append(quads, q(fmt.Sprintf("a%d", i), "v", values[i]), q(fmt.Sprintf("b%d", i), "w", values[i]), q(fmt.Sprintf("b%d", i), "z", rdf.String("z")))
			}
			if other != nil {
				values = append(values, other)
				quads = append(quads, q(fmt.Sprintf("a%d", len(lexical)), "v", other), q(fmt.Sprintf("b%d", len(lexical)), "w", other), q(fmt.Sprintf("b%d", len(lexical)), "z", rdf.String("z")))
			}
			r := readerOf(t, quads)
			for _, sign := range []sparql.Func{sparql.Less, sparql.LessOrEqual, sparql.Greater, sparql.GreaterOrEqual} {
				for _, form := range []string{
					"SELECT ?p { ?a :v ?x . ?b :w ?y FILTER(?x %s ?y) BIND(CONCAT(STR(?a), ' ', STR(?b)) AS ?p) }",
					"SELECT ?p { ?b :w ?y ; :z 'z' . ?a :v ?x FILTER(?x %s ?y && BOUND(?x)) BIND(CONCAT(STR(?a), ' ', STR(?b)) AS ?p) }",
				} {
					var want, got []string
					for i, x := range values {
						for k, y := range values {
							yes, err := expr.Compile(sparql.Call{Func: sign, Args: []sparql.Expr{sparql.TermExpr{Term: x}, sparql.TermExpr{Term: y}}}).Test(nil)
							if err == nil && yes {
								want = append(want, fmt.Sprintf("%[1]sa%[2]d %[1]sb%[3]d", strings.TrimSuffix(rdf.Lexical(quads[0].Subject), "a0"), i, k))
							}
						}
					}
					text := fmt.Sprintf(form, sign)
					for _, pair := range column(t, r, text) {
						got = append(got, rdf.Lexical(pair))
					}
					slices.Sort(want)
					slices.Sort(got)
					if diff := gocmp.Diff(want, got); diff != "" {
						t.Errorf("%s beside %q: %s (-want +got)\n%s", kind, name, text, diff)
					}
				}
			}
		}
	}
}
