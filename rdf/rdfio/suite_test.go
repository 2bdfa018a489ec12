package rdfio_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/rdf/rdftest"
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

// TestRDFXMLOfTheSPARQLSuites reads the data that those suites hold in RDF/XML and
// compares it with its conversion by another program, which writes floats its own way.
func TestRDFXMLOfTheSPARQLSuites(t *testing.T) {
	suites := filepath.Join(rdftest.Dir(t), "rdf-tests")
	converted := filepath.Join(suites, "converted-rdfxml")
	n := 0
	err := filepath.WalkDir(converted, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".nt" {
			return err
		}
		n++
		name, _ := filepath.Rel(converted, strings.TrimSuffix(path, ".nt"))
		name = strings.TrimSuffix(name, ".rdf") + ".rdf"
		want, err := nquadsFile(path)
		if err != nil {
			return err
		}
		f, err := os.Open(filepath.Join(suites, name))
		if err != nil {
			return err
		}
		defer f.Close()
		got, err := readAll(rdfio.NewRDFXMLReader(f, rdftest.Base+filepath.ToSlash(name), rdfio.Limits{}))
		if err != nil || !rdf.Isomorphic(plainFloats(want), plainFloats(got)) {
			t.Errorf("%s: %v: got\n%swant\n%s", name, err, nquadsText(got), nquadsText(want))
		}
		return nil
	})
	if err != nil || n != 16 {
		t.Errorf("%v, %d files, want 16", err, n)
	}
}

func plainFloats(quads []rdf.Quad) []rdf.Quad {
	for i, q := range quads {
		if rdf.DatatypeOf(q.Object) == rdf.XSDFloat {
			quads[i].Object = rdf.Literal(strings.TrimSuffix(rdf.Lexical(q.Object), ".0"), rdf.XSDFloat)
		}
	}
	return quads
}
