package results

import (
	"unicode/utf8"

	"trails/rdf"
	"trails/sparql"
)

func jsonHead(dst []byte, vars []sparql.Var) []byte {
	dst = append(dst, `{"head":{"vars":[`...)
	for i, v := range vars {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendJSON(dst, string(v))
	}
	return append(dst, `]},"results":{"bindings":[`...)
}

func jsonRow(dst []byte, vars []sparql.Var, row []rdf.Term, first bool) []byte {
	if !first {
		dst = append(dst, ',')
	}
	dst = append(dst, '\n', '{')
	bound := false
	for i, v := range vars {
		if row[i] == nil {
			continue
		}
		if bound {
			dst = append(dst, ',')
		}
		bound = true
		dst = append(appendJSON(dst, string(v)), ':')
		dst = jsonTerm(dst, row[i])
	}
	return append(dst, '}')
}

func jsonTerm(dst []byte, t rdf.Term) []byte {
	switch t := t.(type) {
	case rdf.IRI:
		dst = append(dst, `{"type":"uri","value":`...)
	case rdf.BNode:
		dst = append(dst, `{"type":"bnode","value":`...)
	case rdf.LangString:
		dst = append(appendJSON(append(dst, `{"type":"literal","xml:lang":`...), t.Lang), `,"value":`...)
	case rdf.TypedString:
		dst = append(appendJSON(append(dst, `{"type":"literal","datatype":`...), string(t.Type)), `,"value":`...)
	default:
		dst = append(dst, `{"type":"literal","value":`...)
	}
	return append(appendJSON(dst, rdf.Lexical(t)), '}')
}

const hexDigits = "0123456789abcdef"

// appendJSON writes a string with the escapes that JSON demands; what is not UTF-8
// becomes U+FFFD.
func appendJSON(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		n := plainJSON(s[i:])
		if n > 0 {
			i += n
			continue
		}
		dst = appendJSONEscape(append(dst, s[start:i]...), s[i])
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

// plainJSON returns the length of the first character of s when it needs no escape.
func plainJSON(s string) int {
	c := s[0]
	switch {
	case c < 0x20 || c == '"' || c == '\\':
		return 0
	case c < utf8.RuneSelf:
		return 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return 0
	}
	return n
}

func appendJSONEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if c >= utf8.RuneSelf {
		return append(dst, "\uFFFD"...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
