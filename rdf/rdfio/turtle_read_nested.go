package rdfio

import (
	"fmt"

	"trails/rdf"
)

// nesting is a '[' or '(' that waits for its end.
type nesting struct {
	list               bool
	asSubject          bool     // node is the subject of what follows
	node               rdf.Term // what the brackets stand for
	subject, predicate rdf.Term // of the statement around them
}

// bracketSubject reads '[' where a subject begins.
func (t *TurtleReader) bracketSubject() error {
	t.pos++
	node := t.fresh.next()
	if t.space() && t.buf[t.pos] == ']' {
		t.pos++
		return t.labelOrSubject(node, nil)
	}
	if err := t.push(nesting{asSubject: true, node: node}); err != nil {
		return err
	}
	t.subject = node
	return t.verb()
}

// listSubject reads '(' where a subject begins.
func (t *TurtleReader) listSubject() error {
	t.pos++
	if t.space() && t.buf[t.pos] == ')' {
		t.pos++
		t.subject = rdf.Nil
		return t.verb()
	}
	cell := t.fresh.next()
	if err := t.push(nesting{list: true, asSubject: true, node: cell}); err != nil {
		return err
	}
	t.subject, t.predicate, t.step = cell, rdf.First, (*TurtleReader).object
	return nil
}

func (t *TurtleReader) push(n nesting) error {
	if len(t.open) >= t.limits.nesting() {
		return t.tooLarge(fmt.Sprintf("at most %d nested '[' and '('", t.limits.nesting()))
	}
	t.open = append(t.open, n)
	return nil
}

// pop goes on behind the end of a '[' or '('.
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

func (t *TurtleReader) bracketObject() error {
	t.pos++
	node := t.fresh.next()
	t.emit(node)
	if t.space() && t.buf[t.pos] == ']' {
		t.pos++
		return t.afterObject()
	}
	if err := t.push(nesting{node: node, subject: t.subject, predicate: t.predicate}); err != nil {
		return err
	}
	t.subject = node
	return t.verb()
}

func (t *TurtleReader) listObject() error {
	t.pos++
	if t.space() && t.buf[t.pos] == ')' {
		t.pos++
		t.emit(rdf.Nil)
		return t.afterObject()
	}
	cell := t.fresh.next()
	t.emit(cell)
	if err := t.push(nesting{list: true, node: cell, subject: t.subject, predicate: t.predicate}); err != nil {
		return err
	}
	t.subject, t.predicate, t.step = cell, rdf.First, (*TurtleReader).object
	return nil
}

// afterItem ends a list or links its next cell.
func (t *TurtleReader) afterItem(more bool) error {
	if !more {
		return t.expected(0, "an item of the list or ')'")
	}
	t.predicate = rdf.Rest
	if t.buf[t.pos] == ')' {
		t.pos++
		t.emit(rdf.Nil)
		return t.pop()
	}
	cell := t.fresh.next()
	t.emit(cell)
	t.subject, t.predicate, t.step = cell, rdf.First, (*TurtleReader).object
	return nil
}
