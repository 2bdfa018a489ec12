package sparql_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/rdf"
	"trails/sparql"
)

// TestServicesAreAnsweredWhereverTheyStand answers each with a table of one row, and
// holds what is known of it to be what stands beside it.
func TestServicesAreAnsweredWhereverTheyStand(t *testing.T) {
	for text, want := range map[string]string{
		`SERVICE <urn:x> { ?s ?p ?o }`:                                                                          "-",
		`VALUES ?s { 1 } SERVICE <urn:x> { ?s ?p ?o }`:                                                          "s",
		`SERVICE <urn:x> { ?s ?p ?o } VALUES ?s { 1 }`:                                                          "s",
		`VALUES ?s { 1 } ?s ?p ?o . BIND(2 AS ?t) BIND(?o + 1 AS ?u) SERVICE <urn:x> { ?s ?p ?o }`:              "s t",
		`SERVICE <urn:x> {} SERVICE <urn:x> {}`:                                                                 "-; answer",
		`VALUES ?s { 1 } OPTIONAL { SERVICE <urn:x> {} } SERVICE <urn:x> {}`:                                    "s; s",
		`VALUES ?s { 1 } OPTIONAL { VALUES ?t { 1 } SERVICE <urn:x> {} OPTIONAL { SERVICE <urn:x> {} } }`:       "t; t answer",
		`VALUES ?s { 1 } MINUS { SERVICE <urn:x> {} }`:                                                          "-",
		`VALUES ?s { 1 } { SERVICE <urn:x> {} } UNION { SERVICE <urn:x> {} }`:                                   "s; s",
		`VALUES ?s { 1 } GRAPH ?g { SERVICE <urn:x> {} }`:                                                       "s",
		`VALUES ?s { 1 } { SERVICE <urn:x> {} FILTER(?s) }`:                                                     "-",
		`VALUES ?s { 1 } { SELECT ?s { SERVICE <urn:x> {} } ORDER BY ?s LIMIT 1 }`:                              "-",
		`VALUES ?s { 1 } FILTER EXISTS { SERVICE <urn:x> { SERVICE <urn:y> {} } }`:                              "-",
		`{ SELECT (COUNT(*) AS ?n) { SERVICE <urn:x> {} } GROUP BY ?s HAVING (EXISTS { SERVICE <urn:x> {} }) }`: "-; -",
	} {
		q := parsed(t, "SELECT * {"+text+"}")
		before := q.Dump()
		var known []string
		answered, err := q.AnswerServices(func(_ sparql.Service, tables []sparql.Table) (sparql.Op, error) {
			vars := []string{}
			for _, table := range tables {
				for _, v := range table.Vars {
					vars = append(vars, string(v))
				}
			}
			if len(vars) == 0 {
				vars = []string{"-"}
			}
			known = append(known, strings.Join(vars, " "))
			return sparql.Table{Vars: []sparql.Var{"answer"}, Rows: [][]rdf.Term{{rdf.IRI("urn:a")}}}, nil
		})
		if got := strings.Join(known, "; "); err != nil || got != want {
			t.Errorf("%s: knows %q, want %q, %v", text, got, want, err)
		}
		if _, remote := answered.Remote(); remote || strings.Count(answered.Dump(), "?answer") != len(known) {
			t.Errorf("%s became\n%s", text, answered.Dump())
		}
		if diff := cmp.Diff(before, q.Dump()); diff != "" {
			t.Errorf("%s: the query changed: %s", text, diff)
		}
	}
}

func TestTheFirstServiceThatFailsEndsTheAnswers(t *testing.T) {
	asked, down := 0, errors.New("down")
	_, err := parsed(t, `ASK { SERVICE <urn:x> {} SERVICE <urn:y> {} }`).AnswerServices(func(sparql.Service, []sparql.Table) (sparql.Op, error) {
		asked++
		return nil, down
	})
	if !errors.Is(err, down) || asked != 1 {
		t.Errorf("%v, asked %d times", err, asked)
	}
}

func TestAnEndpointIsAskedByAQuery(t *testing.T) {
	values := sparql.Table{Vars: []sparql.Var{"s", "o"}, Rows: [][]rdf.Term{{rdf.IRI("urn:a"), nil}}}
	for text, want := range map[string]string{
		`?s ?p [ ?q 1 ]`:                        `SELECT * { VALUES (?s ?o) { (<urn:a> UNDEF) } ?s ?p _:b . _:b ?q 1 }`,
		`?s ?p ?o MINUS { ?s ?q 1 }`:            `SELECT * { VALUES (?s ?o) { (<urn:a> UNDEF) } { ?s ?p ?o MINUS { ?s ?q 1 } } }`,
		`?s ?p ?o FILTER(?o > 1)`:               `SELECT * { VALUES (?s ?o) { (<urn:a> UNDEF) } { ?s ?p ?o FILTER(?o > 1) } }`,
		`{ ?s ?p ?o } UNION { SERVICE ?p {} }`:  `SELECT * { VALUES (?s ?o) { (<urn:a> UNDEF) } { ?s ?p ?o } UNION { SERVICE ?p {} } }`,
		`SELECT ?s { ?s ?p ?o } LIMIT 1`:        `SELECT * { VALUES (?s ?o) { (<urn:a> UNDEF) } { SELECT ?s { ?s ?p ?o } LIMIT 1 } }`,
		`?s (<urn:p>|^<urn:q>)* ?o OPTIONAL {}`: `SELECT * { VALUES (?s ?o) { (<urn:a> UNDEF) } { ?s (<urn:p>|^<urn:q>)* ?o OPTIONAL {} } }`,
	} {
		q := parsed(t, `SELECT * { SERVICE <urn:x> {`+text+`} }`)
		_, err := q.AnswerServices(func(s sparql.Service, _ []sparql.Table) (sparql.Op, error) {
			if got := parsed(t, s.Select("", values)); dumped(got) != dumped(parsed(t, want)) {
				t.Errorf("%s: asked\n%s", text, s.Select("", values))
			}
			if based := s.Select("http://b/"); !strings.HasPrefix(based, "BASE <http://b/>\n") {
				t.Errorf("without its base: %s", based)
			}
			return sparql.Table{}, nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
