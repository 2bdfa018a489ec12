// Package sparqltest draws datasets, queries and updates at random, for tests in which two evaluators must agree
// (https://www.w3.org/TR/sparql11-query/). The specification determines the answers: no SAMPLE, RAND or NOW, no order
// between literals that have none, and a LIMIT whose rows are free is marked in [Case]. There are few names, so that
// patterns match. The seed is rapid's, which prints it.
//
// Start with [Data], [Query] and [Agree].
package sparqltest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"trails/rdf"
)

// NS is the namespace of all names; its prefix is empty.
const NS = "http://example.org/"

const prologue = "PREFIX : <" + NS + ">\nPREFIX xsd: <" + rdf.XSDNS + ">\n"

var (
	nodes      = []string{":a", ":b", ":c", ":d"}
	predicates = []string{":p", ":q", ":r", ":v", ":w", ":n", ":t"}
	// uniform are predicates whose objects are all of one kind, and are stored in its order.
	uniform = map[string][]string{
		":n": {`0`, `1`, `2`, `-3`, `10`},
		":t": {`"2020-01-02T03:04:05Z"^^xsd:dateTime`, `"2020-01-02T03:04:06Z"^^xsd:dateTime`, `"2021-06-07T08:09:10Z"^^xsd:dateTime`},
	}
	graphs = []string{":g1", ":g2", ":g3"}
	// values are the objects of :v and :w: of each kind some that are equal, some similar, and some ill-typed.
	values = []string{
		`0`, `1`, `2`, `"01"^^xsd:integer`, `-3`, `10`, `"7"^^xsd:byte`, `1.0`, `2.50`, `-0.5`, `1.0e0`, `2.5e0`,
		`"NaN"^^xsd:double`, `"INF"^^xsd:double`, `"1"^^xsd:float`, `"x"^^xsd:integer`,
		`""`, `"a"`, `"ab"`, `"abc"`, `"B"`, `"b c"`, `"1"`, `"true"`, `"é😀"`, `"a"@en`, `"a"@fr`, `"ab"@en-gb`,
		`true`, `false`, `"1"^^xsd:boolean`, `"maybe"^^xsd:boolean`,
		`"2020-01-02"^^xsd:date`, `"2021-06-07"^^xsd:date`,
		`"2020-01-02T03:04:05Z"^^xsd:dateTime`, `"2020-01-02T04:04:05+01:00"^^xsd:dateTime`,
		`"2021-06-07T08:09:10.5"^^xsd:dateTime`, `"a"^^:unknown`, `"b"^^:unknown`,
	}
)

// drawer draws texts. It counts names that must be new.
type drawer struct {
	*rapid.T
	fresh int
	bound []string // the variables of BIND
}

// number draws evenly from 0 to most. rapid's own ranges prefer small numbers, and others would hardly be tested.
func (d *drawer) number(most int) int {
	n := 0
	for bits := 8; bits > 0; bits-- {
		n <<= 1
		if rapid.Bool().Draw(d.T, "bit") {
			n |= 1
		}
	}
	return n % (most + 1)
}

func (d *drawer) one(of []string) string { return of[d.number(len(of)-1)] }

// in returns true with a probability of 1 in n.
func (d *drawer) in(n int) bool { return d.number(n-1) == n-1 }

func (d *drawer) times(least, most int, separator string, draw func() string) string {
	parts := make([]string, least+d.number(most-least))
	for i := range parts {
		parts[i] = draw()
	}
	return strings.Join(parts, separator)
}

func (d *drawer) newVar() string {
	d.fresh++
	return fmt.Sprintf("?n%d", d.fresh)
}

// Most is how many statements [Data] draws at most.
const Most = 44

// Data draws a dataset: links between few nodes, some of them blank, and values, in
// the default graph and three named ones that share statements.
func Data(t *rapid.T) []rdf.Quad {
	d := &drawer{T: t}
	var quads []rdf.Quad
	seen := map[rdf.Quad]bool{}
	for range 4 + d.number(Most-4) {
		q := d.quad()
		if !seen[q] {
			seen[q] = true
			quads = append(quads, q)
		}
	}
	return quads
}

func (d *drawer) quad() rdf.Quad {
	predicate := d.one(predicates)
	q := rdf.Quad{Subject: d.node(), Predicate: iri(predicate)}
	switch {
	case uniform[predicate] != nil:
		q.Object = Term(d.one(uniform[predicate]))
	case predicate == ":v" || predicate == ":w" || d.in(8):
		q.Object = Term(d.one(values))
	default:
		q.Object = d.node()
	}
	if d.in(3) {
		q.Label = iri(d.one(graphs))
	}
	return q
}

func (d *drawer) node() rdf.Term {
	if d.in(6) {
		return rdf.BNode(d.one([]string{"x", "y"}))
	}
	return iri(d.one(nodes))
}

func iri(name string) rdf.Term { return rdf.IRI(NS + strings.TrimPrefix(name, ":")) }

// Term reads a term as this package writes them.
func Term(text string) rdf.Term {
	if rest, ok := strings.CutPrefix(text, ":"); ok {
		return rdf.IRI(NS + rest)
	}
	if rest, ok := strings.CutPrefix(text, `"`); ok {
		end := strings.LastIndex(rest, `"`)
		return literal(rest[:end], rest[end+1:])
	}
	switch {
	case text == "true" || text == "false":
		return rdf.Literal(text, rdf.XSDBoolean)
	case strings.Contains(text, "e"):
		return rdf.Literal(text, rdf.XSDDouble)
	case strings.Contains(text, "."):
		return rdf.Literal(text, rdf.XSDDecimal)
	}
	return rdf.Literal(text, rdf.XSDInteger)
}

func literal(lexical, rest string) rdf.Term {
	if lang, ok := strings.CutPrefix(rest, "@"); ok {
		return rdf.LangLiteral(lexical, lang)
	}
	if local, ok := strings.CutPrefix(rest, "^^xsd:"); ok {
		return rdf.Literal(lexical, rdf.XSDNS+rdf.IRI(local))
	}
	if local, ok := strings.CutPrefix(rest, "^^:"); ok {
		return rdf.Literal(lexical, NS+rdf.IRI(local))
	}
	return rdf.Literal(lexical, "")
}
