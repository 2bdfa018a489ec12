package db_test

import (
	"testing"

	"trails/db"
	"trails/e2e/testrun"
	"trails/rdf"
)

// One change at one tick of the clock, on branches that are at one commit, is a commit of each.
func TestTheSameChangeOfTwoBranchesIsTwoCommits(t *testing.T) {
	testrun.Alone(t)
	f, ctx := create(t), t.Context()
	was := write(t, f, []rdf.Quad{q("a", "p", rdf.String("one"))}, nil)
	for _, name := range []string{"left", "right"} {
		w, err := f.Write(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.AddBranch(ctx, name, was); err != nil {
			t.Fatal(err)
		}
		if err := w.Keep(ctx); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for _, branch := range []string{db.Main, "left", "right"} {
		c, err := writeOn(ctx, f, branch, nil, []rdf.Quad{q("a", "p", rdf.String("two"))}, nil)
		if err != nil {
			t.Fatalf("%s: %v", branch, err)
		}
		if seen[c.ID.String()] || c.Parent != was.ID || c.Time.Before(epoch) {
			t.Errorf("the commit of %s is %v", branch, c)
		}
		seen[c.ID.String()] = true
	}
}
