package rdfio

import (
	"encoding/xml"
	"fmt"
	"slices"

	"github.com/cayleygraph/quad"

	"trails/rdf"
	"trails/rdf/xsd"
)

// content is what may come next inside an element (the productions of section 7.2).
type content uint8

const (
	rootContent       content = iota // rdf:RDF or one node element
	nodesContent                     // node elements: in rdf:RDF
	propertiesContent                // property elements: in a node element
	propertyContent                  // text or one node element
	emptyContent                     // nothing: the property's object is in an attribute
	collectionContent                // node elements: in parseType="Collection"
	literalContent                   // anything: in parseType="Literal"
)

// hint says what is expected when it is missing.
func (e *element) hint() string {
	if e.content == emptyContent && e.attribute != "" {
		return "nothing in a property " + e.attribute
	}
	return [...]string{
		"rdf:RDF or a node element", "a node element", "a property element", "a text or one node element",
		"nothing in a property with an object", "a node element", "anything",
	}[e.content]
}

// element is an open element.
type element struct {
	name    xml.Name // as written
	content content
	base    string
	lang    string
	wrong   rdf.Term // replaces literals under an invalid xml:lang; nil if it is valid
	names   *binding // namespaces in scope, innermost first

	subject rdf.Term // subject of the contained properties, or of this property
	items   int      // rdf:li elements so far

	property   rdf.Term
	reify      rdf.Term // the node that rdf:ID makes of this property's statement, or nil
	datatype   rdf.IRI
	noDatatype rdf.Term // replaces a literal with an invalid datatype; nil if it is valid
	object     rdf.Term // the object found so far, or the last cell of a collection
	text       []byte
	canonical  *canonical // for an XML literal
	attribute  string     // the attribute that gives a property its object, so that it has no content
}

// binding is a namespace declaration.
type binding struct {
	prefix, iri string
	outer       *binding
	scope       int // number of declarations in scope, including this one
}

// Bounds of attributes and namespace declarations, because a lookup walks all of them.
const (
	maxAttributes = 1000
	maxBindings   = 1000
)

func (b *binding) with(prefix, iri string) *binding {
	inner := &binding{prefix: prefix, iri: iri, outer: b, scope: 1}
	if b != nil {
		inner.scope += b.scope
	}
	return inner
}

func (b *binding) lookup(prefix string) (string, bool) {
	for ; b != nil; b = b.outer {
		if b.prefix == prefix {
			return b.iri, b.iri != "" || prefix == ""
		}
	}
	return "", prefix == ""
}

const xmlNS = "http://www.w3.org/XML/1998/namespace"

func (x *RDFXMLReader) start(tag xml.StartElement) error {
	if len(x.stack) > x.limits.Nesting {
		return x.tooLarge(fmt.Sprintf("at most %d nested elements", x.limits.Nesting))
	}
	if len(tag.Attr) > maxAttributes {
		return x.tooLarge(fmt.Sprintf("at most %d attributes", maxAttributes))
	}
	outer := x.top()
	e := element{name: tag.Name, base: outer.base, lang: outer.lang, wrong: outer.wrong, names: outer.names}
	for i, a := range tag.Attr {
		if slices.ContainsFunc(tag.Attr[:i], func(b xml.Attr) bool { return a.Name == b.Name }) {
			return x.expected("each attribute once", qname(a.Name))
		}
		if err := x.bind(&e, a); err != nil {
			return err
		}
	}
	if outer.content == literalContent {
		e.content, e.canonical = literalContent, outer.canonical
		x.stack = append(x.stack, e)
		return x.literalStart(tag)
	}
	attributes, err := x.attributes(&e, tag.Attr)
	if err != nil {
		return err
	}
	return x.element(e, attributes)
}

// bind adds a namespace declaration.
func (x *RDFXMLReader) bind(e *element, a xml.Attr) error {
	switch {
	case a.Name.Space == "" && a.Name.Local == "xmlns":
		e.names = e.names.with("", a.Value)
	case a.Name.Space == "xmlns" && a.Value == "":
		return x.expected("a namespace", "an empty one")
	case a.Name.Space == "xmlns":
		e.names = e.names.with(a.Name.Local, a.Value)
	}
	if e.names != nil && e.names.scope > maxBindings {
		return x.tooLarge(fmt.Sprintf("at most %d namespaces in scope", maxBindings))
	}
	return nil
}

func qname(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

// resolved returns the namespace and local name of an element or attribute.
func (x *RDFXMLReader) resolved(e *element, n xml.Name) (xml.Name, error) {
	if n.Space == "xml" {
		return xml.Name{Space: xmlNS, Local: n.Local}, nil
	}
	ns, ok := e.names.lookup(n.Space)
	if !ok {
		return n, x.expected("a prefix that was declared", qname(n))
	}
	return xml.Name{Space: ns, Local: n.Local}, nil
}

// element handles a start tag according to what the enclosing element may contain.
func (x *RDFXMLReader) element(e element, a attributes) error {
	name, err := x.resolved(&e, e.name)
	if err != nil {
		return err
	}
	outer := x.top()
	switch outer.content {
	case rootContent:
		return x.rootElement(e, name, a)
	case nodesContent, collectionContent:
		return x.nodeElement(e, name, a)
	case propertiesContent:
		return x.propertyElement(e, name, a)
	case propertyContent:
		if outer.object != nil || outer.datatype != "" || !isXMLSpace(outer.text, false) {
			return x.expected("one value for a property", "<"+qname(e.name)+">")
		}
		return x.nodeElement(e, name, a)
	default:
		return x.expected(outer.hint(), "<"+qname(e.name)+">")
	}
}

func (x *RDFXMLReader) rootElement(e element, name xml.Name, a attributes) error {
	if x.root {
		return x.expected("one root element", "<"+qname(e.name)+">")
	}
	x.root = true
	if name != (xml.Name{Space: rdf.RDFNS, Local: "RDF"}) {
		return x.nodeElement(e, name, a)
	}
	if len(a.syntax)+len(a.properties) > 0 {
		return x.expected("no attributes of rdf:RDF but namespaces", "others")
	}
	e.content = nodesContent
	x.stack = append(x.stack, e)
	return nil
}

func (x *RDFXMLReader) nodeElement(e element, name xml.Name, a attributes) error {
	if name.Space == rdf.RDFNS && (noNode[name.Local] || syntaxAttributes[name.Local]) {
		return x.expected("a node element", "<"+qname(e.name)+">")
	}
	subject, err := x.subject(&e, a)
	if err != nil {
		return err
	}
	e.subject, e.content = subject, propertiesContent
	switch outer := x.top(); outer.content {
	case propertyContent:
		outer.object = subject
		x.statement(outer, subject)
	case collectionContent:
		x.item(outer, subject)
	default:
	}
	if name != (xml.Name{Space: rdf.RDFNS, Local: "Description"}) {
		class, err := x.checked(name.Space + name.Local)
		if err != nil {
			return err
		}
		x.emit(subject, rdf.Type, class)
	}
	x.stack = append(x.stack, e)
	return x.propertyAttributes(&e, subject, a.properties)
}

// subject returns the subject of a node element.
func (x *RDFXMLReader) subject(e *element, a attributes) (rdf.Term, error) {
	if len(a.syntax) > 1 {
		return nil, x.expected("one of rdf:about, rdf:ID and rdf:nodeID", "several attributes")
	}
	for name, value := range a.syntax {
		switch name {
		case "about":
			return x.iri(e, value)
		case "ID":
			return x.id(e, value)
		case "nodeID":
			return x.nodeID(value)
		}
		return nil, x.expected("no such attribute of a node element", "rdf:"+name)
	}
	return x.fresh.next(), nil
}

// item adds a node to a collection.
func (x *RDFXMLReader) item(e *element, node rdf.Term) {
	cell := x.fresh.next()
	if e.object == nil {
		x.statement(e, cell)
	} else {
		x.emit(e.object, rdf.Rest, cell)
	}
	x.emit(cell, rdf.First, node)
	e.object = cell
}

// statement emits a property's statement and, for rdf:ID, its reification.
func (x *RDFXMLReader) statement(e *element, object rdf.Term) {
	x.emit(e.subject, e.property, object)
	if e.reify == nil {
		return
	}
	x.emit(e.reify, rdf.Type, rdf.IRI(rdf.RDFNS+"Statement"))
	x.emit(e.reify, rdf.IRI(rdf.RDFNS+"subject"), e.subject)
	x.emit(e.reify, rdf.IRI(rdf.RDFNS+"predicate"), e.property)
	x.emit(e.reify, rdf.IRI(rdf.RDFNS+"object"), object)
}

func (x *RDFXMLReader) propertyAttributes(e *element, subject rdf.Term, properties []property) error {
	for _, p := range properties {
		predicate, err := x.checked(string(p.name))
		if err != nil {
			return err
		}
		object := e.literal(p.value)
		if p.name == rdf.Type {
			if object, err = x.iri(e, p.value); err != nil {
				return err
			}
		}
		x.emit(subject, predicate, object)
	}
	return nil
}

func (e *element) literal(text string) rdf.Term {
	switch {
	case e.wrong != nil:
		return e.wrong
	case e.lang != "":
		return rdf.LangLiteral(text, e.lang)
	}
	return quad.String(text)
}

// iri resolves an IRI in an attribute.
func (x *RDFXMLReader) iri(e *element, ref string) (rdf.Term, error) {
	iri, err := rdf.ResolveIRI(e.base, ref)
	if err != nil {
		return x.refused("an absolute IRI, because there is no base", ref)
	}
	return x.checked(iri)
}

func (x *RDFXMLReader) checked(iri string) (rdf.Term, error) {
	for i := range len(iri) {
		if rdf.IRIStop[iri[i]] {
			return x.refused("an IRI without characters that it may not hold", iri)
		}
	}
	if !rdf.IsAbsoluteIRI(iri) {
		return x.refused("a name in a namespace that is an absolute IRI", iri)
	}
	return rdf.IRI(iri), nil
}

// id returns the IRI of an rdf:ID. A document may use each only once.
func (x *RDFXMLReader) id(e *element, id string) (rdf.Term, error) {
	if !isNCName(id) {
		return nil, x.expected("an XML name as rdf:ID", id)
	}
	term, err := x.iri(e, "#"+id)
	if err != nil {
		return nil, err
	}
	iri, ok := term.(rdf.IRI)
	if !ok {
		return term, nil
	}
	if x.ids[string(iri)] {
		return nil, x.expected("each rdf:ID once", id)
	}
	x.ids[string(iri)] = true
	return term, nil
}

func (x *RDFXMLReader) nodeID(id string) (rdf.Term, error) {
	if !isNCName(id) {
		return nil, x.expected("an XML name as rdf:nodeID", id)
	}
	return writtenLabel(id), nil
}

func isNCName(s string) bool { return xsd.Valid(s, rdf.XSDNS+"NCName") }

func (x *RDFXMLReader) end(tag xml.EndElement) error {
	e := x.top()
	if len(x.stack) == 1 || e.name != tag.Name {
		return x.expected("</"+qname(e.name)+">", "</"+qname(tag.Name)+">")
	}
	if e.canonical != nil && x.stack[len(x.stack)-2].content == literalContent {
		e.canonical.end(e.name)
	} else {
		switch {
		case e.content == literalContent:
			x.statement(e, rdf.Literal(e.canonical.out.String(), rdf.RDFNS+"XMLLiteral"))
		case e.content == collectionContent && e.object == nil:
			x.statement(e, rdf.Nil)
		case e.content == collectionContent:
			x.emit(e.object, rdf.Rest, rdf.Nil)
		case e.content == propertyContent && e.object == nil && e.datatype != "":
			object := rdf.Literal(string(e.text), e.datatype)
			if e.noDatatype != nil {
				object = e.noDatatype
			}
			x.statement(e, object)
		case e.content == propertyContent && e.object == nil:
			x.statement(e, e.literal(string(e.text)))
		}
	}
	x.stack = x.stack[:len(x.stack)-1]
	return nil
}
