package kg_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trails/kg"
	"trails/rdf"
	"trails/sparql"
)

// TestOneTextTakesParametersOfEveryType binds one text to terms of different types in
// turn, each of which has a plan of its own or the plan of its shape.
func TestOneTextTakesParametersOfEveryType(t *testing.T) {
	e := newAsker(t)
	say := func(s, p string, o rdf.Term) rdf.Quad {
		return rdf.Quad{Subject: rdf.IRI("urn:" + s), Predicate: rdf.IRI("urn:" + p), Object: o}
	}
	g, err := e.graph(t.Context(), []rdf.Quad{
		say("a", "v", rdf.Literal("1", rdf.XSDInteger)), say("b", "v", rdf.Literal("1", "")), say("c", "v", rdf.LangLiteral("1", "en")),
		say("d", "v", rdf.IRI("urn:1")), say("e", "v", rdf.Literal("1.0", rdf.XSDDecimal)), say("f", "v", rdf.Literal("001", rdf.XSDInteger)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	ask := func(text string, x rdf.Term) (got []string) {
		t.Helper()
		q, err := sparql.Parse(text, sparql.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = g.Session(ana).View(t.Context(), func(s *kg.Snapshot) error {
			a, err := s.Query(t.Context(), q, kg.QueryOptions{Params: map[sparql.Var]rdf.Term{"x": x}})
			if err != nil {
				return err
			}
			for row, err := range a.Rows(t.Context()) {
				if err != nil {
					return err
				}
				got = append(got, rdf.Lexical(row[0])[len("urn:"):])
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for range 2 {
		for _, c := range []struct {
			x           rdf.Term
			same, equal []string
		}{
			{rdf.Literal("1", rdf.XSDInteger), []string{"a"}, []string{"a", "e", "f"}},
			{rdf.Literal("1", ""), []string{"b"}, []string{"b"}},
			{rdf.LangLiteral("1", "en"), []string{"c"}, []string{"c"}},
			{rdf.IRI("urn:1"), []string{"d"}, []string{"d"}},
			{rdf.Literal("1.0", rdf.XSDDecimal), []string{"e"}, []string{"a", "e", "f"}},
			{rdf.Literal("1.0E0", rdf.XSDDouble), nil, []string{"a", "e", "f"}},
			{rdf.Literal("2", rdf.XSDInteger), nil, nil},
		} {
			if diff := gocmp.Diff(c.same, ask("SELECT ?s { ?s <urn:v> ?x }", c.x)); diff != "" {
				t.Errorf("?s :v %v (-want +got):\n%s", c.x, diff)
			}
			if diff := gocmp.Diff(c.equal, ask("SELECT ?s { ?s <urn:v> ?v FILTER(?v = ?x) } ORDER BY ?s", c.x)); diff != "" {
				t.Errorf("?v = %v (-want +got):\n%s", c.x, diff)
			}
		}
	}
}
