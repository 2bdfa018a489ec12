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
	"trails/e2e/testrun"
	"trails/rdf"
	"trails/sparql/sparqltest"
)

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
		stories := drawStories(ctx, t, f, sparqltest.Data, 12)
		path := f.Path()
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		scans := rapid.SampledFrom([]db.Scans{db.ScansChosen, db.ScansNever, db.ScansAlways}).Draw(t, "scans")
		if f, err = db.Open(ctx, path, db.Options{Scans: scans}); err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, name := range stories.branches() {
			story := stories[name]
			checkView(t, f, db.View{Branch: name}, story)
			for i, c := range story {
				if c.commit.Branch == name {
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
