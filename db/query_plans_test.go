package db_test

import (
	"path/filepath"
	"slices"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/db"
	"trails/e2e/testrun"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/sparqltest"
)

// twice is one file opened twice, as by two processes: nothing is shared but the file.
func twice(t testing.TB, quads ...rdf.Quad) (here, there *db.File) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plans.db")
	here, err := fileOf(t.Context(), path, quads)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { here.Close() })
	there, err = db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { there.Close() })
	return here, there
}

// planOf is the plan of a query.
func planOf(t testing.TB, r *db.Reader, text string) db.Plan {
	t.Helper()
	q, err := sparql.Parse("PREFIX : <urn:test:>\n"+text, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := r.Plan(t.Context(), q.Op, q.Vars, q.Dataset, q.Base)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// asks answers a query with one column in the state that a reader has.
func asks(t testing.TB, r *db.Reader, text string) []string {
	t.Helper()
	list := []string{}
	for row, err := range r.Run(t.Context(), planOf(t, r, text), db.Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, rdf.Lexical(row[0]))
	}
	return list
}

func asksNow(t testing.TB, f *db.File, text string) []string {
	t.Helper()
	r, err := f.Read(t.Context(), db.View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return asks(t, r, text)
}

func wants(t testing.TB, got []string, want ...string) {
	t.Helper()
	if len(want) == 0 {
		want = []string{}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func integer(n string) rdf.Term { return rdf.Literal(n, rdf.XSDInteger) }

const sortedAbove = "SELECT ?v { ?s :v ?v FILTER(?v > 2) } ORDER BY ?v"

// TestAPredicateThatGetsAnotherDatatypeGetsAnotherPlan asks the same text while all
// values are integers, whose ids are a range, and when they are no longer.
func TestAPredicateThatGetsAnotherDatatypeGetsAnotherPlan(t *testing.T) {
	numbers := []rdf.Quad{q("a", "v", integer("1")), q("b", "v", integer("3")), q("c", "v", integer("10"))}
	other := []rdf.Quad{q("d", "v", rdf.Literal("5.5", rdf.XSDDecimal)), q("e", "v", integer("007")), q("f", "v", rdf.Literal("text", ""))}
	for name, choose := range map[string]func(here, there *db.File) *db.File{
		"by this process":    func(here, _ *db.File) *db.File { return here },
		"by another process": func(_, there *db.File) *db.File { return there },
	} {
		t.Run(name, func(t *testing.T) {
			here, there := twice(t, numbers...)
			wants(t, asksNow(t, here, sortedAbove), "3", "10")
			old, err := here.Read(t.Context(), db.View{})
			if err != nil {
				t.Fatal(err)
			}
			defer old.Close()
			writer := choose(here, there)
			write(t, writer, other, nil)
			wants(t, asksNow(t, here, sortedAbove), "3", "5.5", "007", "10")
			wants(t, asks(t, old, sortedAbove), "3", "10")
			wants(t, asksNow(t, here, sortedAbove), "3", "5.5", "007", "10")
			write(t, writer, nil, other)
			wants(t, asksNow(t, here, sortedAbove), "3", "10")
		})
	}
}

// TestAnOpenWriteHasPlansOfItsOwn asks in a transaction what others do not see.
func TestAnOpenWriteHasPlansOfItsOwn(t *testing.T) {
	f, _ := twice(t, q("a", "v", integer("1")), q("b", "v", integer("3")))
	wants(t, asksNow(t, f, sortedAbove), "3")
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Add(t.Context(), q("d", "v", rdf.Literal("5.5", rdf.XSDDecimal))); err != nil {
		t.Fatal(err)
	}
	wants(t, asks(t, w.Reader, sortedAbove), "3", "5.5")
	wants(t, asksNow(t, f, sortedAbove), "3")
	w.Close()
	wants(t, asksNow(t, f, sortedAbove), "3")
}

// TestAConstantThatComesLaterIsFound asks for a term that the dictionary does not have
// at first.
func TestAConstantThatComesLaterIsFound(t *testing.T) {
	here, there := twice(t, q("a", "v", rdf.Literal("old", "")), q("a", "w", iri("x")))
	const text = `SELECT ?s { ?s :w ?x . ?s :v "new" }`
	wants(t, asksNow(t, here, text))
	write(t, there, []rdf.Quad{q("b", "v", rdf.Literal("new", "")), q("b", "w", iri("y"))}, nil)
	wants(t, asksNow(t, here, text), string(iri("b")))
	write(t, here, nil, []rdf.Quad{q("b", "v", rdf.Literal("new", ""))})
	wants(t, asksNow(t, here, text))
}

// TestQueriesOfOneShapeKeepTheirConstants asks with one plan for one constant after
// the other, of every kind, also where one of them stands twice.
func TestQueriesOfOneShapeKeepTheirConstants(t *testing.T) {
	f, _ := twice(t,
		q("a", "v", integer("1")), q("b", "v", rdf.Literal("1", "")), q("c", "v", rdf.LangLiteral("1", "en")), q("d", "v", iri("a")),
		q("a", "w", iri("a")), q("b", "w", iri("a")), q("b", "w", iri("d")), q("d", "w", iri("d")))
	for _, c := range []struct {
		text string
		want []string
	}{
		{"SELECT ?s { ?s :v 1 }", []string{"urn:test:a"}},
		{`SELECT ?s { ?s :v "1" }`, []string{"urn:test:b"}},
		{`SELECT ?s { ?s :v "1"@en }`, []string{"urn:test:c"}},
		{"SELECT ?s { ?s :v :a }", []string{"urn:test:d"}},
		{"SELECT ?s { ?s :v :nobody }", nil},
		{"SELECT ?v { :a :w :a ; :v ?v }", []string{"1"}},
		{"SELECT ?v { :b :w :a ; :v ?v }", []string{"1"}},
		{"SELECT ?v { :d :w :d ; :v ?v }", []string{"urn:test:a"}},
		{"SELECT ?x { :b :w+ ?x FILTER(?x = :a) }", []string{"urn:test:a"}},
		{"SELECT ?x { :b :w+ ?x FILTER(?x = :d) }", []string{"urn:test:d"}},
		{"SELECT ?x { :d :w+ ?x FILTER(?x = :d) }", []string{"urn:test:d"}},
		{"SELECT ?s { ?s :v ?v FILTER(?v = 1) }", []string{"urn:test:a"}},
		{`SELECT ?s { ?s :v ?v FILTER(?v = "1") }`, []string{"urn:test:b"}},
		{"SELECT ?s { ?s :v ?v FILTER EXISTS { ?s :w :d } } ORDER BY ?s", []string{"urn:test:b", "urn:test:d"}},
		{"SELECT ?s { ?s :v ?v FILTER EXISTS { ?s :w :a } } ORDER BY ?s", []string{"urn:test:a", "urn:test:b"}},
	} {
		for range 2 {
			got := asksNow(t, f, c.text)
			if !slices.Equal(got, c.want) {
				t.Errorf("%s\ngot %q, want %q", c.text, got, c.want)
			}
		}
	}
}

// TestPlansAgreeWithTheOracleWhateverWasBefore draws a query and three states of a
// file, and asks in each what was asked in the others.
func TestPlansAgreeWithTheOracleWhateverWasBefore(t *testing.T) {
	testrun.Alone(t)
	here, there := twice(t)
	var now []rdf.Quad
	rapid.Check(t, func(t *rapid.T) {
		c := sparqltest.Query(t)
		parsed, err := sparql.Parse(c.Text, sparql.Options{})
		if err != nil || parsed.Form != sparql.Select && parsed.Form != sparql.Ask {
			t.Skip("not for this package")
		}
		for i := range 3 {
			next := sorted(sparqltest.Data(t))
			if _, err := tryWrite(t.Context(), []*db.File{here, there}[i%2], minus(next, now), minus(now, next)); err != nil {
				t.Fatal(err)
			}
			now = next
			for range 2 {
				r, err := here.Read(t.Context(), db.View{})
				if err != nil {
					t.Fatal(err)
				}
				got, err := answer(t.Context(), r, parsed)
				r.Close()
				if err == nil {
					err = sparqltest.Agree(t.Context(), c, slices.Clone(now), got)
				}
				if err != nil {
					t.Fatalf("%v\nin state %d for\n%s", err, i, c.Text)
				}
			}
		}
	})
}

func minus(a, b []rdf.Quad) []rdf.Quad {
	return slices.DeleteFunc(slices.Clone(a), func(q rdf.Quad) bool { return slices.Contains(b, q) })
}

// TestReadersShareParsedQueriesAndPlans runs queries at the same time; the race
// detector has the last word.
func TestReadersShareParsedQueriesAndPlans(t *testing.T) {
	f, _ := twice(t, q("a", "v", integer("1")), q("b", "v", integer("3")), q("c", "v", integer("10")))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				if got := asksNow(t, f, sortedAbove); !slices.Equal(got, []string{"3", "10"}) {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	for _, v := range []string{"2", "1"} {
		write(t, f, []rdf.Quad{q("d", "v", integer(v))}, nil)
	}
	all.Wait()
}
