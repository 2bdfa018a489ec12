package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"

	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/sparql"
	"trails/sparql/results"
	"trails/view"
)

// The formats of answers, each form's own first.
var (
	rowFormats   = []string{"json", "csv", "tsv", "xml"}
	graphFormats = []string{"turtle", "ntriples", "jsonld"}
	graphTypes   = map[string]string{
		"turtle": "text/turtle; charset=utf-8", "ntriples": "application/n-triples", "jsonld": "application/ld+json",
	}
)

func mimeOf(format string) string {
	if mime, ok := graphTypes[format]; ok {
		return mime
	}
	return results.Format(format).MediaType()
}

// boundedAnswer fills in an answer that a model can read.
func boundedAnswer(ctx context.Context, r *invoke.Request, a *kg.Answer, format string, out *queried) (err error) {
	limit := r.Args.Integer("limit", queryRows)
	if format != "json" {
		out.MIME = mimeOf(format)
	}
	switch {
	case a.Form == sparql.Ask:
		return boundedTruth(ctx, a, format, out)
	case a.Form != sparql.Select:
		return boundedGraph(ctx, r, a, format, limit, out)
	}
	out.Vars = a.Vars
	if format == "json" {
		return boundedRows(ctx, a, limit, out)
	}
	return boundedText(ctx, a, format, limit, out)
}

func boundedTruth(ctx context.Context, a *kg.Answer, format string, out *queried) error {
	truth, err := a.Truth(ctx)
	if err != nil {
		return err
	}
	out.Boolean = &truth
	if format == "json" {
		return nil
	}
	var text bytes.Buffer
	w, err := results.NewWriter(&text, results.Format(format))
	if err != nil {
		return err
	}
	if err := w.Boolean(truth); err != nil {
		return err
	}
	out.Text = new(text.String())
	return nil
}

// cutRows says that rows are missing.
func (q *queried) cutRows(n, limit int64) {
	q.Truncated = true
	switch {
	case n == 0:
		q.Cut = fmt.Sprintf("bytes: one row is larger than the %d KiB of an answer; select less of it, with SUBSTR for instance", queryBytes>>10)
	case n < limit:
		q.Cut = fmt.Sprintf("bytes: an answer has at most %d KiB; go on with ORDER BY and OFFSET %d, or select less", queryBytes>>10, n)
	case limit < queryMaxRows:
		q.Cut = fmt.Sprintf("rows: raise limit, at most %d, or go on with ORDER BY and OFFSET %d", queryMaxRows, n)
	default:
		q.Cut = fmt.Sprintf("rows: go on with ORDER BY and OFFSET %d", n)
	}
}

func boundedRows(ctx context.Context, a *kg.Answer, limit int, out *queried) error {
	rows := []map[string]any{}
	size := 0
	out.Rows, out.Count = &rows, new(int64)
	for row, err := range a.Rows(ctx) {
		if err != nil {
			return err
		}
		object := rowObject(a.Vars, row)
		text, err := json.Marshal(object)
		if err != nil {
			return fmt.Errorf("encode row: %w", err)
		}
		if size += len(text) + 1; len(rows) == limit || size > queryBytes {
			out.cutRows(int64(len(rows)), int64(limit))
			return nil
		}
		rows = append(rows, object)
		*out.Count++
	}
	return nil
}

func rowObject(vars []sparql.Var, row []rdf.Term) map[string]any {
	object := make(map[string]any, len(row))
	for i, t := range row {
		if t != nil {
			object[string(vars[i])] = view.TermOf(t)
		}
	}
	return object
}

// boundedText writes rows in another format, as many as go into an answer.
func boundedText(ctx context.Context, a *kg.Answer, format string, limit int, out *queried) error {
	var text bytes.Buffer
	w, err := results.NewWriter(&text, results.Format(format))
	if err == nil {
		err = w.Head(a.Vars)
	}
	if err != nil {
		return err
	}
	n := int64(0)
	out.Count = &n
	for row, err := range a.Rows(ctx) {
		if err = errors.Join(err, w.Flush()); err != nil {
			return err
		}
		whole := text.Len()
		if err := errors.Join(w.Row(row), w.Flush()); err != nil {
			return err
		}
		if n == int64(limit) || text.Len() > queryBytes {
			text.Truncate(whole)
			out.cutRows(n, int64(limit))
			break
		}
		n++
	}
	err = w.End()
	out.Text = new(text.String())
	return err
}

// boundedGraph writes as many triples as go into an answer.
func boundedGraph(ctx context.Context, r *invoke.Request, a *kg.Answer, format string, limit int, out *queried) error {
	var quads []rdf.Quad
	size := 0
	for q, err := range a.Triples(ctx) {
		if err != nil {
			return err
		}
		if size += len(rdf.AppendQuad(nil, q)); len(quads) == limit || size > queryBytes {
			out.cutTriples(len(quads), limit)
			break
		}
		quads = append(quads, q)
	}
	var text bytes.Buffer
	if err := writeGraph(r, &text, a, format, each(quads)); err != nil {
		return err
	}
	out.MIME, out.Triples, out.Text = mimeOf(format), new(int64(len(quads))), new(text.String())
	return nil
}

// cutTriples says that triples are missing.
func (q *queried) cutTriples(n, limit int) {
	q.Truncated = true
	q.Cut = fmt.Sprintf("bytes: an answer has at most %d KiB; ask for less", queryBytes>>10)
	if n == limit {
		q.Cut = fmt.Sprintf("triples: raise limit, at most %d, or ask for less", queryMaxRows)
	}
}

func each(quads []rdf.Quad) iter.Seq2[rdf.Quad, error] {
	return func(yield func(rdf.Quad, error) bool) {
		for _, q := range quads {
			if !yield(q, nil) {
				return
			}
		}
	}
}

// streamAnswer writes the whole answer to Output.
func streamAnswer(ctx context.Context, r *invoke.Request, a *kg.Answer, format string, out *queried) error {
	out.MIME = mimeOf(format)
	if a.Form == sparql.Construct || a.Form == sparql.Describe {
		out.Triples = new(int64)
		return writeGraph(r, r.Output, a, format, tallied(a.Triples(ctx), out.Triples))
	}
	w, err := results.NewWriter(r.Output, results.Format(format))
	if err != nil {
		return err
	}
	if a.Form == sparql.Select {
		out.Vars, out.Count = a.Vars, new(int64)
		return streamRows(ctx, r, a, w, out)
	}
	truth, err := a.Truth(ctx)
	if err != nil {
		return err
	}
	out.Boolean = &truth
	return w.Boolean(truth)
}

// streamRows sends rows as they fill a buffer.
func streamRows(ctx context.Context, r *invoke.Request, a *kg.Answer, w results.Writer, out *queried) error {
	if err := w.Head(a.Vars); err != nil {
		return err
	}
	limit, limited := int64(r.Args.Integer("limit", 0)), r.Args["limit"] != nil
	for row, err := range a.Rows(ctx) {
		if err != nil {
			return err
		}
		if limited && *out.Count == limit {
			out.cutRows(limit, limit)
			break
		}
		if err := w.Row(row); err != nil {
			return err
		}
		*out.Count++
	}
	return w.End()
}

func tallied(quads iter.Seq2[rdf.Quad, error], n *int64) iter.Seq2[rdf.Quad, error] {
	return func(yield func(rdf.Quad, error) bool) {
		for q, err := range quads {
			if err == nil {
				*n++
			}
			if !yield(q, err) {
				return
			}
		}
	}
}

// writeGraph writes triples. Only N-Triples do not need all of them at once; of others
// there is a bound.
func writeGraph(r *invoke.Request, w io.Writer, a *kg.Answer, format string, triples iter.Seq2[rdf.Quad, error]) error {
	if format == "ntriples" {
		_, err := rdfio.WriteNQuads(w, triples)
		return err
	}
	var quads []rdf.Quad
	for q, err := range triples {
		if err != nil {
			return err
		}
		if len(quads) == view.MaxDocumentQuads {
			return fault.New(fault.TooLarge, "the graph has more than %d triples, which is too many to lay out as %s; ask for ntriples, which stream, or for less", view.MaxDocumentQuads, format)
		}
		quads = append(quads, q)
	}
	s := r.Snapshot.Schema()
	if format == "turtle" {
		prefixes := maps.Clone(s.TurtlePrefixes())
		maps.Copy(prefixes, a.Prefixes)
		return rdfio.WriteTurtle(w, quads, prefixes)
	}
	text, err := rdfio.DatasetJSONLD(quads, s.JSONLDContext(s.Types...))
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	return err
}
