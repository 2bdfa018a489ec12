package kg_test

import (
	"testing"
	"time"

	"trails/e2e/testrun"
	"trails/kg"
)

// Right questions about real data, as agents ask them.
var rightAboutAttack = []string{
	`SELECT ?type (COUNT(*) AS ?n) { ?x a ?type } GROUP BY ?type ORDER BY DESC(?n)`,
	`SELECT ?t ?name ?m { ?g a :Group ; :name "APT29" ; :uses ?t . ?t a :Technique ; :name ?name ; :tactic ?tactic . ?tactic :shortName "credential-access" OPTIONAL { ?m a :Mitigation ; :mitigates ?t } }`,
	`SELECT ?t (COUNT(DISTINCT ?user) AS ?n) { ?t a :Technique . ?user :uses ?t FILTER NOT EXISTS { ?m :mitigates ?t } } GROUP BY ?t HAVING (COUNT(DISTINCT ?user) > 5) ORDER BY DESC(?n) LIMIT 10`,
	`SELECT ?a ?b ?s { ?a a :Group ; :uses ?s . ?b a :Group ; :uses ?s . ?s a ?kind VALUES ?kind { :Malware :Tool } FILTER(STR(?a) < STR(?b)) } LIMIT 10`,
	`SELECT ?x { ?x :attackId "T1003" }`,
	`SELECT ?x ?d { ?x a :Malware ; :platform "Windows" ; :created ?d ; :version ?v FILTER(?d > "2020-01-01T00:00:00Z"^^xsd:dateTime && YEAR(?d) < 2024 && CONTAINS(LCASE(?v), "1")) }`,
	`SELECT ?sub ?name { ?sub :subtechniqueOf/:attackId "T1003" ; :name ?name }`,
	`SELECT ?c ?g { ?c a :Campaign ; :attributedTo ?g ; :uses/:tactic/:name ?t FILTER(?t IN ("Execution", "Impact")) }`,
	`SELECT ?x ?n { ?x a ?type ; :name ?n . GRAPH <urn:trails:graph:schema> { ?type rdfs:subClassOf* :Software } FILTER(REGEX(?n, "^Cobalt", "i")) }`,
	`SELECT ?x { { ?x a :Malware } UNION { ?x a :Tool } ?x :alias ?a FILTER(STRSTARTS(?a, "S")) MINUS { ?x :platform "Linux" } }`,
	`CONSTRUCT { ?g :knows ?t } { ?g :uses ?s . ?s a :Tool ; :uses ?t }`,
	`SELECT ?u { ?x a :Tool ; :url ?u FILTER(STR(?u) = "https://attack.mitre.org/software/S0002") }`,
	`DESCRIBE <https://attack.mitre.org/kg/Technique/T1003>`,
	`ASK { <https://attack.mitre.org/kg/Technique/T1003> :tactic ?t }`,
}

// TestRightQuestionsAreNotWarnedOf asks them of ATT&CK, and some that are wrong, and tells what
// the linting costs.
func TestRightQuestionsAreNotWarnedOf(t *testing.T) {
	testrun.Alone(t)
	g := attackGraph(t)
	view(t, g, func(s *kg.Snapshot) error {
		warned := func(text string) int {
			q, err := s.ParseQuery(text, "")
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			begun := time.Now()
			warnings, err := s.LintQuery(t.Context(), q, kg.QueryOptions{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%v %.60s %v", time.Since(begun).Round(time.Microsecond), text, warnings)
			return len(warnings)
		}
		for range 2 {
			for _, text := range rightAboutAttack {
				if warned(text) > 0 {
					t.Errorf("a right question is warned of: %s", text)
				}
			}
		}
		for _, text := range []string{
			`SELECT ?t { ?g a :Group ; :uses ?t . ?t :tactics ?x }`,
			`SELECT ?t { ?t a :Technique ; :uses ?g . ?g a :Group }`,
			`SELECT ?m { ?t a :Technique ; :mitigates ?m }`,
			`SELECT ?t { ?t a :Technique ; :tactic "Execution" }`,
			`SELECT ?t { ?t a :Technique ; :platform "windows" }`,
			`SELECT ?t { ?t a :Malware ; :created ?d FILTER(?d > "2020-01-01") }`,
			`SELECT ?t { ?t a :Tool ; :url "https://attack.mitre.org/software/S0002" }`,
			`SELECT ?n { <https://attack.mitre.org/kg/Technique/T10033> :name ?n }`,
			`SELECT ?x { ?x a :Software }`,
		} {
			if warned(text) != 1 {
				t.Errorf("a wrong question is not warned of once: %s", text)
			}
		}
		return nil
	})
}
