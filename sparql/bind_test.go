package sparql_test

import (
	"strings"
	"testing"

	"trails/fault"
	"trails/rdf"
	"trails/sparql"
)

// A query with parameters has the algebra of the text with the terms in it.
func TestABoundQueryIsTheQueryWithTheTerms(t *testing.T) {
	params := map[sparql.Var]rdf.Term{"x": rdf.IRI("urn:x"), "n": rdf.Literal("5", rdf.XSDInteger)}
	for text, want := range map[string]string{
		`SELECT ?y { ?x <urn:p> ?y FILTER(?y > ?n) }`:                                        `SELECT ?y { <urn:x> <urn:p> ?y FILTER(?y > 5) }`,
		`ASK { ?y <urn:p>* ?x OPTIONAL { ?y ?x ?n FILTER(EXISTS { ?x ?y ?n }) } }`:           `ASK { ?y <urn:p>* <urn:x> OPTIONAL { ?y <urn:x> 5 FILTER(EXISTS { <urn:x> ?y 5 }) } }`,
		`SELECT ?y { GRAPH ?x { ?y ?p ?n } BIND(?n + 1 AS ?z) }`:                             `SELECT ?y { GRAPH <urn:x> { ?y ?p 5 } BIND(5 + 1 AS ?z) }`,
		`SELECT ?y { ?y ?p ?x FILTER(BOUND(?n) && BOUND(?y)) }`:                              `SELECT ?y { ?y ?p <urn:x> FILTER(true && BOUND(?y)) }`,
		`SELECT ?y { ?y ?p ?n VALUES (?x ?y) { (<urn:x> 1) (<urn:z> 2) (UNDEF 3) } }`:        `SELECT ?y { ?y ?p 5 VALUES (?y) { (1) (3) } }`,
		`CONSTRUCT { ?x ?p ?n } { ?x ?p ?o { SELECT ?o { ?o ?p ?x } LIMIT 1 } }`:             `CONSTRUCT { <urn:x> ?p 5 } { <urn:x> ?p ?o { SELECT ?o { ?o ?p <urn:x> } LIMIT 1 } }`,
		`SELECT (COUNT(?n) AS ?c) { ?x ?p ?y } GROUP BY ?p HAVING (SUM(?y) > 5) ORDER BY ?c`: `SELECT (COUNT(5) AS ?c) { <urn:x> ?p ?y } GROUP BY ?p HAVING (SUM(?y) > 5) ORDER BY ?c`,
		`ASK { ?y ?p ?x MINUS { ?y ?q ?n } }`:                                                `ASK { ?y ?p <urn:x> MINUS { ?y ?q 5 } }`,
	} {
		got, err := parsed(t, text).Bind(params)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if want := dumped(parsed(t, want)); dumped(got) != want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", text, dumped(got), want)
		}
	}
}

func TestAParameterThatTheTextDoesNotNameIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"absent": `ASK { ?x ?y ?z }`,
		".0":     `ASK { [] ?y ?z }`,
		"made":   `SELECT (1 AS ?made) { }`,
		"bound":  `SELECT * { ?s ?p ?o BIND(?o AS ?bound) }`,
		"key":    `SELECT ?key { ?s ?p ?o } GROUP BY (STR(?o) AS ?key)`,
	} {
		_, err := parsed(t, text).Bind(map[sparql.Var]rdf.Term{sparql.Var(name): rdf.IRI("urn:x")})
		if f := fault.Of(err); err == nil || f.Kind != fault.InvalidArguments || len(f.Fields) != 1 || f.Fields[0].Field != "params."+name {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestTheQueryThatIsBoundStaysAsItIs(t *testing.T) {
	q := parsed(t, `CONSTRUCT { ?x ?p ?o } { ?x ?p ?o FILTER(?x = ?o) VALUES ?x { <urn:x> } }`)
	before := dumped(q)
	if _, err := q.Bind(map[sparql.Var]rdf.Term{"x": rdf.IRI("urn:x")}); err != nil {
		t.Fatal(err)
	}
	if after := dumped(q); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}

func TestRemoteFindsEveryService(t *testing.T) {
	for text, want := range map[string]bool{
		`ASK { ?s ?p ?o }`:                     false,
		`ASK { SERVICE <urn:x> { ?s ?p ?o } }`: true,
		`ASK { ?s ?p ?o OPTIONAL { { SELECT * { SERVICE SILENT ?s { ?s ?p ?o } } } } }`:         true,
		`ASK { ?s ?p ?o FILTER(?o > 1 && NOT EXISTS { { ?s ?p 1 } UNION { SERVICE ?o {} } }) }`: true,
	} {
		if _, got := parsed(t, text).Remote(); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func parsed(t *testing.T, text string) *sparql.Query {
	t.Helper()
	q, err := sparql.Parse(text, sparql.Options{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return q
}

// dumped leaves out what a query projects: a parameter is not among it.
func dumped(q *sparql.Query) string { return strings.TrimSpace(q.Dump()) }
