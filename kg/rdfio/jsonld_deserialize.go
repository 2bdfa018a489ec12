package rdfio

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cayleygraph/quad"
	"github.com/piprate/json-gold/ld"

	"trails/kg/rdf"
)

// deserializer turns a node map into quads: JSON-LD 1.1 API section 8. json-gold's
// own way drops IRIs whose host it does not like.
type deserializer struct {
	issuer *ld.IdentifierIssuer
	labels map[string]rdf.Term // by the identifiers that json-gold gave
	fresh  freshLabels
	graph  rdf.Term
	quads  []rdf.Quad
}

// keepLabels finds which identifier json-gold gave to which written label.
func (d *deserializer) keepLabels(value any) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			d.keepLabels(item)
		}
	case map[string]any:
		if v["@type"] == "@json" {
			return
		}
		for key, member := range v {
			d.keepLabel(key)
			if key != "@value" {
				d.keepLabels(member)
			}
		}
	case string:
		d.keepLabel(v)
	}
}

func (d *deserializer) keepLabel(text string) {
	label, blank := strings.CutPrefix(text, "_:")
	if blank && isLabel(label) && d.issuer.HasId(text) {
		d.labels[d.issuer.GetId(text)] = writtenLabel(label)
	}
}

// isLabel tells what BLANK_NODE_LABEL takes.
func isLabel(s string) bool {
	for i, r := range s {
		if !isLabelPart(r) && r != '.' || i == 0 && !isLabelStart(r) {
			return false
		}
	}
	return s != "" && !strings.HasSuffix(s, ".")
}

// blankNode returns the node with an identifier of json-gold's.
func (d *deserializer) blankNode(id string) rdf.Term {
	if d.labels[id] == nil {
		d.labels[id] = d.fresh.next()
	}
	return d.labels[id]
}

func (d *deserializer) graphs(nodes map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		d.graph = nil
		if name != "@default" {
			if d.graph = d.resource(name); d.graph == nil {
				continue
			}
		}
		graph, _ := nodes[name].(map[string]any)
		for _, id := range slices.Sorted(maps.Keys(graph)) {
			node, _ := graph[id].(map[string]any)
			if subject := d.resource(id); subject != nil {
				d.node(subject, node)
			}
		}
	}
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
		if iriStop[id[i]] {
			return nil
		}
	}
	if !isAbsolute(id) {
		return nil
	}
	return quad.IRI(id)
}

func (d *deserializer) node(subject rdf.Term, node map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(node)) {
		predicate := d.resource(key)
		if key == "@type" {
			predicate = rdf.Type
		}
		if _, isIRI := predicate.(quad.IRI); !isIRI {
			continue
		}
		values, _ := node[key].([]any)
		for _, value := range values {
			if object := d.object(value); object != nil {
				d.emit(subject, predicate, object)
			}
		}
	}
}

func (d *deserializer) emit(s, p, o rdf.Term) {
	d.quads = append(d.quads, rdf.Quad{Subject: s, Predicate: p, Object: o, Label: d.graph})
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
	id, _ := item["@id"].(string)
	return d.resource(id)
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
	case tagged && !isLangTag(lang), datatype == rdf.RDFLangString:
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
	if !allDigits(cutSign(text)) {
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	if f == 0 {
		text = "0"
	}
	return rdf.Literal(text, typeOr(string(datatype), rdf.XSDInteger))
}
