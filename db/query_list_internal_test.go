package db

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/sparql"
)

// TestTermsThatAreReadInOrderAreThoseOfTheirRows lists rows whose nodes and texts are all over
// the file, more text than is read together, and compares them with those of a statement.
func TestTermsThatAreReadInOrderAreThoseOfTheirRows(t *testing.T) {
	testrun.Alone(t)
	f := emptyFile(t)
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	manyLinks(t, w, 0, 3000)
	if _, err := w.Commit(t.Context(), CommitMeta{Author: "a"}, nil); err != nil {
		t.Fatal(err)
	}
	q, err := sparql.Parse("SELECT ?a ?unbound ?b ?l { ?a <urn:test:to> ?b . ?a <urn:test:label> ?l }", sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var lists [2][]string
	ordered, full := false, false
	for i, scans := range []Scans{ScansNever, ScansAlways} {
		open, err := Open(t.Context(), f.path, Options{Scans: scans})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { open.Close() })
		r, err := open.Read(t.Context(), View{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		plan, err := r.Plan(t.Context(), q.Op, q.Vars, q.Dataset, "")
		if err != nil {
			t.Fatal(err)
		}
		if (plan.Listing != nil) != (scans == ScansAlways) {
			t.Fatalf("%s\nlists %v", plan.SQL, plan.Listing)
		}
		err = r.visit(t.Context(), plan, Limits{}, func(a *answer) (bool, error) {
			row, err := a.row()
			lists[i] = append(lists[i], fmt.Sprint(row))
			if l := a.listing; l != nil {
				full = full || l.full
				for _, c := range l.columns {
					ordered = ordered || c.ordered
				}
			}
			return true, err
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(lists[i])
	}
	if diff := gocmp.Diff(lists[0], lists[1]); diff != "" {
		t.Errorf("%.2000s", diff)
	}
	if len(lists[0]) != 3000 || !ordered || !full {
		t.Errorf("%d rows; read in order: %v, more text than is read together: %v", len(lists[0]), ordered, full)
	}
}
