package db_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trails/db"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/rdf"
	"trails/sparql/sparqltest"
)

// Whatever is written on whatever branches, each of them and each commit has the statements and answers the queries that
// a list of its statements has and answers, its history is that of its own, and the file verifies.
func TestBranchesAgreeWithAList(t *testing.T) {
	testrun.Alone(t)
	checkFiles(t, func(ctx context.Context, t *rapid.T, f *db.File) {
		stories := drawStories(ctx, t, f, sparqltest.Data, 12)
		drawMoves(ctx, t, f, stories)
		f = drawScans(ctx, t, f)
		defer f.Close()
		for _, name := range stories.branches() {
			story := stories[name]
			checkView(t, f, db.View{Branch: name}, story)
			for i, c := range story {
				if c.commit.Branch == name || c.commit.Branch == "" {
					checkView(t, f, db.View{At: c.commit.ID}, story[:i+1])
				}
			}
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

// checkView compares a view with its story: the statements, their order in each index, two queries, and the history.
func checkView(t *rapid.T, f *db.File, v db.View, is story) {
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
	if lines(got) != lines(is.state()) {
		t.Fatalf("%v has\n%s\nand should have\n%s", v, lines(got), lines(is.state()))
	}
	answersAsTheOracle(t, r, is.state())
	listed, err := r.Commits(ctx, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(listed)
	if !slices.Equal(listed, is.commits()) {
		t.Fatalf("%v has the commits\n%v\nand should have\n%v", v, listed, is.commits())
	}
}

// A protected branch is moved only by those who decide, whatever they do.
func TestAProtectedBranchIsMovedByThoseWhoDecide(t *testing.T) {
	testrun.Alone(t)
	for _, name := range []string{db.Main, "side"} {
		t.Run(name, func(t *testing.T) {
			f, ctx := grown(t), t.Context()
			head := read(t, f).Head()
			do := func(decides bool, what func(*db.Writer) error) error {
				t.Helper()
				w, err := f.WriteOn(ctx, name)
				if err != nil {
					t.Fatal(err)
				}
				defer w.Close()
				if decides {
					w.Decide()
				}
				if err := what(w); err != nil {
					return err
				}
				return w.Keep(ctx)
			}
			w, err := f.Write(ctx)
			if err == nil {
				err = errors.Join(w.AddBranch(ctx, "side", head), w.Keep(ctx))
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := do(true, func(w *db.Writer) error { return w.ProtectBranch(ctx, name, true) }); err != nil {
				t.Fatal(err)
			}
			write := func(w *db.Writer) error {
				if _, err := w.Add(ctx, q("new", "p", iri("new"))); err != nil {
					return err
				}
				_, err := w.Commit(ctx, db.CommitMeta{Time: epoch, SchemaVersion: head.SchemaVersion}, nil)
				return err
			}
			list, err := read(t, f).Branches(ctx)
			if at := slices.IndexFunc(list, func(b db.Branch) bool { return b.Name == name }); err != nil || !list[at].Protected || list[1-at].Protected {
				t.Error(list, err)
			}
			moves := map[string]func(*db.Writer) error{
				"write": write,
				"let":   func(w *db.Writer) error { return w.ProtectBranch(ctx, name, false) },
			}
			if name != db.Main {
				moves["delete"] = func(w *db.Writer) error { return w.RemoveBranch(ctx, name) }
				moves["rename"] = func(w *db.Writer) error { return w.RenameBranch(ctx, name, "other") }
				moves["reset"] = func(w *db.Writer) error { return w.ResetBranch(ctx, name, head) }
			}
			for what, move := range moves {
				if err := do(false, move); !fault.Is(err, fault.Denied) {
					t.Errorf("%s by somebody is told %v", what, err)
				}
			}
			if err := do(true, func(w *db.Writer) error { return write(w) }); err != nil && !strings.Contains(err.Error(), "ended") {
				t.Errorf("a write by those who decide is told %v", err)
			}
			if report := verify(t, f); !report.OK() || report.Commits != int64(head.Seq)+1 {
				t.Error(report.Commits, report.Problems)
			}
			if err := do(true, moves["let"]); err != nil {
				t.Error(err)
			}
		})
	}
}
