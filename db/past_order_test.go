package db_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"trails/db"
	"trails/e2e/testrun"
	"trails/rdf"
	"trails/sparql"
)

// orderedViews makes a file, and returns readers of its newest commit, of an earlier one and of a branch, all of which
// have the same statements: each numbered node has a number that others have, too, a word, and perhaps a flag.
func orderedViews(t *testing.T) map[string]*db.Reader {
	t.Helper()
	f := create(t)
	var all, some []rdf.Quad
	for i := range 400 {
		s := fmt.Sprintf("n%03d", i*7%400)
		all = append(all, q(s, "n", rdf.Literal(fmt.Sprint(i%23), rdf.XSDInteger)), q(s, "word", rdf.String(fmt.Sprint("w", i%5))), q(s, "is", iri(fmt.Sprint("K", i%3))))
		if i%4 == 0 {
			all = append(all, q(s, "flag", rdf.String("yes")))
		}
	}
	for i := range all {
		if i%5 == 0 {
			some = append(some, all[i])
		}
	}
	write(t, f, all, nil)
	write(t, f, nil, some)
	earlier := write(t, f, some, nil)
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.AddBranch(t.Context(), "draft", earlier); err != nil {
		t.Fatal(err)
	}
	if err := w.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2][]rdf.Quad{{nil, some}, {some, nil}} {
		if _, err := writeOn(t.Context(), f, "draft", nil, change[0], change[1]); err != nil {
			t.Fatal(err)
		}
	}
	write(t, f, nil, all[:300])
	write(t, f, all[:300], nil)
	views := map[string]*db.Reader{}
	for name, v := range map[string]db.View{"newest": {}, "earlier": {At: earlier.ID}, "branch": {Branch: "draft"}} {
		r, err := f.Read(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		views[name] = r
	}
	return views
}

// In every view an order by several keys gives with a LIMIT what it gives without one, from there on. Where an index has
// the order of the first key, rows are sorted anew in no view.
func TestTheFirstOfAnOrderAreThoseOfAllOfIt(t *testing.T) {
	testrun.Alone(t)
	views := orderedViews(t)
	const prologue = "PREFIX : <urn:test:>\n"
	run := func(r *db.Reader, text string) (rows [][]rdf.Term, whole bool) {
		t.Helper()
		query, err := sparql.Parse(prologue+text, sparql.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := answer(t.Context(), r, query)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := r.Plan(t.Context(), query.Op, query.Vars, query.Dataset, query.Base)
		if err != nil {
			t.Fatal(err)
		}
		e, err := r.Explain(t.Context(), plan, db.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return a.Rows, strings.Contains(e.Steps, "TEMP B-TREE FOR ORDER BY")
	}
	read := 0
	for _, pattern := range []string{
		"?s :n ?n", "?s :n ?n FILTER(?n > 3 && ?n <= 17)", "?s :n ?n ; :word ?w", "?s :n ?n ; :is :K1 ; :word ?w", "?s :n ?n FILTER(?n < 20) OPTIONAL { ?s :flag ?w }",
		"?s :n ?n FILTER NOT EXISTS { ?s :flag ?f }", "?s :n ?n MINUS { ?s :is :K2 } FILTER(?n != 4)", "?s :n ?n . ?t :n ?n ; :is :K0 . ?s :is :K1", "?s :word ?w ; :n ?n FILTER(?w != \"w1\")",
	} {
		for _, keys := range []string{"?n ?s ?t", "DESC(?n) ?s ?t", "?n DESC(?s) ?t", "DESC(?n) ?w DESC(?s) ?t", "?n STRLEN(STR(?w)) ?s ?t", "?w ?n ?s ?t", "DESC(?n) ?n ?s ?t"} {
			if strings.HasPrefix(keys, "?w") && !strings.Contains(pattern, "?w") {
				continue
			}
			text := "SELECT * { " + pattern + " } ORDER BY " + keys
			all, _ := run(views["newest"], text)
			if len(all) < 100 {
				t.Fatalf("%s has %d solutions", text, len(all))
			}
			for _, part := range [][2]int{{1, 0}, {7, 0}, {20, 30}} {
				limited := fmt.Sprint(text, " LIMIT ", part[0], " OFFSET ", part[1])
				_, sorts := run(views["newest"], limited)
				if !sorts {
					read++
				}
				for name, r := range views {
					rows, whole := run(r, limited)
					if want := all[part[1] : part[1]+part[0]]; !slices.EqualFunc(rows, want, slices.Equal) {
						t.Errorf("%s, %s:\n%v\nnot\n%v", name, limited, rows, want)
					}
					if whole && !sorts {
						t.Errorf("%s, %s: all rows are sorted", name, limited)
					}
				}
			}
		}
	}
	if read < 100 {
		t.Errorf("only %d orders come from an index", read)
	}
}
