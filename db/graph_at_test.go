package db_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/db"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/sparqltest"
)

// Whatever view a query reads, with whatever rights, the graphs of two commits in it are what a reader of each of these
// commits with the same rights sees.
func TestGraphsOfCommitsAgreeWithTheirReaders(t *testing.T) {
	testrun.Alone(t)
	checkFiles(t, func(ctx context.Context, t *rapid.T, f *db.File) {
		all := drawStories(ctx, t, f, typedData, 7)
		f = drawScans(ctx, t, f)
		defer f.Close()
		var made story
		for _, branch := range all.branches() {
			made = append(made, all[branch]...)
		}
		if len(made) == 0 {
			t.Skip("no commit")
		}
		view := db.View{Branch: rapid.SampledFrom(all.branches()).Draw(t, "branch")}
		if rapid.Bool().Draw(t, "with rights") {
			view.Rights = someRights(t)
		}
		r, err := f.Read(ctx, view)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		dataset, err := everyQuad(r.Match(ctx, rdf.Quad{}))
		if err != nil {
			t.Fatal(err)
		}
		var names [2]rdf.IRI
		for i := range names {
			names[i] = rdf.IRI(fmt.Sprint(rdf.GraphsAt, i))
			c := rapid.SampledFrom(made).Draw(t, "commit").commit
			then, missing := f.Read(ctx, db.View{At: c.ID, Rights: view.Rights})
			if err := r.GraphAt(ctx, names[i], c); fault.Is(err, fault.Missing) != fault.Is(missing, fault.Missing) {
				t.Fatalf("the graph of commit %d: %v, a reader of it: %v", c.Seq, err, missing)
			}
			if missing != nil {
				t.Skip("a commit that is not seen")
			}
			there, err := everyQuad(then.Match(ctx, rdf.Quad{Label: rdf.DefaultGraph}))
			then.Close()
			if err != nil {
				t.Fatal(err)
			}
			for j := range there {
				there[j].Label = names[i]
			}
			matched, err := everyQuad(r.Match(ctx, rdf.Quad{Label: names[i]}))
			if err != nil || !slices.Equal(sorted(matched), sorted(slices.Clone(there))) {
				t.Fatalf("the graph of commit %d has %v, error %v, and its reader %v", c.Seq, matched, err, there)
			}
			dataset = append(dataset, there...)
		}
		for range 6 {
			c := sparqltest.Query(t)
			for i, graph := range []string{":g1", ":g2"} {
				c.Text = strings.ReplaceAll(c.Text, graph, "<"+string(names[i])+">")
				c.Whole = strings.ReplaceAll(c.Whole, graph, "<"+string(names[i])+">")
			}
			q, err := sparql.Parse(c.Text, sparql.Options{})
			if err != nil {
				t.Fatal(err)
			}
			anyGraph := sparql.Has(q.Op, func(op sparql.Op) bool {
				of, ok := op.(sparql.Graph)
				return ok && of.Name.Var != ""
			})
			if q.Form != sparql.Select && q.Form != sparql.Ask || anyGraph && q.Dataset.IsZero() || !strings.Contains(c.Text, rdf.GraphsAt) {
				continue // GRAPH ?g does not list these graphs
			}
			got, err := answer(ctx, r, q)
			if fault.Is(err, fault.TooLarge) && len(q.Dataset.Default) > 1 {
				continue // SQLite finds no plan for some patterns of several virtual graphs that FROM merges
			}
			if err != nil {
				t.Fatalf("%v\nfor\n%s", err, c.Text)
			}
			if err := sparqltest.Agree(ctx, c, slices.Clone(dataset), got); err != nil {
				t.Fatalf("%v\nfor\n%s", err, c.Text)
			}
		}
	})
}

// A name that was given no commit is no empty graph.
func TestAGraphOfACommitIsNamedFirst(t *testing.T) {
	f := create(t)
	write(t, f, []rdf.Quad{q("a", "p", iri("b"))}, nil)
	r := read(t, f)
	name := rdf.IRI(rdf.GraphsAt + "1234")
	if _, err := everyQuad(r.Match(t.Context(), rdf.Quad{Label: name})); !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("Match: %v", err)
	}
	asked, err := sparql.Parse("SELECT * { GRAPH <"+string(name)+"> { ?s ?p ?o } }", sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := answer(t.Context(), r, asked); !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("query: %v", err)
	}
}
