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

// AppendQuad appends q's canonical N-Quads line without the newline.
// Lines compare bytewise in the order of their terms' texts, default graph first.
func AppendQuad(dst []byte, q Quad) []byte {
	dst = append(AppendTerm(dst, q.Subject), ' ')
	dst = append(AppendTerm(dst, q.Predicate), ' ')
	dst = append(AppendTerm(dst, q.Object), ' ')
	if q.Label != nil {
		dst = append(AppendTerm(dst, q.Label), ' ')
	}
	return append(dst, '.')
}

const hexDigits = "0123456789ABCDEF"

func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c != 0x7f {
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, c)
		start = i + 1
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\f':
		return append(dst, '\\', 'f')
	case '\r':
		return append(dst, '\\', 'r')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
