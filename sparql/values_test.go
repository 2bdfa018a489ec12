package sparql_test

import (
	"fmt"
	"testing"

	"trails/rdf"
	"trails/sparql"
)

// A table of values has the meaning of VALUES at the beginning of WHERE.
func TestWithValuesIsValuesAtTheBeginning(t *testing.T) {
	table := sparql.Table{Vars: []sparql.Var{"x"}, Rows: [][]rdf.Term{{rdf.IRI("urn:1")}, {rdf.IRI("urn:2")}}}
	const values = "VALUES ?x { <urn:1> <urn:2> }"
	for _, text := range []string{
		`SELECT ?x { %s ?x <urn:p> ?y . ?y <urn:q> ?z }`,
		`SELECT DISTINCT ?y { %s ?x <urn:p> ?y FILTER(?y > 1) } ORDER BY ?y LIMIT 3`,
		`SELECT ?x (COUNT(?y) AS ?n) { %s ?x <urn:p> ?y } GROUP BY ?x HAVING (COUNT(?y) > 1)`,
		`SELECT ?x { %s ?x <urn:p> ?y OPTIONAL { ?y <urn:q> ?x } }`,
		`SELECT ?x { %s ?x <urn:p> ?y MINUS { ?x <urn:q> ?y } }`,
		`SELECT ?x { %s ?x <urn:p> ?y BIND(?y AS ?b) }`,
		`ASK { %s ?x <urn:p>* ?y }`,
		`CONSTRUCT { ?x <urn:p> ?y } { %s ?x <urn:q> ?y }`,
		`SELECT * { %s }`,
	} {
		got := parsed(t, fmt.Sprintf(text, "")).WithValues(table)
		got.Vars = parsed(t, fmt.Sprintf(text, values)).Vars // * is what the text itself names
		if got, want := sparql.Dump(inner(got.Op), nil), sparql.Dump(inner(parsed(t, fmt.Sprintf(text, values)).Op), nil); got != want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", text, got, want)
		}
	}
}

// inner leaves the outermost projection out.
func inner(op sparql.Op) sparql.Op {
	if p, ok := op.(sparql.Project); ok {
		return p.Op
	}
	return op
}

func TestUnboundVariablesAreThoseThatNothingBinds(t *testing.T) {
	for text, want := range map[string]string{
		`SELECT ?x { ?x ?p ?o }`:                                                     "[]",
		`SELECT ?x ?z { ?x ?p ?o FILTER(?y > 1) }`:                                   "[z y]",
		`SELECT (COUNT(?q) AS ?n) { ?x ?p ?o } GROUP BY ?x`:                          "[q]",
		`SELECT ?b { ?x ?p ?o BIND(?o AS ?b) }`:                                      "[]",
		`SELECT ?v { VALUES ?v { 1 } FILTER EXISTS { ?v ?p ?in FILTER(?out) } }`:     "[out]",
		`CONSTRUCT { ?x ?p ?made } { ?x ?p ?o }`:                                     "[made]",
		`ASK { ?s ?p ?o FILTER(!BOUND(?a) || ?o < COALESCE(?b, ?c, 1) || ?a < ?d) }`: "[d]",
		`ASK { GRAPH ?g { ?s ?p ?o } FILTER(?g = ?h) }`:                              "[h]",
		`SELECT * { ?x <urn:p>+ ?y { SELECT ?z { ?y ?q ?z } } }`:                     "[]",
		`SELECT ?x { [] ?p _:b . _:b ?q ?x } ORDER BY ?k`:                            "[k]",
	} {
		if got := fmt.Sprint(parsed(t, text).Unbound()); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	u, err := sparql.ParseUpdate(`INSERT DATA { <urn:a> <urn:b> 1 } ; DELETE { ?s ?p ?was } INSERT { ?s ?p ?now } WHERE { ?s ?p ?was }`, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(u.Unbound()); got != "[now]" {
		t.Errorf("of an update: %s", got)
	}
}
