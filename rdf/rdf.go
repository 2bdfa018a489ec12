// Package rdf has terms and quads as values of github.com/cayleygraph/quad, their canonical text, and [Source], the
// interface for everything that reads quads.
//
// A literal keeps its lexical form: it is a [String], a [TypedString] or a [LangString], never one of quad's native
// Go values, which would lose it. Terms are comparable with ==, and a nil Term stands for "any" in a pattern and for
// the default graph as a quad's label.
package rdf

import (
	"context"
	"iter"
	"strings"

	"github.com/cayleygraph/quad"
)

// Term is an IRI, a blank node or a literal.
type Term = quad.Value

// IRI is an absolute IRI without angle brackets.
type IRI = quad.IRI

// BNode is a blank node's label without "_:".
type BNode = quad.BNode

// String is a literal of datatype xsd:string.
type String = quad.String

// TypedString is a literal of any other datatype, but for rdf:langString.
type TypedString = quad.TypedString

// LangString is an rdf:langString. Its tag has the form of [LangTag].
type LangString = quad.LangString

// Quad is a statement; a nil Label means the default graph.
type Quad = quad.Quad

// PredicateObject is the predicate and object of a statement.
type PredicateObject struct {
	P IRI
	O Term
}

// Source is anything quads can be read from. A nil term in the pattern matches
// all; [DefaultGraph] as its label matches the default graph only. The sequence
// stops after its first error.
type Source interface {
	Match(ctx context.Context, pattern Quad) iter.Seq2[Quad, error]
}

// DefaultGraph as the label of a pattern matches quads of the default graph only.
// It is never a quad's label.
const DefaultGraph = IRI("urn:trails:graph:default")

// SchemaGraph holds the schema, as SHACL.
const SchemaGraph = IRI("urn:trails:graph:schema")

// The virtual graphs: data about the file itself, read from its own tables. They can only be read by name, are not
// part of the default dataset, and cannot be written.
const (
	ProvGraph         = IRI("urn:trails:graph:prov")
	CommitsGraph      = IRI("urn:trails:graph:commits")
	CapabilitiesGraph = IRI("urn:trails:graph:capabilities")
)

// GraphsAt is the beginning of the names of virtual graphs that are the default graph as of a commit. The name of the
// commit follows, percent-encoded where an IRI needs it.
const GraphsAt = "urn:trails:at:"

// IsGraphAt reports whether t names the default graph as of a commit.
func IsGraphAt(t Term) bool {
	iri, is := t.(IRI)
	return is && strings.HasPrefix(string(iri), GraphsAt)
}

// OriginGraphs is the beginning of the names of virtual graphs that are the statements of the default graph which come
// from one class of source. The name of the class follows, such as agent.
const OriginGraphs = "urn:trails:origin:"

// IsOriginGraph reports whether t names the statements of a class of source, be there such a class or not.
func IsOriginGraph(t Term) bool {
	iri, is := t.(IRI)
	return is && strings.HasPrefix(string(iri), OriginGraphs)
}

// IsVirtual reports whether t names a graph that is not stored.
func IsVirtual(t Term) bool {
	return t == ProvGraph || t == CommitsGraph || t == CapabilitiesGraph || IsGraphAt(t) || IsOriginGraph(t)
}

// Literal returns the literal with this lexical form and datatype.
// An xsd:string, and an empty datatype, give a plain string.
func Literal(lexical string, datatype IRI) Term {
	if datatype == "" || datatype == XSDString {
		return quad.String(lexical)
	}
	return quad.TypedString{Value: quad.String(lexical), Type: datatype}
}

// LangLiteral returns the rdf:langString with this tag, in the form of [LangTag].
func LangLiteral(lexical, lang string) Term {
	return quad.LangString{Value: quad.String(lexical), Lang: LangTag(lang)}
}

// Lexical returns a literal's lexical form, an IRI's text, or a blank node's label.
func Lexical(t Term) string {
	switch v := t.(type) {
	case quad.IRI:
		return string(v)
	case quad.BNode:
		return string(v)
	case quad.String:
		return string(v)
	case quad.TypedString:
		return string(v.Value)
	case quad.LangString:
		return string(v.Value)
	}
	return ""
}

// DatatypeOf returns a literal's datatype IRI, or "" when t is not a literal.
func DatatypeOf(t Term) IRI {
	switch v := t.(type) {
	case quad.String:
		return XSDString
	case quad.TypedString:
		return v.Type
	case quad.LangString:
		return RDFLangString
	}
	return ""
}

// LangOf returns the tag of an rdf:langString.
func LangOf(t Term) (tag string, ok bool) {
	v, ok := t.(quad.LangString)
	return v.Lang, ok
}

// IsLiteral reports whether t is a literal.
func IsLiteral(t Term) bool { return DatatypeOf(t) != "" }
