package rdfio_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cayleygraph/quad"
	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/rdfio"
)

var turtlePrefixes = map[string]string{
	"ex": "http://example.org/", "demo": demo, "note": demo + "Note/", "rdf": rdf.RDFNS, "xsd": rdf.XSDNS, "": "http://example.org/b#",
}

func writeTurtle(t reporter, quads []rdf.Quad, prefixes map[string]string) string {
	t.Helper()
	var out strings.Builder
	if err := rdfio.WriteTurtle(&out, quads, prefixes); err != nil {
		t.Fatalf("%v", err)
	}
	return out.String()
}

// TestTurtleText writes the N-Triples of testdata/turtle as Turtle, and checks
// that the Turtle means the same.
func TestTurtleText(t *testing.T) {
	datadriven.RunTest(t, "testdata/turtle", func(t *testing.T, d *datadriven.TestData) string {
		quads := parse(t, strings.NewReplacer("ex:", "http://example.org/", "rdf:", rdf.RDFNS, "xsd:", rdf.XSDNS).Replace(d.Input))
		text := writeTurtle(t, quads, turtlePrefixes)
		checkTurtle(t, quads, text)
		return text
	})
}

func checkTurtle(t reporter, quads []rdf.Quad, text string) {
	t.Helper()
	got, err := readTurtle(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if diff := cmp.Diff(normalized(dataset(quads)), normalized(dataset(got))); diff != "" {
		t.Fatalf("%s\n(-want +got):\n%s", text, diff)
	}
}

func TestGeneratedTurtleRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quads := rapid.SliceOfN(turtleQuadGen(), 0, 12).Draw(t, "quads")
		text := writeTurtle(t, quads, turtlePrefixes)
		checkTurtle(t, quads, text)
		if shuffled := writeTurtle(t, rapid.Permutation(quads).Draw(t, "shuffled"), turtlePrefixes); shuffled != text {
			t.Fatalf("the order of quads shows:\n%s\n%s", text, shuffled)
		}
	})
}

// turtleQuadGen prefers what makes lists, nesting and cycles.
func turtleQuadGen() *rapid.Generator[rdf.Quad] {
	structure := rapid.Custom(func(t *rapid.T) rdf.Quad {
		return rdf.Quad{
			Subject:   nodeGen().Draw(t, "subject"),
			Predicate: rapid.SampledFrom([]rdf.Term{rdf.First, rdf.Rest, rdf.Type}).Draw(t, "predicate"),
			Object:    rapid.OneOf(nodeGen(), rapid.Just(rdf.Term(rdf.Nil))).Draw(t, "object"),
		}
	})
	return rapid.OneOf(structure, quadGen())
}

func TestNestedLabelsDoNotShow(t *testing.T) {
	const text = "<a:s> <a:p> _:%s .\n_:%[1]s <a:q> \"1\" .\n<a:s> <a:p> _:%s .\n_:%[2]s <a:q> \"2\" .\n"
	ab := writeTurtle(t, parse(t, fmt.Sprintf(text, "a", "b")), nil)
	if ba := writeTurtle(t, parse(t, fmt.Sprintf(text, "b", "a")), nil); ab != ba {
		t.Errorf("got\n%s\nand\n%s", ab, ba)
	}
}

// chain returns a list of n items, or with a broken end, n nested nodes.
func chain(n int, end rdf.Term) []rdf.Quad {
	cell := func(i int) rdf.Term { return rdf.BNode(fmt.Sprintf("c%d", i)) }
	quads := []rdf.Quad{{Subject: rdf.IRI("a:s"), Predicate: rdf.IRI("a:p"), Object: cell(0)}}
	for i := range n {
		next := cell(i + 1)
		if i == n-1 {
			next = end
		}
		quads = append(quads, rdf.Quad{Subject: cell(i), Predicate: rdf.First, Object: quad.String("x")}, rdf.Quad{Subject: cell(i), Predicate: rdf.Rest, Object: next})
	}
	return quads
}

func TestLongChainsOfBlankNodes(t *testing.T) {
	list := writeTurtle(t, chain(20_000, rdf.Nil), nil)
	if n := strings.Count(list, "\n"); n != 1 {
		t.Errorf("a list takes %d lines, want 1", n)
	}
	broken := writeTurtle(t, chain(20_000, rdf.IRI("a:end")), nil)
	deepest := slices.Max(slices.Collect(func(yield func(int) bool) {
		for line := range strings.Lines(broken) {
			if !yield(len(line) - len(strings.TrimLeft(line, " "))) {
				return
			}
		}
	}))
	if deepest > 80 {
		t.Errorf("nested %d columns deep", deepest)
	}
	quads, err := readTurtle(writeTurtle(t, chain(100, rdf.IRI("a:end")), nil))
	if err != nil || len(quads) != 201 {
		t.Errorf("got %d quads, %v, want 201", len(quads), err)
	}
}

func TestPrefixesThatTurtleCannotWriteAreRefused(t *testing.T) {
	for prefix, namespace := range map[string]string{"1x": "a:", "a b": "a:", "a.": "a:", "ok": "relative/"} {
		err := rdfio.WriteTurtle(&strings.Builder{}, nil, map[string]string{prefix: namespace})
		if !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%q: got %v, want invalid arguments", prefix, err)
		}
	}
}
