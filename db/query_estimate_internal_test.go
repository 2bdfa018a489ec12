package db

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trails/db/inline"
	"trails/db/lower"
	"trails/db/pager"
	"trails/db/stmt"
	"trails/e2e/testrun"
	"trails/rdf"
	"trails/sparql"
)

// TestEstimatesAreNearTheCounts holds the estimates of a file to what there is, inside
// of the write that has made it.
func TestEstimatesAreNearTheCounts(t *testing.T) {
	testrun.Alone(t)
	f := emptyFile(t)
	random := rand.New(rand.NewPCG(1, 2))
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	iri := func(kind string, n int) rdf.IRI { return rdf.IRI(fmt.Sprintf("urn:test:%s%d", kind, n)) }
	var lines []string
	quads := map[string]rdf.Quad{}
	for i := range 30_000 {
		object := rdf.Term(iri("o", int(math.Sqrt(float64(random.IntN(400))))))
		if i%3 == 0 {
			object = rdf.String(fmt.Sprint(random.IntN(1000)))
		}
		quad := rdf.Quad{Subject: iri("s", random.IntN(4000)), Predicate: iri("p", random.IntN(5)), Object: object}
		line := string(rdf.AppendQuad(nil, quad))
		quads[line], lines = quad, append(lines, line)
	}
	add := func(predicate rdf.IRI, subjects int, objects func(i int) int) {
		for i := range subjects {
			for range objects(i) {
				quad := rdf.Quad{Subject: iri("s", i), Predicate: predicate, Object: iri("o", random.IntN(10_000))}
				line := string(rdf.AppendQuad(nil, quad))
				quads[line], lines = quad, append(lines, line)
			}
		}
	}
	for i := range 5000 {
		quad := rdf.Quad{Subject: iri("s", i), Predicate: rdf.IRI("urn:test:number"), Object: rdf.Literal(fmt.Sprint(i/5), rdf.XSDInteger)}
		line := string(rdf.AppendQuad(nil, quad))
		quads[line], lines = quad, append(lines, line)
	}
	add("urn:test:one", 3000, func(int) int { return 1 })
	add("urn:test:many", 400, func(int) int { return 1 + random.IntN(40) })
	add("urn:test:hubs", 2000, func(i int) int { return 1 + 100*max(0, 1-i%50) })
	for i, links := range []int{0, 3, 900, 2, 1} { // to what "me" knows
		for k := range links + 1 {
			quad := rdf.Quad{Subject: rdf.IRI(fmt.Sprint("urn:test:said-", i, "-", k)), Predicate: rdf.IRI("urn:test:by"), Object: rdf.IRI(fmt.Sprint("urn:test:friend-", i))}
			if k == links {
				quad.Subject, quad.Predicate = rdf.IRI("urn:test:me"), rdf.IRI("urn:test:knows")
			}
			line := string(rdf.AppendQuad(nil, quad))
			quads[line], lines = quad, append(lines, line)
		}
	}
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		if _, err := w.Add(t.Context(), quads[line]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	a := w.statistics(t.Context(), nil)
	checked, part := 0, 0.25
	if !pager.Private {
		part = 0.5 // pages of rows that were inserted are not all as full
	}
	for _, tree := range []struct {
		columns string
		b       bound
	}{{"0, p, 0", bound{at: [4]bool{posP: true}}}, {"0, p, o", bound{at: [4]bool{posP: true, posO: true}}}, {"0, 0, o", bound{at: [4]bool{posO: true}}}, {"s, p, 0", bound{at: [4]bool{posS: true, posP: true}}}} {
		keys := tree.columns
		err := w.conn.Exec("SELECT "+keys+", count(*) FROM live GROUP BY 1, 2, 3 ORDER BY 4 DESC LIMIT 200", func(s *stmt.Stmt) error {
			ids := [3]inline.TermID{s.ID(0), s.ID(1), s.ID(2)}
			got, want := a.estimate(tree.b, ids), s.ColumnInt64(3)
			checked++
			if math.Abs(got-float64(want)) > 10+part*float64(want) {
				t.Errorf("(%s) = %v: estimated %v, there are %d", keys, ids, got, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for predicate, want := range map[rdf.IRI]float64{"urn:test:one": 3000, "urn:test:many": 400, "urn:test:hubs": 2000, "urn:test:none": 0} {
		if got := a.subjects(predicate); got < want/2 || got > want*2 {
			t.Errorf("%s: estimated %v subjects, there are %v", predicate, got, want)
		}
	}
	for _, within := range []struct {
		low, high int
		want      float64
	}{{0, 999, 5000}, {500, 999, 2500}, {0, 2, 15}, {400, 449, 250}, {7, 7, 5}, {8, 7, 0}, {2000, 3000, 0}} {
		number := func(n int) rdf.Term { return rdf.Literal(fmt.Sprint(n), rdf.XSDInteger) }
		bounds := []lower.Bound{{Func: sparql.GreaterOrEqual, Term: number(within.low)}, {Func: sparql.LessOrEqual, Term: number(within.high)}}
		if got := a.within("urn:test:number", lower.Region(rdf.XSDInteger), bounds); math.Abs(got-within.want) > 10+part*within.want {
			t.Errorf("%d to %d: estimated %v, there are %v", within.low, within.high, got, within.want)
		}
	}
	variable := func(subject rdf.Term, predicate rdf.IRI) sparql.TriplePattern {
		return sparql.TriplePattern{Subject: sparql.Operand{Term: subject}, Predicate: sparql.Operand{Term: predicate}, Object: sparql.Operand{Var: "o"}}
	}
	me := rdf.IRI("urn:test:me")
	for _, linked := range []struct {
		of        sparql.TriplePattern
		predicate rdf.IRI
		want      float64
	}{{variable(me, "urn:test:knows"), "urn:test:by", 906.0 / 5}, {variable(me, "urn:test:knows"), "urn:test:knows", 1}, {variable(me, "urn:test:by"), "urn:test:knows", 0}, {variable(me, "urn:test:none"), "urn:test:by", 0}} {
		if got := a.linked(linked.of, linked.predicate); got < 0.9*linked.want || got > 1.6*linked.want {
			t.Errorf("estimated %v times %s of the objects of %v, there are %v", got, linked.predicate, linked.of, linked.want)
		}
	}
	if checked < 300 {
		t.Errorf("only %d estimates", checked)
	}
}
