package rdfio

import (
	"unicode/utf8"

	"github.com/cayleygraph/quad"

	"trails/rdf"
)

// parser reads the statement of one line after another. It keeps what the next
// line is likely to need again: the subject, the language tag, the IRIs.
type parser struct {
	src     []byte
	pos     int
	triples bool       // N-Triples: no graph labels
	terms   *termCache // nil: nothing is kept
	subject rdf.Term
	lang    string
	scratch []byte // unescaped text of the term at hand
}

// parse returns the statement on the line; ok is false when there is none, which
// is a blank line or a comment.
func (p *parser) parse(line []byte) (q rdf.Quad, ok bool, err error) {
	p.src, p.pos = line, 0
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
	return q, p.end()
}

// end reads the full stop and nothing but space and a comment behind it.
func (p *parser) end() error {
	p.space()
	if p.peek() != '.' {
		return p.expected(p.pos, "'.'")
	}
	p.pos++
	p.space()
	if !p.atEnd() {
		return p.expected(p.pos, "nothing but a comment after '.'")
	}
	return nil
}

func (p *parser) subjectTerm() (rdf.Term, error) {
	if p.sameSubject() {
		return p.subject, nil
	}
	var err error
	switch p.peek() {
	case '<':
		p.subject, err = p.iriTerm("")
	case '_':
		p.subject, err = p.blankNode()
	default:
		err = p.expected(p.pos, "a subject: an IRI in <> or a blank node")
	}
	return p.subject, err
}

// sameSubject steps over the subject when it is the previous line's IRI again.
func (p *parser) sameSubject() bool {
	iri, ok := p.subject.(rdf.IRI)
	if !ok {
		return false
	}
	end := p.pos + 1 + len(iri)
	if p.src[p.pos] != '<' || end >= len(p.src) || p.src[end] != '>' || string(p.src[p.pos+1:end]) != string(iri) {
		return false
	}
	p.pos = end + 1
	return true
}

func (p *parser) objectTerm() (rdf.Term, error) {
	switch p.peek() {
	case '<':
		return p.iriTerm("")
	case '_':
		return p.blankNode()
	case '"':
		return p.literal()
	}
	return nil, p.expected(p.pos, `an object: an IRI in <>, a blank node or a literal in ""`)
}

// graphTerm returns nil when no label stands before the full stop.
func (p *parser) graphTerm() (rdf.Term, error) {
	switch p.peek() {
	case '.':
		return nil, nil
	case '<', '_':
		if p.triples {
			return nil, p.expected(p.pos, "'.': N-Triples have no graph label")
		}
	default:
		if p.triples {
			return nil, p.expected(p.pos, "'.'")
		}
		return nil, p.expected(p.pos, "a graph label or '.'")
	}
	if p.peek() == '_' {
		return p.blankNode()
	}
	return p.iriTerm("")
}

// iriTerm reads an IRI; what names its role when none stands here.
func (p *parser) iriTerm(what string) (rdf.Term, error) {
	if p.peek() != '<' {
		return nil, p.expected(p.pos, what+" in <>")
	}
	start := p.pos
	text, err := p.iriText()
	if err != nil {
		return nil, err
	}
	if t := p.terms.lookup(text); t != nil {
		return t, nil
	}
	if !rdf.IsAbsoluteIRI(text) {
		return nil, p.expected(start, "an absolute IRI")
	}
	return p.terms.keep(rdf.IRI(text)), nil
}

// iriText reads an IRIREF and returns what stands between the brackets,
// unescaped and valid until the next term.
func (p *parser) iriText() ([]byte, error) {
	p.pos++
	start := p.pos
	for p.pos < len(p.src) && !rdf.IRIStop[p.src[p.pos]] {
		p.pos++
	}
	if p.peek() == '>' {
		p.pos++
		return p.src[start : p.pos-1], nil
	}
	return p.escapedIRI(start)
}

func (p *parser) escapedIRI(start int) ([]byte, error) {
	p.scratch = append(p.scratch[:0], p.src[start:p.pos]...)
	for {
		switch c := p.peek(); {
		case c == '>':
			p.pos++
			return p.scratch, nil
		case c == '\\':
			r, err := p.escape(iriEscapes)
			if err != nil {
				return nil, err
			}
			p.scratch = utf8.AppendRune(p.scratch, r)
		case p.pos == len(p.src):
			return nil, p.expected(p.pos, "'>' to end the IRI")
		case rdf.IRIStop[c]:
			return nil, p.expected(p.pos, "'>' or a character that an IRI may hold")
		default:
			p.scratch = append(p.scratch, c)
			p.pos++
		}
	}
}

// escape reads what '\' begins.
func (p *parser) escape(allowed escapes) (rune, error) {
	r, n, wrong := escape(p.src[p.pos:], allowed)
	if wrong != "" {
		return 0, p.expected(p.pos+n, wrong)
	}
	p.pos += n
	return r, nil
}

func (p *parser) literal() (rdf.Term, error) {
	text, err := p.quoted()
	if err != nil {
		return nil, err
	}
	p.space() // white space may stand between any two tokens
	switch p.peek() {
	case '@':
		lang, err := p.langTag()
		if err != nil {
			return nil, err
		}
		return rdf.LangLiteral(text, lang), nil
	case '^':
		return p.typed(text)
	}
	return quad.String(text), nil
}

// typed reads the datatype behind a lexical form.
func (p *parser) typed(text string) (rdf.Term, error) {
	if p.peekAt(1) != '^' {
		return nil, p.expected(p.pos, "'^^' and a datatype")
	}
	p.pos += 2
	p.space()
	start := p.pos
	t, err := p.iriTerm("a datatype IRI")
	if err != nil {
		return nil, err
	}
	datatype := t.(rdf.IRI)
	if datatype == rdf.RDFLangString {
		return nil, p.expected(start, "a language tag, which rdf:langString requires, or another datatype")
	}
	return rdf.Literal(text, datatype), nil
}

// quoted reads STRING_LITERAL_QUOTE and returns its text, unescaped.
func (p *parser) quoted() (string, error) {
	p.pos++
	start := p.pos
	for p.pos < len(p.src) && p.src[p.pos] != '"' && p.src[p.pos] != '\\' {
		p.pos++
	}
	if p.peek() == '"' {
		p.pos++
		return string(p.src[start : p.pos-1]), nil
	}
	return p.escapedString(start)
}

func (p *parser) escapedString(start int) (string, error) {
	p.scratch = append(p.scratch[:0], p.src[start:p.pos]...)
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; c {
		case '"':
			p.pos++
			return string(p.scratch), nil
		case '\\':
			r, err := p.escape(stringEscapes)
			if err != nil {
				return "", err
			}
			p.scratch = utf8.AppendRune(p.scratch, r)
		default:
			p.scratch = append(p.scratch, c)
			p.pos++
		}
	}
	return "", p.expected(p.pos, `'"' to end the string`)
}

// langTag reads LANGTAG: '@' [a-zA-Z]+ ('-' [a-zA-Z0-9]+)*.
func (p *parser) langTag() (string, error) {
	p.pos++
	start := p.pos
	if p.skip(rdf.IsLetter) == 0 {
		return "", p.expected(p.pos, "a language tag")
	}
	for p.peek() == '-' {
		p.pos++
		if p.skip(isLetterOrDigit) == 0 {
			return "", p.expected(p.pos, "a subtag of the language tag")
		}
	}
	if tag := p.src[start:p.pos]; string(tag) != p.lang {
		if rdf.CheckLangTag(string(tag)) != nil {
			return "", p.expected(start, "a language tag whose parts have at most 8 characters")
		}
		p.lang = string(tag)
	}
	return p.lang, nil
}

// blankNode reads BLANK_NODE_LABEL. A full stop may stand inside, not at the end;
// a colon may not: the test suites settled that erratum of the 1.1 grammar.
func (p *parser) blankNode() (rdf.Term, error) {
	if p.peekAt(1) != ':' {
		return nil, p.expected(p.pos, "'_:' and a blank node label")
	}
	p.pos += 2
	start := p.pos
	r, n := utf8.DecodeRune(p.src[p.pos:])
	if !rdf.IsNameStart(r) {
		return nil, p.expected(p.pos, "a blank node label")
	}
	end := p.pos + n
	for p.pos = end; p.pos < len(p.src); p.pos += n {
		r, n = utf8.DecodeRune(p.src[p.pos:])
		if rdf.IsNamePart(r) {
			end = p.pos + n
		} else if r != '.' {
			break
		}
	}
	p.pos = end
	return rdf.BNode(p.src[start:end]), nil
}

func (p *parser) space() {
	for p.pos < len(p.src) && (p.src[p.pos] == ' ' || p.src[p.pos] == '\t') {
		p.pos++
	}
}

// atEnd reports whether nothing, or only a comment, is left.
func (p *parser) atEnd() bool { return p.pos == len(p.src) || p.src[p.pos] == '#' }

func (p *parser) skip(class func(byte) bool) int {
	start := p.pos
	for p.pos < len(p.src) && class(p.src[p.pos]) {
		p.pos++
	}
	return p.pos - start
}

// peek returns the byte at hand, or 0 at the end of the line.
func (p *parser) peek() byte { return p.peekAt(0) }

func (p *parser) peekAt(i int) byte {
	if p.pos+i < len(p.src) {
		return p.src[p.pos+i]
	}
	return 0
}

func (p *parser) expected(pos int, what string) error { return syntaxError(p.src, pos, what) }
