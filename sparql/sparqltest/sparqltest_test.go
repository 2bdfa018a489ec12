package sparqltest_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/rdf"
	"trails/rdf/rdftest"
	"trails/sparql"
	"trails/sparql/naive"
	"trails/sparql/sparqltest"
)

// TestWhatIsDrawnIsAnswered checks that every drawn query parses, and that the oracle agrees with itself on its answer.
func TestWhatIsDrawnIsAnswered(t *testing.T) {
	testrun.Alone(t)
	rapid.Check(t, func(t *rapid.T) {
		data, c := sparqltest.Data(t), sparqltest.Query(t)
		got, err := sparqltest.Oracle{}.Query(t.Context(), c.Text, "", data)
		if err != nil {
			t.Fatalf("%v\nfor\n%s", err, c.Text)
		}
		if err := sparqltest.Agree(t.Context(), c, data, got); err != nil {
			t.Fatalf("%v\nfor\n%s", err, c.Text)
		}
	})
}

func TestDrawnUpdatesApply(t *testing.T) {
	testrun.Alone(t)
	rapid.Check(t, func(t *rapid.T) {
		data, text := sparqltest.Data(t), sparqltest.Update(t)
		before := slices.Clone(data)
		u, err := sparql.ParseUpdate(text, sparql.Options{})
		if err != nil {
			t.Fatalf("%v\nfor\n%s", err, text)
		}
		once, err := naive.Apply(t.Context(), u, data)
		if diff := cmp.Diff(before, data); diff != "" {
			t.Fatalf("the data changed (-before +after):\n%s\nby\n%s", diff, text)
		}
		again, failed := naive.Apply(t.Context(), u, data)
		if (err == nil) != (failed == nil) || !rdf.Isomorphic(once, again) {
			t.Fatalf("another outcome the second time: %v, %v\nof\n%s", err, failed, text)
		}
	})
}

// TestDrawnQueriesSayMuch checks that enough drawn queries have solutions, and that every form and clause is drawn.
func TestDrawnQueriesSayMuch(t *testing.T) {
	testrun.Alone(t)
	answered, all := 0, 0
	for seed := range 400 {
		c := rapid.Custom(sparqltest.Query).Example(seed)
		data := rapid.Custom(sparqltest.Data).Example(seed)
		got, err := sparqltest.Oracle{}.Query(context.Background(), c.Text, "", data)
		if err != nil {
			t.Fatalf("%v\nfor\n%s", err, c.Text)
		}
		all++
		if got.Truth != nil && *got.Truth || len(got.Rows) > 0 || len(got.Graph) > 0 {
			answered++
		}
	}
	t.Logf("%d of %d have an answer", answered, all)
	if answered < all/4 {
		t.Errorf("only %d of %d queries have an answer", answered, all)
	}
}

func TestAgreeSeesWhatIsWrong(t *testing.T) {
	testrun.Alone(t)
	n := func(lexical string) rdf.Term { return rdf.Literal(lexical, rdf.XSDInteger) }
	var data []rdf.Quad
	for _, v := range []string{"3", "1", "2"} {
		data = append(data, rdf.Quad{Subject: rdf.IRI("urn:s"), Predicate: rdf.IRI("urn:p"), Object: n(v)})
	}
	const all = "SELECT ?o { ?s ?p ?o }"
	whole := sparqltest.Case{Text: all}
	sorted := sparqltest.Case{Text: all + " ORDER BY ?o", Keys: []sparqltest.Key{{Var: "o"}}}
	part := sparqltest.Case{Text: all + " LIMIT 2", Whole: all, Limit: 2}
	first := sparqltest.Case{Text: all + " ORDER BY ?o LIMIT 2", Whole: all + " ORDER BY ?o", Limit: 2, Keys: sorted.Keys}
	for _, c := range []struct {
		says string
		c    sparqltest.Case
		rows []string
		ok   bool
	}{
		{"any order", whole, []string{"1", "2", "3"}, true},
		{"a row too few", whole, []string{"1", "2"}, false},
		{"in order", sorted, []string{"1", "2", "3"}, true},
		{"out of order", sorted, []string{"1", "3", "2"}, false},
		{"any two", part, []string{"3", "2"}, true},
		{"one twice", part, []string{"3", "3"}, false},
		{"too many", part, []string{"1", "2", "3"}, false},
		{"one that is not there", part, []string{"1", "4"}, false},
		{"the first two", first, []string{"1", "2"}, true},
		{"two in order, not the first", first, []string{"2", "3"}, false},
	} {
		t.Run(c.says, func(t *testing.T) {
			got := rdftest.Answer{Vars: []string{"o"}}
			for _, row := range c.rows {
				got.Rows = append(got.Rows, []rdf.Term{n(row)})
			}
			if err := sparqltest.Agree(t.Context(), c.c, data, got); (err == nil) != c.ok {
				t.Errorf("got %v, want agreement: %t", err, c.ok)
			}
		})
	}
}
