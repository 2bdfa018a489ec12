package rdfio

import (
	"bytes"
	"fmt"
	"io"
	"iter"

	"trails/rdf"
)

// WriteNQuads writes each quad as a canonical line, in the order of seq, and returns how many
// it wrote. It stops at the first error of seq and returns it; earlier quads are written. To
// cancel it, end seq with an error.
func WriteNQuads(w io.Writer, seq iter.Seq2[rdf.Quad, error]) (n int64, err error) {
	var lines []byte
	flush := func() error {
		if _, err := w.Write(escapeNoncharacters(lines)); err != nil {
			return fmt.Errorf("write the quads before quad %d: %w", n+1, err)
		}
		lines = lines[:0]
		return nil
	}
	for q, err := range seq {
		if err != nil {
			_ = flush() // the error of seq is the one to report
			return n, err
		}
		lines = append(rdf.AppendQuad(lines, q), '\n')
		n++
		if len(lines) >= firstBuffer {
			if err := flush(); err != nil {
				return n, err
			}
		}
	}
	return n, flush()
}

// escapeNoncharacters escapes U+FFFE and U+FFFF, as canonical N-Triples requires.
// [rdf.AppendQuad] does not, because hashes of commits and dictionaries are made from its
// output.
func escapeNoncharacters(lines []byte) []byte {
	if !bytes.Contains(lines, []byte("\uFFFE"[:2])) {
		return lines
	}
	lines = bytes.ReplaceAll(lines, []byte("\uFFFE"), []byte(`\uFFFE`))
	return bytes.ReplaceAll(lines, []byte("\uFFFF"), []byte(`\uFFFF`))
}
