package rdfio

import (
	"io"
	"iter"

	"trails/rdf"
)

// Stream writes a dataset of any size in bounded memory, keeping all blank node labels. It
// needs two passes, because the prefixes or the context at the beginning depend on all quads.
type Stream interface {
	// Note takes each quad in the first pass, in any order.
	Note(q rdf.Quad)
	// Write writes the quads, sorted by graph, subject, predicate and object by canonical text,
	// and returns how many there were. It stops at the first error of sorted and returns it.
	Write(w io.Writer, sorted iter.Seq2[rdf.Quad, error]) (int64, error)
}

// blockQuads bounds the quads that are formatted together; a subject with more becomes several
// statements or nodes. The constant must not vary, so that the same graph gives the same bytes.
const blockQuads = 10_000

// blocks splits sorted quads where the graph or the subject changes. A block is valid until the
// next one is requested.
func blocks(sorted iter.Seq2[rdf.Quad, error]) iter.Seq2[[]rdf.Quad, error] {
	return func(yield func([]rdf.Quad, error) bool) {
		var block []rdf.Quad
		for q, err := range sorted {
			if err != nil {
				yield(nil, err)
				return
			}
			if n := len(block); n == blockQuads || n > 0 && (block[0].Subject != q.Subject || block[0].Label != q.Label) {
				if !yield(block, nil) {
					return
				}
				block = block[:0]
			}
			block = append(block, q)
		}
		if len(block) > 0 {
			yield(block, nil)
		}
	}
}
