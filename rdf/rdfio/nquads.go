package rdfio

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"trails/fault"
	"trails/rdf"
)

// NQuadsReader reads RDF 1.1 N-Quads or N-Triples, one quad at a time
// (https://www.w3.org/TR/n-quads/). It is strict: valid UTF-8 without surrogates, absolute IRIs
// without excluded characters, well-formed language tags. Blank node labels and language tags
// are kept as written. Memory is bounded by Limits.LineBytes. Not safe for concurrent use.
type NQuadsReader struct {
	lines  *lines
	parser parser
	line   int
	limit  int64
	count  int64
}

// NewNQuadsReader returns a reader of N-Quads. It reads r ahead of the quads that it returns.
func NewNQuadsReader(r io.Reader, limits Limits) *NQuadsReader {
	most := limits.orDefaults().LineBytes
	return &NQuadsReader{
		lines:  &lines{r: r, max: most, buf: make([]byte, min(firstBuffer, most+1))},
		parser: parser{terms: newTermCache()},
		limit:  limits.Quads,
	}
}

// NewNTriplesReader returns a reader that refuses graph labels.
func NewNTriplesReader(r io.Reader, limits Limits) *NQuadsReader {
	n := NewNQuadsReader(r, limits)
	n.parser.triples = true
	return n
}

// Read returns the next quad, and io.EOF after the last one. After a [*SyntaxError] reading
// continues with the next line. Any other error is the underlying reader's, and each further
// call returns it.
func (n *NQuadsReader) Read() (rdf.Quad, error) {
	for {
		line, err := n.lines.next()
		if err != nil {
			return rdf.Quad{}, n.stop(err)
		}
		n.line = n.lines.number
		q, ok, err := n.parser.parse(line)
		if err != nil {
			return rdf.Quad{}, n.at(err)
		}
		if ok {
			return q, n.counted(line)
		}
	}
}

// BeLenient implements [Lenient].
func (n *NQuadsReader) BeLenient() { n.parser.lenient = true }

// Line returns the line of the last quad or syntax error, from 1; 0 before the first.
func (n *NQuadsReader) Line() int { return n.line }

// Offset returns how many bytes of input were consumed, in complete lines.
func (n *NQuadsReader) Offset() int64 { return n.lines.consumed }

// counted counts a quad and enforces Limits.Quads.
func (n *NQuadsReader) counted(line []byte) error {
	if n.limit > 0 && n.count == n.limit {
		e := syntaxError(line, 0, fmt.Sprintf("at most %d quads", n.limit))
		e.Line, e.kind = n.line, fault.TooLarge
		return e
	}
	n.count++
	return nil
}

// stop converts an error of the line splitter into the one to return.
func (n *NQuadsReader) stop(err error) error {
	switch {
	case err == io.EOF:
		return io.EOF
	case err == errLongLine:
		n.line = n.lines.number
		e := syntaxError(nil, 0, fmt.Sprintf("a line of at most %d bytes", n.lines.max))
		e.Line, e.Excerpt, e.kind = n.line, "a longer one", fault.TooLarge
		return e
	}
	return fmt.Errorf("read line %d: %w", n.lines.number+1, err)
}

func (n *NQuadsReader) at(err error) error {
	var e *SyntaxError
	if errors.As(err, &e) {
		e.Line = n.line
	}
	return err
}

// QuadParser reads single N-Quads statements. It caches the last subject, and with
// [NewQuadParser] also IRIs. The zero QuadParser is ready to use. Not safe for concurrent use.
type QuadParser struct{ parser parser }

// NewQuadParser returns a parser for many statements, with a cache of about 32 KiB.
func NewQuadParser() *QuadParser { return &QuadParser{parser{terms: newTermCache()}} }

// Parse reads one N-Quads statement, with or without a line ending. An empty line or a comment
// is a [*SyntaxError]. Errors have Line 1.
func (p *QuadParser) Parse(line []byte) (rdf.Quad, error) {
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if i := lineEnd(line); i >= 0 {
		return rdf.Quad{}, syntaxError(line, i, "one line only")
	}
	q, ok, err := p.parser.parse(line)
	if err == nil && !ok {
		err = p.parser.expected(0, "a statement")
	}
	return q, err
}

// ParseQuad reads one N-Quads statement, as [QuadParser.Parse] does.
func ParseQuad(line []byte) (rdf.Quad, error) { return new(QuadParser).Parse(line) }
