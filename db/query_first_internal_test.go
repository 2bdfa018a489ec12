package db

import (
	"path/filepath"
	"strings"
	"testing"

	"trails/sparql"
)

// Whatever the size of a file: the first row of a query comes when it is found. No
// plan makes a table, an index or a filter of anything before.
func TestTheFirstRowWaitsForNoOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "first.db")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	bulkLoad(t, path)
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, text := range []string{
		"SELECT * { ?s ?p ?o }",
		"SELECT * { ?a ?p ?b . ?b ?q ?c . ?c ?r ?d }",
		"SELECT * { ?a ?p ?b . ?b ?q ?c . ?c ?r ?d . ?d ?s ?e . ?e ?t ?f }",
		"SELECT * { ?a :p ?b . ?c :p ?d . ?e :p ?f }",
		"SELECT * { ?a :p ?b . ?a ?q ?c . ?d ?r ?c . ?d :p ?e }",
		"SELECT * { ?a ?p ?b OPTIONAL { ?b ?q ?c } OPTIONAL { ?a ?r ?c } }",
		"SELECT * { ?a ?p ?b OPTIONAL { ?b ?q ?c . ?c ?r ?d } }",
		"SELECT * { { ?a ?p ?b . ?b ?q ?c } UNION { ?a :p ?c . ?c ?q ?b } }",
		"SELECT * { ?a ?p ?b . ?b ?q ?c MINUS { ?c :p ?a . ?a ?r ?b } }",
		"SELECT * { ?a ?p ?b . ?b ?q ?c FILTER NOT EXISTS { ?c :p ?x . ?x ?r ?y } }",
		"SELECT * { ?a :p+ ?b }", "SELECT * { ?a :p* ?b }", "SELECT * { ?a (:p|^:q)+ ?b . ?b ?q ?c . ?c ?r ?d }",
		"SELECT * { :a :p+ ?b . ?b :p* ?c }", "SELECT * { ?b :p* :a . ?c :q ?b }",
		"SELECT DISTINCT ?a { ?a ?p ?b . ?b ?q ?c . ?c ?r ?d }",
	} {
		q, err := sparql.Parse("PREFIX : <urn:test:>\n"+text, sparql.Options{})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := r.Plan(t.Context(), q.Op, q.Vars, q.Dataset, "")
		if err != nil {
			t.Fatal(err)
		}
		e, err := r.Explain(t.Context(), plan, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []string{"BLOOM FILTER", "AUTOMATIC", "MATERIALIZE", "FOR ORDER BY", "FOR GROUP BY"} {
			if strings.Contains(e.Steps, step) {
				t.Errorf("%s\n%s", text, e.Steps)
				break
			}
		}
	}
}
