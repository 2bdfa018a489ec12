package rdfio

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"
)

// Format is a syntax for RDF.
type Format string

// The formats that have a reader.
const (
	NTriples Format = "ntriples"
	NQuads   Format = "nquads"
	Turtle   Format = "turtle"
	TriG     Format = "trig"
	RDFXML   Format = "rdfxml"
	JSONLD   Format = "jsonld"
)

// NewReader returns a reader of a format. Relative IRIs are resolved against base, and load
// answers JSON-LD's remote contexts; formats that have neither ignore them.
func NewReader(format Format, r io.Reader, base string, limits Limits, load ContextLoader) (Reader, error) {
	switch format {
	case NTriples:
		return NewNTriplesReader(r, limits), nil
	case NQuads:
		return NewNQuadsReader(r, limits), nil
	case Turtle:
		return NewTurtleReader(r, base, limits), nil
	case TriG:
		return NewTriGReader(r, base, limits), nil
	case RDFXML:
		return NewRDFXMLReader(r, base, limits), nil
	case JSONLD:
		return NewJSONLDReader(r, base, limits, load), nil
	}
	return nil, fmt.Errorf("no reader for the format %q", format)
}

// byExtension leaves out .json, .xml and .owl, which say too little.
var byExtension = map[string]Format{
	".nt": NTriples, ".ntriples": NTriples, ".nq": NQuads, ".nquads": NQuads, ".ttl": Turtle, ".turtle": Turtle,
	".trig": TriG, ".rdf": RDFXML, ".rdfxml": RDFXML, ".jsonld": JSONLD,
}

// Sniff tells a document's format from its file name, or else from head, the beginning of its
// uncompressed text (the longer the better). It returns "" for an unknown format. Between a
// format and its superset it names the superset: TriG for Turtle, N-Quads for N-Triples.
func Sniff(head []byte, name string) Format {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	if format := byExtension[path.Ext(name)]; format != "" {
		return format
	}
	head = bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF"))
	text := skipComments(head)
	tag, _, _ := bytes.Cut(text, []byte(">"))
	switch {
	case len(text) == 0:
		return ""
	case looksLikeJSON(text):
		if hasKeyword(text) {
			return JSONLD
		}
		return ""
	case bytes.HasPrefix(text, []byte("<?xml")), bytes.HasPrefix(text, []byte("<!")),
		text[0] == '<' && bytes.Contains(tag, []byte("xmlns")): // an RDF document declares a namespace, an IRI does not
		return RDFXML
	case hasQuad(text):
		return NQuads
	case looksLikeTurtle(text):
		return TriG
	}
	return ""
}

// skipComments steps over white space and lines that begin with '#'.
func skipComments(text []byte) []byte {
	for {
		text = bytes.TrimLeft(text, " \t\r\n")
		if len(text) == 0 || text[0] != '#' {
			return text
		}
		end := lineEnd(text)
		if end < 0 {
			return nil
		}
		text = text[end:]
	}
}

// looksLikeJSON distinguishes a JSON object or array from a TriG graph or a blank node.
func looksLikeJSON(text []byte) bool {
	inner := bytes.TrimLeft(text[1:], " \t\r\n")
	switch text[0] {
	case '{':
		return len(inner) == 0 || inner[0] == '"' || inner[0] == '}' && len(bytes.TrimSpace(inner[1:])) == 0
	case '[':
		return len(inner) == 0 || bytes.IndexByte([]byte("{[\"-0123456789"), inner[0]) >= 0 || inner[0] == ']' && len(bytes.TrimSpace(inner[1:])) == 0
	}
	return false
}

// hasKeyword reports whether a JSON member is named by a JSON-LD keyword. Text inside a JSON
// string cannot match: its quotation marks are escaped.
func hasKeyword(text []byte) bool {
	for _, name := range []string{`"@context"`, `"@id"`, `"@graph"`, `"@type"`, `"@value"`, `"@list"`} {
		for rest := text; ; {
			_, after, found := bytes.Cut(rest, []byte(name))
			if !found {
				break
			}
			if bytes.HasPrefix(bytes.TrimLeft(after, " \t\r\n"), []byte(":")) {
				return true
			}
			rest = after
		}
	}
	return false
}

// hasQuad reports whether at least one complete line is an N-Quads statement.
func hasQuad(text []byte) bool {
	for range 20 {
		end := lineEnd(text)
		if end < 0 {
			end = len(text)
		}
		if _, err := ParseQuad(text[:end]); err == nil {
			return true
		}
		if text = text[end:]; len(text) == 0 {
			return false
		}
		text = text[1:]
	}
	return false
}

// looksLikeTurtle reports whether a line begins like a Turtle or TriG statement.
func looksLikeTurtle(text []byte) bool {
	switch text[0] {
	case '@', '[', '(', '{', '<', '_', ':':
		return true
	}
	word, _, _ := bytes.Cut(text, []byte(":"))
	switch first := bytes.Fields(word); {
	case len(word) == len(text), len(first) == 0:
		return false
	case len(first) == 1:
		return len(word) == len(first[0]) || keyword(first[0]) == "prefix" // a prefixed name, also with the empty prefix
	default:
		return turtleKeywords[keyword(first[0])]
	}
}

var turtleKeywords = map[string]bool{"prefix": true, "base": true, "graph": true}
