package db_test

import (
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/db"
	"trails/rdf"
)

// TestADraftIsSeenAndUndone draws what is there and what is tried: reads see all of
// it, Net is what it comes to, and after Undo the file is as before and takes a commit.
func TestADraftIsSeenAndUndone(t *testing.T) {
	anyQuad := rapid.Custom(func(t *rapid.T) rdf.Quad {
		quad := q(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "s"), "p", iri(rapid.SampledFrom([]string{"x", "y", "new"}).Draw(t, "o")))
		if rapid.Bool().Draw(t, "named") {
			quad.Label = iri("g")
		}
		return quad
	})
	rapid.Check(t, func(rt *rapid.T) {
		f := create(t)
		before := sortedOnce(rapid.SliceOf(anyQuad).Draw(rt, "before"))
		if len(before) > 0 {
			write(t, f, before, nil)
		}
		was := state(t, f)
		w, err := f.Write(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		defer w.Close()
		draft, err := w.Draft(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		want := slices.Clone(before)
		for range rapid.IntRange(0, 12).Draw(rt, "changes") {
			quad := anyQuad.Draw(rt, "quad")
			if rapid.Bool().Draw(rt, "add") {
				err, want = draft.Add(t.Context(), quad), append(want, quad)
			} else {
				err, want = draft.Remove(t.Context(), quad), slices.DeleteFunc(want, func(other rdf.Quad) bool { return other == quad })
			}
			if err != nil {
				rt.Fatal(err)
			}
			seen := collect(t, w.Match(t.Context(), rdf.Quad{}))
			if diff := gocmp.Diff(lines(sortedOnce(want)), lines(sortedOnce(seen))); diff != "" {
				rt.Fatalf("what is read (-want +got):\n%s", diff)
			}
		}
		net := collect(t, draft.Net(t.Context()))
		slices.SortFunc(net, func(a, b db.DraftChange) int { return byLine(a.Quad, b.Quad) })
		if diff := gocmp.Diff(difference(before, sortedOnce(want)), net); diff != "" {
			rt.Fatalf("net (-want +got):\n%s", diff)
		}
		if err := draft.Undo(t.Context()); err != nil {
			rt.Fatal(err)
		}
		if diff := gocmp.Diff(lines(before), lines(sortedOnce(collect(t, w.Match(t.Context(), rdf.Quad{}))))); diff != "" {
			rt.Fatalf("after undo (-want +got):\n%s", diff)
		}
		if _, err := w.Add(t.Context(), q("last", "p", iri("new"))); err != nil {
			rt.Fatal(err)
		}
		if _, err := w.Commit(t.Context(), db.CommitMeta{Time: epoch}, nil); err != nil {
			rt.Fatal(err)
		}
		write(t, f, nil, []rdf.Quad{q("last", "p", iri("new"))})
		if diff := gocmp.Diff(was, state(t, f)); diff != "" {
			rt.Fatalf("after the commits (-want +got):\n%s", diff)
		}
		report, err := f.Verify(t.Context(), db.VerifyOptions{})
		if err != nil || !report.OK() {
			rt.Fatalf("verify: %v %v", err, report.Problems)
		}
	})
}

func sortedOnce(quads []rdf.Quad) []rdf.Quad {
	quads = slices.Clone(quads)
	slices.SortFunc(quads, byLine)
	return slices.Compact(quads)
}

// difference is what leads from one sorted list to another.
func difference(from, to []rdf.Quad) []db.DraftChange {
	var out []db.DraftChange
	for _, quad := range sortedOnce(slices.Concat(from, to)) {
		if there := slices.Contains(to, quad); there != slices.Contains(from, quad) {
			out = append(out, db.DraftChange{Added: there, Quad: quad})
		}
	}
	return out
}
