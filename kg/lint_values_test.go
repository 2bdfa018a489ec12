package kg_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/kg"
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
	`?v < "2024-01-01"^^xsd:date`, "?v < 3", `?v < "b"`, "YEAR(?v)", "HOURS(?v)", "STRLEN(?v)", `CONCAT(?v, "x")`, "ABS(?v)", "LANG(?v)", "xsd:date(?v)", "xsd:integer(?v)", "STRDT(?v, xsd:integer)", "STRLANG(?v, 'en')", "xsd:duration(?v)", "<urn:f>(?v, 1)", "IF(?v, 1, 2)", "IF(!?v || ?v, 1, 2)", `REGEX(?v, "a")`, "!?v", "ABS(?v + 1)",
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
	mustUpdate(t, g, "INSERT DATA { "+data.String()+" }")
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
	if warnings, err = s.LintQuery(t.Context(), q, kg.QueryOptions{Text: text, Found: a.Found()}); err != nil {
		t.Fatal(err)
	}
	return warnings, slices.Contains(a.Found().Unbound, "x")
}

// TestASearchInOtherLettersNamesOneThatFinds looks for parts of texts in their own letters and in others, wherever a
// condition may stand. Where the letters alone are to blame for an empty answer, the condition that is named finds.
func TestASearchInOtherLettersNamesOneThatFinds(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, "")
	mustUpdate(t, g, `INSERT DATA { :a :title "APT28 group" ; :note "x" . :b :title "Cobalt Strike" . :c :title "Ça va"@fr . :d :title "a title of many words, and of\u0001more than forty characters" }`)
	written := func(form, of, piece string) string {
		return strings.ReplaceAll(fmt.Sprintf(form, of, piece), `\x01`, `\u0001`)
	}
	followed, rules := 0, map[string]func(form, piece string) string{
		"; write the text in small letters, and LCASE around the other": func(form, piece string) string { return written(form, "LCASE(?v)", strings.ToLower(piece)) },
		"; give it the flag i": func(_, piece string) string { return written(`REGEX(%s, %q, "i")`, "?v", piece) },
	}
	view(t, g, func(s *kg.Snapshot) error {
		for _, function := range []string{"CONTAINS(%s, %q)", "STRSTARTS(%s, %q)", "STRENDS(%s, %q)", "REGEX(%s, %q)", `REGEX(%s, %q, "")`, `REGEX(%s, %q, "s")`} {
			for _, piece := range []string{"apt28", "APT28", "Apt28 Group", "cobalt", "COBALT STRIKE", "Strike", "strike", "ça", "ÇA VA", "zebra", "GROUP", "", "A TITLE OF MANY WORDS, AND OF\u0001MORE THAN FORTY CHARACTERS", "OF\u0001more"} {
				for _, of := range []string{"?v", "STR(?v)"} {
					for _, form := range []string{"SELECT ?x { ?x :title ?v FILTER(%s) }", "SELECT ?x { ?x :title ?v FILTER(?x != :z && %s) }", "ASK { ?x :title ?v . FILTER(%s || ?v = 'no') }", "SELECT ?x { { SELECT ?x ?v { ?x :title ?v } } FILTER(%s) }"} {
						condition := written(function, of, piece)
						ask := func(condition string) ([]lint.Warning, bool) {
							return answered(t, s, lintedPrologue+fmt.Sprintf(form, condition))
						}
						folded := written(function, "LCASE("+of+")", strings.ToLower(piece))
						warnings, found := ask(condition)
						_, could := ask(folded)
						i := slices.IndexFunc(warnings, func(w lint.Warning) bool { return strings.Contains(w.Text, "capitals are to blame") })
						if (i >= 0) != (!found && could) {
							t.Errorf("found %v, in other letters %v, and %v is said of %s in %s", found, could, warnings, condition, form)
							continue
						}
						if i < 0 {
							continue
						}
						_, way, _ := strings.Cut(warnings[i].Text, "; write ")
						for said, follow := range rules {
							if strings.HasSuffix(warnings[i].Text, said) {
								way = follow(function, piece)
							}
						}
						if _, found := ask(way); !found || warnings[i].Line == 0 {
							t.Errorf("%v: what is named finds nothing", warnings[i])
						}
						followed++
					}
				}
			}
		}
		return nil
	})
	if followed < 100 {
		t.Errorf("only %d hints were followed", followed)
	}
}

// TestALongLiteralThatIsToldToBeWrittenIsWhole has literals that are longer than what a warning names: the way out has
// them from the first character to the last, and finds what is there.
func TestALongLiteralThatIsToldToBeWrittenIsWhole(t *testing.T) {
	testrun.Alone(t)
	long := strings.Repeat("many words ", 12) + "of\u00a0one\u0007text"
	address := "http://example.org/" + strings.Repeat("a-long-path/", 20)
	g := newGraph(t, `
types:
  Page:
    properties:
      url: {type: uri}
      kind: {type: string, one_of: ["`+strings.Repeat("some kind ", 10)+`", other]}
      note: {type: lang_string}
      title: {type: string}
`)
	data := fmt.Sprintf(`:p a :Page ; :url %[1]q^^xsd:anyURI ; :kind "%[2]s" ; :note "%[3]s"@en ; :title "%[3]s" .`,
		address, strings.Repeat("some kind ", 10), strings.NewReplacer("\u00a0", `\u00A0`, "\u0007", `\u0007`).Replace(long))
	mustUpdate(t, g, "INSERT DATA { "+data+" }")
	ways := regexp.MustCompile(`(?:; write|; did you mean) ("(?:[^"\\]|\\.)*"(?:\^\^\S+|@\w+)?)\??`)
	view(t, g, func(s *kg.Snapshot) error {
		for property, wrong := range map[string]string{
			"url": fmt.Sprintf("%q", address), "kind": `"` + strings.Repeat("some kind ", 10) + `s"`,
			"note": `"` + strings.NewReplacer("\u00a0", `\u00A0`, "\u0007", `\u0007`).Replace(long) + `"`, "title": `"` + strings.NewReplacer("\u00a0", " ", "\u0007", `\u0007`).Replace(long) + `"`,
		} {
			warnings, rows := warningsOf(t, s, fmt.Sprintf("SELECT ?x { ?x a :Page ; :%s %s }", property, wrong))
			if len(warnings) != 1 || rows != 0 {
				t.Errorf("%s: %d rows, %v", property, rows, warnings)
				continue
			}
			way := ways.FindStringSubmatch(warnings[0].Text)
			if way == nil {
				t.Errorf("%s: %s", property, warnings[0].Text)
				continue
			}
			if again, rows := warningsOf(t, s, fmt.Sprintf("SELECT ?x { ?x a :Page ; :%s %s }", property, way[1])); rows != 1 {
				t.Errorf("%s: %s finds %d rows: %v", property, way[1], rows, again)
			}
		}
		return nil
	})
}

// TestConditionsThatExcludeEachOtherAreNamedWhereverTheyStand holds two conditions on one value against each other, in one
// filter, in two, on one side of ||, in VALUES, and around OPTIONAL: they are named when, and only when, no number passes
// both.
func TestConditionsThatExcludeEachOtherAreNamedWhereverTheyStand(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, "")
	mustUpdate(t, g, `INSERT DATA { :a :n 1 . :b :n 2 . :c :n 3 . :d :n 4 . :e :n 5 . :f :n 2.5 }`)
	conditions := []string{"?v = 2", "?v = 3", "?v != 2", "?v < 3", "?v <= 2", "2 < ?v", "?v > 3", "?v >= 3", "?v IN (1, 2)", "?v IN (3, 4)"}
	forms := []string{
		"SELECT ?x { ?x :n ?v FILTER(%s && %s) }", "SELECT ?x { ?x :n ?v FILTER(%s) FILTER(%s) }", "SELECT ?x { ?x :n ?v FILTER(?x = :a || %s && %s) }",
		"SELECT ?x { ?x :n ?v FILTER(%s) FILTER(%s || ?x = :a) }", "SELECT ?x { ?x :n ?v FILTER(%s) OPTIONAL { ?x :n ?w FILTER(%s) } }",
		"SELECT ?x { ?x :n ?v OPTIONAL { ?x :n ?w FILTER(%s && %s) } }", "SELECT ?x { ?x :n ?v MINUS { ?x :n ?v FILTER(%s && %s) } }",
	}
	view(t, g, func(s *kg.Snapshot) error {
		for i, a := range conditions {
			for _, b := range conditions[i+1:] {
				_, rows := warningsOf(t, s, lintedPrologue+fmt.Sprintf(forms[0], a, b))
				for _, form := range forms {
					text := lintedPrologue + fmt.Sprintf(form, a, b)
					warnings, _ := warningsOf(t, s, text)
					told := slices.ContainsFunc(warnings, func(w lint.Warning) bool {
						return w.Line > 0 && strings.Contains(w.Text, "never true together")
					})
					if told != (rows == 0) {
						t.Errorf("%d numbers pass, and %v is said of\n%s", rows, warnings, text)
					}
				}
			}
			for _, row := range []string{"1", "2", "3", "1 2", "3 4", "1 4", "UNDEF"} {
				text := lintedPrologue + fmt.Sprintf("SELECT ?x { ?x :n ?v VALUES ?v { %s } FILTER(%s) }", row, a)
				warnings, rows := warningsOf(t, s, text)
				if told := len(warnings) > 0; told != (rows == 0) {
					t.Errorf("%d numbers pass, and %v is said of\n%s", rows, warnings, text)
				}
			}
		}
		return nil
	})
}
