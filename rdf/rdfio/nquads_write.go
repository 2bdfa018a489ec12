package rdfio

import (
	"bufio"
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
	out := bufio.NewWriterSize(w, firstBuffer)
	var line []byte
	for q, err := range seq {
		if err != nil {
			_ = out.Flush() // the error of seq is the one to report
			return n, err
		}
		line = escapeNoncharacters(append(rdf.AppendQuad(line[:0], q), '\n'))
		if _, err := out.Write(line); err != nil {
			return n, fmt.Errorf("write quad %d: %w", n+1, err)
		}
		n++
	}
	if err := out.Flush(); err != nil {
		return n, fmt.Errorf("write quads: %w", err)
	}
	return n, nil
}

// escapeNoncharacters escapes U+FFFE and U+FFFF, as canonical N-Triples requires.
// [rdf.AppendQuad] does not, because hashes of commits and dictionaries are made from its
// output.
func escapeNoncharacters(line []byte) []byte {
	if !bytes.Contains(line, []byte("\uFFFE"[:2])) {
		return line
	}
	line = bytes.ReplaceAll(line, []byte("\uFFFE"), []byte(`\uFFFE`))
	return bytes.ReplaceAll(line, []byte("\uFFFF"), []byte(`\uFFFF`))
}
