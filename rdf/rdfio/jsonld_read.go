package rdfio

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/piprate/json-gold/ld"

	"trails/fault"
	"trails/rdf"
	"trails/text/jsontext"
)

// JSONLDReader reads JSON-LD 1.1 (https://www.w3.org/TR/json-ld11-api/). The first Read takes
// the whole document, up to Limits.DocumentBytes. Blank nodes are labelled as by
// [TurtleReader], labels that Turtle cannot write are replaced, and numbers get the lexical
// form of the standard. Statements that the standard makes no quads of, such as ones with
// relative IRIs without a base, are counted in LeftOut. Not safe for concurrent use.
type JSONLDReader struct {
	r      io.Reader
	base   string
	limits Limits
	load   ContextLoader
	quads  []rdf.Quad
	read   bool
	err    error

	leftOut LeftOut
}

// NewJSONLDReader returns a reader of JSON-LD. Relative IRIs are resolved against base; load
// returns the remote contexts.
func NewJSONLDReader(r io.Reader, base string, limits Limits, load ContextLoader) *JSONLDReader {
	return &JSONLDReader{r: r, base: base, limits: limits.orDefaults(), load: load}
}

// Read returns the next quad, and io.EOF after the last one. Invalid JSON is a [*SyntaxError],
// invalid JSON-LD a Malformed fault without a position. After an error each call returns that
// error.
func (j *JSONLDReader) Read() (rdf.Quad, error) {
	if !j.read {
		j.read, j.err = true, j.document()
	}
	switch {
	case j.err != nil:
		return rdf.Quad{}, j.err
	case len(j.quads) == 0:
		return rdf.Quad{}, io.EOF
	}
	q := j.quads[0]
	j.quads = j.quads[1:]
	return q, nil
}

// LeftOut returns the statements that made no quads. It is complete after the first Read.
func (j *JSONLDReader) LeftOut() LeftOut { return j.leftOut }

// Line returns 1, because quads of JSON-LD have no position.
func (j *JSONLDReader) Line() int { return 1 }

func (j *JSONLDReader) document() error {
	most := j.limits.DocumentBytes
	text, err := io.ReadAll(io.LimitReader(j.r, int64(most)+1))
	switch {
	case err != nil:
		return fmt.Errorf("read JSON-LD: %w", err)
	case len(text) > most:
		return j.tooLarge(fmt.Sprintf("a document of at most %d bytes", most))
	case jsontext.TooDeep(text, j.limits.Nesting):
		return j.tooLarge(fmt.Sprintf("at most %d nested arrays and objects", j.limits.Nesting))
	}
	if lone, found := jsontext.LoneSurrogate(text); found {
		line, column := fault.Position(text, lone.Offset)
		return &SyntaxError{Line: line, Column: column, Expected: "a character, not half of a surrogate pair", Excerpt: excerpt(text[lone.Offset:]), kind: fault.Malformed}
	}
	document, err := decodeJSON(text)
	if err != nil {
		at := len(text)
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) && !errors.Is(err, io.ErrUnexpectedEOF) {
			at = min(max(int(syntax.Offset)-1, 0), len(text))
		}
		line, column := fault.Position(text, at)
		return &SyntaxError{Line: line, Column: column, Expected: "JSON", Excerpt: excerpt(text[at:]), atEnd: at == len(text), kind: fault.Malformed}
	}
	references := newReferences(text, j.base, j.load)
	return guarded(func() error {
		if err := j.convert(disguised(document), references); err != nil {
			return err
		}
		return j.unnamed(text, references)
	})
}

func (j *JSONLDReader) convert(document any, references *references) error {
	references.collect(document, false)
	references.values(document, "")
	document = references.hide(document)
	if references.later != "" {
		return fault.New(fault.Malformed, "JSON-LD: expected %s", ofRDF12(references.later+" is"))
	}
	options := jsonldOptions(references.base(j.base), &contexts{load: j.load, references: references})
	if references.partial && !references.moved {
		references.kept = map[string]int{}
		options.ExpandedElementHandler = references.keeps
	}
	expanded, err := ld.NewJsonLdProcessor().Expand(document, options)
	switch {
	case err != nil && fault.Of(err).Kind == fault.Internal:
		return errors.New(references.replaced(err.Error()))
	case err != nil:
		return err
	}
	d := deserializer{nodes: map[string]rdf.Term{}, leftOut: references.leftOut}
	d.each(references.reveal(expanded), func(rdf.Term) {})
	j.quads, j.leftOut = d.quads, d.leftOut
	if j.limits.Quads > 0 && int64(len(j.quads)) > j.limits.Quads {
		return j.tooLarge(fmt.Sprintf("at most %d quads", j.limits.Quads))
	}
	return nil
}

func (j *JSONLDReader) tooLarge(what string) error {
	return fault.New(fault.TooLarge, "JSON-LD: expected %s", what)
}
