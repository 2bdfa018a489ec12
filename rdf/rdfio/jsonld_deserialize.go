package rdfio

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"trails/rdf"
	"trails/text/quote"
)

// deserializer turns expanded JSON-LD into quads in one walk (JSON-LD 1.1 API, sections 7 and
// 8). json-gold's own algorithm compares each value of a property with every other, and drops
// IRIs whose host it does not accept.
type deserializer struct {
	nodes map[string]rdf.Term // blank nodes by their identifiers
	fresh freshLabels
	graph rdf.Term // a noTerm leaves out all statements of the graph
	quads []rdf.Quad

	leftOut LeftOut
}

// noTerm takes the place of a term that RDF does not allow, and holds the reason. Statements
// that contain it are left out.
type noTerm struct {
	why string
	// all leaves out everything below the predicate, too.
	all bool
	// at is the error's position, or nil.
	at *SyntaxError
}

// String returns the reason, as does Native: both are needed to be an [rdf.Term].
func (n noTerm) String() string { return n.why }

func (n noTerm) Native() any { return n.why }

func noTermf(format string, args ...any) noTerm { return noTerm{why: fmt.Sprintf(format, args...)} }

// blankNode returns the blank node with an identifier. A label that Turtle can write is kept.
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

// resource returns an IRI or a blank node, or a noTerm if the text is no absolute IRI.
func (d *deserializer) resource(id string) rdf.Term {
	if strings.HasPrefix(id, "_:") {
		return d.blankNode(id)
	}
	return absolute(id)
}

// absolute returns an IRI, or a noTerm if the text is no absolute IRI.
func absolute(id string) rdf.Term {
	for i, c := range id {
		if c < utf8.RuneSelf && rdf.IRIStop[id[i]] {
			return noTermf("<%s> has the character %q, which no IRI has", quoted(id), c)
		}
	}
	if !rdf.IsAbsoluteIRI(id) {
		return noTermf("<%s> is relative, and nothing says to what: give a base, or a @vocab", quoted(id))
	}
	return rdf.IRI(id)
}

// quoted shortens a piece of the document for use in a message.
func quoted(text string) string { return quote.Line(text, excerptBytes) }

// isTerm reports whether t is neither nil nor a noTerm.
func isTerm(t rdf.Term) bool {
	_, none := t.(noTerm)
	return !none && t != nil
}

// node adds the statements of a node object and returns the node, or a noTerm if its @id is
// invalid.
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
				d.under(predicate(key), properties[key], func(p, other rdf.Term) {
					if isNode(other) {
						d.emit(other, p, subject)
					}
				})
			}
		default:
			if !strings.HasPrefix(key, "@") {
				d.values(subject, predicate(key), object[key])
			}
		}
	}
	return subject
}

// predicate returns the predicate that a member's key means. JSON-LD ignores a member that no
// context maps to an IRI, with everything below it.
func predicate(key string) rdf.Term {
	switch {
	case strings.HasPrefix(key, "_:"):
		return noTerm{why: "a blank node is no predicate in RDF 1.1"}
	case !rdf.IsAbsoluteIRI(key):
		return noTerm{why: fmt.Sprintf("no context says what the member %q is", quoted(key)), all: true}
	}
	return absolute(key)
}

func (d *deserializer) subject(object map[string]any) rdf.Term {
	given, named := object["@id"]
	if !named {
		return d.fresh.next()
	}
	id, _ := given.(string)
	return d.resource(id)
}

// each calls visit with the term of each value.
func (d *deserializer) each(values any, visit func(rdf.Term)) {
	if list, ok := values.([]any); ok {
		for _, value := range list {
			visit(d.object(value))
		}
		return
	}
	visit(d.object(values))
}

// under calls visit with each value of a predicate. It does so for an invalid predicate, too,
// because nodes among the values have statements of their own.
func (d *deserializer) under(predicate rdf.Term, values any, visit func(predicate, value rdf.Term)) {
	if none, _ := predicate.(noTerm); none.all {
		defer func(graph rdf.Term) { d.graph = graph }(d.graph)
		d.graph = none
	}
	d.each(values, func(value rdf.Term) { visit(predicate, value) })
}

func (d *deserializer) values(subject, predicate rdf.Term, values any) {
	d.under(predicate, values, func(p, object rdf.Term) { d.emit(subject, p, object) })
}

// inside adds the statements of a named graph.
func (d *deserializer) inside(name rdf.Term, nodes any) {
	defer func(graph rdf.Term) { d.graph = graph }(d.graph)
	d.graph = name
	d.each(nodes, func(node rdf.Term) {
		if isTerm(node) && !isNode(node) { // a value in a graph container
			d.leftOut.Add(besideNodes(node))
		}
	})
}

// emit adds a statement, or counts it as left out if one of its terms is a noTerm.
func (d *deserializer) emit(s, p, o rdf.Term) {
	for _, t := range []rdf.Term{s, p, o, d.graph} {
		if why, none := t.(noTerm); none {
			d.leftOut.Add(Omission{Message: why.why})
			return
		}
	}
	d.quads = append(d.quads, rdf.Quad{Subject: s, Predicate: p, Object: o, Label: d.graph})
}

// object implements object to RDF conversion (JSON-LD 1.1 API, section 8.2.2); the result may
// be a noTerm.
func (d *deserializer) object(value any) rdf.Term {
	item, ok := value.(map[string]any)
	if !ok {
		id, _ := value.(string) // a value of @type
		return d.resource(id)
	}
	if items, isList := item["@list"].([]any); isList {
		return d.list(items)
	}
	if _, isValue := item["@value"]; isValue {
		if direction, _ := item["@direction"].(string); direction != "" {
			d.leftOut.AddPart(fmt.Sprintf("the base direction %s of a text is not kept: base directions are of RDF 1.2, which is not read yet", quoted(direction)), 1)
		}
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
		d.emit(cell, rdf.First, d.object(item))
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
	if why, none := absolute(datatype).(noTerm); typed && none {
		return why
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
	return noTerm{why: "a value is no text, number or boolean"}
}

func stringLiteral(text string, item map[string]any, datatype rdf.IRI) rdf.Term {
	lang, tagged := item["@language"].(string)
	switch {
	case tagged && rdf.CheckLangTag(lang) != nil:
		return noTermf("%q is no language tag", quoted(lang))
	case datatype == rdf.RDFLangString:
		return noTerm{why: "a text of the datatype rdf:langString has no language tag"}
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

// numberLiteral gives a number its canonical form: an integer below 10^21 is written in digits,
// unless its datatype is xsd:double. All digits of the text are kept, beyond the precision of a
// float64.
func numberLiteral(n json.Number, datatype rdf.IRI) rdf.Term {
	f, err := n.Float64()
	if err != nil {
		return noTermf("the number %s is beyond what JSON-LD has one for", quoted(n.String()))
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
