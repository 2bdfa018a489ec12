package change_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/kg/change"
	"trails/rdf"
)

// TestSpoolAndNetDoWhatThePlainReadingSays gathers random edits in random order,
// in chunks down to one record, so that most runs go to disk and many are merged.
func TestSpoolAndNetDoWhatThePlainReadingSays(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.SliceOfNDistinct(quadGen(), 0, 20, rapid.ID[rdf.Quad]).Draw(t, "before")
		edits := rapid.SliceOfN(editGen(), 0, 80).Draw(t, "edits")
		spool := change.Spool{Dir: dir, ChunkBytes: rapid.SampledFrom([]int{1, 200, 1000, 0}).Draw(t, "chunk")}
		defer spool.Close()
		for _, e := range edits {
			if err := spool.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		want := apply(before, edits)
		for _, pass := range []string{"first", "second"} {
			deltas, failures := net(t, &spool, before)
			if diff := cmp.Diff(want.deltas(), deltas); diff != "" {
				t.Fatalf("%s pass, deltas:\n%s", pass, diff)
			}
			if diff := cmp.Diff(want.failures, failures); diff != "" {
				t.Fatalf("%s pass, failures:\n%s", pass, diff)
			}
		}
		if got := spool.Len(); got != int64(len(edits)) {
			t.Fatalf("Len: got %d, want %d", got, len(edits))
		}
	})
}

// net merges every group with its subject's quads.
func net(t *rapid.T, spool *change.Spool, before []rdf.Quad) ([]change.Delta, map[change.Edit]int) {
	of := map[rdf.Term][]rdf.Quad{}
	for _, q := range before {
		of[q.Subject] = append(of[q.Subject], q)
	}
	var all []change.Delta
	failed := map[change.Edit]int{}
	for group, err := range spool.Groups(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		deltas, failures := group.Net(of[group.Subject])
		all = append(all, deltas...)
		for _, f := range failures {
			failed[used(f.Edit)]++
		}
	}
	return all, failed
}

// TestGroupsThatAreReadAheadHaveAllEdits reads groups of all sizes, one larger than what is
// read at a time, to the end, to a place in between, and until it is not wanted any more.
func TestGroupsThatAreReadAheadHaveAllEdits(t *testing.T) {
	spool := change.Spool{Dir: t.TempDir(), ChunkBytes: 1 << 20}
	defer spool.Close()
	for subject := range 300 {
		for i := range map[bool]int{true: 6000, false: subject}[subject == 7] {
			e := change.Edit{Op: change.Assert, Quad: rdf.Quad{Subject: rdf.IRI(fmt.Sprint("urn:s", subject)), Predicate: rdf.Type, Object: rdf.IRI(fmt.Sprint("urn:o", i))}}
			if err := spool.Add(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	var want, got []change.Edit
	for e, err := range spool.Edits(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, e)
	}
	groups := 0
	for group, err := range spool.Groups(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		groups++
		got = append(got, group.Edits...)
	}
	if groups != 299 || !slices.Equal(got, want) {
		t.Errorf("%d groups of %d edits, want 299 of %d", groups, len(got), len(want))
	}
	for range spool.Groups(t.Context()) {
		if groups--; groups == 100 {
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var failed error
	for _, err := range spool.Groups(ctx) {
		cancel()
		failed = err
	}
	if !errors.Is(failed, context.Canceled) {
		t.Errorf("cancelled: %v", failed)
	}
}

func TestEditsAddedBetweenTwoPassesAreInTheSecond(t *testing.T) {
	spool := change.Spool{ChunkBytes: 1, Dir: t.TempDir()}
	defer spool.Close()
	for i := range 20 {
		add(t, &spool, assert(fmt.Sprint(i%5), fmt.Sprint(i)))
		if got := edits(t, &spool); len(got) != i+1 {
			t.Fatalf("after %d edits a pass has %d", i+1, len(got))
		}
	}
}

// TestOfEqualEditsTheFirstOneIsKept holds whatever runs they end up in: an error
// then names the first place in the input.
func TestOfEqualEditsTheFirstOneIsKept(t *testing.T) {
	for _, chunk := range []int{1, 100, 0} {
		spool := change.Spool{ChunkBytes: chunk, Dir: t.TempDir()}
		for line := uint64(1); line <= 40; line++ {
			e := assert("s", fmt.Sprint(line%4))
			e.Source = change.Source{File: 1, Line: line}
			add(t, &spool, e)
		}
		var lines []uint64
		for _, e := range edits(t, &spool) {
			lines = append(lines, e.Source.Line)
		}
		if diff := cmp.Diff([]uint64{4, 1, 2, 3}, lines); diff != "" {
			t.Errorf("chunks of %d bytes: %s", chunk, diff)
		}
		spool.Close()
	}
}

// TestManyFilesBecomeFew adds so many chunks that files are merged more than once.
func TestManyFilesBecomeFew(t *testing.T) {
	spool := change.Spool{ChunkBytes: 1, Dir: t.TempDir()}
	defer spool.Close()
	var want []string
	for i := range 500 {
		o := fmt.Sprintf("%04d", i*7919%1000)
		want = append(want, o)
		add(t, &spool, assert(o[:1], o))
	}
	slices.Sort(want)
	var got []string
	for _, e := range edits(t, &spool) {
		got = append(got, rdf.Lexical(e.Quad.Object))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsGivenTwiceSaysWhere(t *testing.T) {
	for _, chunk := range []int{1, 0} {
		spool := change.Spool{ChunkBytes: chunk, Dir: t.TempDir()}
		for line := uint64(1); line <= 9; line++ {
			e := assert(fmt.Sprint(line%8), "o")
			add(t, &spool, change.Edit{Op: change.Once, Quad: rdf.Quad{Subject: e.Quad.Subject}, Source: change.Source{File: 2, Line: line}})
		}
		var got []change.Failure
		for group, err := range spool.Groups(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			_, failures := group.Net(nil)
			got = append(got, failures...)
		}
		want := []change.Failure{{
			Edit:  change.Edit{Op: change.Once, Quad: rdf.Quad{Subject: rdf.IRI("urn:1")}, Source: change.Source{File: 2, Line: 9}},
			First: change.Source{File: 2, Line: 1},
		}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("chunks of %d bytes: %s", chunk, diff)
		}
		spool.Close()
	}
}

func TestNothingIsLeftOnDisk(t *testing.T) {
	dir := t.TempDir()
	spool := change.Spool{ChunkBytes: 1, Dir: dir}
	for i := range 50 {
		add(t, &spool, assert("s", fmt.Sprint(i)))
	}
	for range spool.Groups(t.Context()) { // a pass that ends early
		break
	}
	if err := spool.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestASpoolWithoutRoomForItsOverflowSaysSo(t *testing.T) {
	spool := change.Spool{ChunkBytes: 1, Dir: t.TempDir() + "/missing"}
	defer spool.Close()
	var err error
	for i := 0; err == nil && i < 10; i++ {
		err = spool.Add(assert("s", fmt.Sprint(i)))
	}
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that the folder does not exist", err)
	}
}

func TestAPassCanBeCancelled(t *testing.T) {
	var spool change.Spool
	defer spool.Close()
	for i := range 10 {
		add(t, &spool, assert(fmt.Sprint(i), "o"))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := 0
	for _, err := range spool.Groups(ctx) {
		if seen++; err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			break
		}
		cancel()
	}
	if seen != 2 {
		t.Errorf("the pass went on for %d groups", seen)
	}
}

func TestAnEmptySpoolHasNoGroups(t *testing.T) {
	var spool change.Spool
	if got := edits(t, &spool); got != nil {
		t.Errorf("got %v", got)
	}
	if err := spool.Close(); err != nil {
		t.Error(err)
	}
}

func assert(s, o string) change.Edit {
	return change.Edit{Op: change.Assert, Quad: rdf.Quad{Subject: rdf.IRI("urn:" + s), Predicate: rdf.Label, Object: rdf.String(o)}}
}

func add(t *testing.T, spool *change.Spool, e change.Edit) {
	t.Helper()
	if err := spool.Add(e); err != nil {
		t.Fatal(err)
	}
}

// edits is one whole pass; it checks that the groups come in order, each once.
func edits(t *testing.T, spool *change.Spool) []change.Edit {
	t.Helper()
	var all []change.Edit
	var seen []string
	for group, err := range spool.Groups(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, string(rdf.AppendTerm(nil, group.Subject)))
		all = append(all, group.Edits...)
	}
	if !slices.IsSorted(seen) || len(slices.Compact(slices.Clone(seen))) != len(seen) {
		t.Fatalf("subjects out of order: %q", seen)
	}
	return all
}

// TestEditsComeOneByOne: in the order of groups, or by graph first, without repeats.
func TestEditsComeOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quads := rapid.SliceOfN(quadGen(), 0, 40).Draw(t, "quads")
		byGraph := rapid.Bool().Draw(t, "by graph")
		spool := change.Spool{ChunkBytes: rapid.SampledFrom([]int{1, 200, 0}).Draw(t, "chunk"), ByGraph: byGraph}
		defer spool.Close()
		text := func(q rdf.Quad) string {
			line := string(rdf.AppendTerm(nil, q.Subject)) + "\x00" + string(rdf.AppendQuad(nil, q))
			if byGraph {
				return string(rdf.AppendTerm(nil, q.Label)) + "\x00" + line
			}
			return line
		}
		want := map[string]rdf.Quad{}
		for _, q := range quads {
			want[text(q)] = q
			if err := spool.Add(change.Edit{Op: change.Assert, Quad: q}); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			var got, wanted []rdf.Quad
			for e, err := range spool.Edits(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, e.Quad)
			}
			for _, line := range slices.Sorted(maps.Keys(want)) {
				wanted = append(wanted, want[line])
			}
			if diff := cmp.Diff(wanted, got); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
