package change_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/kg/change"
	"trails/rdf"
)

// What Net says of the quads that it needs is what it says of all.
func TestNetNeedsNoMoreThanItSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.SliceOfNDistinct(quadGen(), 0, 20, rapid.ID[rdf.Quad]).Draw(t, "before")
		var spool change.Spool
		defer spool.Close()
		for _, e := range rapid.SliceOfN(editGen(), 1, 30).Draw(t, "edits") {
			if err := spool.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		for group, err := range spool.Groups(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			var all, needed []rdf.Quad
			for _, q := range before {
				if q.Subject == group.Subject {
					all = append(all, q)
				}
			}
			for _, n := range group.Needs() {
				for _, q := range all {
					if !fits(n.Pattern, q) {
						continue
					}
					needed = append(needed, q)
					if n.One {
						break
					}
				}
			}
			deltas, failures := group.Net(all)
			few, failed := group.Net(needed)
			if diff := cmp.Diff(deltas, few); diff != "" {
				t.Errorf("deltas of all, and of what is needed:\n%s", diff)
			}
			if diff := cmp.Diff(len(failures), len(failed)); diff != "" {
				t.Errorf("failures of all, and of what is needed:\n%s", diff)
			}
		}
	})
}

func fits(pattern, q rdf.Quad) bool {
	label := q.Label
	if label == nil {
		label = rdf.DefaultGraph
	}
	return q.Subject == pattern.Subject && (pattern.Predicate == nil || q.Predicate == pattern.Predicate) &&
		(pattern.Object == nil || q.Object == pattern.Object) && pattern.Label == label
}
