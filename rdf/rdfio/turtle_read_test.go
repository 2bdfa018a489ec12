package rdfio_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/rdfio"
)

// TestTurtleReading reads every input of testdata/turtle-read up to its first error
// and prints what came out.
func TestTurtleReading(t *testing.T) {
	datadriven.RunTest(t, "testdata/turtle-read", func(t *testing.T, d *datadriven.TestData) string {
		read := rdfio.NewTurtleReader
		if d.Cmd == "trig" {
			read = rdfio.NewTriGReader
		}
		var limits rdfio.Limits
		var quads int
		var base string
		for name, to := range map[string]any{"term-bytes": &limits.TermBytes, "nesting": &limits.Nesting, "quads": &quads, "base": &base} {
			if d.HasArg(name) {
				d.ScanArgs(t, name, to)
			}
		}
		limits.Quads = int64(quads)
		input := d.Input
		if d.HasArg("escaped") {
			input = unescape(t, input)
		}
		return readTranscript(read(strings.NewReader(input), base, limits))
	})
}

func readTranscript(r rdfio.Reader) string {
	var b strings.Builder
	for {
		q, err := r.Read()
		switch {
		case err == io.EOF:
			return b.String()
		case err != nil:
			fmt.Fprintf(&b, "%v: %v\n", fault.Of(err).Kind, err)
			return b.String()
		}
		fmt.Fprintf(&b, "%d: %s\n", r.Line(), rdf.AppendQuad(nil, q))
	}
}

func TestTurtleReaderErrorsStay(t *testing.T) {
	broken := errors.New("disk on fire")
	r := rdfio.NewTurtleReader(io.MultiReader(strings.NewReader("<a:s> <a:p> <a:o> .\n<a:s> <a:"), iotest.ErrReader(broken)), "", rdfio.Limits{})
	if _, err := r.Read(); err != nil {
		t.Fatalf("first statement: %v", err)
	}
	for range 2 {
		if _, err := r.Read(); !errors.Is(err, broken) || !strings.Contains(err.Error(), "line 2") {
			t.Fatalf("got %v, want %v on line 2", err, broken)
		}
	}
}

// TestTurtleReadsTheSameHoweverTheInputArrives makes every token straddle the
// window's edge, with statements that are larger than the window.
func TestTurtleReadsTheSameHoweverTheInputArrives(t *testing.T) {
	tokens := rapid.SampledFrom([]string{
		"<a:s> ", "e:a.b ", "e:é%41\\, ", "\"x\\t\\u00e9\" ", "'''long\r\n'' \\U0001F600''' ", "\"\"@en-GB ", "1.5e3 ", "-7.", ". ", "; ", ", ", "[ ", "] ", "( ", ") ",
		"true ", "a ", "_:b.c ", "# comment\r", "\n", "\r\n", "\"1\"^^e:t ", "@prefix e: <e:> . ", "é", "<a:s> <a:p> <a:o> . ", "{ ", "} ", "\"x\"^ ", "<< ", "\xff",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := "@prefix e: <a:e/> .\n" + strings.Join(rapid.SliceOfN(tokens, 0, 40).Draw(t, "tokens"), "")
		whole := readTranscript(rdfio.NewTriGReader(strings.NewReader(text), "a:base", rdfio.Limits{}))
		for _, limits := range []rdfio.Limits{{}, {TermBytes: 64}} {
			bytewise := readTranscript(rdfio.NewTriGReader(iotest.OneByteReader(strings.NewReader(text)), "a:base", limits))
			if diff := cmp.Diff(whole, bytewise); diff != "" {
				t.Fatalf("%q: whole and bytewise differ:\n%s", text, diff)
			}
		}
	})
}

func TestLargeStatementsStream(t *testing.T) {
	const n = 50_000
	text := "<a:s> <a:p> ( " + strings.Repeat("[ <a:q> 1, 2 ] ", n) + ") ."
	r := rdfio.NewTurtleReader(strings.NewReader(text), "", rdfio.Limits{TermBytes: 100, Nesting: 2})
	quads, err := readAll(r)
	if err != nil || len(quads) != 4*n+1 {
		t.Errorf("got %d quads, %v, want %d", len(quads), err, 4*n+1)
	}
}

func TestWrittenTurtleReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quads := rapid.SliceOfN(turtleQuadGen(), 0, 12).Draw(t, "quads")
		text := writeTurtle(t, quads, turtlePrefixes)
		got, err := readAll(rdfio.NewTurtleReader(strings.NewReader(text), "", rdfio.Limits{}))
		if err != nil || !rdf.Isomorphic(inDefaultGraph(quads), got) {
			t.Fatalf("%v: %v\n%s", err, got, text)
		}
	})
}

func inDefaultGraph(quads []rdf.Quad) []rdf.Quad {
	out := make([]rdf.Quad, 0, len(quads))
	for _, q := range quads {
		q.Label = nil
		out = append(out, q)
	}
	return out
}
