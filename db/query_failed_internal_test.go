package db

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trails/db/scan"
	"trails/rdf"
	"trails/sparql"
)

// broken makes a program fail: as it begins, in the middle of its rows, or where they are listed.
var broken = map[string]func(*scan.Program){
	"a slot of a sum that there is not":  func(p *scan.Program) { p.Aggregates[0] = scan.Aggregate{Func: scan.CountBound, Slot: p.Slots + 3} },
	"a slot of a step that there is not": func(p *scan.Program) { p.Steps[0].Object.Slot = p.Slots + 3 },
	"a column that nobody reads":         func(p *scan.Program) { p.Keys = append(p.Keys[:0:0], p.Slots) },
}

// TestSQLAnswersWhereAScanFails breaks the programs of plans: the answer is that of SQL, who opened
// the file hears of it, and queries of the shape are not scans any more.
func TestSQLAnswersWhereAScanFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "failed.db")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ fault, text string }{
		{"a slot of a sum that there is not", "SELECT (COUNT(*) AS ?n) { ?s <urn:kind> <urn:K> OPTIONAL { ?s <urn:to> ?o } }"},
		{"a slot of a step that there is not", "SELECT (COUNT(*) AS ?n) { ?s <urn:to> ?o . ?o <urn:to> ?x }"},
		{"a slot of a step that there is not", "SELECT ?s ?o ?x { ?s <urn:to> ?o . ?o <urn:to> ?x }"},
		{"a column that nobody reads", "SELECT DISTINCT ?o { ?s <urn:to> ?o . ?o <urn:to> ?x }"},
	} {
		t.Run(test.fault+" of "+test.text, func(t *testing.T) {
			var heard []string
			f, err := Open(t.Context(), path, Options{Scans: ScansAlways, ScanFailed: func(err error, stack string) {
				if !strings.Contains(stack, "trails/db/scan") {
					t.Errorf("the stack is %s", stack)
				}
				heard = append(heard, err.Error())
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			w, err := f.Write(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			for i := range 50 {
				s := rdf.IRI(fmt.Sprint("urn:n", 10+i))
				for _, q := range []rdf.Quad{{Subject: s, Predicate: rdf.IRI("urn:kind"), Object: rdf.IRI("urn:K")}, {Subject: s, Predicate: rdf.IRI("urn:to"), Object: rdf.IRI(fmt.Sprint("urn:n", 10+i*i%50))}} {
					if _, err := w.Add(t.Context(), q); err != nil {
						t.Fatal(err)
					}
				}
			}
			q, err := sparql.Parse(test.text, sparql.Options{})
			if err != nil {
				t.Fatal(err)
			}
			planned := func() Plan {
				plan, err := w.Plan(t.Context(), q.Op, q.Vars, q.Dataset, q.Base)
				if err != nil {
					t.Fatal(err)
				}
				return plan
			}
			solved := func(plan Plan) (rows []string) {
				for row, err := range w.Run(t.Context(), plan, Limits{}) {
					if err != nil {
						t.Fatal(err)
					}
					rows = append(rows, fmt.Sprint(row))
				}
				slices.Sort(rows)
				return rows
			}
			plan := planned()
			if len(plan.Programs) != 1 {
				t.Fatalf("no scan:\n%s", plan.SQL)
			}
			want := solved(plan)
			broken[test.fault](&plan.Programs[0])
			for range 2 { // the second time it is left to SQL
				if got := solved(planned()); !slices.Equal(got, want) {
					t.Errorf("got %s, want %s", got, want)
				}
			}
			if len(planned().Programs) != 0 || len(heard) != 1 || f.FailedScans() != 1 {
				t.Errorf("%d programs, heard %q, %d failed", len(planned().Programs), heard, f.FailedScans())
			}
		})
	}
}
