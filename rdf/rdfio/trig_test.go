package rdfio_test

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"trails/rdf"
	"trails/rdf/rdfio"
)

func writeTriG(t reporter, quads []rdf.Quad) string {
	t.Helper()
	var out strings.Builder
	if err := rdfio.WriteTriG(&out, quads, turtlePrefixes); err != nil {
		t.Fatalf("%v", err)
	}
	return out.String()
}

func checkTriG(t reporter, quads []rdf.Quad, text string) {
	t.Helper()
	got, err := readAll(rdfio.NewTriGReader(strings.NewReader(text), "", rdfio.Limits{}))
	if err != nil || !rdf.Isomorphic(quads, got) {
		t.Fatalf("%v: got\n%sfrom\n%s", err, nquadsText(got), text)
	}
}

// TestTriGText writes the N-Quads of testdata/trig as TriG, and checks that it
// means the same.
func TestTriGText(t *testing.T) {
	datadriven.RunTest(t, "testdata/trig", func(t *testing.T, d *datadriven.TestData) string {
		quads := parse(t, strings.NewReplacer("ex:", "http://example.org/", "rdf:", rdf.RDFNS, "xsd:", rdf.XSDNS).Replace(d.Input))
		text := writeTriG(t, quads)
		checkTriG(t, quads, text)
		return text
	})
}

func TestWrittenTriGReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quads := rapid.SliceOfN(turtleQuadGen(), 0, 12).Draw(t, "quads")
		text := writeTriG(t, quads)
		checkTriG(t, quads, text)
		if shuffled := writeTriG(t, rapid.Permutation(quads).Draw(t, "shuffled")); shuffled != text {
			t.Fatalf("the order of quads shows:\n%s\n%s", text, shuffled)
		}
	})
}
