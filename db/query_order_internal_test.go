package db

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trails/db/lower"
	"trails/e2e/testrun"
	"trails/rdf"
	"trails/rdf/rdftest"
	"trails/sparql"
	"trails/sparql/opt"
	"trails/sparql/sparqltest"
)

// TestNoEstimateChangesAnAnswer draws queries and estimates that are of no file: the
// orders of joins and the ways of negations that follow from them have the same answers.
func TestNoEstimateChangesAnAnswer(t *testing.T) {
	testrun.Alone(t)
	path, files := t.TempDir(), 0
	ways := map[string]int{"EXCEPT": 0, "NOT IN": 0, "+t1.s) IN": 0, ".g IS ": 0}
	check := func(t *rapid.T) {
		files++
		data := slices.Clone(sparqltest.Data(t))
		r := readerOf(t, filepath.Join(path, fmt.Sprintf("%d.db", files)), data)
		defer r.file.Close()
		defer r.Close()
		c := sparqltest.Case{Text: negation(t)}
		if rapid.Bool().Draw(t, "any query") {
			c = sparqltest.Query(t)
		}
		q, err := sparql.Parse(c.Text, sparql.Options{})
		if err != nil || q.Form != sparql.Select {
			t.Skip("not for this package")
		}
		got, sql, err := answerByEstimates(t.Context(), r, q, rapid.Uint64().Draw(t, "seed"))
		if err == nil {
			err = sparqltest.Agree(t.Context(), c, data, got)
		}
		if err != nil {
			t.Fatalf("%v\nfor\n%s\nby\n%s", err, c.Text, sql)
		}
		for way := range ways {
			ways[way] += strings.Count(sql, way)
		}
	}
	// A hundred draws may leave a way out, a thousand do not.
	unused := func() bool { return slices.Contains(slices.Collect(maps.Values(ways)), 0) }
	// Each round has a seed of its own: of one seed all rounds draw the same.
	random, seed := testrun.Random(t), flag.Lookup("rapid.seed").Value
	defer func(before string) { _ = seed.Set(before) }(seed.String())
	for round := 0; round == 0 || round < 10 && unused() && !testing.Short(); round++ {
		if err := seed.Set(strconv.FormatUint(random.Uint64(), 10)); err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, check)
	}
	if unused() && !testing.Short() {
		t.Errorf("some way is in no statement: %v", ways)
	}
}

// answerByEstimates answers by a plan for a file in which the rows of patterns are any
// power of two.
func answerByEstimates(ctx context.Context, r *Reader, q *sparql.Query, seed uint64) (a rdftest.Answer, sql string, err error) {
	o := r.lowering(ctx)
	o.Dataset, o.Base = q.Dataset, q.Base
	o.Stats = func(p sparql.TriplePattern) float64 {
		h := fnv.New64a()
		fmt.Fprint(h, seed, p)
		return math.Exp2(float64(h.Sum64() % 20))
	}
	o.Subjects = func(predicate rdf.IRI) float64 {
		return o.Stats(sparql.TriplePattern{Predicate: sparql.Operand{Term: predicate}}) / 7
	}
	o.Within = func(predicate rdf.IRI, r lower.Region, _ []lower.Bound) float64 {
		return o.Subjects(predicate + rdf.IRI(r))
	}
	p, err := lower.Lower(opt.Rewrite(q.Op, q.Vars), q.Vars, o)
	if err != nil {
		return a, "", err
	}
	for _, v := range q.Vars {
		a.Vars = append(a.Vars, string(v))
	}
	for row, err := range r.Run(ctx, Plan{prepared: prepare(p)}, Limits{}) {
		if err != nil {
			return a, p.SQL, err
		}
		a.Rows = append(a.Rows, row)
	}
	return a, p.SQL, nil
}

// negation draws a query of a group and one of what it may not, or must, be joined with.
// All solutions are sorted.
func negation(t *rapid.T) string {
	end := rapid.SampledFrom([]string{":a", ":b", ":c", "1", `"a"`})
	property := rapid.SampledFrom([]string{":p", ":q", ":r"})
	patterns := func(label string, vars ...string) (text string) {
		v := rapid.SampledFrom(vars)
		for range rapid.IntRange(1, 3).Draw(t, label) {
			object := rapid.OneOf(v, end).Draw(t, "object")
			text += v.Draw(t, "subject") + " " + property.Draw(t, "property") + " " + object + " . "
		}
		return text
	}
	inner := patterns("inner", "?a", "?b", "?x", "?y")
	if rapid.Bool().Draw(t, "filtered") {
		inner += "FILTER(?x != ?a)"
	}
	word := rapid.SampledFrom([]string{"FILTER NOT EXISTS", "FILTER NOT EXISTS", "FILTER EXISTS", "MINUS"}).Draw(t, "word")
	return "PREFIX : <http://example.org/>\nSELECT * { " + patterns("outer", "?a", "?a", "?b") + word + " { " + inner + " } } ORDER BY ?a"
}

func readerOf(t *rapid.T, path string, quads []rdf.Quad) *Reader {
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(fresh(t.Context(), path))
	f, err := Open(t.Context(), path, Options{})
	check(err)
	w, err := f.Write(t.Context())
	check(err)
	defer w.Close()
	line := func(q rdf.Quad) string { return string(rdf.AppendQuad(nil, q)) }
	slices.SortFunc(quads, func(a, b rdf.Quad) int { return strings.Compare(line(a), line(b)) })
	for _, q := range slices.Compact(quads) {
		_, err := w.Add(t.Context(), q)
		check(err)
	}
	if len(quads) > 0 {
		_, err = w.Commit(t.Context(), CommitMeta{Time: time.Unix(0, 0)}, nil)
		check(err)
	}
	r, err := f.Read(t.Context(), View{})
	check(err)
	return r
}
