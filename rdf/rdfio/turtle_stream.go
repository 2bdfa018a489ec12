package rdfio

import (
	"bufio"
	"fmt"
	"io"
	"iter"

	"github.com/cayleygraph/quad"

	"trails/rdf"
)

// NewTurtleStream returns a [Stream] of Turtle in the order and style of [WriteTurtle]. Graph
// labels are ignored.
func NewTurtleStream(prefixes map[string]string) (Stream, error) {
	return newTurtleStream(prefixes, false)
}

// NewTriGStream returns a [Stream] of TriG in the order and style of [WriteTurtle]: the
// default graph first, then each named graph between braces.
func NewTriGStream(prefixes map[string]string) (Stream, error) {
	return newTurtleStream(prefixes, true)
}

func newTurtleStream(prefixes map[string]string, trig bool) (Stream, error) {
	names, err := newPrefixNames(prefixes)
	if err != nil {
		return nil, err
	}
	return &turtleStream{turtle: turtle{names: names, plan: &turtlePlan{}}, trig: trig}, nil
}

// turtleStream writes with an empty plan: nothing is nested.
type turtleStream struct {
	turtle
	trig  bool
	graph rdf.Term // the graph whose braces are open
	begun bool     // its first statement was written
	out   *bufio.Writer
	n     int64
	noted [2]rdf.Term // the last noted subject and predicate
}

// Note implements [Stream]. It records which prefixes are used.
func (s *turtleStream) Note(q rdf.Quad) {
	if len(s.names.used) == len(s.names.namespaces) {
		return
	}
	if q.Subject != s.noted[0] {
		s.note(q.Subject)
	}
	if q.Predicate != s.noted[1] && q.Predicate != rdf.Type {
		s.note(q.Predicate)
	}
	s.noted = [2]rdf.Term{q.Subject, q.Predicate}
	if q.Object != rdf.Nil {
		s.note(q.Object)
	}
	if s.trig {
		s.note(q.Label)
	}
}

func (s *turtleStream) note(t rdf.Term) {
	var iri rdf.IRI
	switch v := t.(type) {
	case rdf.IRI:
		iri = v
	case quad.TypedString:
		if isShorthand(string(v.Value), v.Type) {
			return
		}
		iri = v.Type
	default:
		return
	}
	if prefix, _, ok := s.names.cut(iri); ok {
		s.names.use(prefix)
	}
}

func (s *turtleStream) Write(w io.Writer, sorted iter.Seq2[rdf.Quad, error]) (int64, error) {
	s.out = bufio.NewWriterSize(w, firstBuffer)
	s.print(s.names.declarations())
	s.begun = len(s.names.used) > 0
	for block, err := range blocks(sorted) {
		if err != nil {
			_ = s.out.Flush() // the error of sorted is the one to report
			return s.n, err
		}
		if err := s.block(block); err != nil {
			return s.n, fmt.Errorf("write turtle: %w", err)
		}
	}
	s.leave()
	if err := s.out.Flush(); err != nil {
		return s.n, fmt.Errorf("write turtle: %w", err)
	}
	return s.n, nil
}

// block writes one statement.
func (s *turtleStream) block(quads []rdf.Quad) error {
	if label := quads[0].Label; s.trig && label != s.graph {
		s.leave()
		if s.begun {
			s.print("\n")
		}
		s.print(s.term(label) + " {\n")
		s.graph, s.begun = label, false
	}
	indent := ""
	if s.graph != nil {
		indent = indentation
	}
	if s.begun {
		s.print("\n")
	}
	s.begun = true
	s.n += int64(len(quads))
	_, err := s.out.WriteString(indent + s.term(quads[0].Subject) + " " + s.properties(quads, indent+indentation) + " .\n")
	return err
}

func (s *turtleStream) leave() {
	if s.graph != nil {
		s.print("}\n")
		s.graph, s.begun = nil, true
	}
}

// print ignores errors: the next write returns them again.
func (s *turtleStream) print(text string) { _, _ = s.out.WriteString(text) }
