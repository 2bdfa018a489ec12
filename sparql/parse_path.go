package sparql

import "trails/rdf"

// path reads PathAlternative.
func (p *parser) path() Path {
	p.enter()
	defer p.leave()
	left, n := p.pathSequence(), 0
	for p.accept("|") {
		p.link(&n, "paths")
		left = Alternative{left, p.pathSequence()}
	}
	return left
}

func (p *parser) pathSequence() Path {
	left, n := p.pathInverse(), 0
	for p.accept("/") {
		p.link(&n, "paths")
		left = Sequence{left, p.pathInverse()}
	}
	return left
}

func (p *parser) pathInverse() Path {
	if p.accept("^") {
		return Inverse{p.pathElement()}
	}
	return p.pathElement()
}

// pathElement reads PathElt: a path with an optional *, + or ?.
func (p *parser) pathElement() Path {
	path := p.pathPrimary()
	switch {
	case p.accept("*"):
		return ZeroOrMore{path}
	case p.accept("+"):
		return OneOrMore{path}
	case p.accept("?"):
		return ZeroOrOne{path}
	}
	return path
}

func (p *parser) pathPrimary() Path {
	switch {
	case p.accept("a"):
		return Link{rdf.Type}
	case p.isIRI():
		return Link{p.iri()}
	case p.accept("!"):
		return p.negatedSet()
	case p.accept("("):
		path := p.path()
		p.expect(")")
		return path
	}
	p.failExpected("a property: an IRI, a variable, 'a' or a path")
	return Link{}
}

// negatedSet reads PathNegatedPropertySet. An empty set excludes nothing.
func (p *parser) negatedSet() Path {
	var set NegatedSet
	if !p.accept("(") {
		p.negated(&set)
		return set
	}
	if p.accept(")") {
		return NegatedSet{Forward: []rdf.IRI{}}
	}
	p.negated(&set)
	for p.accept("|") {
		p.negated(&set)
	}
	p.expect(")")
	return set
}

// negated reads PathOneInPropertySet.
func (p *parser) negated(set *NegatedSet) {
	side := &set.Forward
	if p.accept("^") {
		side = &set.Backward
	}
	if p.accept("a") {
		*side = append(*side, rdf.Type)
		return
	}
	*side = append(*side, p.iri())
}

// patterns translates triples (section 18.2.2.4). A sequence becomes two patterns with a new variable between them,
// an inverse swaps subject and object, and any other path becomes a [PathPattern]. Adjacent triple patterns form one
// [BGP].
func (p *parser) patterns(triples []triple) []Op {
	var ops []Op
	for _, t := range triples {
		if t.path == nil {
			ops = appendTriple(ops, TriplePattern{t.subject, t.verb, t.object})
		} else {
			ops = p.appendPath(ops, t.subject, t.path, t.object)
		}
	}
	return ops
}

func (p *parser) appendPath(ops []Op, subject Operand, path Path, object Operand) []Op {
	switch path := path.(type) {
	case Link:
		return appendTriple(ops, TriplePattern{subject, Operand{Term: path.IRI}, object})
	case Inverse:
		return p.appendPath(ops, object, path.Path, subject)
	case Sequence:
		middle := p.blocks.anonymous()
		ops = p.appendPath(ops, subject, path.Left, middle)
		return p.appendPath(ops, middle, path.Right, object)
	default:
		return append(ops, PathPattern{subject, path, object})
	}
}

func appendTriple(ops []Op, t TriplePattern) []Op {
	if n := len(ops); n > 0 {
		if last, ok := ops[n-1].(BGP); ok {
			ops[n-1] = BGP{append(last.Patterns, t)}
			return ops
		}
	}
	return append(ops, BGP{[]TriplePattern{t}})
}
