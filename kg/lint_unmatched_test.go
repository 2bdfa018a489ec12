package kg_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/kg"
	"trails/sparql/lint"
)

// TestAnEmptyAnswerSaysWhatMatchesNothing puts patterns and conditions with and without matches wherever they may stand:
// where one of them alone leaves the answer empty it is named, and what is named is empty when it is asked alone.
func TestAnEmptyAnswerSaysWhatMatchesNothing(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, `
types:
  Person:
    label: name
    properties:
      name: {type: string}
      age: {type: integer}
      born: {type: date}
      boss: {class: Person}
  Robot:
    properties:
      name: {type: string}
      maker: {class: Person}
`)
	mustUpdate(t, g, `INSERT DATA { <urn:trails:t:Person/ana> a :Person ; :name "Ana" ; :age 41 . <urn:trails:t:Person/bob> a :Person ; :name "Bob" ; :age 17 ; :boss <urn:trails:t:Person/ana> }`)
	parts := []struct {
		pattern, condition, says string
	}{
		{"?x :name ?n", "", ""},
		{"?x :name ?n", "STRLEN(?n) = 3", ""},
		{"?x :born ?b", "", "?x :born ?b matches nothing: no statement has the property :born"},
		{"?x :born ?b", "YEAR(?b) > 1970", "?x :born ?b matches nothing: no statement has the property :born"},
		{"?x a :Robot", "", "?x a :Robot matches nothing: no node is a :Robot"},
		{"?x :boss <urn:trails:t:Person/bob>", "", "matches nothing: no :boss is Person/bob"},
		{"<urn:trails:t:Person/ana> :boss ?x", "", "matches nothing: Person/ana has no :boss"},
		{"?x :name ?n . <urn:trails:t:Person/ana> :boss <urn:trails:t:Person/bob>", "", "matches nothing: Person/ana has no :boss Person/bob"},
		{"<urn:trails:t:Person/ana> :boss+ ?x", "", "<urn:trails:t:Person/ana> :boss [] matches nothing: Person/ana has no :boss"},
		{"?x :boss+ <urn:trails:t:Person/bob>", "", "matches nothing: no :boss is Person/bob"},
		{"?x :maker+ ?m", "", "matches nothing: no statement has the property :maker"},
		{"?x :age ?a", "?a > 100", "?a > 100 is true of no :age; they are from 17 to 41"},
		{"?x :age ?a", "?a * 2 > 100", "?a * 2 > 100 is true of no :age"},
		{"?x :age ?a", "?a > 10 && ?a < 12", "?a < 12 is true of no :age; they are from 17 to 41"},
		{"?x :age ?a", "?a > 100 || ?a = 41", ""},
		{"?x :name ?n . <urn:trails:t:Person/bob> :age ?a", "?a = 41", "?a = 41 is true of no :age of Person/bob; there is 17"},
		{"?x :name ?n", `STRLEN(?n) > 5`, `STRLEN(?n) > 5 is true of no :name`},
		{"?x :boss ?b", "?b != <urn:trails:t:Person/ana>", "is true of no :boss"},
		{"?x :boss ?b", "!BOUND(?b)", ""}, // another warning
		{"?x :name ?n OPTIONAL { ?x :age ?a }", "?a > 100", "?a > 100 is true of no :age; they are from 17 to 41"},
		{"?x :name ?n OPTIONAL { ?x :born ?b }", "", ""},
		{"?x :name ?n OPTIONAL { ?x :born ?b }", "!BOUND(?b)", ""},
	}
	forms := []struct {
		text  string
		alone bool // the part alone decides whether the answer is empty
	}{
		{"SELECT * { %s }", true}, {"SELECT ?x { { %s } }", true}, {"SELECT ?x { { SELECT ?x { %s } } }", true}, {"ASK { ?x :name ?other . %s }", true},
		{"SELECT (COUNT(*) AS ?n_) { %s }", true}, {"SELECT (COUNT(?x) AS ?n_) (MAX(?x) AS ?m_) { %s }", true}, {"SELECT ?x (COUNT(*) AS ?n_) { %s } GROUP BY ?x", true},
		{"CONSTRUCT { ?x :knows ?x } WHERE { %s }", true}, {"SELECT ?x { { %[1]s } UNION { %[1]s } }", true}, {"SELECT DISTINCT ?x { %s } ORDER BY ?x LIMIT 5", true},
		{"SELECT ?x { ?x :name ?other OPTIONAL { %s } }", false}, {"SELECT ?x { ?x :name ?other MINUS { %s } }", false}, {"SELECT ?x { ?x :name ?other FILTER NOT EXISTS { %s } }", false},
		{"SELECT ?x { { %s } UNION { ?x :name ?other } }", false},
	}
	matches := regexp.MustCompile(`^(.*) matches nothing: |^(.*) is true of no ([^\s;]+)(?: of Person/(\w+))?`)
	view(t, g, func(s *kg.Snapshot) error {
		for _, part := range parts {
			for _, form := range forms {
				where := part.pattern
				if part.condition != "" {
					where += " FILTER(" + part.condition + ")"
				}
				text := fmt.Sprintf(form.text, where)
				warnings, _ := answered(t, s, lintedPrologue+text)
				sentences := strings.Join(lint.Sentences(warnings, false), "\n")
				if said := strings.Contains(sentences, part.says); form.alone && !said || !form.alone && part.says != "" && said {
					t.Errorf("%s: want %q, and it says %q", text, part.says, sentences)
				}
				for _, w := range warnings {
					m := matches.FindStringSubmatch(w.Text)
					if m == nil || strings.HasPrefix(m[1], "[]") {
						continue
					}
					alone := "ASK { " + m[1] + " }"
					if m[2] != "" {
						v := regexp.MustCompile(`\?\w+`).FindString(m[2])
						alone = fmt.Sprintf("ASK { ?s %s %s FILTER(%s) }", m[3], v, m[2])
						if m[4] != "" {
							alone = strings.Replace(alone, "?s", "<urn:trails:t:Person/"+m[4]+">", 1)
						}
					}
					if _, found := answered(t, s, lintedPrologue+alone); found {
						t.Errorf("%s: %s, and %s is true", text, w.Text, alone)
					}
				}
			}
		}
		for text, says := range map[string]string{
			"SELECT ?x { ?x :name ?n } OFFSET 2": "no solution is left behind OFFSET 2; leave it out", "SELECT ?x { ?x :name ?n } OFFSET 1": "",
			"SELECT ?x { ?x :name ?n } LIMIT 0": "LIMIT 0 asks for no solution", "SELECT ?x { ?x :born ?n } OFFSET 2": "no statement has the property :born",
		} {
			warnings, _ := answered(t, s, lintedPrologue+text)
			if said := strings.Join(lint.Sentences(warnings, false), "\n"); !strings.Contains(said, says) || says == "" && said != "" {
				t.Errorf("%s: want %q, and it says %q", text, says, said)
			}
		}
		return nil
	})
}

// TestPartsThatLeaveNothingTogetherAreNamed joins parts that each have solutions. Where they have none together, the
// answer says so, and names the parts without which there are some; no empty answer says nothing.
func TestPartsThatLeaveNothingTogetherAreNamed(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, `
types:
  Person:
    label: name
    properties: {name: string, age: integer, since: integer, boss: {class: Person}}
  Robot:
    properties: {name: string, maker: {class: Person}}
`)
	mustUpdate(t, g, `INSERT DATA {
		<urn:trails:t:Person/ana> a :Person ; :name "Ana" ; :age 41 ; :since 7 . <urn:trails:t:Person/bob> a :Person ; :name "Bob" ; :age 17 ; :boss <urn:trails:t:Person/ana> .
		<urn:trails:t:Robot/r1> a :Robot ; :name "R1" ; :maker <urn:trails:t:Person/ana> }`)
	view(t, g, func(s *kg.Snapshot) error {
		for _, c := range []struct{ text, says, without string }{
			{"SELECT ?x { ?x :age ?a ; :since ?s FILTER(?s > ?a) }", "there are some without ?s > ?a", "SELECT ?x { ?x :age ?a ; :since ?s }"},
			{"SELECT (COUNT(*) AS ?n) { ?x :age ?a ; :since ?s FILTER(?a > 1 && ?s > ?a) }", "there are some without ?s > ?a", "SELECT ?x { ?x :age ?a ; :since ?s FILTER(?a > 1) }"},
			{"SELECT ?x { ?x :since ?s ; :boss ?b }", "there are some without ?x :since ?s, or without ?x :boss ?b", "SELECT ?x { ?x :since ?s }"},
			{"SELECT ?x { ?x :name ?n MINUS { ?x :name ?m } }", "there are some without MINUS", "SELECT ?x { ?x :name ?n }"},
			{"SELECT ?x { ?x :name ?n VALUES (?x ?n) { (<urn:trails:t:Person/ana> \"Bob\") } }", "there are some without ?x :name ?n, or without VALUES", "SELECT ?x { ?x :name ?n }"},
			{"SELECT ?x (COUNT(*) AS ?n) { ?x :name ?m } GROUP BY ?x HAVING (COUNT(*) > 2)", "there are some without COUNT(*) > 2", "SELECT ?x (COUNT(*) AS ?n) { ?x :name ?m } GROUP BY ?x"},
			{"SELECT ?x { { SELECT ?x (COUNT(*) AS ?n) { ?x :name ?m } GROUP BY ?x } FILTER(?n > 2) }", "there are some without ?n > 2", "SELECT ?x { { SELECT ?x (COUNT(*) AS ?n) { ?x :name ?m } GROUP BY ?x } }"},
			{"ASK { ?x :boss ?y OPTIONAL { ?x :since ?s } FILTER(BOUND(?s)) }", "there are some without BOUND(?s), or without ?x :boss ?y", "ASK { ?x :boss ?y }"},
			{"CONSTRUCT { ?x :knows ?y } { ?x :boss/:boss ?y }", "no solution meets all parts of the pattern", "ASK { ?x :boss ?y }"},
			{"SELECT ?x { ?x :boss+ ?x }", "the path from ?x to ?x matches nothing", "ASK { ?x :boss+ ?y }"},
			{"SELECT ?x { ?x :boss ?x }", "?x :boss ?x matches nothing", "ASK { ?x :boss ?y }"},
			{"SELECT ?x { { ?x :since ?s ; :boss ?b } UNION { ?x :boss ?x } }", "UNION matches nothing", "ASK {}"},
			{"SELECT ?x { ?x :since ?s ; :boss ?b ; :age ?a FILTER(?a < ?s) }", "leaving out any one of them does not help", "SELECT ?x { ?x :since ?s }"},
			{"SELECT ?x { ?x :age ?a ; :since ?s FILTER(?s < ?a) }", "", "ASK {}"},
		} {
			warnings, found := answered(t, s, lintedPrologue+c.text)
			said := strings.Join(lint.Sentences(warnings, found), "\n")
			if !strings.Contains(said, c.says) || c.says == "" && (said != "" || !found) {
				t.Errorf("%s: want %q, and it says %q", c.text, c.says, said)
			}
			if _, found := answered(t, s, lintedPrologue+c.without); !found {
				t.Errorf("%s has no solution either", c.without)
			}
		}
		parts := []string{
			"?x :name ?n", "?x :age ?a", "?x :since ?s", "?x :boss ?b", "?y :maker ?x", "?x :boss+ ?b", "FILTER(?a > ?s)", "FILTER(?n < ?b)", "MINUS { ?x :since ?s }", "OPTIONAL { ?x :boss ?b }",
			"VALUES ?a { 17 }", "FILTER EXISTS { ?b :since ?s }", "{ SELECT ?x (MAX(?age) AS ?a) { ?x :age ?age } GROUP BY ?x }", "BIND(STRLEN(?n) AS ?s)", "{ ?x :since ?s } UNION { ?x :boss ?b }",
		}
		empty := 0
		for i, one := range parts {
			for j, other := range parts {
				for _, third := range []string{"?x :name ?m", "?x :since 7", "FILTER(?x != ?b)"} {
					text := lintedPrologue + "SELECT * { " + one + " " + other + " " + third + " }"
					if _, err := s.ParseQuery(text, ""); err != nil || i == j {
						continue
					}
					warnings, found := answered(t, s, text)
					if found {
						continue
					}
					if empty++; len(lint.Sentences(warnings, false)) == 0 {
						t.Errorf("empty without a word: %s", text)
					}
				}
			}
		}
		if empty < 100 {
			t.Errorf("%d queries have empty answers, too few to show anything", empty)
		}
		return nil
	})
}

// The text of an ill-formed constant is not written like its datatype, whatever it is held against.
func TestTheTextOfAnIllFormedConstantIsAnyText(t *testing.T) {
	g := newGraph(t, "")
	mustUpdate(t, g, `INSERT DATA { <urn:a> <urn:p> "2020" }`)
	view(t, g, func(s *kg.Snapshot) error {
		for _, condition := range []string{
			`STR("2020"^^xsd:date) = LCASE(xsd:string("2020"^^xsd:date))`, `STR("2020"^^xsd:date) = ?v`, `STR(?d) = ?v`, `STR("2020"^^xsd:date) = "2020"`, `CONCAT(STR("20"^^xsd:dateTime), "20") = ?v`,
		} {
			text := "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> SELECT ?v { ?s <urn:p> ?v VALUES ?d { '2020'^^xsd:date } FILTER(" + condition + ") }"
			if warnings, found := answered(t, s, text); !found || len(lint.Sentences(warnings, false)) > 0 {
				t.Errorf("%s: found %t, and %v", condition, found, lint.Sentences(warnings, false))
			}
		}
		return nil
	})
}

// A graph without statements says that it has none, and nothing of a query that needs none.
func TestAnEmptyGraphSaysThatItIsEmpty(t *testing.T) {
	view(t, newGraph(t, ""), func(s *kg.Snapshot) error {
		for text, says := range map[string]string{
			"SELECT * { ?s ?p ?o }": "the graph has no statements yet", "ASK { ?s a <urn:x> }": "the graph has no statements yet",
			"SELECT (COUNT(*) AS ?n) { ?s ?p ?o }": "the graph has no statements yet", "SELECT * { VALUES ?x { 1 } }": "",
		} {
			warnings, found := answered(t, s, text)
			if said := strings.Join(lint.Sentences(warnings, found), "\n"); said != says {
				t.Errorf("%s: want %q, and it says %q", text, says, said)
			}
		}
		return nil
	})
}

// answered returns what is said of a query that ran, and whether it has solutions.
func answered(t testing.TB, s *kg.Snapshot, text string) (warnings []lint.Warning, found bool) {
	t.Helper()
	q, err := s.ParseQuery(text, "")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	a, err := s.Query(t.Context(), q, kg.QueryOptions{})
	if err == nil {
		_, err = a.Truth(t.Context())
	}
	if err == nil {
		warnings, err = s.LintQuery(t.Context(), q, kg.QueryOptions{Text: text, Found: a.Found()})
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return warnings, !a.Found().Empty
}
