package db_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/db"
	"trails/db/history"
	"trails/e2e/testrun"
	"trails/rdf"
)

// The difference of any two commits, of whatever branches, deleted ones too, is that of the lists of their statements, as
// far as the reader may see these.
func TestTheDifferenceOfTwoCommitsIsThatOfTwoLists(t *testing.T) {
	testrun.Alone(t)
	checkFiles(t, func(ctx context.Context, t *rapid.T, f *db.File) {
		stories := drawStories(ctx, t, f, typedData, 10)
		end := func(name string) story {
			all := stories[rapid.SampledFrom(stories.branches()).Draw(t, name)]
			return all[:rapid.IntRange(0, len(all)).Draw(t, name+" at")]
		}
		for range 5 {
			from, to := end("from"), end("to")
			view := db.View{}
			hides := func(rdf.Quad) bool { return false }
			if rapid.Bool().Draw(t, "rights") {
				view.Rights = someRights(t)
				on := from.lines()
				for name := range to.lines() {
					on[name] = true
				}
				hides = hiding(*view.Rights, stories.ever(on))
			}
			want := difference(slices.DeleteFunc(from.state(), hides), slices.DeleteFunc(to.state(), hides))
			r, err := f.Read(ctx, view)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			got, err := differenceOf(ctx, r, from.last(), to.last())
			checkChangesBetween(ctx, t, r, from, to)
			r.Close()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("from %d to %d, rights %+v:\n%s", len(from), len(to), view.Rights, diff)
			}
		}
	})
}

// checkChangesBetween compares what is counted between two commits with the commits that only one of the stories has.
func checkChangesBetween(ctx context.Context, t *rapid.T, r *db.Reader, from, to story) {
	t.Helper()
	shared := 0
	for shared < min(len(from), len(to)) && from[shared].commit.ID == to[shared].commit.ID {
		shared++
	}
	commits, want := slices.Concat(from[shared:], to[shared:]), int64(0)
	for _, c := range commits {
		want += 1 + int64(len(c.add)+len(c.remove))
	}
	if n, err := r.ChangesBetween(ctx, from.last(), to.last(), want); err != nil || n != want {
		t.Fatalf("from %d to %d are %d changes, want %d: %v", len(from), len(to), n, want, err)
	}
	if n, err := r.ChangesBetween(ctx, from.last(), to.last(), 0); err != nil || (n > 0) != (want > 0) || len(commits) > 1 && n == want {
		t.Fatalf("from %d to %d are %d changes when it stops at the first of %d: %v", len(from), len(to), n, want, err)
	}
}

// last is the commit that a story ends with.
func (s story) last() history.Commit {
	if len(s) == 0 {
		return history.Commit{}
	}
	return s[len(s)-1].commit
}

// differenceOf reads a difference. That of each subject must be in one piece.
func differenceOf(ctx context.Context, r *db.Reader, from, to history.Commit) (list []db.DraftChange, err error) {
	done := map[rdf.Term]bool{}
	var subject rdf.Term
	for c, err := range r.Difference(ctx, from, to) {
		if err != nil {
			return nil, err
		}
		if c.Subject != subject {
			if done[c.Subject] {
				return nil, fmt.Errorf("%v comes twice", c.Subject)
			}
			subject, done[c.Subject] = c.Subject, true
		}
		list = append(list, db.DraftChange{Added: c.Op == history.OpAdd, Quad: c.Quad})
	}
	slices.SortFunc(list, func(a, b db.DraftChange) int { return byLine(a.Quad, b.Quad) })
	return list, nil
}

// A bulk commit has no change log: what it added is found among the statements that are there, and among those that were
// removed since.
func TestADifferenceHasWhatABulkCommitAdded(t *testing.T) {
	ctx := t.Context()
	all := entities(30_000)
	old, bulk, more := all[:2000], all[2000:25_000], all[25_000:25_100]
	f, err := fileOf(ctx, filepath.Join(t.TempDir(), "a.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	begun := write(t, f, old, nil)
	loaded := write(t, f, bulk, nil)
	if !loaded.Bulk {
		t.Fatal("this is no bulk commit")
	}
	gone := slices.Concat(old[:10], bulk[:1000])
	ended := write(t, f, more, gone)
	r, err := f.Read(ctx, db.View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	states := map[history.Commit][]rdf.Quad{begun: old, loaded: slices.Concat(old, bulk)}
	states[ended] = slices.Concat(old[10:], bulk[1000:], more)
	for from, before := range states {
		for to, after := range states {
			got, err := differenceOf(ctx, r, from, to)
			if err != nil {
				t.Fatal(err)
			}
			had := map[rdf.Quad]bool{}
			for _, q := range before {
				had[q] = true
			}
			for _, c := range got {
				if had[c.Quad] == c.Added {
					t.Fatalf("from %d to %d: %v", from.Seq, to.Seq, c)
				}
				had[c.Quad] = c.Added
			}
			for _, q := range after {
				if !had[q] {
					t.Fatalf("from %d to %d: %v is not there", from.Seq, to.Seq, q)
				}
				delete(had, q)
			}
			for q, left := range had {
				if left {
					t.Fatalf("from %d to %d: %v is there", from.Seq, to.Seq, q)
				}
			}
		}
	}
}

// BenchmarkDifference compares the commits before and after some changes of a file, and reports the time for each changed
// statement: of one commit, and of a bulk commit.
func BenchmarkDifference(b *testing.B) {
	ctx, n := b.Context(), benchQuads()
	quads := entities(n + n/10)
	f, err := fileOf(ctx, filepath.Join(b.TempDir(), "a.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	load(b, f, quads[:10])
	r, err := f.Read(ctx, db.View{})
	if err != nil {
		b.Fatal(err)
	}
	begun := r.Head()
	r.Close()
	load(b, f, quads[10:n])
	loaded := write(b, f, quads[n:n+n/20], quads[:n/20])
	r, err = f.Read(ctx, db.View{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	before, err := r.CommitBySeq(ctx, loaded.Seq-1)
	if err != nil {
		b.Fatal(err)
	}
	for name, ends := range map[string][2]history.Commit{"logged": {before, loaded}, "back": {loaded, before}, "bulk": {begun, before}} {
		b.Run(name, func(b *testing.B) {
			changed := 0
			for b.Loop() {
				for _, err := range r.Difference(ctx, ends[0], ends[1]) {
					if err != nil {
						b.Fatal(err)
					}
					changed++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(changed), "ns/quad")
		})
	}
}
