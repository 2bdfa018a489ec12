package db_test

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trails/db"
	"trails/db/history"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/rdf/rdfio"
	"trails/sparql/sparqltest"
)

// changesOf reads what a commit changed, in the order in which it is applied.
func changesOf(ctx context.Context, r *db.Reader, c history.Commit) iter.Seq2[db.Change, error] {
	return func(yield func(db.Change, error) bool) {
		for line, err := range r.ChangeLines(ctx, c) {
			var change db.Change
			if err == nil {
				change.Op = line[0]
				change.Quad, err = rdfio.ParseQuad(line[2:])
			}
			if !yield(change, err) || err != nil {
				return
			}
		}
	}
}

// Every commit of a file, on whatever branch, is applied to another one, and has the same id there. One of which anything
// was changed is refused.
func TestCommitsOfAFileAreAppliedToAnother(t *testing.T) {
	testrun.Alone(t)
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		ctx := context.Background()
		var files [2]*db.File
		for i := range files {
			f, err := fileOf(ctx, filepath.Join(dir, fmt.Sprint(n, "-", i, ".db")), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			files[i] = f
		}
		drawStories(ctx, t, files[0], sparqltest.Data, 8)
		r, err := files[0].Read(ctx, db.View{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		forge := rapid.SampledFrom([]func(*history.Commit){
			func(c *history.Commit) { c.Message += "." },
			func(c *history.Commit) { c.Author += "." },
			func(c *history.Commit) { c.Time = c.Time.Add(time.Microsecond) },
			func(c *history.Commit) { c.Parent[0]++ },
			func(c *history.Commit) { c.Parent2[0]++ },
			func(c *history.Commit) { c.ID[0]++ },
		}).Draw(t, "forge")
		for seq := history.Seq(1); ; seq++ {
			c, err := r.CommitBySeq(ctx, seq)
			if fault.Is(err, fault.Missing) {
				break
			}
			forged := c
			forge(&forged)
			if _, err := applyOne(ctx, files[1], forged, changesOf(ctx, r, c)); fault.Of(err) == nil || fault.Is(err, fault.Internal) {
				t.Fatalf("a forged commit: %v", err)
			}
			got, err := applyOne(ctx, files[1], c, changesOf(ctx, r, c))
			if err != nil || got.ID != c.ID || got.Quads != c.Quads || got.Added != c.Added || got.Removed != c.Removed {
				t.Fatalf("commit %d is %+v and should be %+v: %v", seq, got, c, err)
			}
		}
		report, err := files[1].Verify(ctx, db.VerifyOptions{})
		if err != nil || !report.OK() {
			t.Fatal(report.Problems, err)
		}
	})
}

// applyOne applies a commit behind its parent.
func applyOne(ctx context.Context, f *db.File, c history.Commit, changes iter.Seq2[db.Change, error]) (history.Commit, error) {
	a, err := f.Arrive(ctx)
	if err != nil {
		return history.Commit{}, err
	}
	defer a.Close()
	line, err := a.LineOf(ctx, db.Main)
	if err != nil {
		return history.Commit{}, err
	}
	if line.Head.ID != c.Parent {
		parent, known, err := a.Known(ctx, c.Parent)
		if err != nil {
			return history.Commit{}, err
		}
		if known {
			if line, err = a.LineBehind(ctx, parent); err != nil {
				return history.Commit{}, err
			}
		}
	}
	done, err := a.Apply(ctx, line, c, changes, nil)
	if err != nil {
		return history.Commit{}, err
	}
	return done, a.Keep(ctx)
}
