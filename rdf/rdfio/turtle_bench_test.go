package rdfio_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"trails/rdf/rdfio"
)

// sampleTurtle says in Turtle, as people and exporters write it, what sampleLines
// says in N-Quads, but for the graph.
func sampleTurtle(entities int) []byte {
	var b bytes.Buffer
	b.WriteString("@prefix d: <urn:trails:demo:> .\n@prefix note: <urn:trails:demo:Note/> .\n@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n\n")
	for i := range entities {
		fmt.Fprintf(&b, "note:%08x a d:Note ;\n    d:title \"The title of note %d\" ;\n", i, i)
		fmt.Fprintf(&b, "    d:body \"A longer text, \\\"quoted\\\" and\\nwith a second line of %d words\"@en ;\n", i)
		fmt.Fprintf(&b, "    d:rank %d ;\n    d:made \"2024-05-%02dT10:00:00Z\"^^xsd:dateTime ;\n    d:cites ", i, i%28+1)
		for k := range 5 {
			fmt.Fprintf(&b, "note:%08x%s", i*7+k, []string{", ", ", ", ", ", ", ", " .\n\n"}[k])
		}
	}
	return b.Bytes()
}

func BenchmarkReadTurtle(b *testing.B) {
	benchmarkRead(b, sampleTurtle(10_000), func(r io.Reader) rdfio.Reader { return rdfio.NewTurtleReader(r, "", rdfio.Limits{}) })
}

// BenchmarkReadNTriplesAsTurtle is the worst that Turtle can look like: full IRIs,
// a subject for every triple.
func BenchmarkReadNTriplesAsTurtle(b *testing.B) {
	text := bytes.ReplaceAll(sampleLines(10_000), []byte(" <urn:trails:graph:citations> ."), []byte(" ."))
	benchmarkRead(b, text, func(r io.Reader) rdfio.Reader { return rdfio.NewTurtleReader(r, "", rdfio.Limits{}) })
}

func benchmarkRead(b *testing.B, text []byte, read func(io.Reader) rdfio.Reader) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		r := read(bytes.NewReader(text))
		for {
			_, err := r.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "quads/s")
}
