package rdfio

import (
	"fmt"
	"hash/maphash"
	"io"

	"trails/fault"
	"trails/rdf"
)

// TurtleReader reads RDF 1.1 Turtle (https://www.w3.org/TR/turtle/) or TriG
// (https://www.w3.org/TR/trig/), one quad at a time. It is strict: valid UTF-8, and IRIs that
// are absolute once resolved and have no excluded characters. Numbers, language tags and blank
// node labels are kept as written. Blank nodes without a label become anon-1, anon-2, …; a
// written label that begins with "anon-" gets a second '-'. Memory is bounded by
// Limits.TermBytes and Limits.Nesting. Not safe for concurrent use.
type TurtleReader struct {
	scanner
	limits Limits
	trig   bool

	base     string
	prefixes map[string]*namespace
	terms    *termCache
	names    *nameCache
	lastName string // the last used prefix, and its namespace
	lastNS   *namespace
	fresh    freshLabels

	step               func(*TurtleReader) error
	graph              rdf.Term
	inGraph            bool // between '{' and '}'
	subject, predicate rdf.Term
	open               []nesting

	ready    []rdf.Quad // quads read but not yet returned
	returned int        // how many of ready were returned
	count    int64
	err      error
}

// NewTurtleReader returns a reader of Turtle. Relative IRIs are resolved against the document's
// base, or else against base; if both are missing they are refused.
func NewTurtleReader(r io.Reader, base string, limits Limits) *TurtleReader {
	limits = limits.orDefaults()
	most := max(limits.TermBytes, minWindow)
	return &TurtleReader{
		scanner:  scanner{r: r, buf: make([]byte, min(firstBuffer, most)), limit: most, at: place{line: 1, column: 1}},
		limits:   limits,
		base:     base,
		prefixes: map[string]*namespace{},
		terms:    newTermCache(),
		names:    &nameCache{seed: maphash.MakeSeed()},
		step:     (*TurtleReader).statement,
	}
}

// NewTriGReader returns a reader of TriG.
func NewTriGReader(r io.Reader, base string, limits Limits) *TurtleReader {
	t := NewTurtleReader(r, base, limits)
	t.trig = true
	return t
}

// Read returns the next quad, and io.EOF after the last one. After an error each call returns
// it again, except the OneStatement errors of a lenient reader.
func (t *TurtleReader) Read() (rdf.Quad, error) {
	for t.returned == len(t.ready) {
		t.ready, t.returned = t.ready[:0], 0
		if t.err != nil {
			return rdf.Quad{}, t.err
		}
		t.err = t.step(t)
	}
	q := t.ready[t.returned]
	t.returned++
	if t.lenient {
		if wrong := leftOut(q); wrong != nil {
			return rdf.Quad{}, wrong
		}
	}
	return q, nil
}

// BeLenient implements [Lenient].
func (t *TurtleReader) BeLenient() { t.lenient = true }

// Line returns the line of the last quad or error, from 1.
func (t *TurtleReader) Line() int {
	t.locate()
	return t.at.line
}

// emit adds a statement with the current subject and predicate.
func (t *TurtleReader) emit(object rdf.Term) {
	t.ready = append(t.ready, rdf.Quad{Subject: t.subject, Predicate: t.predicate, Object: object, Label: t.graph})
	t.count++
}

// within enforces Limits.Quads; it is called about once a statement.
func (t *TurtleReader) within() error {
	if t.limits.Quads <= 0 || t.count <= t.limits.Quads {
		return nil
	}
	t.ready = t.ready[:max(0, len(t.ready)-int(t.count-t.limits.Quads))]
	return t.tooLarge(fmt.Sprintf("at most %d quads", t.limits.Quads))
}

func (t *TurtleReader) tooLarge(what string) error {
	e := t.syntaxError(0, what)
	e.kind = fault.TooLarge
	return e
}

// statement reads the next statement at the top level or in a graph's braces.
func (t *TurtleReader) statement() error {
	if t.located == 0 && t.pos == 0 && t.end == 0 {
		if t.ensure(3) && string(t.buf[:3]) == "\xEF\xBB\xBF" { // a byte order mark
			t.pos, t.located = 3, 3
		}
	}
	if !t.space() {
		if t.stop == io.EOF && !t.inGraph {
			return io.EOF
		}
		if t.inGraph {
			return t.expected(0, "a subject or '}'")
		}
		return t.expected(0, "a statement")
	}
	switch c := t.buf[t.pos]; {
	case c == '}' && t.inGraph:
		t.pos++
		t.inGraph, t.graph = false, nil
		return nil
	case c == '{' && t.trig && !t.inGraph:
		return t.openGraph(nil)
	case c == '@' && !t.inGraph:
		return t.directive()
	case c == '[':
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
	case c == '(':
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
	case c == '<':
		return t.labelOrSubject(t.iri())
	case c == '_':
		return t.labelOrSubject(t.blankNode())
	}
	return t.wordStatement()
}

// wordStatement reads a statement that begins with a keyword or a prefixed name.
func (t *TurtleReader) wordStatement() error {
	n, colon := t.word()
	if colon {
		return t.labelOrSubject(t.prefixedName(n))
	}
	if !t.inGraph {
		switch keyword(t.rest()[:n]) {
		case "prefix":
			t.pos += n
			return t.prefixDirective()
		case "base":
			t.pos += n
			return t.baseDirective()
		case "graph":
			if t.trig {
				t.pos += n
				return t.graphKeyword()
			}
		}
	}
	if t.peek(0) == '{' && !t.trig {
		return t.expected(0, formulas)
	}
	return t.expected(0, t.subjectHint())
}

func (t *TurtleReader) subjectHint() string {
	switch {
	case t.inGraph:
		return "a subject or '}'"
	case t.trig:
		return "a subject, a graph or a directive"
	}
	return "a subject or a directive"
}

// keyword returns a word in lower case, or "" if it is too long for a keyword.
func keyword(word []byte) string {
	var lower [6]byte
	if len(word) > len(lower) {
		return ""
	}
	for i, c := range word {
		lower[i] = c | 0x20
	}
	return string(lower[:len(word)])
}

// labelOrSubject continues after a term that is a subject or, in TriG, a graph's name.
func (t *TurtleReader) labelOrSubject(term rdf.Term, err error) error {
	if err != nil {
		return err
	}
	if t.trig && !t.inGraph && t.space() && t.buf[t.pos] == '{' {
		return t.openGraph(term)
	}
	t.subject = term
	return t.verb()
}

// verbOrEnd continues after a subject written as [ … ] with properties.
func (t *TurtleReader) verbOrEnd() error {
	if t.space() && (t.buf[t.pos] == '.' || t.buf[t.pos] == '}') {
		return t.endStatementOr("a predicate or '.'")
	}
	return t.verb()
}

// verb reads a predicate.
func (t *TurtleReader) verb() (err error) {
	if t.predicate, err = t.verbTerm(); err != nil {
		return err
	}
	t.step = (*TurtleReader).object
	return nil
}

func (t *TurtleReader) verbTerm() (rdf.Term, error) {
	const what = "a predicate: an IRI, a prefixed name or 'a'"
	if !t.space() {
		return nil, t.expected(0, what)
	}
	if t.buf[t.pos] == '<' {
		return t.iri()
	}
	n, colon := t.word()
	if colon {
		return t.prefixedName(n)
	}
	if n == 1 && t.buf[t.pos] == 'a' {
		t.pos++
		return rdf.Type, nil
	}
	return nil, t.expected(0, what)
}

// object reads one object, or the opening bracket of a nested one.
func (t *TurtleReader) object() error {
	if !t.space() {
		return t.expected(0, objectHint)
	}
	switch t.buf[t.pos] {
	case '[':
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
	case '(':
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
	object, err := t.objectTerm()
	if err != nil {
		return err
	}
	t.emit(object)
	return t.afterObject()
}

// afterObject reads the separator after an object.
func (t *TurtleReader) afterObject() error {
	if err := t.within(); err != nil {
		return err
	}
	more := t.space()
	if len(t.open) > 0 && t.open[len(t.open)-1].list {
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
	if !more {
		return t.expected(0, t.afterObjectHint())
	}
	switch t.buf[t.pos] {
	case ',':
		t.pos++
		t.step = (*TurtleReader).object
		return nil
	case ';':
		for t.space() && t.buf[t.pos] == ';' {
			t.pos++
		}
		if t.space() {
			switch t.buf[t.pos] {
			case '.', ']', '}':
				return t.endProperties("a predicate")
			}
		}
		t.step = (*TurtleReader).verb
		return nil
	}
	return t.endProperties(t.afterObjectHint())
}

func (t *TurtleReader) afterObjectHint() string {
	switch {
	case len(t.open) > 0:
		return "',', ';' or ']'"
	case t.inGraph:
		return "',', ';', '.' or '}'"
	}
	return "',', ';' or '.'"
}

// endProperties reads the end of a statement or of [ … ].
func (t *TurtleReader) endProperties(what string) error {
	switch {
	case len(t.open) == 0:
		return t.endStatementOr(what)
	case t.buf[t.pos] != ']':
		return t.expected(0, what)
	}
	t.pos++
	return t.pop()
}

// endStatementOr reads '.', or leaves the '}' that ends the graph to the caller.
func (t *TurtleReader) endStatementOr(what string) error {
	switch c := t.buf[t.pos]; {
	case c == '.':
		t.pos++
	case c != '}' || !t.inGraph:
		return t.expected(0, what)
	}
	t.step = (*TurtleReader).statement
	return nil
}
