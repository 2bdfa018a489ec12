package db

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"trails/db/stmt"
	"trails/e2e/testrun"
	"trails/rdf"
	"trails/sparql"
)

// row is n texts side by side, each with its number.
func row(n int, format string) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, format, i, i+1)
	}
	return out.String()
}

// sizes are the texts that grow: n operators in a row, or inside each other.
var sizes = []struct {
	name string
	from int
	text func(n int) string
}{
	{"OPTIONALs", 30, func(n int) string {
		return "SELECT * { ?s :v ?v " + row(n, "OPTIONAL { ?s :p%[1]d ?o%[1]d } ") + "} LIMIT 3"
	}},
	{"OPTIONALs in a chain", 30, func(n int) string {
		return "SELECT * { ?s0 :v ?v " + row(n, "OPTIONAL { ?s%d :link ?s%d } ") + "} LIMIT 3"
	}},
	{"MINUS", 400, func(n int) string {
		return "SELECT * { ?s :v ?v " + row(n, "MINUS { ?s :q%[1]d ?o%[1]d } ") + "} LIMIT 3"
	}},
	{"NOT EXISTS", 400, func(n int) string {
		return "SELECT * { ?s :v ?v " + row(n, "FILTER NOT EXISTS { ?s :q%[1]d ?o%[1]d } ") + "} LIMIT 3"
	}},
	{"EXISTS inside each other", 20, func(n int) string {
		return "SELECT * { ?s0 :v ?v " + row(n, "FILTER EXISTS { ?s%d :link ?s%d ") + strings.Repeat("}", n) + "} LIMIT 3"
	}},
	{"NOT EXISTS inside each other", 20, func(n int) string {
		return "SELECT * { ?s0 :v ?v " + row(n, "FILTER NOT EXISTS { ?s%d :link ?s%d ") + strings.Repeat("}", n) + "} LIMIT 3"
	}},
	{"MINUS inside each other", 20, func(n int) string {
		return "SELECT * { ?s0 :v ?v " + row(n, "MINUS { ?s%d :link ?s%d ") + strings.Repeat("}", n) + "} LIMIT 3"
	}},
}

// ring is a file of n subjects, each with a number and a link to the next one.
func ring(t *testing.T, n int) *Reader {
	t.Helper()
	f := emptyFile(t)
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	name := func(text string, i int) rdf.IRI { return rdf.IRI(fmt.Sprintf("urn:test:%s%05d", text, i)) }
	for i := range n {
		for _, q := range []rdf.Quad{
			{Subject: name("s", i), Predicate: rdf.IRI("urn:test:link"), Object: name("s", (i+1)%n)},
			{Subject: name("s", i), Predicate: rdf.IRI("urn:test:v"), Object: rdf.Literal(fmt.Sprint(i), rdf.XSDInteger)},
		} {
			if _, err := w.Add(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := w.Commit(t.Context(), CommitMeta{}, nil); err != nil {
		t.Fatal(err)
	}
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.conn.answerQuestions(); err != nil {
		t.Fatal(err)
	}
	return r
}

func planOf(t *testing.T, r *Reader, text string) Plan {
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

func rowsOf(t *testing.T, r *Reader, plan Plan) (n int) {
	t.Helper()
	for _, err := range r.Run(t.Context(), plan, Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// TestAProgramGrowsNoFasterThanItsText doubles texts twice and counts the instructions of
// SQLite's programs: twice the text is about twice the program, which needs no more than
// the rows it is asked for.
func TestAProgramGrowsNoFasterThanItsText(t *testing.T) {
	if testing.Short() {
		t.Skip("long texts, planned by one goroutine")
	}
	r := ring(t, 1000)
	for _, c := range sizes {
		t.Run(c.name, func(t *testing.T) {
			var lengths []int
			for _, n := range []int{c.from, 2 * c.from, 4 * c.from} {
				plan := planOf(t, r, c.text(n))
				length := 0
				if err := r.conn.Exec("EXPLAIN "+plan.SQL, func(*stmt.Stmt) error { length++; return nil }); err != nil {
					t.Fatalf("%d: %v", n, err)
				}
				lengths = append(lengths, length)
				if n := rowsOf(t, r, plan); n != 3 {
					t.Errorf("got %d rows, want 3", n)
				}
				steps, err := r.conn.steps(plan.SQL)
				if err != nil || strings.Contains(steps, "MATERIALIZE") || strings.Contains(steps, "AUTOMATIC") {
					t.Errorf("%d of them are made whole before the first row: %v\n%.2000s", n, err, steps)
				}
			}
			for i := range lengths[1:] {
				if lengths[i+1] > lengths[i]*9/4 {
					t.Errorf("the programs have %d instructions: each more than double of the one before", lengths)
				}
			}
		})
	}
}

// TestInlineDataIsOneValueOfTheStatement asks for more rows than a statement has
// placeholders: neither the statement nor its program grows with them.
func TestInlineDataIsOneValueOfTheStatement(t *testing.T) {
	testrun.Alone(t)
	r := ring(t, 1000)
	for name, text := range map[string]func(n int) string{
		"VALUES":        func(n int) string { return "SELECT * { VALUES ?x { " + row(n, "%[1]d ") + "} ?s :v ?x }" },
		"VALUES of two": func(n int) string { return "SELECT * { VALUES (?s ?x) { " + row(n, "(UNDEF %[1]d) ") + "} ?s :v ?x }" },
		"IN":            func(n int) string { return "SELECT * { ?s :v ?x FILTER(?s IN (" + row(n, ":s%05[1]d, ") + ":none)) }" },
		"MINUS of VALUES": func(n int) string {
			return "SELECT * { ?s :v ?x MINUS { VALUES ?x { -1 " + row(n, "1%05[1]d ") + "} } }"
		},
	} {
		t.Run(name, func(t *testing.T) {
			small, large := planOf(t, r, text(8000)), planOf(t, r, text(40_000))
			if small.SQL != large.SQL || len(small.Args) != len(large.Args) {
				t.Errorf("8,000 rows have %d values and %d bytes, 40,000 %d and %d", len(small.Args), len(small.SQL), len(large.Args), len(large.SQL))
			}
			if n := rowsOf(t, r, large); n != 1000 {
				t.Errorf("got %d rows, want 1000", n)
			}
		})
	}
}

// TestAnOptionalLooksUpWhatAnotherMayHaveBound reads the plan: the second OPTIONAL knows
// the subject when the first one matched.
func TestAnOptionalLooksUpWhatAnotherMayHaveBound(t *testing.T) {
	r := ring(t, 10)
	steps, err := r.conn.steps(planOf(t, r, "SELECT * { ?s :v ?v OPTIONAL { ?s :link ?x } OPTIONAL { ?x :link ?y } OPTIONAL { ?z :link ?y } }").SQL)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"(s>? AND s<?)", "(p=? AND o>? AND o<?)"} {
		if !slices.ContainsFunc(strings.Split(steps, "\n"), func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("no step has %s:\n%s", want, steps)
		}
	}
}
