package querykit_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/db"
	"trails/db/querykit"
	"trails/e2e/testrun"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/naive"
)

func TestTheEngineTheSQLAndTheOracleGiveTheSameAnswers(t *testing.T) {
	testrun.Alone(t)
	for _, set := range querykit.Sets {
		path := fileOf(t, set, set.Smallest)
		g, forced, h := open(t, path), openWith(t, path, db.ScansAlways), openHand(t, path)
		dataset := slices.Collect(set.Triples(set.Smallest))
		for _, s := range set.Shapes {
			t.Run(set.Name+"/"+s.Name, func(t *testing.T) {
				want := linesOf(t, oracle(t.Context(), s, dataset), s)
				if len(want) == 0 && s.Name != "page-deep" && s.Name != "q3c" {
					t.Error("there is no answer in so few triples")
				}
				if diff := cmp.Diff(want, linesOf(t, asked(t.Context(), g, s.Text()), s)); diff != "" {
					t.Errorf("the engine differs from the oracle (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(want, linesOf(t, asked(t.Context(), forced, s.Text()), s)); diff != "" {
					t.Errorf("the engine with scans wherever one fits differs from the oracle (-want +got):\n%s", diff)
				}
				if s.SQL == "" {
					return
				}
				if diff := cmp.Diff(want, linesOf(t, answers(h.Rows(s)), s)); diff != "" {
					t.Errorf("the SQL differs from the oracle (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func linesOf(t *testing.T, a answers, s querykit.Shape) []string {
	t.Helper()
	lines, err := a.lines(s.Ordered)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// oracle answers a shape with package naive.
func oracle(ctx context.Context, s querykit.Shape, dataset []rdf.Quad) answers {
	return func(yield func([]rdf.Term, error) bool) {
		q, err := sparql.Parse(s.Text(), sparql.Options{})
		if err != nil {
			yield(nil, err)
			return
		}
		result, err := naive.Eval(ctx, q, dataset)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, q := range result.Graph {
			result.Rows = append(result.Rows, []rdf.Term{q.Subject, q.Predicate, q.Object})
		}
		if result.Form == sparql.Ask {
			result.Rows = append(result.Rows, rowOf(result.True))
		}
		for _, row := range result.Rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

func TestTriplesAreAsManyAsAskedAllDifferentAndAlwaysTheSame(t *testing.T) {
	for _, set := range querykit.Sets {
		for _, n := range []int{set.Smallest, 20_000} {
			first, second := slices.Collect(set.Triples(n)), slices.Collect(set.Triples(n))
			if diff := cmp.Diff(first, second); diff != "" {
				t.Errorf("%s, %d: two runs differ:\n%s", set.Name, n, diff)
			}
			different := map[rdf.Quad]bool{}
			for _, q := range first {
				different[q] = true
			}
			if len(first) != n || len(different) != n {
				t.Errorf("%s: %d triples, %d different, want %d", set.Name, len(first), len(different), n)
			}
		}
	}
}

func TestATenthOfTheLibraryCanBeReached(t *testing.T) {
	set := querykit.Library
	for _, s := range set.Shapes {
		if s.Name == "reach" {
			got, err := answers(openHand(t, fileOf(t, set, set.Smallest)).Rows(s)).count()
			if err != nil || got != set.Smallest/10 {
				t.Errorf("%d can be reached, %v, want %d", got, err, set.Smallest/10)
			}
		}
	}
}

func TestEachScanIsAShape(t *testing.T) {
	for _, set := range querykit.Sets {
		for _, name := range set.Scans {
			if !slices.ContainsFunc(set.Shapes, func(s querykit.Shape) bool { return s.Name == name }) {
				t.Errorf("%s has no shape named %s", set.Name, name)
			}
		}
	}
}
