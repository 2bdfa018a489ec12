package rdf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cayleygraph/quad"
	"pgregory.net/rapid"

	"trails/rdf"
)

// dataset reads a line per quad: names of one letter, "_x" for a blank node, 'x'
// or 'x'@lang for a literal.
func dataset(text string) []rdf.Quad {
	var quads []rdf.Quad
	for line := range strings.Lines(text) {
		var terms [4]rdf.Term
		for i, field := range strings.Fields(line) {
			terms[i] = term(field)
		}
		if terms[0] != nil {
			quads = append(quads, rdf.Quad{Subject: terms[0], Predicate: terms[1], Object: terms[2], Label: terms[3]})
		}
	}
	return quads
}

func term(field string) rdf.Term {
	switch {
	case field[0] == '_':
		return quad.BNode(field[1:])
	case field[0] != '\'':
		return quad.IRI("urn:" + field)
	}
	text, lang, tagged := strings.Cut(field[1:], "'@")
	if tagged {
		return rdf.LangLiteral(text, lang)
	}
	return quad.String(text)
}

func TestIsomorphic(t *testing.T) {
	for _, c := range []struct {
		says, a, b string
		want       bool
	}{
		{"nothing is nothing", "", "", true},
		{"labels do not matter", "_a p _b\n_b p c", "_x p _a\n_a p c", true},
		{"repeats do not matter", "a p b\na p b", "a p b", true},
		{"a quad less", "a p b\na p c", "a p b", false},
		{"another term", "a p 'x'", "a p x", false},
		{"the case of language tags does not matter", "a p 'x'@en-GB", "a p 'x'@EN-gb", true},
		{"another language", "a p 'x'@en", "a p 'x'@de", false},
		{"two nodes are not one", "a p _x\na p _y", "a p _x\na p _x", false},
		{"two nodes merged", "a p _x\na q _y", "a p _x\na q _x", false},
		{"graphs matter", "a p b g", "a p b", false},
		{"one mapping for all graphs", "a p _x g\na p _y h\n_x q b", "a p _x g\na p _y h\n_y q b", false},
		{"the label of a graph may be blank", "a p b _g\n_g q c", "a p b _h\n_h q c", true},
		{"a node twice in a quad", "_x p _x", "_x p _y", false},
		{"a node as subject or graph", "_x p a _x", "_x p a _y", false},
		{"two triangles are no hexagon", cycle(0, 3) + cycle(3, 3), cycle(0, 6), false},
		{"two triangles are two triangles", cycle(0, 3) + cycle(3, 3), cycle(7, 3) + cycle(1, 3), true},
		{"cycles turned", cycle(0, 12), cycle(50, 12), true},
		{"many alike", alike(200, "x"), alike(200, "y"), true},
		{"many alike but for one", alike(200, "x") + "_x7 q b", alike(200, "y") + "_y9 q c", false},
	} {
		t.Run(c.says, func(t *testing.T) {
			if got := rdf.Isomorphic(dataset(c.a), dataset(c.b)); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if got := rdf.Isomorphic(dataset(c.b), dataset(c.a)); got != c.want {
				t.Errorf("the other way round: got %v, want %v", got, c.want)
			}
		})
	}
}

func cycle(from, n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "_%d p _%d\n", from+i, from+(i+1)%n)
	}
	return out.String()
}

func alike(n int, label string) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "a p _%s%d\n", label, i)
	}
	return out.String()
}

// TestRelabelledDatasetsAreIsomorphic also takes a quad away, which must show.
func TestRelabelledDatasetsAreIsomorphic(t *testing.T) {
	node := rapid.SampledFrom([]string{"_a", "_b", "_c", "_d", "e", "f"})
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf("%s p %s %s", node.Draw(t, "s"), node.Draw(t, "o"), rapid.SampledFrom([]string{"", "g", "_a"}).Draw(t, "g"))
		}), 1, 9).Draw(t, "lines")
		names := rapid.Permutation([]string{"_a", "_b", "_c", "_d"}).Draw(t, "names")
		rename := strings.NewReplacer("_a", names[0], "_b", names[1], "_c", names[2], "_d", names[3])
		a := dataset(strings.Join(lines, "\n"))
		b := dataset(rename.Replace(strings.Join(rapid.Permutation(lines).Draw(t, "shuffled"), "\n")))
		if !rdf.Isomorphic(a, b) {
			t.Fatalf("%v and %v are not isomorphic", a, b)
		}
		one := append(a[:len(a):len(a)], rdf.Quad{Subject: quad.BNode("a"), Predicate: quad.IRI("urn:new"), Object: quad.BNode("z")})
		two := append(b[:len(b):len(b)], rdf.Quad{Subject: quad.IRI("urn:e"), Predicate: quad.IRI("urn:new"), Object: quad.BNode("z")})
		if rdf.Isomorphic(one, b) || rdf.Isomorphic(one, two) {
			t.Fatalf("%v is isomorphic to something else", one)
		}
	})
}
