package db_test

import (
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/rdf"
)

// The values of many subjects are those of each, whether they are read at once or, since
// one subject has too many, one after the other.
func TestValuesOfManySubjects(t *testing.T) {
	testrun.Alone(t)
	f := create(t)
	var quads []rdf.Quad
	var subjects []rdf.Term
	for i := range 200 { // as many as are read at once
		s := fmt.Sprintf("s%d", i)
		subjects = append(subjects, iri(s), iri("unknown"), iri(s))
		for j := range i % 5 {
			quads = append(quads, q(s, "few", rdf.String(fmt.Sprint(i, j))))
		}
	}
	for j := range 3000 {
		quads = append(quads, q("s7", "many", rdf.String(fmt.Sprint(j))))
	}
	quads = append(quads, q("s9", "many", rdf.String("one")), in(iri("g"), q("s3", "few", rdf.String("elsewhere"))))
	write(t, f, quads, nil)
	r := read(t, f)
	predicates := []rdf.IRI{iri("few"), iri("many"), iri("unknown")}
	for _, n := range []int{2, 100, len(subjects)} { // few have more statements than are read at once, or none has
		for _, each := range []int{1, 3} {
			all, err := r.EachOf(t.Context(), subjects[:n], predicates, each)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range predicates {
				for _, s := range subjects[:n] {
					want, err := r.Values(t.Context(), s, p, each, 0)
					if err != nil {
						t.Fatal(err)
					}
					if diff := gocmp.Diff(want, all[p][s]); diff != "" {
						t.Errorf("%d of %s of %s, among %d: %s", each, p, s, n, diff)
					}
				}
			}
		}
	}
	for _, p := range predicates {
		for _, n := range []int{2, len(subjects)} {
			got, err := r.EachValues(t.Context(), subjects[:n], p, 3)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range subjects[:n] {
				want, err := r.Values(t.Context(), s, p, 3, 0)
				if err != nil {
					t.Fatal(err)
				}
				if diff := gocmp.Diff(want, got[s]); diff != "" {
					t.Errorf("%s of %s: %s", p, s, diff)
				}
			}
		}
	}
}
