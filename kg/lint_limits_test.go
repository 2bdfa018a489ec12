package kg_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/kg"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/expr"
	"trails/sparql/lint"
)

// limited are expressions of numbers, with the numbers that they may be.
var limited = map[string]func(float64) bool{
	"MONTH(?moment)":                       func(n float64) bool { return n >= 1 && n <= 12 && whole(n) },
	"DAY(?day)":                            func(n float64) bool { return n >= 1 && n <= 31 && whole(n) },
	"HOURS(?moment)":                       func(n float64) bool { return n >= 0 && n <= 23 && whole(n) },
	"MINUTES(?clock)":                      func(n float64) bool { return n >= 0 && n <= 59 && whole(n) },
	"SECONDS(?clock)":                      func(n float64) bool { return n >= 0 && n < 60 },
	"RAND()":                               func(n float64) bool { return n >= 0 && n < 1 },
	"STRLEN(?text)":                        func(n float64) bool { return n >= 0 && whole(n) },
	"ABS(?whole)":                          func(n float64) bool { return n >= 0 && whole(n) },
	"ABS(?parts)":                          func(n float64) bool { return n >= 0 },
	"YEAR(?day)":                           whole,
	"CEIL(?parts)":                         whole,
	"FLOOR(?wide)":                         whole,
	"?whole":                               whole,
	"?whole + 1":                           whole,
	"?small":                               func(n float64) bool { return n >= 0 && n <= 255 && whole(n) },
	"?parts":                               func(float64) bool { return true },
	"IF(?truth, MONTH(?day), DAY(?day))":   func(n float64) bool { return n >= 1 && n <= 31 && whole(n) },
	"COALESCE(MONTH(?day), 256)":           whole,
	"COALESCE(STRLEN(?text), ABS(?whole))": func(n float64) bool { return n >= 0 && whole(n) },
}

func whole(n float64) bool { return n == math.Floor(n) }

// limitingNumbers are held against them.
var limitingNumbers = []string{"-1", "0", "0.5", "12", "24", "31", "59.5", "60", "256", `"NaN"^^xsd:double`}

// written are expressions of texts and truths, with values that they may be and those that are held against them.
var written = map[string][2][]string{
	"?truth":       {{"true", "false"}, {"true", "false"}},
	"BOUND(?o)":    {{"true", "false"}, {"true", "false"}},
	"UCASE(?text)": {{`""`, `"ABC"`, `"2024"`}, {`""`, `"ABC"`, `"abc"`, `"aBC"`, `"2024"`}},
	"LCASE(?text)": {{`""`, `"abc"`, `"2024"`}, {`""`, `"ABC"`, `"abc"`, `"aBC"`, `"2024"`}},
	"MD5(?text)":   {{`"900150983cd24fb0d6963f7d28e17f72"`, `"d41d8cd98f00b204e9800998ecf8427e"`}, {`""`, `"abc"`, `"900150983cd24fb0d6963f7d28e17f72"`, `"900150983CD24FB0D6963F7D28E17F72"`}},
	"TZ(?moment)":  {{`""`, `"Z"`, `"+02:00"`, `"-14:00"`}, {`""`, `"Z"`, `"UTC"`, `"+02:00"`, `"+2"`}},
	"STR(?moment)": {{`"2024-01-01T00:00:00Z"`, `"2024-01-01T00:00:00"`}, {`""`, `"2024-01-01"`, `"2024-01-01T00:00:00Z"`}},
	"STR(?whole)":  {{`"-1"`, `"0"`, `"2024"`}, {`""`, `"-1"`, `"1.5"`, `"abc"`, `"2024"`}},
}

// limitPlaces are queries with a comparison, %[1]s %[2]s %[3]s, behind a pattern that has one solution.
var limitPlaces = []string{
	"SELECT ?x { %[4]s FILTER(%[1]s %[2]s %[3]s) }",
	"SELECT ?x { %[4]s FILTER(?x != <urn:n> && %[1]s %[2]s %[3]s) }",
	"SELECT ?x { %[4]s FILTER(?x = <urn:n> || %[1]s %[2]s %[3]s) }",
	"SELECT ?x { %[4]s FILTER(!(%[1]s %[2]s %[3]s)) }",
	"SELECT (%[1]s %[2]s %[3]s AS ?b) { %[4]s }",
	"SELECT ?x { %[4]s BIND(%[1]s AS ?v) FILTER(?v %[2]s %[3]s) }",
	"SELECT ?x { %[4]s BIND(%[3]s AS ?v) FILTER(%[1]s %[2]s ?v) }",
	"SELECT ?x { %[4]s VALUES ?v { %[3]s } FILTER(%[1]s %[2]s ?v) }",
	"SELECT ?x { { SELECT ?x (%[1]s AS ?v) { %[4]s } } FILTER(?v %[2]s %[3]s) }",
	"SELECT ?x { %[4]s } GROUP BY ?x HAVING (MAX(%[1]s) %[2]s %[3]s)",
	"SELECT ?x { %[4]s OPTIONAL { ?x :whole ?w FILTER(%[1]s %[2]s %[3]s) } }",
	"SELECT ?x { %[4]s } ORDER BY (%[1]s %[2]s %[3]s)",
	"SELECT ?x { %[4]s FILTER EXISTS { ?x :whole ?w FILTER(%[1]s %[2]s %[3]s) } }",
}

// TestAComparisonBeyondWhatAFunctionReturnsIsNamedWhereverItStands compares functions and properties whose values have
// ends, are whole, or are written in one way, with values inside and outside: a comparison is named as never true when,
// and only when, no value that the expression may have compares so, and as always true when each differs.
func TestAComparisonBeyondWhatAFunctionReturnsIsNamedWhereverItStands(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, computedSchema+"      small: uint8\n")
	pattern := "?x :clock ?clock ; :text ?text ; :whole ?whole ; :parts ?parts ; :wide ?wide ; :day ?day ; :moment ?moment ; :truth ?truth ; :small ?small"
	mustUpdate(t, g, `INSERT DATA { <`+base+`Thing/1> a :Thing ; :text "abc" ; :clock "10:00:00"^^xsd:time ; :whole 0 ; :parts 2.5 ; :wide 1.5e0 ; :truth true ; :small "0"^^xsd:unsignedByte ;
		:day "2024-02-01"^^xsd:date ; :moment "2024-01-01T00:00:00Z"^^xsd:dateTime }`)
	never, always := 0, 0
	all, held := map[string][]string{}, map[string][]string{}
	for of, may := range limited {
		for _, number := range append([]string{"-100000", "0.25", "0.75", "1", "20", "30", "45", "59.75", "100", "100000"}, limitingNumbers...) {
			if n, err := strconv.ParseFloat(number, 64); err == nil && may(n) {
				all[of] = append(all[of], number)
			}
		}
		held[of] = limitingNumbers
	}
	for of, lists := range written {
		all[of], held[of] = lists[0], lists[1]
	}
	view(t, g, func(s *kg.Snapshot) error {
		for of, values := range all {
			for _, constant := range held[of] {
				for _, sign := range lintedSigns {
					if texts := strings.HasPrefix(values[0], `"`); texts && sign != "=" && sign != "!=" {
						continue // their order is not looked at
					}
					may, mayNot := false, false
					for _, value := range values {
						args := []sparql.Expr{sparql.TermExpr{Term: termOf(t, value)}, sparql.TermExpr{Term: termOf(t, constant)}}
						truth, err := expr.Compile(sparql.Call{Func: sparql.Func(sign), Args: args}).Eval(nil)
						is := err == nil && rdf.Lexical(truth) == "true"
						may, mayNot = may || is, mayNot || !is
					}
					for _, place := range limitPlaces {
						if strings.Contains(place, "MAX") && strings.Contains(of, "o)") {
							continue
						}
						text := lintedPrologue + fmt.Sprintf(place, of, sign, constant, pattern)
						if of == "BOUND(?o)" {
							text = strings.Replace(text, pattern, pattern+" OPTIONAL { ?x :huge ?o }", 1)
						}
						_, warnings := linted(t, s, text)
						said := func(how string) bool {
							return slices.ContainsFunc(warnings, func(w lint.Warning) bool { return w.Line > 0 && strings.Contains(w.Text, how) })
						}
						if said("is never true") == may || said("is always true") != (sign == "!=" && !mayNot) {
							t.Errorf("may be true: %v, may not: %v, and %v is said of\n%s", may, mayNot, warnings, text)
						}
						if slices.ContainsFunc(warnings, func(w lint.Warning) bool { return w.Empties }) {
							if _, rows := warningsOf(t, s, text); rows > 0 {
								t.Errorf("%d solutions, and %v in\n%s", rows, warnings, text)
							}
						}
						if !may {
							never++
						}
						if !mayNot && sign == "!=" {
							always++
						}
					}
				}
			}
		}
		return nil
	})
	if never < 1000 || always < 500 {
		t.Errorf("only %d comparisons are never true, and %d always", never, always)
	}
}

// TestAConditionThatIsSaidNeverToBeTrueIsNot draws conditions over data that fits a schema: what is said never to be
// true, asked as the only condition of the same pattern, has no solution.
func TestAConditionThatIsSaidNeverToBeTrueIsNot(t *testing.T) {
	testrun.Alone(t)
	said := 0
	rapid.Check(t, func(rt *rapid.T) {
		g, _ := drawGraph(rt, t)
		for range 6 {
			pattern := rapid.SampledFrom([]string{"?a a ?c ; :name ?b", "?a :year ?b ; ?p ?c", "?a :seen ?b ; :score ?c", "?a :words ?b . ?c :active ?d", "?a :uses ?b . ?b :used_by ?c", "?a :kind ?b OPTIONAL { ?a :score ?c }"}).Draw(rt, "pattern")
			warnings, _ := lintAndAsk(rt, t, g, lintedPrologue+"SELECT ("+drawCondition(rt, 2)+" AS ?x) { "+pattern+" }")
			for _, w := range warnings {
				condition, _, is := strings.Cut(w.Text, " is never true")
				if !is || strings.Contains(condition, "…") || strings.Contains(condition, "as a condition") {
					continue
				}
				said++
				if _, solutions := lintAndAsk(rt, t, g, lintedPrologue+"SELECT ?a { "+pattern+" FILTER("+condition+") }"); solutions > 0 {
					rt.Fatalf("%s has %d solutions for %s", pattern, solutions, w.Text)
				}
			}
		}
	})
	if said < 50 {
		t.Errorf("only %d conditions were said never to be true", said)
	}
}

// mustUpdate changes a graph by an update with the usual prefixes.
func mustUpdate(t testing.TB, g *kg.Graph, text string) {
	t.Helper()
	u, err := sparql.ParseUpdate(lintedPrologue+text, sparql.Options{})
	if err == nil {
		_, err = g.Session(ana).Update(t.Context(), u, kg.ChangeSet{}, kg.UpdateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}
