package db

import (
	"fmt"
	"strings"
	"testing"

	"trails/db/inline"
	"trails/e2e/testrun"
	"trails/sparql"
)

func planned(t *testing.T, r *Reader, text string) *prepared {
	t.Helper()
	q, err := sparql.Parse("PREFIX : <urn:test:>\n"+text, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := r.Plan(t.Context(), q.Op, q.Vars, q.Dataset, q.Base)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range r.Run(t.Context(), plan, Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return plan.prepared
}

// TestPlansAreKeptWithinBounds asks more shapes than are remembered.
func TestPlansAreKeptWithinBounds(t *testing.T) {
	testrun.Alone(t)
	f := emptyFile(t)
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	first := planned(t, r, "SELECT * { :a :p ?o }")
	if planned(t, r, "SELECT * { :b :p ?o }") != first {
		t.Error("a query of the same shape has another plan")
	}
	for i := range maxShapes + 100 {
		planned(t, r, fmt.Sprintf("SELECT * { :a :p%d ?o FILTER(?o > %d) BIND(%q AS ?x) }", i%7, i, strings.Repeat("x", i*8)))
	}
	long := "SELECT * { " + strings.Repeat("OPTIONAL { :a :p ?o } ", 200) + "}"
	planned(t, r, long)
	if planned(t, r, "SELECT * { :a :p ?o }") == first {
		t.Error("the plan that was used last of all is still there")
	}
	p := f.caches.Load().plans
	if len(p.shapes) > maxShapes || p.bytes > maxPlanBytes || p.recent.Len() != len(p.shapes) || p.bytes <= 0 {
		t.Errorf("%d shapes with %d bytes are kept, %d in order", len(p.shapes), p.bytes, p.recent.Len())
	}
}

// TestFactsAreKeptWithinBounds asks about more patterns than are remembered.
func TestFactsAreKeptWithinBounds(t *testing.T) {
	known := newFacts()
	f := emptyFile(t)
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	a := &statistics{reader: r, ctx: t.Context(), facts: known}
	for i := range inline.TermID(maxFacts + 10) {
		a.estimate(bound{at: [4]bool{true}}, [3]inline.TermID{i + 1})
	}
	if n := len(known.counts); n > maxFacts || n == 0 {
		t.Errorf("%d counts are kept", n)
	}
}
