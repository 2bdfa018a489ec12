package sparql

import (
	"fmt"
	"maps"
	"strconv"
	"unicode/utf8"

	"trails/fault"
	"trails/rdf"
)

// Default limits of [Parse].
const (
	DefaultBytes = 1 << 20
	DefaultDepth = 200
)

const (
	// maxChain bounds repetitions that become a deep tree: the elements of a group, the operands of a chain of
	// operators.
	maxChain = 10_000
	// maxExpansion bounds the bytes of all expanded prefixed names, as a multiple of the bytes that a text may have.
	maxExpansion = 16
)

// Options are the settings of a parse that the text does not contain. The zero value works.
type Options struct {
	// Base resolves relative IRIs until the text has a BASE.
	Base string
	// Prefixes are known without a declaration; the text may redeclare them.
	Prefixes map[string]string
	// MaxBytes bounds the text; 0 is [DefaultBytes].
	MaxBytes int
	// MaxDepth bounds how deep groups, expressions, paths, lists and blank nodes
	// stand inside each other; 0 is [DefaultDepth].
	MaxDepth int
}

// Parse reads a query and translates it to the algebra (section 18.2). An invalid text is a [*fault.SyntaxError].
func Parse(text string, opts Options) (*Query, error) {
	p, err := newParser(text, opts)
	if err != nil {
		return nil, err
	}
	return p.wholeQuery()
}

// FormOf returns the form of a query from the word that follows the prologue, without reading further; "" if there is
// none.
func FormOf(text string) Form {
	p, err := newParser(text, Options{Base: "urn:trails:"})
	if err != nil {
		return ""
	}
	p.prologue()
	for _, form := range []Form{Select, Construct, Describe, Ask} {
		if p.failed == nil && p.is(string(form)) {
			return form
		}
	}
	return ""
}

func (p *parser) wholeQuery() (*Query, error) {
	q := p.query()
	p.expectEnd("the end of the query")
	if p.failed != nil {
		return nil, p.failed
	}
	return q, nil
}

// ParseUpdate reads an update request. An invalid text is a [*fault.SyntaxError].
func ParseUpdate(text string, opts Options) (*Update, error) {
	p, err := newParser(text, opts)
	if err != nil {
		return nil, err
	}
	u := p.update()
	p.expectEnd("';' or the end of the update")
	if p.failed != nil {
		return nil, p.failed
	}
	return u, nil
}

// parser is a recursive descent parser for the grammar of section 19.8. After the first failure the lexer only
// returns the end token, and the result is discarded.
type parser struct {
	lexer
	opts     Options
	tok      token
	base     string
	prefixes map[string]string // from Options and from the text
	declared map[string]string // from the text
	expanded map[string]rdf.IRI
	bytes    int // total size of the IRIs made with a prefix or the base
	tokens   int // number of tokens read
	depth    int

	sink   *sink
	blocks blocks
	data   dataNodes
	// aggregates counts the aggregates of the SELECT that is being read; nil where none is allowed.
	aggregates *int
	numbers    renumbering
	inGraph    bool // within GRAPH
	// names are the IRIs of the text, collected if naming is set.
	names  []Name
	naming bool
	// placing records offsets, if it is not nil.
	placing *placing
}

func newParser(text string, opts Options) (*parser, error) {
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = DefaultBytes
	}
	if opts.MaxDepth <= 0 {
		opts.MaxDepth = DefaultDepth
	}
	src := source{text: text, written: text}
	if len(text) > opts.MaxBytes {
		err := src.fail(opts.MaxBytes, fmt.Sprintf("the text is longer than %d bytes", opts.MaxBytes))
		err.Kind = fault.TooLarge
		return nil, err
	}
	if !utf8.ValidString(text) {
		return nil, src.fail(rdf.InvalidAt(text), "the text is not valid UTF-8")
	}
	src, failed := unescapeCodepoints(text)
	if failed != nil {
		return nil, failed
	}
	p := &parser{
		lexer: lexer{source: src}, opts: opts, base: opts.Base,
		prefixes: maps.Clone(opts.Prefixes), declared: map[string]string{}, expanded: map[string]rdf.IRI{},
	}
	if p.prefixes == nil {
		p.prefixes = map[string]string{}
	}
	p.next()
	return p, nil
}

func (p *parser) next() {
	p.tok = p.scan()
	p.tokens++
}

// is reports whether the current token is this sign or keyword.
func (p *parser) is(text string) bool { return p.tok.kind == symbol && p.tok.text == text }

// accept skips the current token if it is this sign or keyword.
func (p *parser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.next()
	return true
}

// expect skips a sign or keyword that is required here.
func (p *parser) expect(text string) {
	if p.accept(text) {
		return
	}
	if !rdf.IsLetter(text[0]) {
		text = "'" + text + "'"
	}
	p.failExpected(text)
}

func (p *parser) expectEnd(what string) {
	if p.tok.kind != atEnd {
		p.failExpected(what)
	}
}

// take returns the text of the current token if it is of this kind, and skips it.
func (p *parser) take(k kind, what string) string {
	if p.tok.kind != k {
		p.failExpected(what)
		return ""
	}
	text := p.tok.text
	p.next()
	return text
}

func (p *parser) takeVar() Var { return Var(p.take(variable, "a variable")) }

// ended reports that the text has ended or the parse has failed, so that loops must stop.
func (p *parser) ended() bool { return p.tok.kind == atEnd }

func (p *parser) failExpected(what string) {
	p.failHere("expected " + what + ", found " + p.found())
}

// failHere fails at the current token.
func (p *parser) failHere(message string) { p.failFrom(p.tok.start, message) }

func (p *parser) failFrom(at int, message string) {
	p.failAt(at, message)
	p.tok = token{kind: atEnd, start: at, end: at}
}

func (p *parser) failTooLarge(message string) {
	if p.failed == nil {
		p.failHere(message)
		p.failed.Kind = fault.TooLarge
	}
}

const foundRunes = 32

func (p *parser) found() string {
	if p.tok.kind == atEnd {
		return "the end of the text"
	}
	return quoteFound(p.text[p.tok.start:p.tok.end])
}

// quoteFound quotes a piece of the text, cut short.
func quoteFound(s string) string {
	n := 0
	for i := range s {
		if n++; n > foundRunes {
			return strconv.QuoteToGraphic(s[:i] + "…")
		}
	}
	return strconv.QuoteToGraphic(s)
}

// enter counts one more level of nesting; the caller defers leave.
func (p *parser) enter() {
	if p.depth++; p.depth > p.opts.MaxDepth {
		p.failTooLarge(fmt.Sprintf("this stands more than %d levels deep", p.opts.MaxDepth))
	}
}

func (p *parser) leave() { p.depth-- }

// link counts one more element of a chain.
func (p *parser) link(n *int, what string) {
	if *n++; *n > maxChain {
		p.failTooLarge(fmt.Sprintf("more than %d %s in a row", maxChain, what))
	}
}
