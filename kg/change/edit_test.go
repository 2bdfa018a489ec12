package change_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/kg/change"
)

// TestWhatGoesIntoASpoolComesOut holds for every kind of term, op and source, in
// memory and from disk; parts of the quad that an op does not use are dropped.
func TestWhatGoesIntoASpoolComesOut(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		e := editGen().Draw(t, "edit")
		spool := change.Spool{Dir: dir, ChunkBytes: rapid.SampledFrom([]int{0, 1}).Draw(t, "chunk")}
		defer spool.Close()
		for range 5 { // with chunks of one record, two of the five go to disk
			if err := spool.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		want := used(e)
		want.Source = e.Source
		wants := []change.Edit{want}
		if e.Op == change.Once {
			wants = []change.Edit{want, want, want, want, want} // it is kept each time
		}
		for group, err := range spool.Groups(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(wants, group.Edits); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
