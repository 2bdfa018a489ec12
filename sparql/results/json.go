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

// jsonEscapes are the escapes that JSON requires.
var jsonEscapes = rdf.NewEscapes(`\u%04x`, map[byte]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`})

// appendJSON writes a string. Invalid UTF-8 becomes U+FFFD.
func appendJSON(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	return append(jsonEscapes.Append(append(dst, '"'), s), '"')
}
