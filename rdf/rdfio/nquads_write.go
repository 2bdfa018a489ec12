package rdfio

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"

	"trails/rdf"
)

// WriteNQuads writes each quad on a canonical line of its own, in the order of
// seq, and returns how many it wrote. It stops at seq's first error, which it
// returns; what came before it is written. Cancel it through seq.
func WriteNQuads(w io.Writer, seq iter.Seq2[rdf.Quad, error]) (n int64, err error) {
	out := bufio.NewWriterSize(w, firstBuffer)
	var line []byte
	for q, err := range seq {
		if err != nil {
			_ = out.Flush() // seq's error is the one to report
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

// escapeNoncharacters writes U+FFFE and U+FFFF, which XML 1.1 leaves out, as the canonical
// form of N-Triples has them. [rdf.AppendQuad] does not: commits and dictionaries are hashed
// by what it appends.
func escapeNoncharacters(line []byte) []byte {
	if !bytes.Contains(line, []byte("\uFFFE"[:2])) {
		return line
	}
	line = bytes.ReplaceAll(line, []byte("\uFFFE"), []byte(`\uFFFE`))
	return bytes.ReplaceAll(line, []byte("\uFFFF"), []byte(`\uFFFF`))
}
