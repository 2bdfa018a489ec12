package results

import (
	"trails/rdf"
	"trails/sparql"
)

const (
	xmlNamespace = "http://www.w3.org/2005/sparql-results#"
	xmlPrologue  = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<sparql xmlns="` + xmlNamespace + `">` + "\n"
)

func xmlBoolean(answer string) string {
	return xmlPrologue + "<head/>\n<boolean>" + answer + "</boolean>\n</sparql>\n"
}

func xmlHead(dst []byte, vars []sparql.Var) []byte {
	dst = append(dst, xmlPrologue+"<head>"...)
	for _, v := range vars {
		dst = append(dst, `<variable name="`...)
		dst = append(appendXML(dst, string(v)), `"/>`...)
	}
	return append(dst, "</head>\n<results>\n"...)
}

func xmlRow(dst []byte, vars []sparql.Var, row []rdf.Term, _ bool) []byte {
	dst = append(dst, "<result>"...)
	for i, v := range vars {
		if row[i] == nil {
			continue
		}
		dst = append(dst, `<binding name="`...)
		dst = append(appendXML(dst, string(v)), `">`...)
		dst = append(xmlTerm(dst, row[i]), "</binding>"...)
	}
	return append(dst, "</result>\n"...)
}

func xmlTerm(dst []byte, t rdf.Term) []byte {
	element := "literal"
	switch t := t.(type) {
	case rdf.IRI:
		element = "uri"
		dst = append(dst, "<uri>"...)
	case rdf.BNode:
		element = "bnode"
		dst = append(dst, "<bnode>"...)
	case rdf.LangString:
		dst = append(appendXML(append(dst, `<literal xml:lang="`...), t.Lang), `">`...)
	case rdf.TypedString:
		dst = append(appendXML(append(dst, `<literal datatype="`...), string(t.Type)), `">`...)
	default:
		dst = append(dst, "<literal>"...)
	}
	dst = appendXML(dst, rdf.Lexical(t))
	return append(append(append(dst, '<', '/'), element...), '>')
}

// appendXML writes a text for an element or an attribute. A carriage return is
// written as a reference, because a parser would read it as a line feed.
func appendXML(dst []byte, s string) []byte {
	for _, r := range s {
		switch {
		case r == '<':
			dst = append(dst, "&lt;"...)
		case r == '>':
			dst = append(dst, "&gt;"...)
		case r == '&':
			dst = append(dst, "&amp;"...)
		case r == '"':
			dst = append(dst, "&#34;"...)
		case r == '\r':
			dst = append(dst, "&#13;"...)
		case r < 0x20 && r != '\t' && r != '\n' || r == 0xFFFE || r == 0xFFFF:
			dst = append(dst, "\uFFFD"...)
		default:
			dst = append(dst, string(r)...)
		}
	}
	return dst
}
