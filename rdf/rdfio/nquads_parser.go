package rdfio

import (
	"io"
	"unicode/utf8"

	"trails/rdf"
)

// parser reads N-Quads statements, one line at a time. It caches the last subject and, with
// terms, IRIs.
type parser struct {
	scanner
	triples bool       // N-Triples: no graph labels
	terms   *termCache // nil caches no IRIs
	subject rdf.Term
}

// parse returns the statement on the line; ok is false for a blank line or a comment.
func (p *parser) parse(line []byte) (q rdf.Quad, ok bool, err error) {
	p.buf, p.pos, p.end, p.stop = line, 0, len(line), io.EOF
	p.located, p.at, p.oneLine = 0, place{line: 1, column: 1}, true
	if !utf8.Valid(line) {
		return q, false, p.expected(rdf.InvalidAt(line), "valid UTF-8")
	}
	p.space()
	if p.atEnd() {
		return q, false, nil
	}
	q, err = p.statement()
	return q, err == nil, err
}

func (p *parser) statement() (q rdf.Quad, err error) {
	if q.Subject, err = p.subjectTerm(); err != nil {
		return rdf.Quad{}, err
	}
	p.space()
	if q.Predicate, err = p.iriTerm("a predicate IRI"); err != nil {
		return rdf.Quad{}, err
	}
	p.space()
	if q.Object, err = p.objectTerm(); err != nil {
		return rdf.Quad{}, err
	}
	p.space()
	if q.Label, err = p.graphTerm(); err != nil {
		return rdf.Quad{}, err
	}
	if err := p.fullStop(); err != nil {
		return q, err
	}
	if p.lenient {
		if wrong := leftOut(q); wrong != nil {
			return rdf.Quad{}, wrong
		}
	}
	return q, nil
}

// fullStop reads the full stop; only white space and a comment may follow it.
func (p *parser) fullStop() error {
	p.space()
	if p.peek(0) != '.' {
		return p.expected(0, "'.'")
	}
	p.pos++
	p.space()
	if !p.atEnd() {
		return p.expected(0, "nothing but a comment after '.'")
	}
	return nil
}

func (p *parser) subjectTerm() (rdf.Term, error) {
	if p.sameSubject() {
		return p.subject, nil
	}
	var err error
	switch p.peek(0) {
	case '<':
		p.subject, err = p.iriTerm("")
	case '_':
		p.subject, err = p.blankNode()
	default:
		err = p.expected(0, "a subject: an IRI in <> or a blank node")
	}
	return p.subject, err
}

// sameSubject skips the subject if it is the same IRI as on the previous line.
func (p *parser) sameSubject() bool {
	iri, ok := p.subject.(rdf.IRI)
	if !ok {
		return false
	}
	end := p.pos + 1 + len(iri)
	if p.buf[p.pos] != '<' || end >= p.end || p.buf[end] != '>' || string(p.buf[p.pos+1:end]) != string(iri) {
		return false
	}
	p.pos = end + 1
	return true
}

func (p *parser) objectTerm() (rdf.Term, error) {
	switch p.peek(0) {
	case '<':
		return p.iriTerm("")
	case '_':
		return p.blankNode()
	case '"':
		return p.literal()
	}
	return nil, p.expected(0, `an object: an IRI in <>, a blank node or a literal in ""`)
}

// graphTerm reads a graph label; it returns nil if there is none.
func (p *parser) graphTerm() (rdf.Term, error) {
	switch p.peek(0) {
	case '.':
		return nil, nil
	case '<', '_':
		if p.triples {
			return nil, p.expected(0, "'.': N-Triples have no graph label")
		}
	default:
		if p.triples {
			return nil, p.expected(0, "'.'")
		}
		return nil, p.expected(0, "a graph label or '.'")
	}
	if p.peek(0) == '_' {
		return p.blankNode()
	}
	return p.iriTerm("")
}

// iriTerm reads an IRI; what names its role in the error.
func (p *parser) iriTerm(what string) (rdf.Term, error) {
	if p.peek(0) != '<' {
		return nil, p.expected(0, what+" in <>")
	}
	text, n, err := p.iriRef()
	if err != nil {
		return p.refused(err, p.iriEnd())
	}
	t := p.terms.lookup(text)
	if t == nil {
		if !rdf.IsAbsoluteIRI(text) {
			return p.refused(p.expected(0, "an absolute IRI"), n)
		}
		t = p.terms.keep(rdf.IRI(text))
	}
	p.pos += n
	return t, nil
}

func (p *parser) literal() (rdf.Term, error) {
	quoted, n, err := p.shortQuoted(`'"' to end the string`)
	if err != nil {
		return nil, err
	}
	text := string(quoted)
	p.pos += n
	p.space() // white space may stand between any two tokens
	switch p.peek(0) {
	case '@':
		lang, n, err := p.langTag()
		if err != nil {
			return p.refused(err, p.tagEnd(1))
		}
		p.pos += n
		return rdf.LangLiteral(text, lang), nil
	case '^':
		return p.typed(text)
	}
	return rdf.String(text), nil
}

// typed reads a literal's datatype.
func (p *parser) typed(text string) (rdf.Term, error) {
	if p.peek(1) != '^' {
		return nil, p.syntaxError(0, "'^^' and a datatype")
	}
	p.pos += 2
	p.space()
	start := p.pos
	t, err := p.iriTerm("a datatype IRI")
	if err != nil {
		return nil, err
	}
	datatype, ok := t.(rdf.IRI)
	if !ok {
		return t, nil
	}
	if datatype == rdf.RDFLangString {
		p.pos = start
		return nil, p.expected(0, "a language tag, which rdf:langString requires, or another datatype")
	}
	return rdf.Literal(text, datatype), nil
}

// blankNode reads BLANK_NODE_LABEL. A full stop may stand inside, not at the end. A colon may
// not: the test suites decide this erratum of the 1.1 grammar.
func (p *parser) blankNode() (rdf.Term, error) {
	label, n, err := p.blankLabel()
	if err != nil {
		return nil, err
	}
	p.pos += n
	return rdf.BNode(label), nil
}

func (p *parser) space() {
	for p.pos < p.end && (p.buf[p.pos] == ' ' || p.buf[p.pos] == '\t') {
		p.pos++
	}
}

// atEnd reports whether nothing, or only a comment, is left.
func (p *parser) atEnd() bool { return p.pos == p.end || p.buf[p.pos] == '#' }
