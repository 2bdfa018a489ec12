package rdfio

import "trails/rdf"

func (t *TurtleReader) openGraph(label rdf.Term) error {
	t.pos++
	t.graph, t.inGraph, t.step = label, true, (*TurtleReader).statement
	return nil
}

func (t *TurtleReader) graphKeyword() error {
	label, err := t.graphLabel()
	if err != nil {
		return err
	}
	if !t.space() || t.buf[t.pos] != '{' {
		return t.expected(0, "'{' to begin the graph")
	}
	return t.openGraph(label)
}

func (t *TurtleReader) graphLabel() (rdf.Term, error) {
	const what = "the name of a graph: an IRI or a blank node"
	if !t.space() {
		return nil, t.expected(0, what)
	}
	switch t.buf[t.pos] {
	case '_':
		return t.blankNode()
	case '[':
		t.pos++
		if !t.space() || t.buf[t.pos] != ']' {
			return nil, t.expected(0, "']': a graph's name has no properties")
		}
		t.pos++
		return t.fresh.next(), nil
	}
	return t.iriOrName(what)
}
