package sparql

import (
	"strings"

	"trails/rdf"
)

// prologue reads BASE and PREFIX declarations.
func (p *parser) prologue() {
	for {
		switch {
		case p.accept("BASE"):
			at := p.tok.start
			p.base = p.resolve(p.take(iriRef, "an IRI in angle brackets"), at)
		case p.accept("PREFIX"):
			at := p.tok.start
			name := p.take(prefixedName, "a prefix with its colon, such as ex:")
			prefix, local, _ := strings.Cut(name, ":")
			if local != "" {
				p.failFrom(at, "expected a prefix with its colon, found "+quoteFound(name))
			}
			at = p.tok.start
			namespace := p.resolve(p.take(iriRef, "an IRI in angle brackets"), at)
			p.prefixes[prefix], p.declared[prefix] = namespace, namespace
			clear(p.expanded)
		default:
			return
		}
	}
}

// resolve makes an IRI absolute.
func (p *parser) resolve(ref string, at int) string {
	if p.failed != nil || rdf.IsAbsoluteIRI(ref) {
		return ref
	}
	iri, err := rdf.ResolveIRI(p.base, ref)
	switch {
	case err != nil && p.base == "":
		p.failFrom(at, "the IRI "+quoteFound(ref)+" is relative, and there is no BASE"+p.relative(ref))
	case err != nil:
		p.failFrom(at, err.Error())
	}
	p.charge(len(iri))
	return iri
}

// charge adds to the total size of expanded IRIs, and fails above the bound. Without it a short text with a long
// prefix could need any amount of memory.
func (p *parser) charge(n int) {
	if p.bytes += n; p.bytes > maxExpansion*p.opts.MaxBytes {
		p.failTooLarge("the IRIs are too long when their prefixes are expanded")
	}
}

// expand returns the IRI of a prefixed name.
func (p *parser) expand(name string, at int) rdf.IRI {
	if iri, ok := p.expanded[name]; ok {
		return iri
	}
	prefix, local, _ := strings.Cut(name, ":")
	namespace, ok := p.prefixes[prefix]
	if !ok && p.failed == nil {
		p.failFrom(at, "the prefix "+prefix+": is not declared"+p.undeclared(prefix, at))
		return ""
	}
	p.charge(len(namespace) + len(local))
	if p.failed != nil {
		return ""
	}
	iri := rdf.IRI(namespace + local)
	p.expanded[name] = iri
	return iri
}

func (p *parser) isIRI() bool { return p.tok.kind == iriRef || p.tok.kind == prefixedName }

// iri reads an IRI in brackets or a prefixed name.
func (p *parser) iri() rdf.IRI {
	tok := p.tok
	var iri rdf.IRI
	switch tok.kind {
	case iriRef:
		p.next()
		iri = rdf.IRI(p.resolve(tok.text, tok.start))
	case prefixedName:
		p.next()
		iri = p.expand(tok.text, tok.start)
	default:
		p.failExpected("an IRI")
		return ""
	}
	p.name(tok, iri)
	p.placeTerm(iri, tok.start)
	return iri
}

// isLiteral reports whether a literal begins here.
func (p *parser) isLiteral() bool {
	switch p.tok.kind {
	case stringToken, number:
		return true
	case symbol:
		return p.tok.text == "TRUE" || p.tok.text == "FALSE"
	default:
		return false
	}
}

// literal reads an RDFLiteral, a number or a boolean.
func (p *parser) literal() rdf.Term {
	at := p.tok.start
	return p.placeTerm(p.literalHere(), at)
}

func (p *parser) literalHere() rdf.Term {
	tok := p.tok
	p.next()
	switch tok.kind {
	case stringToken:
		if p.tok.kind == langTag {
			tag := p.tok.text
			p.next()
			return rdf.LangLiteral(tok.text, tag)
		}
		if p.accept("^^") {
			return rdf.Literal(tok.text, p.iri())
		}
		return rdf.Literal(tok.text, "")
	case symbol:
		return rdf.Literal(strings.ToLower(tok.text), rdf.XSDBoolean)
	default:
		return rdf.Literal(tok.text, rdf.NumberType(tok.text))
	}
}
