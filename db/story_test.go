package db_test

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"trails/db"
	"trails/db/history"
	"trails/rdf"
)

// told is a commit of a story: what it added and removed.
type told struct {
	commit      history.Commit
	add, remove []rdf.Quad
}

// story is the commits of a branch, or up to a commit, from the first one of main on.
type story []told

// stories are those of all branches of a file.
type stories map[string]story

// state is the statements that a story ends with, sorted.
func (s story) state() (quads []rdf.Quad) {
	for _, c := range s {
		quads = slices.DeleteFunc(append(quads, c.add...), func(q rdf.Quad) bool { return slices.Contains(c.remove, q) })
	}
	return sorted(quads)
}

func (s story) commits() []history.Commit {
	list := make([]history.Commit, len(s))
	for i, c := range s {
		list[i] = c.commit
	}
	return list
}

// lines are the branches on which the commits of a story were made.
func (s story) lines() map[string]bool {
	lines := map[string]bool{}
	for _, c := range s {
		lines[c.commit.Branch] = true
	}
	return lines
}

func (s stories) branches() []string { return slices.Sorted(maps.Keys(s)) }

// ever are the statements that some branches have or had.
func (s stories) ever(on map[string]bool) (ever []rdf.Quad) {
	for _, one := range s {
		for _, c := range one {
			if on[c.commit.Branch] {
				ever = append(ever, c.add...)
			}
		}
	}
	return sorted(ever)
}

// deepest is how many branches the branches that are drawn come from, one from the other.
const deepest = 5

// drawStories makes up to most steps: a commit of some of the drawn statements on a branch, perhaps after others were
// tried and taken back, or a branch from any commit.
func drawStories(ctx context.Context, t *rapid.T, f *db.File, data func(*rapid.T) []rdf.Quad, most int) stories {
	t.Helper()
	return drawStoriesAnd(ctx, t, f, data, most, func(stories) {})
}

// drawStoriesAnd is drawStories, and calls after behind each step.
func drawStoriesAnd(ctx context.Context, t *rapid.T, f *db.File, data func(*rapid.T) []rdf.Quad, most int, after func(stories)) stories {
	t.Helper()
	all := stories{db.Main: nil}
	var pool []rdf.Quad
	for range rapid.IntRange(2, most).Draw(t, "steps") {
		on := rapid.SampledFrom(all.branches()).Draw(t, "on")
		was := all[on]
		if rapid.IntRange(0, 4).Draw(t, "kind") == 0 && len(was) > 0 {
			from := was[:rapid.IntRange(1, len(was)).Draw(t, "from")]
			if name := fmt.Sprint("b", len(all)); len(from.lines()) <= deepest {
				addBranch(ctx, t, f, name, from[len(from)-1].commit)
				all[name] = slices.Clip(from)
				after(all)
			}
			continue
		}
		pool = sorted(append(pool, data(t)...))
		now := was.state()
		next, add, remove := len(now), []rdf.Quad(nil), []rdf.Quad(nil)
		for _, q := range pool {
			switch had, has := slices.Contains(now, q), rapid.IntRange(0, 2).Draw(t, "there") > 0; {
			case has && !had:
				next, add = next+1, append(add, q)
			case had && !has:
				next, remove = next-1, append(remove, q)
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
		if c.Branch != on || c.Quads != int64(next) {
			t.Fatalf("the commit is on %s with %d quads, not on %s with %d", c.Branch, c.Quads, on, next)
		}
		all[on] = append(slices.Clip(was), told{c, add, remove})
		after(all)
	}
	return all
}

func addBranch(ctx context.Context, t *rapid.T, f *db.File, name string, from history.Commit) {
	t.Helper()
	moveBranch(ctx, t, f, func(w *db.Writer) error { return w.AddBranch(ctx, name, from) })
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

// drawMoves resets and renames some branches, and writes on each after that.
func drawMoves(ctx context.Context, t *rapid.T, f *db.File, all stories) {
	t.Helper()
	for n := range rapid.IntRange(0, 3).Draw(t, "moves") {
		names := slices.DeleteFunc(all.branches(), func(name string) bool { return name == db.Main })
		if len(names) == 0 {
			return
		}
		name := rapid.SampledFrom(names).Draw(t, "moved")
		to, is := fmt.Sprint("r", n), all[name]
		if rapid.Bool().Draw(t, "reset") {
			from := all[rapid.SampledFrom(all.branches()).Draw(t, "to a commit of")]
			if len(from) == 0 {
				continue
			}
			to, is = name, slices.Clip(from[:rapid.IntRange(1, len(from)).Draw(t, "to")])
			lines := map[int64]bool{}
			for _, c := range is {
				lines[c.commit.Line] = true
			}
			if len(lines) > deepest {
				continue
			}
			moveBranch(ctx, t, f, func(w *db.Writer) error { return w.ResetBranch(ctx, name, is[len(is)-1].commit) })
			moves := is[len(is)-1].commit.Seq != all[name][len(all[name])-1].commit.Seq
			if all[name] = is; moves {
				all.relabel(name, "")
			}
		} else {
			moveBranch(ctx, t, f, func(w *db.Writer) error { return w.RenameBranch(ctx, name, to) })
			delete(all, name)
			all[to] = is
			all.relabel(name, to)
		}
		q := rdf.Quad{Subject: rdf.IRI(fmt.Sprint("urn:moved:", n)), Predicate: rdf.IRI("urn:moved:p"), Object: rdf.IRI("urn:moved:o")}
		c, err := writeOn(ctx, f, to, nil, []rdf.Quad{q}, nil)
		if err != nil {
			t.Fatal(err)
		}
		all[to] = append(all[to], told{commit: c, add: []rdf.Quad{q}})
		all.own(c.Line, to) // a branch that was reset to the end of a line without a name goes on with that
	}
}

// own says of the commits of a line that they are of a branch.
func (s stories) own(line int64, branch string) {
	for name, one := range s {
		one = slices.Clone(one)
		for i := range one {
			if one[i].commit.Line == line {
				one[i].commit.Branch = branch
			}
		}
		s[name] = one
	}
}

// relabel says of the commits that were made on a branch that they are of another one.
func (s stories) relabel(from, to string) {
	for name, one := range s {
		one = slices.Clone(one)
		for i := range one {
			if one[i].commit.Branch == from {
				one[i].commit.Branch = to
			}
		}
		s[name] = one
	}
}

func moveBranch(ctx context.Context, t *rapid.T, f *db.File, do func(*db.Writer) error) {
	t.Helper()
	w, err := f.Write(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := do(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Keep(ctx); err != nil {
		t.Fatal(err)
	}
}
