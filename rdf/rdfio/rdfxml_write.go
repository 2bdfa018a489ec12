package rdfio

import (
	"bufio"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cayleygraph/quad"

	"trails/fault"
	"trails/rdf"
)

// NewRDFXMLStream returns a [Stream] of RDF 1.1 XML: an rdf:Description for each subject, an
// element for each statement. A predicate uses a prefix from prefixes if its namespace has one,
// else it declares its namespace itself. Graph labels are ignored. A statement for which
// [RDFXMLSays] is false is an error.
func NewRDFXMLStream(prefixes map[string]string) Stream {
	s := &rdfxmlStream{prefixes: map[string]string{rdf.RDFNS: "rdf"}, other: "ns"}
	for _, prefix := range slices.Sorted(maps.Keys(prefixes)) {
		namespace := prefixes[prefix]
		if s.prefixes[namespace] == "" && namespace != "" && isPlainName(prefix) && !strings.HasPrefix(strings.ToLower(prefix), "xml") && prefix != "rdf" {
			s.prefixes[namespace] = prefix
		}
	}
	for slices.Contains(slices.Collect(maps.Values(s.prefixes)), s.other) {
		s.other += "s"
	}
	return s
}

type rdfxmlStream struct {
	prefixes map[string]string // by namespace
	other    string            // the prefix for namespaces without one
	used     map[string]bool   // namespaces of the predicates
	out      *bufio.Writer
}

// Note implements [Stream]. It records which prefixes are used.
func (s *rdfxmlStream) Note(q rdf.Quad) {
	if s.used == nil {
		s.used = map[string]bool{}
	}
	predicate, _ := q.Predicate.(rdf.IRI)
	if namespace, _, ok := elementName(string(predicate)); ok && s.prefixes[namespace] != "" {
		s.used[namespace] = true
	}
}

func (s *rdfxmlStream) Write(w io.Writer, sorted iter.Seq2[rdf.Quad, error]) (n int64, err error) {
	s.out = bufio.NewWriterSize(w, firstBuffer)
	s.print(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<rdf:RDF xmlns:rdf="` + rdf.RDFNS + `"`)
	for _, namespace := range slices.Sorted(maps.Keys(s.used)) {
		if namespace != rdf.RDFNS {
			s.print("\n  xmlns:" + s.prefixes[namespace] + `="` + xmlText(namespace) + `"`)
		}
	}
	s.print(">\n")
	for block, err := range blocks(sorted) {
		if err != nil {
			_ = s.out.Flush() // the error of sorted is the one to report
			return n, err
		}
		s.print("  <rdf:Description " + nodeAttribute("about", block[0].Subject) + ">\n")
		for _, q := range block {
			if !RDFXMLSays(q) {
				return n, fault.New(fault.InvalidData, "RDF/XML cannot say %s: its predicate ends in no XML name, or a text has a character that XML has not; ask for another format", rdf.AppendQuad(nil, q))
			}
			s.print("    " + s.property(q) + "\n")
			n++
		}
		if _, err := s.out.WriteString("  </rdf:Description>\n"); err != nil {
			return n, fmt.Errorf("write RDF/XML: %w", err)
		}
	}
	s.print("</rdf:RDF>\n")
	if err := s.out.Flush(); err != nil {
		return n, fmt.Errorf("write RDF/XML: %w", err)
	}
	return n, nil
}

// print ignores errors: the next write returns them again.
func (s *rdfxmlStream) print(text string) { _, _ = s.out.WriteString(text) }

func (s *rdfxmlStream) property(q rdf.Quad) string {
	predicate, _ := q.Predicate.(rdf.IRI)
	namespace, local, _ := elementName(string(predicate))
	prefix, declaration := s.prefixes[namespace], ""
	if prefix == "" || namespace != rdf.RDFNS && !s.used[namespace] {
		prefix = s.other
		declaration = " xmlns:" + prefix + `="` + xmlText(namespace) + `"`
	}
	name := prefix + ":" + local
	switch v := q.Object.(type) {
	case quad.String:
		return "<" + name + declaration + ">" + xmlText(string(v)) + "</" + name + ">"
	case quad.LangString:
		return "<" + name + declaration + ` xml:lang="` + v.Lang + `">` + xmlText(string(v.Value)) + "</" + name + ">"
	case quad.TypedString:
		return "<" + name + declaration + ` rdf:datatype="` + xmlText(string(v.Type)) + `">` + xmlText(string(v.Value)) + "</" + name + ">"
	}
	return "<" + name + declaration + " " + nodeAttribute("resource", q.Object) + "/>"
}

// nodeAttribute refers to a node: to an IRI by the given attribute, to a blank node by
// rdf:nodeID.
func nodeAttribute(attribute string, node rdf.Term) string {
	if iri, ok := node.(rdf.IRI); ok {
		return "rdf:" + attribute + `="` + xmlText(string(iri)) + `"`
	}
	label := rdf.Lexical(node)
	if !isPlainName(label) || strings.HasPrefix(label, hexLabel) {
		label = hexLabel + hex.EncodeToString([]byte(label))
	}
	return `rdf:nodeID="` + label + `"`
}

// hexLabel is the prefix of labels that replace blank node labels which are no XML names.
const hexLabel = "hex-"

// RDFXMLSays reports whether RDF/XML can represent a statement: its predicate must end in an
// XML name, and XML excludes most control characters.
func RDFXMLSays(q rdf.Quad) bool {
	predicate, _ := q.Predicate.(rdf.IRI)
	if _, _, ok := elementName(string(predicate)); !ok {
		return false
	}
	for _, t := range []rdf.Term{q.Subject, q.Predicate, q.Object} {
		text := ""
		switch v := t.(type) {
		case quad.TypedString:
			text = string(v.Value) + string(v.Type)
		case rdf.BNode:
		default:
			text = rdf.Lexical(t)
		}
		if strings.ContainsFunc(text, func(c rune) bool {
			return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xFFFE || c == 0xFFFF
		}) {
			return false
		}
	}
	return true
}

// elementName splits a predicate into a namespace and the longest possible element name.
func elementName(iri string) (namespace, local string, ok bool) {
	at := nameAt(iri, rdf.IsNameBase)
	if name := iri[at:]; !isPlainName(name) {
		if _, err := xml.NewDecoder(strings.NewReader("<" + name + "/>")).Token(); err != nil { // a letter that early XML lacks
			at = nameAt(iri, func(c rune) bool { return c < utf8.RuneSelf && rdf.IsLetter(byte(c)) })
		}
	}
	namespace, local = iri[:at], iri[at:]
	reserved := namespace == rdf.RDFNS && (noPropertyElt[local] || syntaxAttributes[local] || local == "li")
	return namespace, local, local != "" && !reserved && namespace != xmlNS && namespace != "http://www.w3.org/2000/xmlns/"
}

// nameAt returns where the longest name of letters, digits, '_', '-' and '.' begins with which a text ends.
func nameAt(text string, isLetter func(rune) bool) int {
	at := len(text)
	for i, c := range text {
		switch begins := c == '_' || isLetter(c); {
		case begins && at == len(text) && i > 0:
			at = i
		case !begins && (c >= utf8.RuneSelf || !isNameByte(byte(c))):
			at = len(text)
		}
	}
	return at
}

func isNameByte(c byte) bool {
	return rdf.IsLetter(c) || rdf.IsDigit(c) || c == '_' || c == '-' || c == '.'
}

// isPlainName reports whether a text is an ASCII XML name without a colon.
func isPlainName(text string) bool {
	for i := range len(text) {
		if !isNameByte(text[i]) || i == 0 && !rdf.IsLetter(text[i]) && text[i] != '_' {
			return false
		}
	}
	return text != ""
}

// xmlEscapes serves text and attributes. CR is escaped because XML would read it as LF.
var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\r", "&#xD;")

func xmlText(text string) string { return xmlEscapes.Replace(text) }

// WriteRDFXML writes triples as RDF 1.1 XML, in canonical order; see [NewRDFXMLStream].
func WriteRDFXML(w io.Writer, triples []rdf.Quad, prefixes map[string]string) error {
	s := NewRDFXMLStream(prefixes)
	unlabelled := make([]rdf.Quad, len(triples))
	for i, q := range triples {
		q.Label = nil
		unlabelled[i] = q
		s.Note(q)
	}
	_, err := s.Write(w, func(yield func(rdf.Quad, error) bool) {
		for _, q := range sortedQuads(unlabelled) {
			if !yield(q, nil) {
				return
			}
		}
	})
	return err
}
