package rdfio

import (
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"trails/rdf"
)

// deserializer turns expanded JSON-LD into quads in one walk: JSON-LD 1.1 API, sections
// 7 and 8. json-gold's own way is by a map of nodes, which compares each value of a
// property with every other, and then drops IRIs whose host it does not like.
type deserializer struct {
	nodes map[string]rdf.Term // blank nodes by their identifiers
	fresh freshLabels
	graph rdf.Term
	none  bool // the graph's name is no term, and its statements are left out
	quads []rdf.Quad
}

// blankNode returns the node with an identifier; a label that Turtle could write stays.
func (d *deserializer) blankNode(id string) rdf.Term {
	node := d.nodes[id]
	if node != nil {
		return node
	}
	s := scanner{buf: []byte(id), end: len(id), stop: io.EOF}
	if label, n, err := s.blankLabel(); err == nil && n == len(id) {
		node = writtenLabel(string(label))
	} else {
		node = d.fresh.next()
	}
	d.nodes[id] = node
	return node
}

// resource returns an IRI or a blank node, or nil for what is no absolute IRI.
func (d *deserializer) resource(id string) rdf.Term {
	if strings.HasPrefix(id, "_:") {
		return d.blankNode(id)
	}
	return absolute(id)
}

// absolute returns an IRI, or nil for what is none.
func absolute(id string) rdf.Term {
	for i := range len(id) {
		if rdf.IRIStop[id[i]] {
			return nil
		}
	}
	if !rdf.IsAbsoluteIRI(id) {
		return nil
	}
	return rdf.IRI(id)
}

// node adds the statements of a node object, and returns the node; nil when its @id is no
// term.
func (d *deserializer) node(object map[string]any) rdf.Term {
	subject := d.subject(object)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		switch key {
		case "@type":
			d.values(subject, rdf.Type, object[key])
		case "@graph":
			d.inside(subject, object[key])
		case "@included":
			d.each(object[key], func(rdf.Term) {})
		case "@reverse":
			properties, _ := object[key].(map[string]any)
			for _, key := range slices.Sorted(maps.Keys(properties)) {
				d.each(properties[key], func(other rdf.Term) {
					if isNode(other) {
						d.emit(other, absolute(key), subject)
					}
				})
			}
		default:
			if !strings.HasPrefix(key, "@") {
				d.values(subject, absolute(key), object[key])
			}
		}
	}
	return subject
}

func (d *deserializer) subject(object map[string]any) rdf.Term {
	given, named := object["@id"]
	if !named {
		return d.fresh.next()
	}
	id, _ := given.(string)
	return d.resource(id)
}

// each calls visit with the object that each of the values is; nil is none.
func (d *deserializer) each(values any, visit func(rdf.Term)) {
	if list, ok := values.([]any); ok {
		for _, value := range list {
			visit(d.object(value))
		}
		return
	}
	visit(d.object(values))
}

// values looks into the values also where the predicate is none: nodes among them have
// statements of their own.
func (d *deserializer) values(subject, predicate rdf.Term, values any) {
	d.each(values, func(object rdf.Term) { d.emit(subject, predicate, object) })
}

// inside adds the statements of a named graph.
func (d *deserializer) inside(name rdf.Term, nodes any) {
	defer func(graph rdf.Term, none bool) { d.graph, d.none = graph, none }(d.graph, d.none)
	d.graph, d.none = name, name == nil
	d.each(nodes, func(rdf.Term) {})
}

// emit adds a statement, unless one of its terms is nil.
func (d *deserializer) emit(s, p, o rdf.Term) {
	if !d.none && s != nil && p != nil && o != nil {
		d.quads = append(d.quads, rdf.Quad{Subject: s, Predicate: p, Object: o, Label: d.graph})
	}
}

// object is section 8.2.2; nil is no object.
func (d *deserializer) object(value any) rdf.Term {
	item, ok := value.(map[string]any)
	if !ok {
		id, _ := value.(string) // a type
		return d.resource(id)
	}
	if items, isList := item["@list"].([]any); isList {
		return d.list(items)
	}
	if _, isValue := item["@value"]; isValue {
		return literalOf(item)
	}
	return d.node(item)
}

func (d *deserializer) list(items []any) rdf.Term {
	head := rdf.Term(rdf.Nil)
	var last rdf.Term
	for _, item := range items {
		cell := d.fresh.next()
		if last == nil {
			head = cell
		} else {
			d.emit(last, rdf.Rest, cell)
		}
		if object := d.object(item); object != nil {
			d.emit(cell, rdf.First, object)
		}
		last = cell
	}
	if last != nil {
		d.emit(last, rdf.Rest, rdf.Nil)
	}
	return head
}

func literalOf(item map[string]any) rdf.Term {
	datatype, typed := item["@type"].(string)
	if datatype == "@json" {
		return rdf.Literal(string(canonicalJSON(nil, item["@value"])), rdf.RDFNS+"JSON")
	}
	datatype = revealed(datatype)
	if typed && absolute(datatype) == nil {
		return nil
	}
	switch v := item["@value"].(type) {
	case bool:
		return rdf.Literal(strconv.FormatBool(v), typeOr(datatype, rdf.XSDBoolean))
	case json.Number:
		return numberLiteral(v, rdf.IRI(datatype))
	case float64:
		return numberLiteral(json.Number(strconv.FormatFloat(v, 'g', -1, 64)), rdf.IRI(datatype))
	case string:
		return stringLiteral(v, item, rdf.IRI(datatype))
	}
	return nil
}

func stringLiteral(text string, item map[string]any, datatype rdf.IRI) rdf.Term {
	lang, tagged := item["@language"].(string)
	switch {
	case tagged && rdf.CheckLangTag(lang) != nil, datatype == rdf.RDFLangString:
		return nil
	case tagged:
		return rdf.LangLiteral(text, lang)
	}
	return rdf.Literal(text, datatype)
}

func typeOr(datatype string, otherwise rdf.IRI) rdf.IRI {
	if datatype == "" {
		return otherwise
	}
	return rdf.IRI(datatype)
}

// numberLiteral gives a number its canonical form: digits when it is whole, below
// 10^21 and no declared double. Digits that were written stay, though a float64
// could not hold them.
func numberLiteral(n json.Number, datatype rdf.IRI) rdf.Term {
	f, err := n.Float64()
	if err != nil {
		return nil // beyond what JSON-LD has a number for
	}
	if f != math.Trunc(f) || math.Abs(f) >= 1e21 || datatype == rdf.XSDDouble {
		return rdf.Literal(jsonldDouble(f), typeOr(string(datatype), rdf.XSDDouble))
	}
	text := n.String()
	if rdf.NumberType(text) != rdf.XSDInteger {
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	if f == 0 {
		text = "0"
	}
	return rdf.Literal(text, typeOr(string(datatype), rdf.XSDInteger))
}
