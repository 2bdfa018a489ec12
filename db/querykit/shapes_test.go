package querykit_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/db/querykit"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/naive"
)

func TestTheEngineTheSQLAndTheOracleGiveTheSameAnswers(t *testing.T) {
	const n = querykit.Smallest
	path := fileOf(t, n)
	g, h := open(t, path), openHand(t, path)
	dataset := slices.Collect(querykit.Triples(n))
	for _, s := range querykit.Shapes() {
		t.Run(s.Name, func(t *testing.T) {
			want := linesOf(t, oracle(t.Context(), s, dataset), s)
			if len(want) == 0 && s.Name != "page-deep" {
				t.Error("there is no answer in so few triples")
			}
			if diff := cmp.Diff(want, linesOf(t, asked(t.Context(), g, s.Text()), s)); diff != "" {
				t.Errorf("the engine differs from the oracle (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want, linesOf(t, answers(h.Rows(s)), s)); diff != "" {
				t.Errorf("the SQL differs from the oracle (-want +got):\n%s", diff)
			}
		})
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

// oracle answers by package naive.
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
		for _, row := range result.Rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

func TestTriplesAreAsManyAsAskedAllDifferentAndAlwaysTheSame(t *testing.T) {
	for _, n := range []int{querykit.Smallest, 20_000} {
		first, second := slices.Collect(querykit.Triples(n)), slices.Collect(querykit.Triples(n))
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("%d: two runs differ:\n%s", n, diff)
		}
		different := map[rdf.Quad]bool{}
		for _, q := range first {
			different[q] = true
		}
		if len(first) != n || len(different) != n {
			t.Errorf("%d triples, %d different, want %d", len(first), len(different), n)
		}
	}
}

func TestATenthCanBeReached(t *testing.T) {
	const n = querykit.Smallest
	for _, s := range querykit.Shapes() {
		if s.Name == "reach" {
			got, err := answers(openHand(t, fileOf(t, n)).Rows(s)).count()
			if err != nil || got != n/10 {
				t.Errorf("%d can be reached, %v, want %d", got, err, n/10)
			}
		}
	}
}

func TestEachScanIsAShape(t *testing.T) {
	names := map[string]bool{}
	for _, s := range querykit.Shapes() {
		names[s.Name] = true
	}
	for _, name := range querykit.Scans {
		if !names[name] {
			t.Errorf("no shape is named %s", name)
		}
	}
}
