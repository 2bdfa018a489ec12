package db_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trails/db"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/rdf"
	"trails/sparql"
)

// numbersFile holds n subjects with a number each.
func numbersFile(t *testing.T, n int) *db.Reader {
	t.Helper()
	var quads []rdf.Quad
	for i := range n {
		quads = append(quads, q(fmt.Sprintf("s%04d", i), "v", rdf.Literal(fmt.Sprint(i), rdf.XSDInteger)))
	}
	f, err := fileOf(t.Context(), filepath.Join(t.TempDir(), "limits.db"), quads)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	r, err := f.Read(t.Context(), db.View{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func ask(t *testing.T, ctx context.Context, r *db.Reader, text string, limits db.Limits) iter.Seq2[[]rdf.Term, error] {
	t.Helper()
	parsed, err := sparql.Parse("PREFIX : <urn:test:>\n"+text, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := r.Plan(t.Context(), parsed.Op, parsed.Vars, parsed.Dataset, "")
	if err != nil {
		t.Fatal(err)
	}
	return r.Run(ctx, plan, limits)
}

// run counts rows up to the error, if any.
func run(rows iter.Seq2[[]rdf.Term, error]) (n int, err error) {
	for _, err := range rows {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func TestAQueryEndsAtItsLimits(t *testing.T) {
	r := numbersFile(t, 1000)
	for _, c := range []struct {
		name, query string
		limits      db.Limits
		rows        int
		kind        fault.Kind
	}{
		{"as many rows as allowed", "SELECT * { ?s :v ?x }", db.Limits{Rows: 1000}, 1000, 0},
		{"more rows than allowed", "SELECT * { ?s :v ?x }", db.Limits{Rows: 999}, 999, fault.TooLarge},
		{"terms that are made", "SELECT DISTINCT (CONCAT(STR(?x), 'abc') AS ?y) { ?s :v ?x }", db.Limits{Bytes: 10_000}, -1, fault.TooLarge},
		{"terms that are only shown", "SELECT (CONCAT(STR(?x), 'abc') AS ?y) { ?s :v ?x }", db.Limits{Bytes: 10_000}, 1000, 0},
		{"groups that are held", "SELECT (GROUP_CONCAT(?x) AS ?y) { ?s :v ?x }", db.Limits{Bytes: 1000}, 0, fault.TooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := run(ask(t, t.Context(), r, c.query, c.limits))
			if c.rows >= 0 && n != c.rows {
				t.Errorf("got %d rows, want %d", n, c.rows)
			}
			if c.kind == 0 && err != nil || c.kind != 0 && !fault.Is(err, c.kind) {
				t.Errorf("got error %v, want kind %v", err, c.kind)
			}
		})
	}
}

// The query would make 10^9 rows before its first one.
func TestACancelledQueryStops(t *testing.T) {
	r := numbersFile(t, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := run(ask(t, ctx, r, "SELECT (COUNT(*) AS ?n) { ?a :v ?x . ?b :v ?y . ?c :v ?z }", db.Limits{}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want a cancellation", err)
	}
	if n, err := run(ask(t, t.Context(), r, "SELECT * { ?s :v 7 }", db.Limits{})); n != 1 || err != nil {
		t.Errorf("the reader gave %d rows and %v afterwards, want 1", n, err)
	}
}

func TestAQueryRunsInsideAnothersLoop(t *testing.T) {
	r := numbersFile(t, 20)
	total := 0
	for row, err := range ask(t, t.Context(), r, "SELECT (?x + 1 AS ?y) { ?s :v ?x }", db.Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
		inner := fmt.Sprintf("SELECT (CONCAT('a', STR(?x)) AS ?y) { ?s :v ?x FILTER(?x * 1 < %s) }", rdf.Lexical(row[0]))
		n, err := run(ask(t, t.Context(), r, inner, db.Limits{}))
		if err != nil {
			t.Fatal(err)
		}
		total += n
	}
	if want := 20 * 21 / 2; total != want {
		t.Errorf("got %d rows inside, want %d", total, want)
	}
}

func TestLongRowsOfOperatorsAndUnionsRun(t *testing.T) {
	r := numbersFile(t, 3)
	text := "SELECT * { ?s :v ?x FILTER(?s = :s0001" + strings.Repeat(" || ?s = :s0001", 3000) + ") }"
	if n, err := run(ask(t, t.Context(), r, text, db.Limits{})); n != 1 || err != nil {
		t.Errorf("3000 alternatives gave %d rows and %v, want 1", n, err)
	}
	text = "SELECT * { { ?s :v 1 }" + strings.Repeat(" UNION { ?s :v 1 }", 1000) + " }"
	if n, err := run(ask(t, t.Context(), r, text, db.Limits{})); n != 1001 || err != nil {
		t.Errorf("1000 unions gave %d rows and %v, want 1001", n, err)
	}
	text = "SELECT * { ?s0 :v 1 "
	for i := range 100 {
		text += fmt.Sprintf(". ?s%d :v ?x%d . ?s%d :v ?x%d ", i, i, i+1, i)
	}
	if n, err := run(ask(t, t.Context(), r, text+"}", db.Limits{})); n != 1 || err != nil {
		t.Errorf("200 patterns gave %d rows and %v, want 1", n, err)
	}
	text = "SELECT * { ?s :v ?x " + strings.Repeat("OPTIONAL { ?s :v ?x . ?s :v ?x } ", 100) + " }"
	if n, err := run(ask(t, t.Context(), r, text, db.Limits{})); n != 3 || err != nil {
		t.Errorf("100 optional patterns gave %d rows and %v, want 3", n, err)
	}
}

func TestMoreQueriesThanAreKeptStillRun(t *testing.T) {
	testrun.Alone(t)
	r := numbersFile(t, 3)
	for i := range 200 {
		text := "SELECT * { ?s :v ?x FILTER(?s != :a"
		for range i {
			text += " || BOUND(?x)"
		}
		if n, err := run(ask(t, t.Context(), r, text+") }", db.Limits{})); n != 3 || err != nil {
			t.Fatalf("query %d gave %d rows and %v, want 3", i, n, err)
		}
	}
}

// TestTemporaryFilesAreBounded: what is sorted, grouped and kept apart goes to files. A
// refusal ends the query and nothing else: the reader goes on in its transaction.
func TestTemporaryFilesAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("a few million solutions")
	}
	r := numbersFile(t, 900)
	head := r.Head().ID
	for name, text := range map[string]string{
		"sorted":   "SELECT ?x ?y { ?a :v ?x . ?b :v ?y } ORDER BY ?y ?x",
		"distinct": "SELECT DISTINCT ?a ?y { ?a :v ?x . ?b :v ?y } OFFSET 700000",
		"grouped":  "SELECT ?a ?b (COUNT(*) AS ?n) { ?a :v ?x . ?b :v ?y } GROUP BY ?a ?b",
	} {
		n, err := run(ask(t, t.Context(), r, text, db.Limits{Temporary: 2 << 20}))
		if n != 0 || !fault.Is(err, fault.TooLarge) || !strings.Contains(err.Error(), "temporary files") {
			t.Errorf("%s: %d rows, and %v", name, n, err)
		}
		if n, err := run(ask(t, t.Context(), r, "SELECT * { ?s :v 7 }", db.Limits{})); n != 1 || err != nil || r.Head().ID != head {
			t.Errorf("%s: afterwards the reader gave %d rows and %v, want 1", name, n, err)
		}
	}
	if n, err := run(ask(t, t.Context(), r, "SELECT DISTINCT ?a ?y { ?a :v ?x . ?b :v ?y } LIMIT 300000", db.Limits{})); n != 300_000 || err != nil {
		t.Errorf("within its limit a query gave %d rows and %v", n, err)
	}
}

// TestLongQueriesLeaveRoomForAShortOne: eight callers stand in the midst of their answers.
func TestLongQueriesLeaveRoomForAShortOne(t *testing.T) {
	f, err := fileOf(t.Context(), filepath.Join(t.TempDir(), "room.db"), []rdf.Quad{q("a", "v", rdf.Literal("1", "")), q("b", "v", rdf.Literal("2", ""))})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 8 {
		r, err := f.Read(t.Context(), db.View{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		next, stop := iter.Pull2(ask(t, t.Context(), r, "SELECT * { ?s :v ?x . ?t :v ?y }", db.Limits{}))
		defer stop()
		if _, err, more := next(); err != nil || !more {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	r, err := f.Read(ctx, db.View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n, err := run(ask(t, ctx, r, "SELECT * { ?s :v ?x }", db.Limits{})); n != 2 || err != nil {
		t.Errorf("got %d rows and %v, want 2", n, err)
	}
}
