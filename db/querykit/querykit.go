// Package querykit is the benchmark kit of queries: data of a realistic shape in any
// size, queries with the best SQL that a person writes for the same answer, and what
// compares two answers. It is for tests only, and nothing of the engine's is in it.
// Start with [Sets].
package querykit

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"trails/rdf"
)

// Base begins the names of the data: entities are type/number, properties are below
// [Vocabulary].
const (
	Base       = "http://example.org/"
	Vocabulary = Base + "ns#"
)

// Lines writes each row as text: its terms, tab between them, nothing for what is
// unbound. Rows without an order are sorted, so that equal answers are equal lines.
func Lines(rows [][]rdf.Term, ordered bool) []string {
	lines := make([]string, len(rows))
	var b strings.Builder
	for i, row := range rows {
		b.Reset()
		for j, t := range row {
			if j > 0 {
				b.WriteByte('\t')
			}
			writeTerm(&b, t)
		}
		lines[i] = b.String()
	}
	if !ordered {
		slices.Sort(lines)
	}
	return lines
}

// writeTerm writes a term as one can in any language that has its parts.
func writeTerm(b *strings.Builder, t rdf.Term) {
	if t == nil {
		return
	}
	b.WriteString(rdf.Lexical(t))
	if lang, ok := rdf.LangOf(t); ok {
		b.WriteString("@" + lang)
	} else if rdf.IsLiteral(t) {
		b.WriteString("^^" + string(rdf.DatatypeOf(t)))
	}
}

// Digest is a checksum of an answer's lines, each with its newline.
func Digest(lines []string) string {
	sum := sha256.New()
	for _, line := range lines {
		sum.Write([]byte(line))
		sum.Write([]byte{'\n'})
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
