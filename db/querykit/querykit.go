// Package querykit is for benchmarks of queries: realistic data of any size, queries with the best SQL that a person
// would write for the same answer, and a comparison of answers. It is for tests only, and uses nothing of the engine.
// Start with [Sets].
package querykit

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"trails/rdf"
)

// Base is the beginning of all names of the data: entities are type/number, properties are below [Vocabulary].
const (
	Base       = "http://example.org/"
	Vocabulary = Base + "ns#"
)

// Lines writes each row as text: its terms separated by tabs, nothing for an unbound one. Rows without an order are
// sorted, so that equal answers give equal lines.
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

// writeTerm writes a term in a form that is easy to make in any language.
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
