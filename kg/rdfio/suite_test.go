package rdfio_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/kg/rdf"
	"trails/kg/rdfio"
	"trails/kg/rdftest"
)

var readers = map[string]rdftest.NewReader{
	"n-triples": func(r io.Reader, _ string) rdfio.Reader { return rdfio.NewNTriplesReader(r, rdfio.Limits{}) },
	"n-quads":   func(r io.Reader, _ string) rdfio.Reader { return rdfio.NewNQuadsReader(r, rdfio.Limits{}) },
	"turtle":    func(r io.Reader, base string) rdfio.Reader { return rdfio.NewTurtleReader(r, base, rdfio.Limits{}) },
	"trig":      func(r io.Reader, base string) rdfio.Reader { return rdfio.NewTriGReader(r, base, rdfio.Limits{}) },
	"rdf-xml":   func(r io.Reader, base string) rdfio.Reader { return rdfio.NewRDFXMLReader(r, base, rdfio.Limits{}) },
}

func TestW3CSuitesPass(t *testing.T) {
	suites := rdftest.Dir(t)
	for _, name := range []string{"n-triples", "n-quads", "turtle", "trig", "rdf-xml"} {
		t.Run(name, func(t *testing.T) {
			category := "rdf-" + strings.TrimPrefix(name, "rdf-")
			tests := rdftest.Load(t, suites, "rdf/rdf11/"+category+"/manifest.ttl")
			rdftest.CheckCounts(t, suites, "rdf11", tests, category)
			rdftest.Suite{Name: name, Tests: tests, Run: rdftest.Parse(readers[name])}.W3C(t)
		})
	}
}

// checkRoundTrip writes quads canonically and reads them back.
func checkRoundTrip(t testing.TB, quads []rdf.Quad) {
	t.Helper()
	var text bytes.Buffer
	n, err := rdfio.WriteNQuads(&text, sequence(quads))
	if err != nil || int(n) != len(quads) {
		t.Fatalf("wrote %d of %d quads: %v", n, len(quads), err)
	}
	again, err := readAll(rdfio.NewNQuadsReader(&text, rdfio.Limits{}))
	if err != nil {
		t.Fatalf("canonical form does not parse: %v", err)
	}
	if diff := cmp.Diff(quads, again); diff != "" {
		t.Fatalf("round trip (-want +got):\n%s", diff)
	}
}

func sequence(quads []rdf.Quad) func(yield func(rdf.Quad, error) bool) {
	return func(yield func(rdf.Quad, error) bool) {
		for _, q := range quads {
			if !yield(q, nil) {
				return
			}
		}
	}
}

// readAll returns the quads before the first error; io.EOF is none.
func readAll(r rdfio.Reader) ([]rdf.Quad, error) { return rdftest.All(r) }
