package db_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"trails/db"
	"trails/e2e/testrun"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/sparqltest"
)

// TestCallsInsideCallsAgreeWithTheOracle puts each function around each other one, in columns and in filters, over terms
// of every kind: what SQL computes of the inner one is the argument of the outer one.
func TestCallsInsideCallsAgreeWithTheOracle(t *testing.T) {
	testrun.Alone(t)
	var data []rdf.Quad
	for i, text := range []string{
		`"ab"`, `"b/a"`, `""`, `"ab"@en`, `"Ba"@de-AT`, `:n`, `<http://example.org/ab>`, `_:b`, `1`, `-0.5`, `2.5e0`, `"NaN"^^xsd:double`, `true`,
		`"2020-01-02"^^xsd:date`, `"2020-01-02T03:04:05Z"^^xsd:dateTime`, `"t"^^xsd:token`, `"x"^^:unknown`, `"x"^^xsd:integer`, `"1"`, `"en"`,
	} {
		data = append(data, rdf.Quad{Subject: sparqltest.Term(fmt.Sprintf(":s%d", i)), Predicate: sparqltest.Term(":v"), Object: sparqltest.Term(text)})
	}
	rows, path := 0, filepath.Join(t.TempDir(), "nested.db")
	f, err := fileOf(t.Context(), path, data)
	for _, scans := range []db.Scans{db.ScansNever, db.ScansAlways} {
		if err == nil {
			err = f.Close()
		}
		if err == nil {
			f, err = db.Open(t.Context(), path, db.Options{Scans: scans})
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range sparqltest.Nested() {
			query, err := sparql.Parse(c.Text, sparql.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := answered(t.Context(), f, query, db.View{})
			rows += len(got.Rows)
			if err == nil {
				err = sparqltest.Agree(t.Context(), c, slices.Clone(data), got)
			}
			if err != nil {
				t.Errorf("%v\nwith scans %d, for\n%s", err, scans, c.Text)
			}
		}
	}
	if err := f.Close(); err != nil || rows < 20_000 {
		t.Errorf("%d rows; %v", rows, err)
	}
}
