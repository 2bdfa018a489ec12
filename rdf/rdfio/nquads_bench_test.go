package rdfio_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"trails/rdf/rdfio"
)

// sampleLines imitates an export: entities of some ten statements each, few
// predicates, references between entities, texts, numbers, dates.
func sampleLines(entities int) []byte {
	var b bytes.Buffer
	for i := range entities {
		s := fmt.Sprintf("<urn:trails:demo:Note/%08x>", i)
		fmt.Fprintf(&b, "%s <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:trails:demo:Note> .\n", s)
		fmt.Fprintf(&b, "%s <urn:trails:demo:title> \"The title of note %d\" .\n", s, i)
		fmt.Fprintf(&b, "%s <urn:trails:demo:body> \"A longer text, \\\"quoted\\\" and\\nwith a second line of %d words\"@en .\n", s, i)
		fmt.Fprintf(&b, "%s <urn:trails:demo:rank> \"%d\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n", s, i)
		fmt.Fprintf(&b, "%s <urn:trails:demo:made> \"2024-05-%02dT10:00:00Z\"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n", s, i%28+1)
		for k := range 5 {
			fmt.Fprintf(&b, "%s <urn:trails:demo:cites> <urn:trails:demo:Note/%08x> <urn:trails:graph:citations> .\n", s, i*7+k)
		}
	}
	return b.Bytes()
}

func BenchmarkReadNQuads(b *testing.B) {
	text := sampleLines(10_000)
	benchmarkRead(b, text, func(r io.Reader) rdfio.Reader { return rdfio.NewNQuadsReader(r, rdfio.Limits{}) })
}

func BenchmarkWriteNQuads(b *testing.B) {
	quads, err := readAll(rdfio.NewNQuadsReader(bytes.NewReader(sampleLines(10_000)), rdfio.Limits{}))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := rdfio.WriteNQuads(io.Discard, sequence(quads)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(quads)*b.N)/b.Elapsed().Seconds(), "quads/s")
}
