package kg_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/kg"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/sparqltest"
)

// The rows of the first operator are the solutions, and the query answers the same before and after.
func TestExplainCountsTheSolutions(t *testing.T) {
	testrun.Alone(t)
	e := newAsker(t)
	rapid.Check(t, func(t *rapid.T) {
		data, c := sparqltest.Data(t), sparqltest.Query(t)
		q, err := sparql.Parse(c.Text, sparql.Options{})
		if err != nil || q.Form != sparql.Select {
			t.Skip("no rows to count")
		}
		explained, rows := explained(t, e, data, q)
		if root := explained.Lines[0]; !root.Counted || root.Rows != int64(rows) || explained.SQL == "" {
			t.Fatalf("%d rows of\n%s\nexplained as\n%+v", rows, c.Text, explained)
		}
	})
}

func explained(t *rapid.T, e asker, data []rdf.Quad, q *sparql.Query) (out kg.Explanation, rows int) {
	g, err := e.graph(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	err = g.Session(ana).View(t.Context(), func(s *kg.Snapshot) error {
		a, err := s.Query(t.Context(), q, kg.QueryOptions{})
		if err != nil {
			return err
		}
		for _, err := range a.Rows(t.Context()) {
			if err != nil {
				return err
			}
			rows++
		}
		out, err = a.Explain(t.Context())
		return err
	})
	if err != nil {
		t.Fatalf("%v\nfor\n%s", err, q)
	}
	return out, rows
}

// What takes too long to count is explained all the same; what the caller takes back is not.
func TestExplainHasALimit(t *testing.T) {
	e := newAsker(t)
	var data []rdf.Quad
	for i := range 200 {
		data = append(data, rdf.Quad{Subject: rdf.IRI("urn:s:" + strconv.Itoa(i)), Predicate: rdf.IRI("urn:p"), Object: rdf.Literal("x", "")})
	}
	g, err := e.graph(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	q, err := sparql.Parse(`SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER(CONCAT(?c, ?f, ?i, ?l) = "none") }`, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = g.Session(ana).View(t.Context(), func(s *kg.Snapshot) error {
		a, err := s.Query(t.Context(), q, kg.QueryOptions{})
		if err != nil {
			return err
		}
		timed, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		out, err := a.Explain(timed)
		if err != nil || !out.Stopped || len(out.Notes) != 1 || out.Notes[0] != "stopped after 1s: rows and times are those so far" || out.Steps == "" {
			t.Errorf("%v\n%+v", err, out)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := a.Explain(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller who has gone is told %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
