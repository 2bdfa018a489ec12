package kg

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema"
)

// readRDF takes the quads of one input. Where lines stand for themselves, as in
// N-Quads, a bad one is passed over, and inputs may be pieces of one document, so
// that they share the labels of blank nodes; in any other format a syntax error ends
// the input, which is a document of its own.
func (l *loading) readRDF(text *bufio.Reader, format rdfio.Format) error {
	r, err := rdfio.NewReader(format, text, string(cmp.Or(l.input.Base, l.load.Base)), rdfio.Limits{}, l.context)
	if err != nil {
		return err
	}
	linewise := format == rdfio.NQuads || format == rdfio.NTriples
	if !linewise || l.input.Own {
		defer func(shared relabel) { l.labels = shared }(l.labels)
		l.labels = newRelabel()
	}
	for {
		q, err := r.Read()
		if err == io.EOF {
			return nil
		}
		l.source.Line = uint64(r.Line())
		syntax := (*rdfio.SyntaxError)(nil)
		switch isSyntax := errors.As(err, &syntax); {
		case err == nil:
			err = l.takeQuad(q)
		case isSyntax && linewise:
			err = l.rejectSyntax(syntax)
		case isSyntax:
			return l.rejectSyntax(syntax)
		default:
			return l.unreadableRDF(err)
		}
		if err != nil {
			return err
		}
	}
}

// rejectSyntax reports a syntax error at its place, which stands before the message.
func (l *loading) rejectSyntax(e *rdfio.SyntaxError) error {
	l.source.Line = uint64(e.Line)
	return l.rejectLine(errors.New(strings.TrimPrefix(e.Error(), fmt.Sprintf("line %d, ", e.Line))))
}

// unreadableRDF gives the fault of a document that has no bad line the input's name.
func (l *loading) unreadableRDF(err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		named := *f
		named.Message = l.names[l.source.File] + ": " + f.Message
		return &named
	}
	return l.unreadable(err)
}

func (l *loading) takeQuad(q rdf.Quad) error {
	if l.records++; l.records%progressStep == 0 {
		if err := l.ctx.Err(); err != nil {
			return err
		}
	}
	q, err := l.placed(q)
	if err != nil {
		return l.rejectLine(err)
	}
	if l.load.Mode == Append {
		if err := l.put(change.Edit{Op: change.Fresh, Quad: rdf.Quad{Subject: q.Subject, Label: q.Label}}); err != nil {
			return err
		}
	}
	return l.put(change.Edit{Op: change.Assert, Quad: q})
}

// context is a document that JSON-LD names as its context: one that came with the
// load, or the graph's own.
func (l *loading) context(iri string) ([]byte, bool) {
	if document, given := l.load.Contexts[iri]; given {
		return document, true
	}
	if iri != schema.ContextIRI {
		return nil, false
	}
	document, err := l.under.schema.ContextDocument()
	return document, err == nil
}
