package sparql

import "trails/rdf"

// triple is a triple as the grammar reads it. If Path is set, Verb is empty.
type triple struct {
	subject, verb Operand
	path          Path
	object        Operand
}

// sink receives the triples of one clause, and says what that clause allows.
type sink struct {
	place string // name of the clause for errors
	// paths, vars and blanks say whether property paths, variables and blank nodes are allowed.
	paths, vars, blanks bool
	// blank returns the operand for a blank node label; "" makes a new blank node.
	blank   func(p *parser, label string, at int) Operand
	triples []triple
}

// with calls read with another sink.
func (p *parser) with(s *sink, read func()) {
	outer := p.sink
	p.sink = s
	read()
	p.sink = outer
}

func (p *parser) add(s Operand, verb triple, o Operand) {
	verb.subject, verb.object = s, o
	p.sink.triples = append(p.sink.triples, verb)
}

// addNode reads an object and adds the triple, before the triples that the object itself contains.
func (p *parser) addNode(s Operand, verb triple) {
	i, at := len(p.sink.triples), p.tok.start
	p.add(s, verb, Operand{})
	p.sink.triples[i].object = p.node()
	p.placeTriple(p.sink.triples[i], at)
}

// blankNode returns the operand for a blank node with a label, or without one ("").
func (p *parser) blankNode(label string, at int) Operand {
	if !p.sink.blanks {
		p.failFrom(at, "a blank node cannot stand in "+p.sink.place)
		return Operand{}
	}
	return p.sink.blank(p, label, at)
}

// triples reads TriplesBlock, TriplesTemplate or ConstructTriples: triples with a
// full stop between them, and perhaps behind the last.
func (p *parser) triples() {
	for p.isNode() {
		before := len(p.sink.triples)
		subject := p.node()
		// A list or a blank node with properties may stand alone.
		if len(p.sink.triples) == before || p.isVerb() {
			p.propertyList(subject)
		}
		if !p.accept(".") {
			return
		}
	}
}

// isNode reports whether a term, a variable, a list or a blank node begins here.
func (p *parser) isNode() bool {
	switch p.tok.kind {
	case variable, iriRef, prefixedName, blankLabel:
		return true
	default:
		return p.isLiteral() || p.is("(") || p.is("[")
	}
}

func (p *parser) isVerb() bool {
	return p.tok.kind == variable || p.isIRI() || p.is("a") || p.sink.paths && (p.is("^") || p.is("!") || p.is("("))
}

// propertyList reads PropertyList(Path)NotEmpty.
func (p *parser) propertyList(subject Operand) {
	p.objectList(subject, p.verb())
	for p.accept(";") {
		for p.accept(";") {
		}
		if !p.isVerb() {
			return
		}
		p.objectList(subject, p.verb())
	}
}

func (p *parser) objectList(subject Operand, verb triple) {
	p.addNode(subject, verb)
	for p.accept(",") {
		p.addNode(subject, verb)
	}
}

// verb reads a variable, an IRI or, where allowed, a path.
func (p *parser) verb() triple {
	switch {
	case p.tok.kind == variable:
		return triple{verb: p.variable()}
	case p.sink.paths:
		at := p.tok.start
		path := p.path()
		p.checkSearch(path, at)
		return triple{path: path}
	case p.accept("a"):
		return triple{verb: Operand{Term: rdf.Type}}
	}
	return p.property()
}

// property reads an IRI in a clause without paths.
func (p *parser) property() triple {
	if !p.isIRI() {
		p.failExpected("a property: an IRI, a variable or 'a'")
		return triple{}
	}
	at := p.tok.start
	verb := triple{verb: Operand{Term: p.iri()}}
	if verb.verb.Term == rdf.Term(Matches) {
		p.failFrom(at, searchIs+"; it stands in a group of WHERE, not in "+p.sink.place)
	}
	for _, sign := range []string{"/", "|", "*", "+", "?"} {
		if p.is(sign) {
			p.failHere("a property path cannot stand in " + p.sink.place)
		}
	}
	return verb
}

// node reads GraphNode(Path): a term or a variable, a list, or a blank node with
// its properties.
func (p *parser) node() Operand {
	at := p.tok.start
	switch {
	case p.tok.kind == variable:
		return p.variable()
	case p.isIRI():
		return Operand{Term: p.iri()}
	case p.isLiteral():
		return Operand{Term: p.literal()}
	case p.tok.kind == blankLabel:
		label := p.tok.text
		p.next()
		return p.blankNode(label, at)
	case p.accept("["):
		return p.propertied(p.blankNode("", at))
	case p.accept("("):
		return p.collection(at)
	}
	p.failExpected("a term or a variable")
	return Operand{}
}

func (p *parser) variable() Operand {
	if !p.sink.vars {
		p.failHere("a variable cannot stand in " + p.sink.place)
	}
	return Operand{Var: p.takeVar()}
}

// propertied reads the properties of a blank node; its opening bracket has been read.
func (p *parser) propertied(blank Operand) Operand {
	p.enter()
	defer p.leave()
	if !p.accept("]") {
		p.propertyList(blank)
		p.expect("]")
	}
	return blank
}

var (
	first = triple{verb: Operand{Term: rdf.First}}
	rest  = triple{verb: Operand{Term: rdf.Rest}}
)

// collection reads the members of a list; its opening parenthesis has been read.
func (p *parser) collection(at int) Operand {
	p.enter()
	defer p.leave()
	if p.accept(")") {
		return Operand{Term: rdf.Nil}
	}
	head := p.blankNode("", at)
	p.addNode(head, first)
	last := head
	for !p.is(")") && !p.ended() {
		cell := p.blankNode("", at)
		p.add(last, rest, cell)
		p.addNode(cell, first)
		last = cell
	}
	p.expect(")")
	p.add(last, rest, Operand{Term: rdf.Nil})
	return head
}
