package results

import (
	"strings"

	"trails/rdf"
	"trails/sparql"
)

func csvHead(dst []byte, vars []sparql.Var) []byte {
	for i, v := range vars {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, v...)
	}
	return append(dst, '\r', '\n')
}

func csvRow(dst []byte, vars []sparql.Var, row []rdf.Term, _ bool) []byte {
	for i := range vars {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = csvField(dst, row[i])
	}
	return append(dst, '\r', '\n')
}

// csvField writes the text of a term. An empty literal is quoted, to distinguish it from an unbound value.
func csvField(dst []byte, t rdf.Term) []byte {
	if t == nil {
		return dst
	}
	text := rdf.Lexical(t)
	if _, blank := t.(rdf.BNode); blank {
		dst = append(dst, '_', ':')
	} else if text == "" || strings.ContainsAny(text, ",\"\r\n") {
		return append(append(append(dst, '"'), strings.ReplaceAll(text, `"`, `""`)...), '"')
	}
	return append(dst, text...)
}

func tsvHead(dst []byte, vars []sparql.Var) []byte {
	for i, v := range vars {
		if i > 0 {
			dst = append(dst, '\t')
		}
		dst = append(append(dst, '?'), v...)
	}
	return append(dst, '\n')
}

func tsvRow(dst []byte, vars []sparql.Var, row []rdf.Term, _ bool) []byte {
	for i := range vars {
		if i > 0 {
			dst = append(dst, '\t')
		}
		dst = tsvTerm(dst, row[i])
	}
	return append(dst, '\n')
}

func tsvTerm(dst []byte, t rdf.Term) []byte {
	if typed, ok := t.(rdf.TypedString); ok && rdf.NumberType(string(typed.Value)) == typed.Type {
		return append(dst, typed.Value...)
	}
	return rdf.AppendTerm(dst, t)
}
