package db_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"trails/e2e/testrun"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/rdf/rdftest"
	"trails/sparql/sparqltest"
)

// TestFoundQueriesAgreeWithTheOracle runs queries that once had another answer than
// the oracle's, or than that of other engines. "data" is TriG for the queries after it.
func TestFoundQueriesAgreeWithTheOracle(t *testing.T) {
	testrun.Alone(t)
	const prologue = "PREFIX : <" + sparqltest.NS + ">\nPREFIX xsd: <" + rdf.XSDNS + ">\n"
	e := engine{dir: t.TempDir}
	datadriven.Walk(t, filepath.Join("testdata", "found"), func(t *testing.T, path string) {
		var data []rdf.Quad
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "data" {
				quads, err := rdftest.All(rdfio.NewTriGReader(strings.NewReader("@prefix : <"+sparqltest.NS+"> .\n"+d.Input), "", rdfio.Limits{}))
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				data = quads
				return ""
			}
			text := prologue + d.Input
			got, err := e.Query(t.Context(), text, "", data)
			if err != nil {
				return err.Error()
			}
			if err := sparqltest.Agree(t.Context(), sparqltest.Case{Text: text}, slices.Clone(data), got); err != nil {
				d.Fatalf(t, "%v", err)
			}
			return shownAnswer(got)
		})
	})
}

// shownAnswer is a row a line, in the order of their texts.
func shownAnswer(a rdftest.Answer) string {
	if a.Truth != nil {
		return fmt.Sprintln(*a.Truth)
	}
	lines := make([]string, len(a.Rows))
	for i, row := range a.Rows {
		var line []string
		for j, t := range row {
			if t != nil {
				line = append(line, "?"+a.Vars[j]+"="+strings.ReplaceAll(string(rdf.AppendTerm(nil, t)), "<"+sparqltest.NS, "<"))
			}
		}
		lines[i] = strings.Join(line, " ") + "\n"
	}
	slices.Sort(lines)
	return fmt.Sprintf("%d\n", len(lines)) + strings.Join(lines, "")
}
