package rdfio

import (
	"errors"
	"strconv"
	"strings"

	"github.com/cayleygraph/quad"

	"trails/rdf"
)

const objectHint = "an object: an IRI, a name, a blank node, a literal, '[' or '('"

// objectTerm reads an object without brackets.
func (t *TurtleReader) objectTerm() (rdf.Term, error) {
	switch c := t.buf[t.pos]; {
	case c == '<':
		return t.iri()
	case c == '"', c == '\'':
		return t.literal()
	case c == '_':
		return t.blankNode()
	case rdf.IsDigit(c), c == '+', c == '-', c == '.' && rdf.IsDigit(t.peek(1)):
		end := t.run(0, func(c byte) bool { return rdf.IsDigit(c) || c == '+' || c == '-' || c == '.' || c|0x20 == 'e' })
		n, datatype := rdf.LeadingNumber(t.rest()[:end])
		if n == 0 {
			return nil, t.expected(0, "a number")
		}
		text := string(t.rest()[:n])
		t.pos += n
		return rdf.Literal(text, datatype), nil
	}
	n, colon := t.word()
	if colon {
		return t.prefixedName(n)
	}
	switch word := string(t.rest()[:n]); word {
	case "true", "false":
		t.pos += n
		return rdf.Literal(word, rdf.XSDBoolean), nil
	}
	if t.peek(0) == '{' {
		return nil, t.expected(0, formulas)
	}
	return nil, t.expected(0, objectHint)
}

// iri reads an IRIREF and resolves it.
func (t *TurtleReader) iri() (rdf.Term, error) {
	text, n, err := t.iriRef()
	if err != nil {
		return t.refused(err, t.iriEnd())
	}
	term := t.terms.lookup(text)
	if term == nil {
		if term, err = t.resolve(text); err != nil {
			return t.refused(err, n)
		}
	}
	t.pos += n
	return term, nil
}

func (t *TurtleReader) resolve(text []byte) (rdf.Term, error) {
	if rdf.IsAbsoluteIRI(text) {
		return t.terms.keep(rdf.IRI(text)), nil
	}
	iri, err := rdf.ResolveIRI(t.base, string(text))
	if err != nil {
		return nil, t.expected(0, "an absolute IRI, because there is no base")
	}
	return rdf.IRI(iri), nil
}

// iriOrName reads an IRI in either form; what names its role in the error.
func (t *TurtleReader) iriOrName(what string) (rdf.Term, error) {
	if t.peek(0) == '<' {
		return t.iri()
	}
	if n, colon := t.word(); colon {
		return t.prefixedName(n)
	}
	return nil, t.expected(0, what)
}

// prefixedName reads a prefixed name whose prefix has n bytes.
func (t *TurtleReader) prefixedName(n int) (rdf.Term, error) {
	ns := t.lastNS
	if prefix := t.rest()[:n]; ns == nil || string(prefix) != t.lastName {
		if ns = t.prefixes[string(prefix)]; ns == nil {
			return nil, t.expected(0, "a prefix that was declared")
		}
		t.lastName, t.lastNS = string(prefix), ns
	}
	local, size, err := t.localName(n + 1)
	if err != nil {
		return nil, err
	}
	t.pos += n + 1 + size
	return t.names.term(ns, local), nil
}

func (t *TurtleReader) blankNode() (rdf.Term, error) {
	label, n, err := t.blankLabel()
	if err != nil {
		return nil, err
	}
	t.pos += n
	return writtenLabel(string(label)), nil
}

func (t *TurtleReader) literal() (rdf.Term, error) {
	bytes, n, err := t.quoted()
	if err != nil {
		return nil, err
	}
	text := quad.String(bytes)
	t.pos += n
	if !t.space() {
		return text, nil
	}
	switch t.buf[t.pos] {
	case '@':
		tag, n, err := t.langTag()
		if err != nil {
			return t.refused(err, t.tagEnd(1))
		}
		t.pos += n
		return rdf.LangLiteral(string(text), tag), nil
	case '^':
		return t.typed(string(text))
	}
	return text, nil
}

func (t *TurtleReader) typed(text string) (rdf.Term, error) {
	if t.peek(1) != '^' {
		return nil, t.syntaxError(0, "'^^' and a datatype")
	}
	t.pos += 2
	t.space()
	if t.peek(0) == 0 {
		return nil, t.expected(0, "a datatype IRI")
	}
	datatype, err := t.iriOrName("a datatype IRI")
	if none, is := datatype.(noTerm); is || err != nil {
		return none, err
	}
	if datatype == rdf.RDFLangString {
		return nil, t.expected(0, "a language tag in place of rdf:langString")
	}
	return rdf.Literal(text, datatype.(rdf.IRI)), nil
}

// directive reads @prefix or @base.
func (t *TurtleReader) directive() error {
	n := t.run(1, rdf.IsLetter)
	read := map[string]func() error{"@prefix": t.prefixDirective, "@base": t.baseDirective}[string(t.rest()[:n])]
	if read == nil {
		return t.expected(0, "@prefix or @base")
	}
	t.pos += n
	if err := read(); err != nil {
		return err
	}
	if !t.space() || t.buf[t.pos] != '.' {
		return t.expected(0, "'.' to end the directive")
	}
	t.pos++
	return nil
}

func (t *TurtleReader) prefixDirective() error {
	if !t.space() {
		return t.expected(0, "a prefix and ':'")
	}
	n, colon := t.word()
	if !colon {
		return t.expected(0, "a prefix and ':'")
	}
	prefix := string(t.rest()[:n])
	t.pos += n + 1
	iri, err := t.directiveIRI()
	if err != nil {
		return err
	}
	t.prefixes[prefix], t.lastNS = t.names.namespace(iri), nil
	return nil
}

func (t *TurtleReader) baseDirective() error {
	iri, err := t.directiveIRI()
	if err == nil {
		t.base = iri
	}
	return err
}

func (t *TurtleReader) directiveIRI() (string, error) {
	if !t.space() || t.buf[t.pos] != '<' {
		return "", t.expected(0, "an IRI in <>")
	}
	term, err := t.iri()
	if none, is := term.(noTerm); is && err == nil {
		err = none.at
	}
	if syntax := (*SyntaxError)(nil); errors.As(err, &syntax) {
		syntax.OneStatement = false // the statements after it need the prefix or the base
	}
	if err != nil {
		return "", err
	}
	return rdf.Lexical(term), nil
}

// freshLabels generates labels for blank nodes that have none.
type freshLabels int

const freshPrefix = "anon-"

func (f *freshLabels) next() rdf.Term {
	*f++
	return rdf.BNode(freshPrefix + strconv.Itoa(int(*f)))
}

// IsGenerated reports whether a label has the form that readers generate. Such a label
// identifies a node only within one document.
func IsGenerated(label rdf.BNode) bool { return strings.HasPrefix(string(label), freshPrefix) }

// writtenLabel keeps a label, unless it looks like one of [freshLabels], or it ends in a full
// stop, which only XML names may.
func writtenLabel(label string) rdf.Term {
	if rest, clash := strings.CutPrefix(label, freshPrefix); clash {
		label = freshPrefix + "-" + rest
	}
	if strings.HasSuffix(label, ".") {
		label = freshPrefix + "." + label + "_"
	}
	return rdf.BNode(label)
}
