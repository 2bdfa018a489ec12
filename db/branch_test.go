package db_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trails/db"
	"trails/db/history"
	"trails/e2e/testrun"
	"trails/rdf"
	"trails/sparql/sparqltest"
)

// branchModel is a branch, or a commit of it: the statements that it has, its commits, the newest last, and how many
// branches it is from main.
type branchModel struct {
	quads   []rdf.Quad
	commits []history.Commit
	depth   int
}

// writeOn makes a commit on a branch. Before it, a draft of other changes is tried and taken back.
func writeOn(ctx context.Context, f *db.File, branch string, tried, add, remove []rdf.Quad) (history.Commit, error) {
	w, err := f.WriteOn(ctx, branch)
	if err != nil {
		return history.Commit{}, err
	}
	defer w.Close()
	if len(tried) > 0 {
		d, err := w.Draft(ctx)
		if err != nil {
			return history.Commit{}, err
		}
		for i, q := range tried {
			do := d.Add
			if i%2 == 0 {
				do = d.Remove
			}
			if _, err := do(ctx, q); err != nil {
				return history.Commit{}, err
			}
		}
		if err := d.Undo(ctx); err != nil {
			return history.Commit{}, err
		}
	}
	if err := apply(ctx, w, add, remove); err != nil {
		return history.Commit{}, err
	}
	return w.Commit(ctx, commitMeta(w, add, remove), nil)
}

// Whatever is written on whatever branches, each of them and each commit has the statements and answers the queries that
// a list of its statements has and answers, its history is that of its own, and the file verifies.
func TestBranchesAgreeWithAList(t *testing.T) {
	testrun.Alone(t)
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		ctx := context.Background()
		f, err := fileOf(ctx, filepath.Join(dir, fmt.Sprint(n, ".db")), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		branches := map[string]branchModel{db.Main: {}}
		var commits []branchModel
		var pool []rdf.Quad
		for range rapid.IntRange(3, 12).Draw(t, "steps") {
			names := sortedKeys(branches)
			on := rapid.SampledFrom(names).Draw(t, "on")
			switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
			case kind == 0 && len(commits) > 0:
				from := rapid.SampledFrom(commits).Draw(t, "from")
				name := fmt.Sprint("b", len(branches), len(commits))
				if _, there := branches[name]; there || from.depth > 4 {
					continue
				}
				w, err := f.Write(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.AddBranch(ctx, name, from.commits[len(from.commits)-1]); err != nil {
					t.Fatal(err)
				}
				if err := w.Keep(ctx); err != nil {
					t.Fatal(err)
				}
				branches[name] = branchModel{from.quads, from.commits, from.depth + 1}
			default:
				pool = sorted(append(pool, sparqltest.Data(t)...))
				was := branches[on]
				var next, add, remove []rdf.Quad
				for _, q := range pool {
					had, has := slices.Contains(was.quads, q), rapid.IntRange(0, 2).Draw(t, "there") > 0
					switch {
					case has && !had:
						add = append(add, q)
					case had && !has:
						remove = append(remove, q)
					}
					if has {
						next = append(next, q)
					}
				}
				if len(add)+len(remove) == 0 {
					continue
				}
				var tried []rdf.Quad
				if rapid.Bool().Draw(t, "tried") {
					tried = pool
				}
				c, err := writeOn(ctx, f, on, tried, add, remove)
				if err != nil {
					t.Fatal(err)
				}
				if c.Branch != on || c.Quads != int64(len(next)) {
					t.Fatalf("the commit is on %s with %d quads, not on %s with %d", c.Branch, c.Quads, on, len(next))
				}
				was.quads, was.commits = next, append(slices.Clip(was.commits), c)
				branches[on], commits = was, append(commits, was)
			}
		}
		path := f.Path()
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		scans := rapid.SampledFrom([]db.Scans{db.ScansChosen, db.ScansNever, db.ScansAlways}).Draw(t, "scans")
		if f, err = db.Open(ctx, path, db.Options{Scans: scans}); err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, name := range sortedKeys(branches) {
			checkView(t, f, db.View{Branch: name}, branches[name])
		}
		for _, c := range commits {
			checkView(t, f, db.View{At: c.commits[len(c.commits)-1].ID}, c)
		}
		report, err := f.Verify(ctx, db.VerifyOptions{})
		if err != nil || !report.OK() {
			t.Fatal(report.Problems, err)
		}
		if report, err = f.Verify(ctx, db.VerifyOptions{Sample: time.Nanosecond}); err != nil || !report.OK() {
			t.Fatal(report.Problems, err)
		}
	})
}

func sortedKeys(m map[string]branchModel) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// checkView compares a view with the model: the statements, their order in each index, two queries, and the history.
func checkView(t *rapid.T, f *db.File, v db.View, is branchModel) {
	t.Helper()
	ctx := context.Background()
	r, err := f.Read(ctx, v)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []rdf.Quad
	for q, err := range r.Match(ctx, rdf.Quad{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, q)
	}
	if lines(got) != lines(is.quads) {
		t.Fatalf("%v has\n%s\nand should have\n%s", v, lines(got), lines(is.quads))
	}
	answersAsTheOracle(t, r, is.quads)
	listed, err := r.Commits(ctx, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(listed)
	if !slices.Equal(listed, is.commits) {
		t.Fatalf("%v has the commits\n%v\nand should have\n%v", v, listed, is.commits)
	}
}
