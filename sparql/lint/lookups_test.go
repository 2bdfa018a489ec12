package lint_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"trails/rdf"
	"trails/schema"
	"trails/sparql"
	"trails/sparql/lint"
)

// counted is a graph without statements that counts its searches.
type counted struct{ searches *int }

func (counted) Match(context.Context, rdf.Quad) iter.Seq2[rdf.Quad, error] {
	return func(func(rdf.Quad, error) bool) {}
}
func (counted) Predicates(context.Context) ([]rdf.IRI, error)    { return nil, nil }
func (counted) Graphs(context.Context, int) ([]rdf.IRI, error)   { return nil, nil }
func (counted) Datatype(context.Context, rdf.IRI) rdf.IRI        { return "" }
func (counted) Absent(context.Context, rdf.IRI) (string, error)  { return "", nil }
func (counted) Named(context.Context, string) ([]rdf.IRI, error) { return nil, nil }
func (counted) Solved(context.Context, sparql.Op) (bool, error)  { return true, nil }
func (c counted) Alike(context.Context, rdf.IRI, string) (rdf.Term, error) {
	*c.searches++
	return nil, nil
}

// TestATextIsSearchedOnceForAProperty holds one text against a property of many datatypes, in several patterns: the
// value that was probably meant is searched once.
func TestATextIsSearchedOnceForAProperty(t *testing.T) {
	text := "types:\n"
	for i, word := range []string{"integer", "decimal", "double", "boolean", "date", "datetime", "time", "duration", "year", "lang_string"} {
		text += fmt.Sprintf("  T%d:\n    properties:\n      p: {type: %s}\n", i, word)
	}
	s, err := schema.ParseYAML([]byte(text), "urn:t:")
	if err != nil {
		t.Fatal(err)
	}
	q, err := sparql.Parse(`SELECT * { ?a :p "abc" . ?b :p "abc" . ?c :p "abc" FILTER(?b != ?c) }`, sparql.Options{Prefixes: s.TurtlePrefixes()})
	if err != nil {
		t.Fatal(err)
	}
	searches := 0
	warnings, err := lint.New(s).Query(t.Context(), counted{&searches}, q)
	if err != nil || len(warnings) == 0 || searches != 1 {
		t.Errorf("%d searches, error %v, and %v", searches, err, warnings)
	}
}
