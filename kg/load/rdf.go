package load

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

// readRDF reads the quads of one input. In line-based formats such as N-Quads a bad line is skipped, and several
// inputs may be pieces of one document, so they share blank node labels. In other formats a syntax error ends the
// input, which is a document of its own.
func (r *reader) readRDF(text *bufio.Reader, format rdfio.Format) error {
	quads, err := rdfio.NewReader(format, text, string(cmp.Or(r.input.Base, r.Base)), rdfio.Limits{}, r.context)
	if err != nil {
		return err
	}
	if lenient, can := quads.(rdfio.Lenient); can && r.Lenient {
		lenient.BeLenient()
	}
	linewise := format == rdfio.NQuads || format == rdfio.NTriples
	if !linewise || r.input.Own {
		defer func(shared change.Labels) { r.labels = shared }(r.labels)
		r.labels = change.NewLabels()
	}
	for {
		q, err := quads.Read()
		if err == io.EOF {
			r.noteLeftOut(quads)
			return nil
		}
		r.source.Line = uint64(quads.Line())
		syntax := (*rdfio.SyntaxError)(nil)
		switch isSyntax := errors.As(err, &syntax); {
		case err == nil:
			err = r.takeQuad(q)
		case isSyntax && syntax.OneStatement && r.Lenient:
			r.LeftOut.Add(rdfio.Omission{Source: r.Sources[r.source.File], Line: syntax.Line, Column: syntax.Column, Message: messageOf(syntax)})
			err = nil
		case isSyntax && linewise:
			err = r.rejectSyntax(syntax)
		case isSyntax:
			r.Partial = true
			return r.rejectSyntax(syntax)
		default:
			return r.unreadableRDF(err)
		}
		if err != nil {
			return err
		}
	}
}

// noteLeftOut records the statements for which a reader has no quads.
func (r *reader) noteLeftOut(quads rdfio.Reader) {
	from, can := quads.(interface{ LeftOut() rdfio.LeftOut })
	if !can {
		return
	}
	out := from.LeftOut()
	for i := range out.First {
		out.First[i].Source = r.Sources[r.source.File]
	}
	r.LeftOut.Take(out)
}

// rejectSyntax reports a syntax error at its place, which precedes the message.
func (r *reader) rejectSyntax(e *rdfio.SyntaxError) error {
	r.source.Line = uint64(e.Line)
	message := fmt.Sprintf("column %d: %s", e.Column, messageOf(e))
	if e.OneStatement {
		message += "; --lenient (argument lenient) leaves such statements out"
	}
	if r.guessed && len(r.Bad) == 0 {
		message += "; it is read as " + r.format.title() + " because of how it begins; argument format says otherwise"
	}
	return r.rejectLine(errors.New(message))
}

// messageOf is the text of a syntax error without its place.
func messageOf(e *rdfio.SyntaxError) string {
	return strings.TrimPrefix(e.Error(), fmt.Sprintf("line %d, column %d: ", e.Line, e.Column))
}

// unreadableRDF adds the input's name to a fault that belongs to no line.
func (r *reader) unreadableRDF(err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		named := *f
		named.Message = r.Sources[r.source.File] + ": " + f.Message
		return &named
	}
	return r.unreadable(err)
}

func (r *reader) takeQuad(q rdf.Quad) error {
	if r.Records++; r.Records%4096 == 0 {
		if err := r.ctx.Err(); err != nil {
			return err
		}
	}
	q, err := r.placed(q)
	if err != nil {
		return r.rejectLine(err)
	}
	r.name(q)
	r.noteNames(q)
	if r.Mode == Append {
		if err := r.put(change.Edit{Op: change.Fresh, Quad: rdf.Quad{Subject: q.Subject, Label: q.Label}}); err != nil {
			return err
		}
	}
	return r.put(change.Edit{Op: change.Assert, Quad: q})
}

// maxNames bounds the predicates and the classes that are kept.
const maxNames = 1000

// name records the predicate of a quad, or its class.
func (r *reader) name(q rdf.Quad) {
	names, name := r.Predicates, q.Predicate
	if q.Predicate == rdf.Type {
		names, name = r.Classes, q.Object
	}
	if len(names) < maxNames {
		names[name] = true
	}
}

// context returns a document that JSON-LD names as its context: one that came with the load, or the context of the
// graph.
func (r *reader) context(iri string) ([]byte, bool) {
	if document, given := r.Contexts[iri]; given {
		return document, true
	}
	if iri != schema.ContextIRI {
		return nil, false
	}
	document, err := r.schema.ContextDocument()
	return document, err == nil
}

// label is a graph's name in a quad; nil for the default graph, which "" is, too.
func label(graph rdf.IRI) rdf.Term {
	if graph == "" || graph == rdf.DefaultGraph {
		return nil
	}
	return graph
}

// placed sets the graph of a quad.
func (r *reader) placed(q rdf.Quad) (rdf.Quad, error) {
	target := label(cmp.Or(r.input.Graph, r.Graph))
	if q.Label == nil {
		q.Label = target
	}
	if (r.OneGraph || r.Mode == Replace) && q.Label != target {
		return q, fmt.Errorf("the data names the graph %s itself, and is for one graph", rdf.AppendTerm(nil, q.Label))
	}
	return q, nil
}
