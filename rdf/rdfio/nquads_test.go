package rdfio_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/cayleygraph/quad"
	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/rdfio"
)

// TestNQuadsText reads every input of testdata/nquads to its end, errors
// included, and prints what came out. Input is unquoted when it begins with '"'.
func TestNQuadsText(t *testing.T) {
	datadriven.RunTest(t, "testdata/nquads", func(t *testing.T, d *datadriven.TestData) string {
		read := rdfio.NewNQuadsReader
		if d.Cmd == "ntriples" {
			read = rdfio.NewNTriplesReader
		}
		var limits rdfio.Limits
		if d.HasArg("line-bytes") {
			d.ScanArgs(t, "line-bytes", &limits.LineBytes)
		}
		input := d.Input
		if d.HasArg("escaped") {
			input = unescape(t, input)
		}
		return transcript(read(strings.NewReader(input), limits))
	})
}

func unescape(t *testing.T, s string) string {
	t.Helper()
	var out string
	if _, err := fmt.Sscanf(`"`+s+`"`, "%q", &out); err != nil {
		t.Fatalf("test input %s: %v", s, err)
	}
	return out
}

func transcript(r *rdfio.NQuadsReader) string {
	var b strings.Builder
	for {
		q, err := r.Read()
		switch {
		case err == io.EOF:
			fmt.Fprintf(&b, "%d bytes\n", r.Offset())
			return b.String()
		case err != nil:
			fmt.Fprintf(&b, "%v\n", err)
		default:
			fmt.Fprintf(&b, "%d: %s\n", r.Line(), rdf.AppendQuad(nil, q))
		}
	}
}

func TestSyntaxErrorsAreFaults(t *testing.T) {
	_, err := readAll(rdfio.NewNQuadsReader(strings.NewReader("<a:s> <a:p> <a:o> .\n<a:s> x"), rdfio.Limits{}))
	got := fault.Of(err)
	if got.Kind != fault.Malformed || got.Details["line"] != 2 || got.Details["column"] != 7 {
		t.Errorf("got %v %v, want malformed at line 2, column 7", got.Kind, got.Details)
	}
	_, err = readAll(rdfio.NewNQuadsReader(strings.NewReader("<a:s> <a:p> <a:o> ."), rdfio.Limits{LineBytes: 10}))
	if !fault.Is(err, fault.TooLarge) {
		t.Errorf("a long line: got %v, want too_large", err)
	}
}

func TestNQuadsStopAtTheLimitOnQuads(t *testing.T) {
	text := strings.Repeat("<a:s> <a:p> <a:o> .\n", 3)
	quads, err := readAll(rdfio.NewNQuadsReader(strings.NewReader(text), rdfio.Limits{Quads: 2}))
	if len(quads) != 2 || !fault.Is(err, fault.TooLarge) || !strings.HasPrefix(err.Error(), "line 3,") {
		t.Errorf("got %d quads, %v, want 2 and too_large on line 3", len(quads), err)
	}
}

func TestReaderErrorsAreNotSyntaxErrors(t *testing.T) {
	broken := errors.New("disk on fire")
	r := rdfio.NewNQuadsReader(io.MultiReader(strings.NewReader("<a:s> <a:p> <a:o> .\n<a:s> "), iotest.ErrReader(broken)), rdfio.Limits{})
	if _, err := r.Read(); err != nil {
		t.Fatalf("first line: %v", err)
	}
	for range 2 {
		if _, err := r.Read(); !errors.Is(err, broken) {
			t.Fatalf("got %v, want %v", err, broken)
		}
	}
}

func TestReaderSeesTheSameLinesHoweverTheInputArrives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		endings := rapid.SampledFrom([]string{"\n", "\r", "\r\n", "\n\n", "\r\r\n"})
		var text bytes.Buffer
		for i := range rapid.IntRange(0, 8).Draw(t, "lines") {
			fmt.Fprintf(&text, "<a:s> <a:p> \"%s\" .%s", strings.Repeat("x", i), endings.Draw(t, "ending"))
		}
		limits := rdfio.Limits{LineBytes: rapid.IntRange(14, 24).Draw(t, "limit")}
		whole := transcript(rdfio.NewNQuadsReader(bytes.NewReader(text.Bytes()), limits))
		bytewise := transcript(rdfio.NewNQuadsReader(iotest.OneByteReader(&text), limits))
		if diff := cmp.Diff(whole, bytewise); diff != "" {
			t.Fatalf("whole and bytewise differ:\n%s", diff)
		}
	})
}

func TestGeneratedQuadsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := quadGen().Draw(t, "quad")
		line := rdf.AppendQuad(nil, q)
		got, err := rdfio.ParseQuad(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got != q {
			t.Fatalf("got %#v, want %#v", got, q)
		}
	})
}

func TestParseQuadTakesOneStatementOnly(t *testing.T) {
	for _, text := range []string{"", " # nothing", "<a:s> <a:p> <a:o> .\n\n", "<a:s> <a:p> \"two\nlines\" ."} {
		var syntax *rdfio.SyntaxError
		if q, err := rdfio.ParseQuad([]byte(text)); !errors.As(err, &syntax) {
			t.Errorf("%q: got %v, %v, want a syntax error", text, q, err)
		}
	}
	want := quad.Quad{Subject: rdf.IRI("a:s"), Predicate: rdf.IRI("a:p"), Object: quad.String("o")}
	for _, text := range []string{"<a:s> <a:p> \"o\" .\r\n", "<a:s> <a:p> \"o\"^^<http://www.w3.org/2001/XMLSchema#string>."} {
		if got, err := rdfio.ParseQuad([]byte(text)); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestWriteStopsAtTheFirstError(t *testing.T) {
	broken := errors.New("snapshot closed")
	seq := func(yield func(rdf.Quad, error) bool) {
		_ = yield(quad.Quad{Subject: rdf.IRI("a:s"), Predicate: rdf.IRI("a:p"), Object: quad.String("o")}, nil) &&
			yield(quad.Quad{}, broken)
	}
	var text bytes.Buffer
	n, err := rdfio.WriteNQuads(&text, seq)
	if n != 1 || !errors.Is(err, broken) || text.String() != "<a:s> <a:p> \"o\" .\n" {
		t.Errorf("got %d, %v, %q", n, err, text.String())
	}
}

func FuzzParseQuad(f *testing.F) {
	f.Add([]byte("<a:s> <a:p> \"o\\t\\\"\"@en <a:g> ."))
	f.Add([]byte("_:b <a:p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> ."))
	f.Fuzz(func(t *testing.T, line []byte) {
		q, err := rdfio.ParseQuad(line)
		if err != nil {
			return
		}
		again, err := rdfio.ParseQuad(rdf.AppendQuad(nil, q))
		if err != nil || again != q {
			t.Fatalf("got %v, %v, want %v", again, err, q)
		}
	})
}

// The canonical form of N-Triples and N-Quads has what XML 1.1 leaves out as escapes, which
// are read back as the same text; all else stands for itself.
func TestWritingEscapesWhatXMLLeavesOut(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		switch {
		case r == 0x300:
			r = 0xD7F0
		case r == 0x10000:
			r = utf8.MaxRune - 3
		}
		if !utf8.ValidRune(r) {
			continue
		}
		q := rdf.Quad{Subject: rdf.IRI("urn:s"), Predicate: rdf.IRI("urn:p"), Object: rdf.String("a" + string(r) + "b")}
		var out strings.Builder
		if _, err := rdfio.WriteNQuads(&out, sequence([]rdf.Quad{q})); err != nil {
			t.Fatal(err)
		}
		uchar := fmt.Sprintf(`a\u%04Xb`, r)
		short := strings.ContainsRune("\b\t\n\f\r\"\\", r)
		control := r < ' ' && !short || r == 0x7f || r == 0xFFFE || r == 0xFFFF
		if strings.Contains(out.String(), uchar) != control || strings.Contains(out.String(), "a"+string(r)+"b") != (!control && !short) {
			t.Errorf("U+%04X is written as %q", r, out.String())
		}
		again, err := rdfio.ParseQuad([]byte(strings.TrimSuffix(out.String(), "\n")))
		if err != nil || again != q {
			t.Errorf("U+%04X reads back as %v, %v", r, again, err)
		}
	}
}
