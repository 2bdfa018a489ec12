package rdf

import (
	"fmt"

	"github.com/cayleygraph/quad"
)

// AppendTerm appends t's canonical N-Quads form: the shortest escapes, UTF-8
// otherwise, no xsd:string datatype (RDF 1.1 N-Quads section 4, RDF
// Canonicalization section 2). It appends nothing for nil and panics on a value
// that is no RDF term of this package, which only a bug can bring here.
func AppendTerm(dst []byte, t Term) []byte {
	switch v := t.(type) {
	case nil:
		return dst
	case quad.IRI:
		dst = append(dst, '<')
		dst = append(dst, v...)
		return append(dst, '>')
	case quad.BNode:
		dst = append(dst, '_', ':')
		return append(dst, v...)
	case quad.String:
		return appendQuoted(dst, string(v))
	case quad.TypedString:
		dst = appendQuoted(dst, string(v.Value))
		dst = append(dst, '^', '^', '<')
		dst = append(dst, v.Type...)
		return append(dst, '>')
	case quad.LangString:
		dst = appendQuoted(dst, string(v.Value))
		dst = append(dst, '@')
		return append(dst, v.Lang...)
	}
	panic(fmt.Sprintf("rdf: %T is not an RDF term", t))
}

// AppendQuad appends q's canonical N-Quads line without the newline. Comparing lines by bytes gives the order of
// their terms' texts, with the default graph first.
func AppendQuad(dst []byte, q Quad) []byte {
	dst = append(AppendTerm(dst, q.Subject), ' ')
	dst = append(AppendTerm(dst, q.Predicate), ' ')
	dst = append(AppendTerm(dst, q.Object), ' ')
	if q.Label != nil {
		dst = append(AppendTerm(dst, q.Label), ' ')
	}
	return append(dst, '.')
}

// literalEscapes are the escapes of the canonical form: short ones where they exist, and numeric ones for other
// control characters.
var literalEscapes = NewEscapes(`\u%04X`, map[byte]string{
	'"': `\"`, '\\': `\\`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`, 0x7f: `\u007F`,
})

func appendQuoted(dst []byte, s string) []byte {
	return append(literalEscapes.Append(append(dst, '"'), s), '"')
}

// Escapes maps bytes that need an escape to it.
type Escapes struct {
	needed [256]bool // separate, because it is small and read for each byte
	text   [256]string
}

// NewEscapes returns escapes of the control characters below space, with a format of package fmt for their numbers,
// and of some other bytes.
func NewEscapes(control string, others map[byte]string) *Escapes {
	e := &Escapes{}
	for c := range ' ' {
		e.needed[c], e.text[c] = true, fmt.Sprintf(control, c)
	}
	for c, escape := range others {
		e.needed[c], e.text[c] = true, escape
	}
	return e
}

// Append appends a text with its escapes.
func (e *Escapes) Append(dst []byte, text string) []byte {
	start := 0
	for i := range len(text) {
		if c := text[i]; e.needed[c] {
			dst = append(append(dst, text[start:i]...), e.text[c]...)
			start = i + 1
		}
	}
	return append(dst, text[start:]...)
}
