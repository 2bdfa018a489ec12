package kg_test

import (
	"fmt"
	"testing"
	"time"

	"trails/kg"
	"trails/kg/change"
	"trails/rdf"
)

// BenchmarkMerge merges a branch with a changed value of 10,000 nodes into main, which changed as many others, and reports
// how many times as long as the write on the branch that takes.
func BenchmarkMerge(b *testing.B) {
	for _, n := range []int{200_000, 1_000_000} {
		if n > 200_000 && testing.Short() {
			continue
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var writing, merging time.Duration
			for b.Loop() {
				b.StopTimer()
				g := filledGraph(b, n)
				if _, err := g.Session(ana).MakeBranch(b.Context(), kg.NewBranch{Name: "draft"}); err != nil {
					b.Fatal(err)
				}
				ranked(b, g.Session(ana), 10_000)
				start := time.Now()
				ranked(b, g.Session(ana).On("draft"), 0)
				writing += time.Since(start)
				b.StartTimer()
				start = time.Now()
				r, err := g.Session(ana).Merge(b.Context(), kg.Merge{Source: "draft"})
				if err != nil || r.AddedCount != 10_000 || r.ClashCount != 0 {
					b.Fatalf("%d statements are added, %d clashes, error %v", r.AddedCount, r.ClashCount, err)
				}
				merging += time.Since(start)
			}
			b.ReportMetric(float64(merging)/float64(writing), "merge/write")
		})
	}
}

// ranked gives 10,000 nodes a rank that none has.
func ranked(b *testing.B, s *kg.Session, from int) {
	b.Helper()
	var edits []change.Edit
	for i := range 10_000 {
		q := rdf.Quad{Subject: rdf.IRI(fmt.Sprintf("%sThing/thing%%20%d", base, from+i)), Predicate: rdf.IRI(base + "rank")}
		edits = append(edits, change.Edit{Op: change.Clear, Quad: q})
		q.Object = rdf.Literal(fmt.Sprint(1_000+i), rdf.XSDInteger)
		edits = append(edits, change.Edit{Op: change.Assert, Quad: q})
	}
	if _, err := s.Commit(b.Context(), kg.ChangeSet{Edits: edits}); err != nil {
		b.Fatal(err)
	}
}
