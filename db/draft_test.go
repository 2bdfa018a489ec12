package db_test

import (
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/db"
	"trails/e2e/testrun"
	"trails/rdf"
)

// TestADraftIsSeenAndUndone draws what is there and what is tried: reads see all of
// it, Net is what it comes to, and after Undo the file is as before and takes a commit.
func TestADraftIsSeenAndUndone(t *testing.T) {
	testrun.Alone(t)
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
				_, err = draft.Add(t.Context(), quad)
				want = append(want, quad)
			} else {
				_, err = draft.Remove(t.Context(), quad)
				want = slices.DeleteFunc(want, func(other rdf.Quad) bool { return other == quad })
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

// TestChangesAfterSettledOnes removes what an earlier change of the transaction added, and
// adds what it removed; nothing of it can be kept.
func TestChangesAfterSettledOnes(t *testing.T) {
	f := create(t)
	there, brought := q("a", "p", iri("x")), q("new", "p", iri("y"))
	write(t, f, []rdf.Quad{there}, nil)
	was := state(t, f)
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i, step := range []struct {
		removes, adds rdf.Quad
		known         bool // the new subject, before the step
	}{{there, brought, false}, {brought, there, true}, {there, brought, true}} {
		if known, err := w.WasKnown(t.Context(), brought.Subject); err != nil || known != step.known {
			t.Fatalf("step %d: known %v, %v", i, known, err)
		}
		changes := []func() (bool, error){
			func() (bool, error) { return w.Remove(t.Context(), step.removes) },
			func() (bool, error) { return w.Add(t.Context(), step.adds) },
		}
		if byLine(step.adds, step.removes) < 0 {
			slices.Reverse(changes)
		}
		for _, change := range changes {
			if did, err := change(); err != nil || !did {
				t.Fatalf("step %d: %v, %v", i, did, err)
			}
		}
		removed := collect(t, w.RemovedFrom(t.Context(), iri("p")))
		if len(removed) != 1 || removed[0] != step.removes.Subject {
			t.Errorf("step %d removed from %v", i, removed)
		}
		if err := w.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := collect(t, w.Match(t.Context(), rdf.Quad{})); len(got) != 1 || got[0] != step.adds || w.Head().Quads != 1 {
			t.Errorf("after step %d: %v of %d", i, got, w.Head().Quads)
		}
	}
	if _, err := w.Commit(t.Context(), db.CommitMeta{Time: epoch}, nil); err == nil {
		t.Error("it was committed")
	}
	if diff := gocmp.Diff(was, state(t, f)); diff != "" {
		t.Errorf("the file changed:\n%s", diff)
	}
}
