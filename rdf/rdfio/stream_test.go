package rdfio_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/cayleygraph/quad"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/rdf"
	"trails/rdf/rdfio"
)

// streams are the writers of streams, each with a reader of what it writes.
var streams = map[string]struct {
	open func() (rdfio.Stream, error)
	read func(text string) ([]rdf.Quad, error)
}{
	"Turtle": {func() (rdfio.Stream, error) { return rdfio.NewTurtleStream(turtlePrefixes) }, func(text string) ([]rdf.Quad, error) {
		return readAll(rdfio.NewTurtleReader(strings.NewReader(text), "", rdfio.Limits{}))
	}},
	"TriG": {func() (rdfio.Stream, error) { return rdfio.NewTriGStream(turtlePrefixes) }, func(text string) ([]rdf.Quad, error) {
		return readAll(rdfio.NewTriGReader(strings.NewReader(text), "", rdfio.Limits{}))
	}},
	"JSON-LD": {func() (rdfio.Stream, error) { return rdfio.NewJSONLDStream(noteContext()), nil }, func(text string) ([]rdf.Quad, error) {
		return readAll(rdfio.NewJSONLDReader(strings.NewReader(text), "", rdfio.Limits{}, nil))
	}},
}

// graphFirst is the order of a stream.
func graphFirst(quads []rdf.Quad) []rdf.Quad {
	line := func(q rdf.Quad) string {
		return string(rdf.AppendTerm(nil, q.Label)) + "\x00" + string(rdf.AppendQuad(nil, q))
	}
	quads = slices.SortedFunc(slices.Values(quads), func(a, b rdf.Quad) int { return strings.Compare(line(a), line(b)) })
	return slices.Compact(quads)
}

func writeStream(t reporter, open func() (rdfio.Stream, error), quads []rdf.Quad) string {
	t.Helper()
	s, err := open()
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, q := range quads {
		s.Note(q)
	}
	var out strings.Builder
	n, err := s.Write(&out, sequence(quads))
	if err != nil || n != int64(len(quads)) {
		t.Fatalf("wrote %d, %v", n, err)
	}
	return out.String()
}

func TestStreamsKeepEveryLabel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quads := graphFirst(rapid.SliceOfN(turtleQuadGen(), 0, 12).Draw(t, "quads"))
		for name, s := range streams {
			want := quads
			if name == "Turtle" {
				want = graphFirst(inDefaultGraph(quads))
			}
			text := writeStream(t, s.open, want)
			got, err := s.read(text)
			if name == "JSON-LD" && err == nil && rdf.Isomorphic(want, got) {
				continue // a label that Turtle could not write is replaced
			}
			if diff := cmp.Diff(canonicalLines(want), canonicalLines(got)); err != nil || diff != "" {
				t.Fatalf("%s: %v\n%s\n%s", name, err, text, diff)
			}
		}
	})
}

// TestAStreamWithoutBlankNodesIsTheDocument: what nests nothing looks the same
// whichever way it is written.
func TestAStreamWithoutBlankNodesIsTheDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quads := slices.DeleteFunc(rapid.SliceOfN(quadGen(), 0, 12).Draw(t, "quads"), func(q rdf.Quad) bool {
			for _, x := range [...]rdf.Term{q.Subject, q.Object, q.Label} {
				if _, blank := x.(rdf.BNode); blank {
					return true
				}
			}
			return false
		})
		triples := graphFirst(inDefaultGraph(quads))
		if diff := cmp.Diff(writeTurtle(t, triples, turtlePrefixes), writeStream(t, streams["Turtle"].open, triples)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestASubjectWithManyQuadsIsSeveralStatements(t *testing.T) {
	var quads []rdf.Quad
	for i := range 25_000 {
		quads = append(quads, rdf.Quad{Subject: rdf.IRI("a:s"), Predicate: rdf.IRI(fmt.Sprintf("a:p%03d", i/100)), Object: quad.String(fmt.Sprintf("%06d", i))})
	}
	for name, s := range streams {
		got, err := s.read(writeStream(t, s.open, quads))
		if diff := cmp.Diff(canonicalLines(quads), canonicalLines(got)); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
	if got := strings.Count(writeStream(t, streams["Turtle"].open, quads), "<a:s>"); got != 3 {
		t.Errorf("the subject stands %d times", got)
	}
}

func TestAStreamEndsWithTheErrorOfWhatItWrites(t *testing.T) {
	broken := errors.New("the disk is gone")
	q := rdf.Quad{Subject: rdf.IRI("a:s"), Predicate: rdf.IRI("a:p"), Object: quad.String("o")}
	for name, x := range streams {
		s, err := x.open()
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Write(io.Discard, func(yield func(rdf.Quad, error) bool) { _ = yield(q, nil) && yield(rdf.Quad{}, broken) })
		if !errors.Is(err, broken) {
			t.Errorf("%s: got %v", name, err)
		}
		if s, err = x.open(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Write(failing{broken}, sequence([]rdf.Quad{q})); !errors.Is(err, broken) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func canonicalLines(quads []rdf.Quad) []string {
	lines := slices.Collect(strings.Lines(nquadsText(quads)))
	slices.Sort(lines)
	return slices.Compact(lines)
}
