package rdfio

import (
	"fmt"
	"io"
	"strings"

	"github.com/cayleygraph/quad"

	"trails/rdf"
)

// WriteTriG writes the dataset as RDF 1.1 TriG (https://www.w3.org/TR/trig/) in the
// same order and style as [WriteTurtle]: the default graph first, then each named
// graph between braces. A blank node that stands in several graphs, or names one,
// has a label everywhere.
func WriteTriG(w io.Writer, quads []rdf.Quad, prefixes map[string]string) error {
	names, err := newPrefixNames(prefixes)
	if err != nil {
		return err
	}
	labelled := sharedNodes(quads)
	graphs := map[rdf.Term][]rdf.Quad{}
	for _, q := range quads {
		graphs[q.Label] = append(graphs[q.Label], q)
	}
	var body strings.Builder
	for _, graph := range sortedTerms(graphs) {
		t := &turtle{names: names, plan: planTurtle(graphs[graph], labelled)}
		if graph == nil {
			body.WriteString(t.statements(""))
		} else {
			body.WriteString("\n" + t.term(graph) + " {\n" + strings.TrimPrefix(t.statements(indentation), "\n") + "}\n")
		}
	}
	if err := names.write(w, body.String()); err != nil {
		return fmt.Errorf("write trig: %w", err)
	}
	return nil
}

// sharedNodes returns the blank nodes whose label means something to another graph.
func sharedNodes(quads []rdf.Quad) map[quad.BNode]bool {
	home := map[quad.BNode]rdf.Term{}
	shared := map[quad.BNode]bool{}
	for _, q := range quads {
		if b, ok := q.Label.(quad.BNode); ok {
			shared[b] = true
		}
		for _, t := range [...]rdf.Term{q.Subject, q.Object} {
			b, ok := t.(quad.BNode)
			if !ok {
				continue
			}
			if in, known := home[b]; known && in != q.Label {
				shared[b] = true
			}
			home[b] = q.Label
		}
	}
	return shared
}
