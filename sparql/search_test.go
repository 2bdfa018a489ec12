package sparql_test

import (
	"strings"
	"testing"

	"trails/sparql"
)

const searchPrologue = "PREFIX trails: <urn:trails:ns#> PREFIX : <urn:x:> "

func TestASearchIsOneOperator(t *testing.T) {
	for text, want := range map[string]string{
		`?n trails:matches "a b"`:                             `(search (?n) ("a b"))`,
		`(?n ?score ?p) trails:matches ("a" :T 20)`:           `(search (?n ?score ?p) ("a" :T 20))`,
		`?n trails:matches "a" ; :p ?x`:                       `(join (bgp (triple ?n :p ?x)) (search (?n) ("a")))`,
		`?n trails:matches "a", ?w`:                           `(join (search (?n) ("a")) (search (?n) (?w)))`,
		`() trails:matches ()`:                                `(search () ())`,
		`OPTIONAL { ?n trails:matches "a" }`:                  `(leftjoin (bgp) (search (?n) ("a")))`,
		`FILTER EXISTS { (?n) trails:matches ("a") }`:         `(search (?n) ("a"))`,
		`SERVICE :s { ?n trails:matches "a" }`:                `(service :s (search (?n) ("a")))`,
		`GRAPH ?g { SERVICE :s { ?n trails:matches "a" } }`:   `(service :s (search (?n) ("a")))`,
		`?n !trails:matches ?x`:                               `(path ?n`,
		`GRAPH ?g { ?s ?p ?o } ?n trails:matches "a"`:         `(search (?n) ("a"))`,
		`(?n ?score) trails:matches "a" ; :p ?x`:              `rdf-syntax-ns#first> ?n`, // the list is a list of the data, too
		`(?n ?score) trails:matches "a" . (?n) :p ?x`:         `(search (?n ?score) ("a"))`,
		`BIND("a" AS ?w) ?n trails:matches ?w`:                `(search (?n) (?w))`,
		`{ ?n trails:matches "a" } UNION { ?n :p "a" }`:       `(union (search (?n) ("a"))`,
		`?n <urn:trails:ns#matches> ("a" trails:words :T :U)`: `(search (?n) ("a" trails:words :T :U))`,
		`{ SELECT ?n { ?n trails:matches "a" } } ?n :p ?x`:    `(search (?n) ("a"))`,
	} {
		q, err := sparql.Parse(searchPrologue+"SELECT * { "+text+" }", sparql.Options{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		dump := strings.NewReplacer("( ", "(", " )", ")").Replace(strings.Join(strings.Fields(q.Dump()), " "))
		if !strings.Contains(dump, want) {
			t.Errorf("%s is\n%s, without\n%s", text, dump, want)
		}
		again, err := sparql.Parse(q.String(), sparql.Options{})
		if err != nil {
			t.Errorf("%s is printed as\n%s\n%v", text, q, err)
			continue
		}
		again.Prefixes = q.Prefixes
		if again.Dump() != q.Dump() {
			t.Errorf("%s is printed as\n%s\nwhich is\n%s", text, q, again.Dump())
		}
	}
}

func TestASearchIsRefusedWhereItMeansNothing(t *testing.T) {
	for text, want := range map[string]string{
		`SELECT * { ?n ^trails:matches "a" }`:                               "cannot stand in a path",
		`SELECT * { ?n :p/trails:matches "a" }`:                             "cannot stand in a path",
		`SELECT * { ?n trails:matches* "a" }`:                               "cannot stand in a path",
		`SELECT * { ?n (:p|trails:matches) "a" }`:                           "cannot stand in a path",
		`SELECT * { GRAPH ?g { ?n trails:matches "a" } }`:                   "write it before GRAPH",
		`SELECT * { GRAPH :g { { ?n trails:matches "a" } } }`:               "write it before GRAPH",
		`SELECT * { GRAPH :g { FILTER EXISTS { ?n trails:matches "a" } } }`: "write it before GRAPH",
		`CONSTRUCT { ?n trails:matches "a" } { ?n :p ?o }`:                  "it stands in a group of WHERE",
		`CONSTRUCT WHERE { ?n trails:matches "a" }`:                         "it stands in a group of WHERE",
	} {
		if _, err := sparql.Parse(searchPrologue+text, sparql.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", text, err, want)
		}
	}
	for _, text := range []string{`INSERT DATA { :n trails:matches "a" }`, `DELETE WHERE { ?n trails:matches "a" }`, `INSERT { ?n trails:matches "a" } WHERE { ?n :p ?o }`} {
		if _, err := sparql.ParseUpdate(searchPrologue+text, sparql.Options{}); err == nil || !strings.Contains(err.Error(), "it stands in a group of WHERE") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
