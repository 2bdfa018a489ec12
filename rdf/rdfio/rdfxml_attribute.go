package rdfio

import (
	"encoding/xml"
	"fmt"
	"strings"

	"trails/rdf"
)

// attributes holds an element's attributes, by their meaning.
type attributes struct {
	syntax     map[string]string // rdf:about and the like, by local name
	properties []property
}

type property struct {
	name  rdf.IRI
	value string
}

// syntaxAttributes are the coreSyntaxTerms that are attributes. Bare ones are accepted without
// a namespace (section 6.1.4).
var (
	syntaxAttributes = map[string]bool{"ID": true, "about": true, "parseType": true, "resource": true, "nodeID": true, "datatype": true}
	bareAttributes   = map[string]bool{"ID": true, "about": true, "parseType": true, "resource": true, "type": true}
	noProperty       = map[string]bool{"RDF": true, "Description": true, "li": true, "aboutEach": true, "aboutEachPrefix": true, "bagID": true}
	noNode           = map[string]bool{"RDF": true, "li": true, "aboutEach": true, "aboutEachPrefix": true, "bagID": true}
	laterAttributes  = map[string]bool{"version": true, "annotation": true, "annotationNodeID": true} // RDF 1.2
	noPropertyElt    = map[string]bool{"RDF": true, "Description": true, "aboutEach": true, "aboutEachPrefix": true, "bagID": true}
)

// itsNS is the namespace of the attributes for base direction in RDF 1.2.
const itsNS = "http://www.w3.org/2005/11/its"

func (x *RDFXMLReader) attributes(e *element, attrs []xml.Attr) (attributes, error) {
	out := attributes{syntax: map[string]string{}}
	for _, a := range attrs {
		if a.Name.Space == "xmlns" || a.Name.Space == "" && strings.HasPrefix(strings.ToLower(a.Name.Local), "xml") {
			continue
		}
		name, err := x.attributeName(e, a.Name)
		if err != nil {
			return out, err
		}
		switch {
		case name.Space == xmlNS:
			err = x.xmlAttribute(e, name.Local, a.Value)
		case name.Space == rdf.RDFNS && syntaxAttributes[name.Local]:
			if _, twice := out.syntax[name.Local]; twice {
				err = x.expected("each attribute once", qname(a.Name))
			}
			out.syntax[name.Local] = a.Value
		case name.Space == rdf.RDFNS && laterAttributes[name.Local], name.Space == itsNS:
			err = x.expected(ofRDF12(qname(a.Name)+" is"), qname(a.Name)+"="+a.Value)
		case name.Space == rdf.RDFNS && noProperty[name.Local]:
			err = x.expected("no such attribute", qname(a.Name))
		default:
			out.properties = append(out.properties, property{rdf.IRI(name.Space + name.Local), a.Value})
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

func (x *RDFXMLReader) attributeName(e *element, n xml.Name) (xml.Name, error) {
	if n.Space != "" {
		return x.resolved(e, n)
	}
	if !bareAttributes[n.Local] {
		return n, x.expected("an attribute in a namespace", n.Local)
	}
	return xml.Name{Space: rdf.RDFNS, Local: n.Local}, nil
}

func (x *RDFXMLReader) xmlAttribute(e *element, name, value string) error {
	switch name {
	case "lang":
		e.lang, e.wrong = value, nil
		if value != "" && rdf.CheckLangTag(value) != nil {
			none, err := x.refused("a language tag", value)
			if err != nil {
				return err
			}
			e.wrong = none
		}
	case "base":
		base, err := rdf.ResolveIRI(e.base, value)
		if err != nil {
			return x.expected("an absolute IRI as xml:base", value)
		}
		e.base = base
	case "space", "id":
	default:
		x.leftOut.AddPart(fmt.Sprintf("the attribute xml:%s says nothing%s", quoted(name), nearName("xml:", name, "lang", "base")), 1)
	}
	return nil
}
