package rdfio

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"trails/fault"
	"trails/rdf"
)

// RDFXMLReader reads RDF 1.1 XML Syntax (https://www.w3.org/TR/rdf-syntax-grammar/), one quad
// at a time. Blank nodes are labelled as by [TurtleReader]. Nothing is fetched: only entities
// declared with a text in the document itself are known, and their expansion counts towards
// Limits.TermBytes. Columns count bytes, and an error's position is that of its element or
// text. Not safe for concurrent use.
type RDFXMLReader struct {
	xml      *xml.Decoder
	input    *meter
	limits   Limits
	lenient  bool
	entities map[string]string

	stack []element
	root  bool            // the root element has begun
	ids   map[string]bool // IRIs made by rdf:ID
	fresh freshLabels

	leftOut LeftOut

	line, column int // where the current token begins
	ready        []rdf.Quad
	returned     int
	count        int64
	err          error
}

// NewRDFXMLReader returns a reader of RDF/XML. Relative IRIs are resolved against xml:base, or
// else base; if both are missing they are refused.
func NewRDFXMLReader(r io.Reader, base string, limits Limits) *RDFXMLReader {
	limits = limits.orDefaults()
	input := &meter{r: r, most: limits.TermBytes}
	x := &RDFXMLReader{
		xml:      xml.NewDecoder(input),
		input:    input,
		limits:   limits,
		entities: map[string]string{},
		ids:      map[string]bool{},
		stack:    []element{{content: rootContent, base: base}},
	}
	x.xml.CharsetReader = charset
	x.xml.Entity = x.entities
	return x
}

// LeftOut returns what was read so far and says nothing.
func (x *RDFXMLReader) LeftOut() LeftOut { return x.leftOut }

// Read returns the next quad, and io.EOF after the last one. After an error each call returns
// that error.
func (x *RDFXMLReader) Read() (rdf.Quad, error) {
	for x.returned == len(x.ready) {
		x.ready, x.returned = x.ready[:0], 0
		if x.err != nil {
			return rdf.Quad{}, x.err
		}
		x.err = x.token()
	}
	q := x.ready[x.returned]
	x.returned++
	if x.lenient {
		if wrong := leftOut(q); wrong != nil {
			return rdf.Quad{}, wrong
		}
	}
	return q, nil
}

// BeLenient implements [Lenient].
func (x *RDFXMLReader) BeLenient() { x.lenient = true }

// refused returns an error for an invalid IRI or language tag. A lenient reader gets a noTerm
// instead, which leaves out the statement.
func (x *RDFXMLReader) refused(what, found string) (noTerm, error) {
	e := x.expectedError(what, found)
	e.OneStatement = true
	if !x.lenient {
		return noTerm{}, e
	}
	return noTerm{why: e.Error(), at: e}, nil
}

// Line returns the line of the current element or text, from 1.
func (x *RDFXMLReader) Line() int { return max(x.line, 1) }

func (x *RDFXMLReader) token() error {
	x.line, x.column = x.xml.InputPos()
	x.input.used = 0
	token, err := x.xml.RawToken()
	if err != nil {
		return x.failed(err)
	}
	switch token := token.(type) {
	case xml.StartElement:
		err = x.start(token)
	case xml.EndElement:
		err = x.end(token)
	case xml.CharData:
		err = x.text(token)
	case xml.Comment:
		x.markup("<!--" + string(token) + "-->")
	case xml.ProcInst:
		if len(token.Inst) > 0 {
			token.Inst = append([]byte{' '}, token.Inst...)
		}
		x.markup("<?" + token.Target + string(token.Inst) + "?>")
	case xml.Directive:
		err = x.declare(string(token))
	}
	if err != nil {
		return err
	}
	return x.within()
}

// failed converts an error of the decoder into the one to return.
func (x *RDFXMLReader) failed(err error) error {
	var syntax *xml.SyntaxError
	switch {
	case err == io.EOF && x.root && len(x.stack) == 1:
		return io.EOF
	case err == io.EOF:
		return x.expected("the end of every element", "the end of the input")
	case errors.As(err, &syntax):
		x.line, x.column = x.xml.InputPos()
		x.column = max(x.column, 1) // the end of a line counts as before the next line's first character
		return x.expected("well-formed XML", syntax.Msg)
	case errors.Is(err, errLongTerm):
		return x.tooLarge(fmt.Sprintf("a tag or a text of at most %d bytes", x.input.most))
	case errors.Is(err, errCharset), strings.HasPrefix(err.Error(), "xml:"):
		return x.expected("XML 1.0 in UTF-8, US-ASCII or ISO-8859-1", err.Error())
	}
	return fmt.Errorf("read line %d: %w", x.line, err)
}

func (x *RDFXMLReader) expected(what, found string) error { return x.expectedError(what, found) }

func (x *RDFXMLReader) expectedError(what, found string) *SyntaxError {
	if n := len(found); n > 2*excerptBytes {
		found = excerpt([]byte(found))
	}
	return &SyntaxError{Line: x.line, Column: x.column, Expected: what, Excerpt: found, kind: fault.Malformed}
}

func (x *RDFXMLReader) tooLarge(what string) error {
	return &SyntaxError{Line: x.line, Column: x.column, Expected: what, Excerpt: "more", kind: fault.TooLarge}
}

func (x *RDFXMLReader) within() error {
	if x.limits.Quads <= 0 || x.count <= x.limits.Quads {
		return nil
	}
	x.ready = x.ready[:max(0, len(x.ready)-int(x.count-x.limits.Quads))]
	return x.tooLarge(fmt.Sprintf("at most %d quads", x.limits.Quads))
}

func (x *RDFXMLReader) emit(s, p, o rdf.Term) {
	x.ready = append(x.ready, rdf.Quad{Subject: s, Predicate: p, Object: o})
	x.count++
}

func (x *RDFXMLReader) top() *element { return &x.stack[len(x.stack)-1] }

// text handles character data: part of a literal, or white space.
func (x *RDFXMLReader) text(data xml.CharData) error {
	e := x.top()
	switch {
	case e.content == literalContent:
		e.canonical.text(data)
		return x.shortEnough(e.canonical.out.Len())
	case e.content == propertyContent && e.object == nil:
		e.text = append(e.text, data...)
		return x.shortEnough(len(e.text))
	}
	if !isXMLSpace(data, len(x.stack) == 1) {
		return x.expected(e.hint(), string(data))
	}
	return nil
}

func (x *RDFXMLReader) shortEnough(n int) error {
	if n > x.limits.TermBytes {
		return x.tooLarge(fmt.Sprintf("a literal of at most %d bytes", x.limits.TermBytes))
	}
	return nil
}

func isXMLSpace(data []byte, outside bool) bool {
	text := string(data)
	if outside {
		text = strings.TrimPrefix(text, "\ufeff")
	}
	return strings.Trim(text, " \t\r\n") == ""
}

// markup handles a comment or a processing instruction; only XML literals keep them.
func (x *RDFXMLReader) markup(text string) {
	if e := x.top(); e.content == literalContent {
		e.canonical.out.WriteString(text)
	}
}
