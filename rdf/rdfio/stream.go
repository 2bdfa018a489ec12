package rdfio

import (
	"io"
	"iter"

	"trails/rdf"
)

// Stream writes a dataset of any size in bounded memory, with every blank node under
// its label. It takes two looks: what a document begins with, its prefixes or its
// context, depends on everything in it.
type Stream interface {
	// Note takes a first look at a quad that is going to be written, in any order.
	Note(q rdf.Quad)
	// Write writes the quads, which are sorted by graph, subject, predicate and object,
	// each by its canonical text, and returns how many there were. It stops at the
	// first error of sorted, which it returns.
	Write(w io.Writer, sorted iter.Seq2[rdf.Quad, error]) (int64, error)
}

// blockQuads bounds the quads that are laid out together; a subject with more becomes
// several statements or nodes. It is fixed, so that the same graph gives the same bytes.
const blockQuads = 10_000

// blocks cuts sorted quads where the graph or the subject changes. A block is valid
// until the next one.
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
