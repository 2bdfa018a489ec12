package querykit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"trails/db"
	"trails/db/history"
	"trails/db/querykit"
	"trails/kg"
	"trails/rdf"
)

// pasts are the histories of BenchmarkEarlier: the part of all statements that is retired, half of it before the
// commit that is asked and half after it; or the number of branches, each made from the one before it, on which that
// part is taken away and comes back, and of which the last one is asked.
var pasts = []struct {
	name     string
	part     float64
	branches int
}{{"few", 0.05, 0}, {"many", 1, 0}, {"branch", 0.25, 1}, {"branches", 0.25, 3}}

// BenchmarkEarlier measures each shape by turns at the newest commit and at an earlier one that has the same
// statements: some were taken away and came back before it, and others after it. So the rows are the same, too.
// ratio is the quotient of the cheapest rounds by processor time. After the shapes of a set come the median and the
// greatest of the ratios.
func BenchmarkEarlier(b *testing.B) {
	for _, set := range querykit.Sets {
		for _, n := range sizes() {
			for _, past := range pasts {
				b.Run(fmt.Sprint(set.Name, "/", n, "/", past.name), func(b *testing.B) {
					path, commit := withPast(b, set, n, past.part, past.branches)
					g := open(b, path)
					var ratios times
					for _, s := range set.Shapes {
						b.Run(s.Name, func(b *testing.B) { ratios = append(ratios, benchEarlier(b, g, commit, s)) })
					}
					if len(ratios) > 0 {
						b.Logf("%d shapes: %.2f of the newest commit in the median, %.2f at most", len(ratios), ratios.median(), slices.Max(ratios))
					}
				})
			}
		}
	}
}

// benchEarlier measures one shape and returns its ratio.
func benchEarlier(b *testing.B, g *kg.Graph, commit history.Commit, s querykit.Shape) float64 {
	once := func(at history.Commit, digest bool) reply {
		asks++
		r := answered(askedBy(b.Context(), g.Session(anyone), at, fmt.Sprintf("%s\n# %d", s.Text(), asks)), question{Ordered: s.Ordered, Digest: digest})
		if r.Error != "" {
			b.Fatalf("%s: %s", s.Name, r.Error)
		}
		return r
	}
	newest, then := once(history.Commit{}, true), once(commit, true)
	if newest.Rows != then.Rows || newest.Digest != then.Digest {
		b.Fatalf("%s: the newest commit says %+v, the earlier one %+v", s.Name, newest, then)
	}
	var now, earlier rounds
	for b.Loop() {
		now.add(b, s, newest.Rows, once(history.Commit{}, false))
		earlier.add(b, s, newest.Rows, once(commit, false))
	}
	ratio := earlier.cpu.least() / now.cpu.least()
	b.ReportMetric(now.clock.least(), "newest-ns")
	b.ReportMetric(earlier.clock.least(), "ns/op")
	b.ReportMetric(ratio, "ratio")
	return ratio
}

// withPast makes a file of a set with a history, and returns its commit in the middle.
func withPast(b *testing.B, set querykit.Set, n int, part float64, branches int) (path string, middle history.Commit) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "past.db")
	if err := makeFile(path, set, n); err != nil {
		b.Fatal(err)
	}
	f, err := db.Open(b.Context(), path, db.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	all := slices.SortedFunc(set.Triples(n), func(a, b rdf.Quad) int { return bytes.Compare(rdf.AppendQuad(nil, a), rdf.AppendQuad(nil, b)) })
	all = slices.CompactFunc(all, func(a, b rdf.Quad) bool { return a == b })
	step := max(1, int(math.Round(2/part)))
	each := func(first int, branch string) history.Commit {
		var some []rdf.Quad
		for i := first; i < len(all); i += step {
			some = append(some, all[i])
		}
		writeAll(b, f, branch, some, (*db.Writer).Remove)
		return writeAll(b, f, branch, some, (*db.Writer).Add)
	}
	if branches == 0 {
		middle = each(0, db.Main)
		each(1, db.Main)
		return path, middle
	}
	middle = f.LatestHead(b.Context(), nil)
	for i := range branches {
		name := fmt.Sprint("b", i)
		w, err := f.Write(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if err := errors.Join(w.AddBranch(b.Context(), name, middle), w.Keep(b.Context())); err != nil {
			b.Fatal(err)
		}
		middle = each(i, name)
	}
	return path, middle
}

// writeAll makes a commit that adds or removes statements.
func writeAll(b *testing.B, f *db.File, branch string, list []rdf.Quad, write func(*db.Writer, context.Context, rdf.Quad) (bool, error)) history.Commit {
	b.Helper()
	w, err := f.WriteOn(b.Context(), branch)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	for _, q := range list {
		if changed, err := write(w, b.Context(), q); err != nil || !changed {
			b.Fatalf("%v is not there or not new: %v", q, err)
		}
	}
	c, err := w.Commit(b.Context(), db.CommitMeta{Time: time.Now(), SchemaVersion: w.Head().SchemaVersion}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return c
}
