package kg_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/kg"
	"trails/sparql"
	"trails/sparql/lint"
)

// undeclaredValues are values of many kinds, by the property that has them. No schema declares these properties.
var undeclaredValues = map[string][]string{
	":date":     {`"2024-02-01"^^xsd:date`, `"1999-12-31"^^xsd:date`},
	":moment":   {`"2024-01-01T00:00:00Z"^^xsd:dateTime`, `"2024-01-01T10:00:00"^^xsd:dateTime`},
	":clock":    {`"12:00:00"^^xsd:time`, `"13:30:00Z"^^xsd:time`},
	":duration": {`"P1D"^^xsd:duration`, `"PT1H"^^xsd:duration`},
	":days":     {`"P1D"^^xsd:dayTimeDuration`, `"P30D"^^xsd:dayTimeDuration`},
	":whole":    {"1", "2", "30"},
	":double":   {"1.5e0", "7e0"},
	":truth":    {"true", "false"},
	":text":     {`"abc"`, `"42 apples"`},
	":tagged":   {`"abc"@en`, `"xyz"@de`},
	":node":     {":a", ":b"},
	":mixed":    {`"2024-02-01"^^xsd:date`, "5", `"abc"`},
}

// undeclaredExpressions compute something with ?v.
var undeclaredExpressions = []string{
	"?v + 1", "1 - ?v", "?v * 2", "?v / 2", "-?v", `?v + "P1D"^^xsd:duration`, `?v - "2024-01-01"^^xsd:date`, `?v - "2024-01-01T00:00:00Z"^^xsd:dateTime`,
	`?v < "2024-01-01"^^xsd:date`, "?v < 3", `?v < "b"`, "YEAR(?v)", "HOURS(?v)", "STRLEN(?v)", `CONCAT(?v, "x")`, "ABS(?v)", "LANG(?v)", "xsd:date(?v)", "xsd:integer(?v)", "STRDT(?v, xsd:integer)", `REGEX(?v, "a")`, "!?v", "ABS(?v + 1)",
}

// TestAnExpressionThatIsAlwaysAnErrorIsNamedWithoutASchema computes with values of each kind, few and many of them, when
// nothing is declared: an expression without a value in any solution is named with its place, and no other is. Where the
// predicate is a variable, the kinds are not known and the answer alone tells.
func TestAnExpressionThatIsAlwaysAnErrorIsNamedWithoutASchema(t *testing.T) {
	testrun.Alone(t)
	const many = 60
	var data strings.Builder
	for property, values := range undeclaredValues {
		for i := range many {
			fmt.Fprintf(&data, ":s%d %s %s . ", i, property, values[i%len(values)])
		}
		for i, v := range values {
			fmt.Fprintf(&data, ":few%d %sFew %s . ", i, property, v)
		}
	}
	g := newGraph(t, "")
	u, err := sparql.ParseUpdate(lintedPrologue+"INSERT DATA { "+data.String()+" }", sparql.Options{})
	if err == nil {
		_, err = g.Session(ana).Update(t.Context(), u, kg.ChangeSet{}, kg.UpdateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	view(t, g, func(s *kg.Snapshot) error {
		for property := range undeclaredValues {
			for _, e := range undeclaredExpressions {
				for _, form := range []string{
					"SELECT (%s AS ?x) { ?s %s ?v }", "SELECT (%s AS ?x) { ?s %sFew ?v }", "SELECT ?x { { SELECT (%s AS ?x) { ?s %s ?v } } }",
					"SELECT ?x { VALUES ?p { %[2]s } ?s ?p ?v BIND(%[1]s AS ?x) }", "CONSTRUCT { ?s :got ?x } { ?s %[2]sFew ?v BIND(%[1]s AS ?x) }",
				} {
					text := lintedPrologue + fmt.Sprintf(form, e, property)
					warnings, always := warningsOfAnswer(t, s, text)
					told := slices.ContainsFunc(warnings, func(w lint.Warning) bool { return w.Line > 0 && w.Column > len(lintedPrologue) })
					if told != always {
						t.Errorf("always an error: %v, and %v is said of\n%s", always, warnings, text)
					}
					if told {
						named++
					}
				}
			}
		}
		return nil
	})
	if named < 300 {
		t.Errorf("only %d expressions are always an error", named)
	}
}

// warningsOfAnswer runs a query, and reports whether none of its solutions has a value of ?x.
func warningsOfAnswer(t *testing.T, s *kg.Snapshot, text string) (warnings []lint.Warning, always bool) {
	t.Helper()
	q, err := s.ParseQuery(text, "")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	a, err := s.Query(t.Context(), q, kg.QueryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, err := range a.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		rows++
	}
	if rows == 0 {
		t.Fatalf("no solutions of %s", text)
	}
	if warnings, err = s.LintQuery(t.Context(), q, kg.QueryOptions{Text: text}, a.Unbound()...); err != nil {
		t.Fatal(err)
	}
	return warnings, slices.Contains(a.Unbound(), "x")
}
