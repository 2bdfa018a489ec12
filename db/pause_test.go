package db_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"trails/db"
	"trails/e2e/testrun"
	"trails/rdf"
)

// Whatever a query spends its time with, its reader pauses again and again; the next one on the same connection, which was
// asked for nothing, does not.
func TestAReaderPausesWhileItWorks(t *testing.T) {
	testrun.Alone(t)
	const nodes = 400
	var quads []rdf.Quad
	for i := range nodes {
		quads = append(quads, q(fmt.Sprint("n", i), "v", rdf.Literal(fmt.Sprint(i), rdf.XSDInteger)), q(fmt.Sprint("n", i), "to", iri("hub")),
			q(fmt.Sprint("n", i), "next", iri(fmt.Sprint("n", (i+1)%nodes))))
	}
	for _, c := range []struct {
		name, text string
		scans      db.Scans
	}{
		{"joins of SQLite", "SELECT (COUNT(*) AS ?n) { ?a :v ?x . ?b :v ?y FILTER(?x + ?y > 1) }", db.ScansNever},
		{"joins of a scan", "SELECT (COUNT(*) AS ?n) { ?a :to ?h . ?b :to ?h FILTER(?a != ?b) }", db.ScansAlways},
		{"a path", "SELECT * { ?a :next+ ?b }", db.ScansNever},
		{"a sort", "SELECT * { ?a :v ?x . ?b :v ?y } ORDER BY LCASE(STR(?x)) LIMIT 1", db.ScansNever},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := fileWith(t.Context(), filepath.Join(t.TempDir(), "pause.db"), quads, db.Options{Scans: c.scans})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			pauses := 0
			r, err := f.Read(db.WithPause(t.Context(), func() { pauses++ }), db.View{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := run(ask(t, t.Context(), r, c.text, db.Limits{})); err != nil {
				t.Fatal(err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if pauses < 100 {
				t.Errorf("%d pauses, want more than 100", pauses)
			}
			t.Log(pauses, "pauses")
			pauses = 0
			if _, err := run(ask(t, t.Context(), read(t, f), c.text, db.Limits{})); err != nil || pauses > 0 {
				t.Errorf("%d pauses of another reader, error %v", pauses, err)
			}
		})
	}
}
