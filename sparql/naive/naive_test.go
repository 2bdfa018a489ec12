package naive_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/rdf/rdftest"
	"trails/sparql"
	"trails/sparql/naive"
)

const people = `@prefix : <http://example.org/> .
:a :knows :b . :b :knows :c . :c :knows :a . :a :age 30 . :b :age 40 .
:g1 { :a :knows :c . } :g2 { :b :likes :a . }
`

func dataset(t *testing.T, text string) naive.Dataset {
	t.Helper()
	quads, err := rdftest.All(rdfio.NewTriGReader(strings.NewReader(text), "", rdfio.Limits{}))
	if err != nil {
		t.Fatal(err)
	}
	return quads
}

// TestWhatTheSpecificationLeavesOpen pins the choices that the package names.
func TestWhatTheSpecificationLeavesOpen(t *testing.T) {
	testrun.Alone(t)
	for _, c := range []struct {
		says, query string
		want        int // rows
	}{
		{"a graph that is not there has no solution, not even the empty one", `SELECT * { GRAPH :nowhere {} }`, 0},
		{"each graph that is there has one", `SELECT * { GRAPH ?g {} }`, 2},
		{"the name of a graph is not bound within it", `SELECT * { GRAPH ?g { ?s ?p ?o FILTER(BOUND(?g)) } }`, 0},
		{"a substituted variable is bound", `SELECT * { ?s :age ?n FILTER EXISTS { ?s :knows ?o FILTER(BOUND(?n)) } }`, 2},
		{"a substituted variable joins inline data", `SELECT * { ?s :age ?n FILTER EXISTS { VALUES ?n { 30 } } }`, 1},
		{"a substituted variable is shared with MINUS", `SELECT * { ?s :age ?n FILTER EXISTS { ?s :knows ?o MINUS { ?s :age 30 } } }`, 1},
		{"BIND cannot say otherwise than what was substituted", `SELECT * { ?s :age ?n FILTER EXISTS { BIND(40 AS ?n) } }`, 1},
		{"a subquery's own variables are not substituted", `SELECT * { ?s :age ?n FILTER EXISTS { SELECT ?s { ?s :age ?o FILTER(BOUND(?n)) } } }`, 0},
		{"literals of known kinds are different", `SELECT * { FILTER("1" != 1) }`, 1},
		{"nobody knows about unknown datatypes", `SELECT * { FILTER("a"^^:x != "b"^^:x) }`, 0},
		{"a path of length zero starts where no node is", `SELECT * { :nobody :knows* ?o }`, 1},
		{"a variable of a path is a node", `SELECT * { VALUES ?s { :nobody } ?s :knows* ?o }`, 0},
		{"a blank node of a text is one in a solution", `SELECT * { ?s :age ?n BIND(BNODE("x") AS ?x) BIND(BNODE("x") AS ?y) FILTER(?x = ?y) }`, 2},
	} {
		t.Run(c.says, func(t *testing.T) {
			q, err := sparql.Parse("PREFIX : <http://example.org/> "+c.query, sparql.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := naive.Eval(t.Context(), q, dataset(t, people))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Rows) != c.want {
				t.Errorf("got %d rows, want %d: %v", len(got.Rows), c.want, got.Rows)
			}
		})
	}
}

// quads is a source.
type quads []rdf.Quad

var errBroken = errors.New("broken")

func (s quads) Match(context.Context, rdf.Quad) iter.Seq2[rdf.Quad, error] {
	return func(yield func(rdf.Quad, error) bool) {
		for _, q := range s {
			if !yield(q, nil) {
				return
			}
		}
		if s == nil {
			yield(rdf.Quad{}, errBroken)
		}
	}
}

func TestReadReturnsWhatASourceHolds(t *testing.T) {
	testrun.Alone(t)
	want := dataset(t, people)
	got, err := naive.Read(t.Context(), quads(want))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := naive.Read(t.Context(), quads(nil)); !errors.Is(err, errBroken) {
		t.Errorf("got %v, want the source's error", err)
	}
}

func TestACancelledEvaluationStops(t *testing.T) {
	testrun.Alone(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	q, err := sparql.Parse(fmt.Sprintf("SELECT * { %s }", strings.Repeat("?a ?b ?c . ?d ?e ?f . ", 10)), sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := naive.Eval(ctx, q, dataset(t, people)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAnUpdateThatFailsChangesNothing(t *testing.T) {
	testrun.Alone(t)
	data := dataset(t, people)
	for _, text := range []string{
		`DELETE WHERE { ?s ?p ?o } ; CREATE GRAPH :g1`,
		`CLEAR ALL ; LOAD <http://example.org/x>`,
		`COPY :nowhere TO :g1`,
	} {
		u, err := sparql.ParseUpdate("PREFIX : <http://example.org/> "+text, sparql.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := naive.Apply(t.Context(), u, data); err == nil {
			t.Errorf("%s: no error", text)
		}
		if diff := cmp.Diff(dataset(t, people), data); diff != "" {
			t.Fatalf("%s (-before +after):\n%s", text, diff)
		}
	}
}
