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

// told reports that a warning with these words and a place is among some.
func told(warnings []lint.Warning, words string) bool {
	return slices.ContainsFunc(warnings, func(w lint.Warning) bool { return w.Line > 0 && strings.Contains(w.Text, words) })
}

// TestAKeyThatIsTheSameForAllSolutionsIsNamed sorts and groups by constants and by what varies: the constants alone are
// named, with the variable that has the value of a property of their name.
func TestAKeyThatIsTheSameForAllSolutionsIsNamed(t *testing.T) {
	testrun.Alone(t)
	view(t, valueGraph(t), func(s *kg.Snapshot) error {
		for key, meant := range map[string]string{
			`"name"`: "?n", `"n"`: "?n", `"kind"`: "", "1": "", ":name": "?n", "true": "", `UCASE("name")`: "", "1 + 1": "", `CONCAT("a", "b")`: "",
			"?n": "-", "STRLEN(?n)": "-", "RAND()": "-", "NOW()": "-", "EXISTS { ?x :kind ?k }": "-", `IF(?n = "a", 1, 2)`: "-",
		} {
			for _, form := range []string{
				"SELECT ?x { ?x :name ?n } ORDER BY (%s)", "SELECT ?x { ?x :name ?n } ORDER BY ?x DESC(%s)", "SELECT (COUNT(*) AS ?c) { ?x :name ?n } GROUP BY (%s)",
				"SELECT (COUNT(*) AS ?c) { ?x :name ?n } GROUP BY ?x (%s AS ?key)", "SELECT ?x { { SELECT ?x { ?x :name ?n } ORDER BY (%s) LIMIT 1 } }",
			} {
				text := fmt.Sprintf(form, key)
				warnings, _ := warningsOf(t, s, text)
				if same := told(warnings, "the same for all solutions"); same != (meant != "-") || strings.HasPrefix(meant, "?") && !told(warnings, "did you mean "+meant+"?") {
					t.Errorf("%v is said of\n%s", warnings, text)
				}
			}
		}
		for _, text := range []string{"SELECT ?x { ?x :name ?n } ORDER BY ?nn", "SELECT (COUNT(*) AS ?c) { ?x :name ?n } GROUP BY ?nn"} {
			if warnings, _ := warningsOf(t, s, text); !told(warnings, "did you mean ?n?") && !told(warnings, "there is ?n") {
				t.Errorf("%v is said of\n%s", warnings, text)
			}
		}
		return nil
	})
}

// TestWhatIsComputedAsideIsLookedAtWithoutASchema computes with values of one property or two, whose names stand in
// VALUES, BIND and conditions, for a key of ORDER BY and for a variable that is not selected: what is an error for all of
// them is named, and nothing else.
func TestWhatIsComputedAsideIsLookedAtWithoutASchema(t *testing.T) {
	testrun.Alone(t)
	var data strings.Builder
	for property, values := range undeclaredValues {
		for i, v := range values {
			fmt.Fprintf(&data, ":s%d %s %s . ", i, property, v)
		}
	}
	g := newGraph(t, "")
	mustUpdate(t, g, "INSERT DATA { "+data.String()+" }")
	named := 0
	view(t, g, func(s *kg.Snapshot) error {
		always := map[[2]string]bool{}
		for property := range undeclaredValues {
			for _, e := range undeclaredExpressions {
				_, always[[2]string{property, e}] = warningsOfAnswer(t, s, lintedPrologue+fmt.Sprintf("SELECT (%s AS ?x) { ?s %s ?v }", e, property))
			}
		}
		for property := range undeclaredValues {
			for _, e := range undeclaredExpressions {
				for _, pattern := range []string{
					"?s ?p ?v VALUES ?p { %s }", "?s ?p ?v FILTER(?p = %s)", "?s ?p ?v FILTER(?s != :no && ?p IN (%s))", "?s ?p ?v FILTER(%s = ?p)",
					"BIND(%s AS ?p) ?s ?p ?v", "?s ?p ?v VALUES ?p { %s :whole }",
				} {
					never := always[[2]string{property, e}] && (!strings.Contains(pattern, ":whole") || always[[2]string{":whole", e}])
					for _, form := range []string{"SELECT ?s { %s } ORDER BY (%s)", "SELECT ?s { %s BIND(%s AS ?aside) }", "SELECT ?s { %s BIND(%s AS ?aside) } ORDER BY ?aside"} {
						text := lintedPrologue + fmt.Sprintf(form, fmt.Sprintf(pattern, property), e)
						_, warnings := linted(t, s, text)
						if len(warnings) > 0 && !never {
							t.Errorf("%v is said of\n%s", warnings, text)
						}
						if never && len(warnings) > 0 {
							named++
						}
					}
				}
			}
		}
		return nil
	})
	if named < 1000 {
		t.Errorf("only %d expressions are named", named)
	}
}

// TestClassesThatNoNodeHasTogetherAreNamed asks for nodes of two classes, declared and not, of which some have nodes in
// common: an empty answer says so, and no other, however the classes are written and however many nodes there are.
func TestClassesThatNoNodeHasTogetherAreNamed(t *testing.T) {
	testrun.Alone(t)
	classes := map[string]string{"Malware": ":Malware", "Tool": ":Tool", "Group": ":Group", "one": "<urn:c:one>", "two": "<urn:c:two>"}
	both := map[[2]string]bool{{":Malware", "<urn:c:one>"}: true, {":Group", ":Tool"}: true}
	for _, nodes := range []int{3, 80} {
		g := newGraph(t, lintedSchema)
		var data strings.Builder
		for name, class := range classes {
			for i := range nodes {
				fmt.Fprintf(&data, "<%s%s/%d> a %s . ", base, name, i, class)
				if class == ":Malware" || class == ":Tool" {
					fmt.Fprintf(&data, "<%s%s/%d> :name \"n\" . ", base, name, i)
				}
			}
		}
		for pair := range both {
			name := "Malware"
			if pair[0] == ":Group" {
				name = "Tool"
			}
			fmt.Fprintf(&data, "<%s%s/%d> a %s , %s . ", base, name, nodes-1, pair[0], pair[1])
		}
		mustUpdate(t, g, "INSERT DATA { "+data.String()+"}")
		view(t, g, func(s *kg.Snapshot) error {
			for _, a := range classes {
				for _, b := range classes {
					for _, form := range []string{
						"SELECT * { ?x a %s . ?x a %s }", "SELECT * { ?x a %s , %s }", "SELECT * { ?x a %s { ?x a %s } }", "SELECT * { ?x a ?c , ?d VALUES ?c { %s } FILTER(?d = %s) }",
						"ASK { ?x a %s . ?x a %s }", "SELECT (COUNT(*) AS ?n) { ?x a %s . ?x a %s }",
					} {
						text := lintedPrologue + fmt.Sprintf(form, a, b)
						q, err := s.ParseQuery(text, "")
						if err != nil {
							return err
						}
						warnings, err := s.LintQuery(t.Context(), q, kg.QueryOptions{Text: text, Found: lint.Answer{Empty: q.Form != sparql.Select || !strings.Contains(text, "COUNT")}})
						if err != nil {
							return err
						}
						together := a == b || both[[2]string{a, b}] || both[[2]string{b, a}]
						if is := told(warnings, "no node is both"); is == together && nodes == 3 || is && together || !is && !together && !strings.Contains(text, "COUNT") {
							t.Errorf("%d nodes: %v is said of\n%s", nodes, warnings, text)
						}
					}
				}
			}
			return nil
		})
	}
}

// TestAClassThatNothingDescribesIsNamedWithItsNodes describes classes and properties of the schema, which the default
// graph does not: what is said instead describes nodes.
func TestAClassThatNothingDescribesIsNamedWithItsNodes(t *testing.T) {
	g := valueGraph(t)
	view(t, g, func(s *kg.Snapshot) error {
		for _, name := range []string{":Malware", ":name", ":uses", ":Group"} {
			text := "DESCRIBE " + name
			for range 2 {
				q, warnings := linted(t, s, text)
				a, err := s.Query(t.Context(), q, kg.QueryOptions{})
				if err != nil {
					return err
				}
				found := 0
				for _, err := range a.Triples(t.Context()) {
					if err != nil {
						return err
					}
					found++
				}
				if (found == 0) != told(warnings, "no statement describes") {
					t.Errorf("%d statements, and %v is said of %s", found, warnings, text)
				}
				if found == 0 {
					_, text, _ = strings.Cut(warnings[0].Text, "are ")
				}
			}
		}
		return nil
	})
}
