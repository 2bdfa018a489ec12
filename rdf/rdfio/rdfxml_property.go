package rdfio

import (
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"trails/fault"
	"trails/rdf"
)

// propertyElement begins a property element of one of the six kinds in section 7.2.
func (x *RDFXMLReader) propertyElement(e element, name xml.Name, a attributes) (err error) {
	if name.Space == rdf.RDFNS && (noPropertyElt[name.Local] || syntaxAttributes[name.Local]) {
		return x.expected("a property element", "<"+qname(e.name)+">")
	}
	outer := x.top()
	if name.Space == rdf.RDFNS && name.Local == "li" {
		outer.items++
		name.Local = "_" + strconv.Itoa(outer.items)
	}
	if e.property, err = x.checked(name.Space + name.Local); err != nil {
		return err
	}
	e.subject = outer.subject
	if id, ok := a.syntax["ID"]; ok {
		if e.reify, err = x.id(&e, id); err != nil {
			return err
		}
		delete(a.syntax, "ID")
	}
	return x.propertyKind(e, a)
}

func (x *RDFXMLReader) propertyKind(e element, a attributes) error {
	parseType, parsed := a.syntax["parseType"]
	datatype, typed := a.syntax["datatype"]
	_, about := a.syntax["about"]
	others := len(a.syntax) + len(a.properties)
	switch {
	case about:
		return x.expected("rdf:resource for the object of a property", "rdf:about")
	case parsed && others > 1, typed && others > 1:
		return x.expected("no further attribute beside rdf:parseType or rdf:datatype", "others")
	case parsed:
		return x.parsed(e, parseType)
	case typed:
		iri, err := x.iri(&e, datatype)
		if err != nil {
			return err
		}
		if iri == rdf.RDFLangString {
			return x.expected("xml:lang in place of rdf:langString", datatype)
		}
		e.content = propertyContent
		if known, ok := iri.(rdf.IRI); ok {
			e.datatype = known
		} else {
			e.datatype, e.noDatatype = rdf.IRI(datatype), iri
		}
	case others > 0:
		return x.emptyProperty(e, a)
	default:
		e.content = propertyContent
	}
	x.stack = append(x.stack, e)
	return nil
}

// parsed begins a property with rdf:parseType; an unknown value means Literal.
func (x *RDFXMLReader) parsed(e element, parseType string) error {
	switch parseType {
	case "Resource":
		node := x.fresh.next()
		x.statement(&e, node)
		e.subject, e.content = node, propertiesContent
	case "Collection":
		e.content = collectionContent
	case "Literal":
		e.content, e.canonical = literalContent, &canonical{}
	case "Triple":
		return x.expected(ofRDF12(`rdf:parseType="Triple" is`), parseType)
	default:
		x.leftOut.AddPart(fmt.Sprintf("rdf:parseType=%q is read like Literal%s", quoted(parseType), nearName("", parseType, "Literal", "Resource", "Collection")), 1)
		e.content, e.canonical = literalContent, &canonical{}
	}
	x.stack = append(x.stack, e)
	return nil
}

// nearName suggests the name that was probably meant, with a prefix.
func nearName(prefix, name string, names ...string) string {
	near := fault.Nearest(name, names)
	if near == "" || near == name {
		return ""
	}
	return " (did you mean " + prefix + near + "?)"
}

// emptyProperty begins a property whose attributes give its object and that object's
// properties.
func (x *RDFXMLReader) emptyProperty(e element, a attributes) (err error) {
	object := rdf.Term(nil)
	resource, byIRI := a.syntax["resource"]
	label, byLabel := a.syntax["nodeID"]
	switch {
	case byIRI && byLabel:
		return x.expected("one of rdf:resource and rdf:nodeID", "both")
	case byIRI:
		object, err = x.iri(&e, resource)
	case byLabel:
		object, err = x.nodeID(label)
	default:
		object = x.fresh.next()
	}
	if err != nil {
		return err
	}
	x.statement(&e, object)
	e.content = emptyContent
	switch {
	case byIRI:
		e.attribute = "with rdf:resource"
	case byLabel:
		e.attribute = "with rdf:nodeID"
	case len(a.properties) > 0:
		p := a.properties[0].name
		e.attribute = "whose object has the property <" + string(p) + ">"
		if name, ok := strings.CutPrefix(string(p), rdf.RDFNS); ok {
			e.attribute = "whose object has the property rdf:" + name + nearName("rdf:", name, slices.Sorted(maps.Keys(syntaxAttributes))...)
		}
	}
	x.stack = append(x.stack, e)
	return x.propertyAttributes(&e, object, a.properties)
}
