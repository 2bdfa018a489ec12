package db

import (
	"path/filepath"
	"strings"
	"testing"

	"trails/db/lower"
	"trails/db/stmt"
	"trails/e2e/testrun"
	"trails/sparql"
)

// TestPatternsWithABoundPositionAreSearched reads the plans of queries: the table of quads is
// nowhere read from end to end.
func TestPatternsWithABoundPositionAreSearched(t *testing.T) {
	testrun.Alone(t)
	path := filepath.Join(t.TempDir(), "plan.db")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Run("without statistics", func(t *testing.T) { queriesSearch(t, path) })
	bulkLoad(t, path)
	t.Run("with statistics", func(t *testing.T) { queriesSearch(t, path) })
}

func queriesSearch(t *testing.T, path string) {
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.conn.answerQuestions(); err != nil {
		t.Fatal(err)
	}
	if scans := scansOf(t, r, "SELECT * { ?s ?p ?o }"); len(scans) != 1 {
		t.Errorf("a pattern without a bound position has the scans %q, want one", scans)
	}
	for _, text := range []string{
		"SELECT * { :a :p ?o }", "SELECT * { ?s :p ?o }", "SELECT * { ?s ?p :o }", "SELECT * { :a ?p :o }", "SELECT * { ?s :p ?o . ?o :q ?x . ?y :r ?x }",
		"SELECT * { GRAPH :g { ?s ?p ?o } }", "SELECT * { GRAPH :g { ?s :p ?o . ?o ?q ?x } }", "SELECT * { GRAPH ?g { ?s :p ?o } }",
		"SELECT * { ?s :p ?o OPTIONAL { ?s :q ?x OPTIONAL { ?x :r ?y } } }", "SELECT * { ?s :p ?o OPTIONAL { ?s :q ?x . ?x :r ?y } }",
		"SELECT * { ?s :p ?o MINUS { ?s :q ?x . ?x :r ?o } }", "SELECT * { ?s :p ?o FILTER NOT EXISTS { ?s :q ?x . ?x :r ?o } }",
		"SELECT * { ?s :p ?v FILTER(?v > 5) }", "SELECT * { { ?s :p :a } UNION { ?s :q :b } }", "SELECT * { ?s :q :c . { ?s :p :a } UNION { ?s :q :b } }",
		"SELECT * { :a :p+ ?x }", "SELECT * { ?x :p* :a }", "SELECT * { ?s :q :c . ?s :p* ?x }", "SELECT * { ?s :q ?o FILTER EXISTS { ?s (:p|^:r)+ ?o } }",
		"SELECT * FROM :g1 FROM :g2 { ?s :p ?o }", "SELECT ?o (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?o",
	} {
		if scans := scansOf(t, r, text); len(scans) > 0 {
			t.Errorf("%s\nscans: %q", text, scans)
		}
	}
}

// scansOf returns the steps of a query's plan that read the whole table.
func scansOf(t *testing.T, r *Reader, text string) (scans []string) {
	t.Helper()
	q, err := sparql.Parse("PREFIX : <urn:test:>\n"+text, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := lower.Lower(q.Op, q.Vars, lower.Options{Dataset: q.Dataset})
	if err != nil {
		t.Fatal(err)
	}
	sql := plan.SQL
	err = r.conn.Exec("EXPLAIN QUERY PLAN "+sql, func(s *stmt.Stmt) error {
		if step := s.ColumnText(3); strings.HasPrefix(step, "SCAN") && (liveTable(sql, step) || strings.HasPrefix(step, "SCAN live")) {
			scans = append(scans, step)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return scans
}

// liveTable reports whether a step reads the table live under the alias it names.
func liveTable(sql, step string) bool {
	fields := strings.Fields(step)
	return len(fields) > 1 && strings.Contains(sql, "live "+fields[1]+" ")
}

// TestUnionsAreTakenIntoTheJoinAroundThem asks for two sides whose variables differ: made
// by themselves, both would be read whole.
func TestUnionsAreTakenIntoTheJoinAroundThem(t *testing.T) {
	f := emptyFile(t)
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, text := range []string{
		"SELECT ?s ?l { ?s :q :c . { ?s :p ?x . ?x :label ?l } UNION { ?s :r ?y . ?y :name ?l } }",
		"SELECT ?s ?l { ?s :q :c . ?s (:p/:label)|(:r/:name) ?l }",
	} {
		q, err := sparql.Parse("PREFIX : <urn:test:>\n"+text, sparql.Options{})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := r.Plan(t.Context(), q.Op, q.Vars, q.Dataset, q.Base)
		if err != nil {
			t.Fatal(err)
		}
		e, err := r.Explain(t.Context(), plan, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(e.Steps, "MATERIALIZE") || strings.Count(e.Steps, "(s=? AND p=?)") != 4 {
			t.Errorf("%s\nis run as\n%s", text, e.Steps)
		}
	}
}
