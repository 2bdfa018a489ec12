package sparql_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"trails/rdf"
	"trails/sparql"
)

func TestATextIsParsedOnce(t *testing.T) {
	var texts sparql.Texts
	parse := func(text, base string) *sparql.Query {
		t.Helper()
		q, err := texts.Parse(text, sparql.Options{Base: base}, "")
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	const text = "SELECT * { <a> ?p ?o }"
	first := parse(text, "http://x/")
	if parse(text, "http://x/") != first {
		t.Error("the same text is parsed again")
	}
	if other := parse(text, "http://y/"); other == first || other.Dump() == first.Dump() {
		t.Error("another base gives the same query")
	}
	if _, err := texts.Parse("SELECT", sparql.Options{Base: "http://x/"}, ""); err == nil {
		t.Error("a text that is no query is one")
	}
	if _, err := texts.Parse("SELECT", sparql.Options{Base: "http://x/"}, ""); err == nil {
		t.Error("… the second time")
	}
	for i := range 600 {
		parse(fmt.Sprintf("SELECT * { ?s ?p %d }", i), "")
	}
	if parse(text, "http://x/") == first {
		t.Error("a text that was not used for long is still remembered")
	}
	long := "SELECT * { " + strings.Repeat("?s ?p ?o . ", 4000) + "}"
	if once := parse(long, ""); parse(long, "") == once {
		t.Error("a long text is remembered")
	}
}

// TestBindingLeavesASharedQueryAlone binds a query from many sides at once.
func TestBindingLeavesASharedQueryAlone(t *testing.T) {
	var texts sparql.Texts
	const text = `SELECT ?s (COUNT(?o) AS ?n) { ?s <urn:p> ?x . OPTIONAL { ?s <urn:q>/<urn:r> ?o FILTER(?o > ?x) } MINUS { ?s ?x [] }
		FILTER(BOUND(?x) && EXISTS { ?s <urn:t> ?x }) VALUES ?x { 1 2 } } GROUP BY ?s ?x HAVING(?x = 1) ORDER BY ?x`
	q, err := texts.Parse(text, sparql.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	before := q.Dump()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			shared, err := texts.Parse(text, sparql.Options{}, "")
			if err != nil {
				t.Error(err)
				return
			}
			bound, err := shared.Bind(map[sparql.Var]rdf.Term{"x": rdf.Literal(fmt.Sprint(i), rdf.XSDInteger)})
			if err != nil || bound.Dump() == before {
				t.Errorf("bound: %v", err)
			}
		})
	}
	all.Wait()
	if after := q.Dump(); after != before {
		t.Errorf("the query changed from\n%s\nto\n%s", before, after)
	}
}
