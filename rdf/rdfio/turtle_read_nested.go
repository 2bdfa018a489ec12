package rdfio

import (
	"fmt"

	"trails/rdf"
)

// nesting is an open '[' or '('.
type nesting struct {
	list               bool
	asSubject          bool     // node is the subject of the properties that follow
	node               rdf.Term // the node that the brackets denote
	subject, predicate rdf.Term // of the enclosing statement
}

func (t *TurtleReader) push(n nesting) error {
	if len(t.open) >= t.limits.Nesting {
		return t.tooLarge(fmt.Sprintf("at most %d nested '[' and '('", t.limits.Nesting))
	}
	t.open = append(t.open, n)
	return nil
}

// pop continues after the end of a '[' or '('.
func (t *TurtleReader) pop() error {
	n := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	switch {
	case n.asSubject && n.list:
		t.subject = n.node
		t.step = (*TurtleReader).verb
	case n.asSubject:
		t.subject = n.node
		t.step = (*TurtleReader).verbOrEnd
	default:
		t.subject, t.predicate = n.subject, n.predicate
		t.step = (*TurtleReader).afterObject
	}
	return nil
}
