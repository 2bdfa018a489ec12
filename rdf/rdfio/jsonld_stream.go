package rdfio

import (
	"bufio"
	"fmt"
	"io"
	"iter"

	"trails/rdf"
)

// NewJSONLDStream returns a [Stream] of JSON-LD 1.1: the context first and then, under @graph,
// each subject on a line; see [EntityJSONLD]. A named graph is the @graph of a node with its
// name, after the default graph.
func NewJSONLDStream(ctx JSONLDContext) Stream {
	return &jsonldStream{document: newDocument(ctx)}
}

type jsonldStream struct {
	*document
	graph rdf.Term // the graph of the open list
	begun bool     // the open list has a node
	out   *bufio.Writer
	n     int64
}

// Note implements [Stream]. It drops prefixes that are also the scheme of an IRI.
func (s *jsonldStream) Note(q rdf.Quad) {
	for _, t := range [...]rdf.Term{q.Subject, q.Predicate, q.Object, q.Label} {
		if isNode(t) {
			s.id(t)
		} else if t != nil {
			s.iri(rdf.DatatypeOf(t))
		}
	}
}

// Write implements [Stream].
func (s *jsonldStream) Write(w io.Writer, sorted iter.Seq2[rdf.Quad, error]) (int64, error) {
	s.out = bufio.NewWriterSize(w, firstBuffer)
	context, err := encodeJSONLD(s.context())
	if err != nil {
		return 0, err
	}
	s.print(`{"@context":` + string(context) + `,"@graph":[`)
	for block, err := range blocks(sorted) {
		if err == nil {
			err = s.block(block)
		}
		if err != nil {
			_ = s.out.Flush() // the earlier error is the one to report
			return s.n, err
		}
	}
	s.leave()
	s.print("\n]}\n")
	if err := s.out.Flush(); err != nil {
		return s.n, fmt.Errorf("write JSON-LD: %w", err)
	}
	return s.n, nil
}

// block writes one node.
func (s *jsonldStream) block(quads []rdf.Quad) error {
	if label := quads[0].Label; label != s.graph {
		s.leave()
		id, err := encodeJSONLD(s.id(label))
		if err != nil {
			return err
		}
		s.separate()
		s.print(`{"@id":` + string(id) + `,"@graph":[`)
		s.graph, s.begun = label, false
	}
	node, err := encodeJSONLD(s.node(quads[0].Subject, quads))
	if err != nil {
		return err
	}
	s.separate()
	s.n += int64(len(quads))
	if _, err := s.out.Write(node); err != nil {
		return fmt.Errorf("write JSON-LD: %w", err)
	}
	return nil
}

// separate writes what stands between two nodes.
func (s *jsonldStream) separate() {
	if s.begun {
		s.print(",")
	}
	s.print("\n")
	s.begun = true
}

func (s *jsonldStream) leave() {
	if s.graph != nil {
		s.print("\n]}")
		s.graph, s.begun = nil, true
	}
}

// print ignores errors: the next write returns them again.
func (s *jsonldStream) print(text string) { _, _ = s.out.WriteString(text) }
