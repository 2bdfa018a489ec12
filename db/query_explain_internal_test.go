package db

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/db/plan"
	"trails/db/scan"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/sparqltest"
)

// An explanation of a random query tells how many solutions the query has. Its statement is that of the query but for
// what counts, and has its answer. Where it counts the rows of the root, these are the solutions.
func TestExplanationsOfRandomQueries(t *testing.T) {
	for name, scans := range map[string]Scans{"with scans wherever one fits": ScansAlways, "without scans": ScansNever} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "explain.db")
			rapid.Check(t, func(t *rapid.T) {
				data, c := sparqltest.Data(t), sparqltest.Query(t)
				q, err := sparql.Parse(c.Text, sparql.Options{})
				if err != nil || q.Op == nil {
					t.Skip("there is nothing to run")
				}
				r := readerOf(t, path, data)
				r.file.opts.Scans = scans
				defer r.file.Close()
				defer r.Close()
				explainAgrees(t, r, q)
			})
		})
	}
}

func explainAgrees(t *rapid.T, r *Reader, q *sparql.Query) {
	ctx := t.Context()
	p, err := r.Plan(ctx, q.Op, q.Vars, q.Dataset, q.Base)
	if err != nil {
		t.Skip("it is refused")
	}
	want := linesOf(t, r, p)
	e, err := r.Explain(ctx, p, Limits{})
	if err != nil || e.Stopped {
		t.Fatalf("%v, stopped %t, explaining\n%s", err, e.Stopped, q)
	}
	if of, ok := e.Run.Of(e.Root); !ok || of.Rows != int64(len(want)) || e.Rows != of.Rows {
		t.Fatalf("%d solutions, explained as %d, of\n%s\n%s", len(want), of.Rows, q, p.SQL)
	}
	counting, err := p.counting(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := withoutCounts(counting.SQL); got != p.SQL {
		t.Fatalf("without what counts the statement is\n%s\nnot\n%s", got, p.SQL)
	}
	counting.counts = &counts{run: plan.Run{}, passed: map[*scan.Step]scan.Passed{}}
	counting.counts.run.Begin(counting.Root)
	isSliced := sparql.Has(q.Op, func(op sparql.Op) bool { _, ok := op.(sparql.Slice); return ok }) // any of the rows will do
	if got := linesOf(t, r, counting); !slices.Equal(inSomeOrder(got), inSomeOrder(want)) && !isSliced {
		t.Fatalf("counting gives\n%s\nnot\n%s\nfor\n%s\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), q, counting.SQL)
	}
	if p.Listing == nil && counting.Root.Counted && counting.counts.run[counting.Root.ID].Rows != int64(len(want)) {
		t.Fatalf("%d rows of the %s are counted, not %d, for\n%s\n%s", counting.counts.run[counting.Root.ID].Rows, counting.Root.Kind, len(want), q, counting.SQL)
	}
}

func linesOf(t *rapid.T, r *Reader, p Plan) (lines []string) {
	_, err := r.visitOnce(t.Context(), p, Limits{}, func(a *answer) (bool, error) {
		row, err := a.row()
		line := ""
		for _, term := range row {
			if term != nil {
				line += string(rdf.AppendTerm(nil, term))
			}
			line += " "
		}
		lines = append(lines, line)
		return true, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func inSomeOrder(lines []string) []string { return slices.Sorted(slices.Values(lines)) }

// seenText is a condition that counts; it has a column, or a subquery of one.
var seenText = regexp.MustCompile(`likelihood\(t_seen\([^()]*(\(SELECT [^()]*\))?\), 1\.0\)`)

// withoutCounts removes from a statement what counts.
func withoutCounts(sql string) string {
	sql = strings.NewReplacer(", 1 AS t_n", "", ", key AS t_n", "").Replace(seenText.ReplaceAllString(sql, "SEEN"))
	for _, around := range []string{" AND SEEN", "SEEN AND ", " WHERE SEEN"} {
		sql = strings.ReplaceAll(sql, around, "")
	}
	return sql
}
