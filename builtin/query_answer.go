package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"unicode/utf8"

	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/sparql"
	"trails/sparql/results"
	"trails/text/jsontext"
	"trails/text/outline"
)

// The formats of answers, the default of each form first.
var (
	rowFormats    = []string{"table", "sparql-json", "csv", "tsv", "xml"}
	streamFormats = []string{"json", "csv", "tsv", "xml"} // of rows
	graphFormats  = formNames(rdfio.GraphForms)
)

func formNames(forms []rdfio.GraphForm) (names []string) {
	for _, f := range forms {
		names = append(names, f.Name)
	}
	return names
}

func mimeOf(format string) string {
	if form, ok := rdfio.GraphFormNamed(format); ok {
		if format == "turtle" {
			return form.Media + "; charset=utf-8"
		}
		return form.Media
	}
	return results.Format(format).MediaType()
}

// boundedAnswer fills in an answer that a model can read.
func boundedAnswer(ctx context.Context, r *invoke.Request, a *kg.Answer, in asking, out *queried) (err error) {
	limit, format := in.Limit, in.Format
	switch {
	case a.Form == sparql.Ask:
		return boundedTruth(ctx, a, format, out)
	case a.Form != sparql.Select:
		return boundedGraph(ctx, r, a, format, limit, out)
	case format == "table":
		s := r.Snapshot.Schema()
		out.Form, out.Columns = "", a.Vars
		return boundedRows(ctx, r, a, limit, out, func(row []rdf.Term) any { return view.PlainRow(s, row) })
	case format == "sparql-json":
		out.Vars = a.Vars
		return boundedRows(ctx, r, a, limit, out, func(row []rdf.Term) any { return rowObject(a.Vars, row) })
	}
	out.Vars, out.MIME = a.Vars, mimeOf(format)
	return boundedText(ctx, r, a, format, limit, out)
}

// roomOfRows is how much of an answer its rows or its text may take.
func roomOfRows(r *invoke.Request, out *queried) int { return min(queryChars, r.RoomBeside(out)) }

func boundedTruth(ctx context.Context, a *kg.Answer, format string, out *queried) error {
	truth, err := a.Truth(ctx)
	if err != nil {
		return err
	}
	out.Boolean = &truth
	if format == "table" || format == "sparql-json" {
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
	out.MIME, out.Text = mimeOf(format), new(text.String())
	return nil
}

// cutRows says that rows are missing after the first n, and how to get them.
func cutRows(r *invoke.Request, n, limit int64) {
	onward := fmt.Sprintf("go on with ORDER BY and OFFSET %d", n)
	switch {
	case n == 0:
		r.Parts.Cut = fmt.Sprintf("one row is longer than the %d characters of an answer; select less of it, with SUBSTR for instance", min(queryChars, r.Room()))
	case n < limit:
		r.Parts.Cut = fmt.Sprintf("the first %d rows are shown; %s, or select less%s", n, onward, moreChars(r))
	case limit < queryMaxRows:
		r.Parts.Cut = fmt.Sprintf("the first %d rows are shown; raise limit, at most %d, or %s", n, queryMaxRows, onward)
	default:
		r.Parts.Cut = fmt.Sprintf("the first %d rows are shown; %s", n, onward)
	}
}

// moreChars says that a longer answer can be requested, unless it already has the maximum.
func moreChars(r *invoke.Request) string {
	if r.Args.Integer(capability.MaxChars().Name, 0) >= capability.MostChars {
		return ""
	}
	return fmt.Sprintf("; max_chars may be up to %d", capability.MostChars)
}

// boundedRows keeps as many rows as fit into an answer, in the form given by shown.
func boundedRows(ctx context.Context, r *invoke.Request, a *kg.Answer, limit int, out *queried, shown func([]rdf.Term) any) error {
	room := roomOfRows(r, out)
	rows, long, shortened := []any{}, room/longRows, false
	defer func() { out.Rows, out.Count = rows, new(int64(len(rows))) }()
	for row, err := range a.Rows(ctx) {
		if err != nil {
			return err
		}
		one := shown(row)
		text, err := jsontext.Marshal(one)
		if err != nil {
			return fmt.Errorf("encode row: %w", err)
		}
		if cells, isTable := one.([]any); isTable && r.Room() != math.MaxInt && utf8.RuneCount(text) > max(room, long) {
			shorten(cells)
			if text, err = jsontext.Marshal(one); err != nil {
				return fmt.Errorf("encode row: %w", err)
			}
			if !shortened {
				shortened = true
				r.Warn("texts of rows that do not fit are shortened, with their length, from row %d on; select one such row, or its SUBSTR, by itself", len(rows)+1)
			}
		}
		if room -= utf8.RuneCount(text) + 1; len(rows) == limit || room < 0 {
			cutRows(r, int64(len(rows)), int64(limit))
			return nil
		}
		rows = append(rows, one)
	}
	return nil
}

// longRows is the least number of rows that an answer for a model should have room for. A row that takes more than
// its share of the room, and does not fit, has its texts cut to cellText characters.
const (
	longRows = 10
	cellText = 200
)

// shorten cuts the long texts of a row.
func shorten(cells []any) {
	for i, cell := range cells {
		if text, isText := cell.(string); isText {
			cells[i] = outline.Shorten(text, cellText)
		}
	}
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

// boundedText writes rows in another format, as many as fit into an answer.
func boundedText(ctx context.Context, r *invoke.Request, a *kg.Answer, format string, limit int, out *queried) error {
	var text bytes.Buffer
	w, err := results.NewWriter(&text, results.Format(format))
	if err == nil {
		err = w.Head(a.Vars)
	}
	if err != nil {
		return err
	}
	n, room := int64(0), roomOfRows(r, out)
	out.Count = &n
	for row, err := range a.Rows(ctx) {
		if err = errors.Join(err, w.Flush()); err != nil {
			return err
		}
		whole := text.Len()
		if n == 0 {
			room -= jsontext.Size(text.Bytes())
		}
		if err := errors.Join(w.Row(row), w.Flush()); err != nil {
			return err
		}
		if room -= jsontext.Size(text.Bytes()[whole:]); n == int64(limit) || room < 0 {
			text.Truncate(whole)
			cutRows(r, n, int64(limit))
			break
		}
		n++
	}
	err = w.End()
	out.Text = new(text.String())
	return err
}

// boundedGraph writes as many triples as fit into an answer.
func boundedGraph(ctx context.Context, r *invoke.Request, a *kg.Answer, format string, limit int, out *queried) error {
	var quads []rdf.Quad
	size, room, more, cut := 0, roomOfRows(r, out), moreChars(r), false
	for q, err := range a.Triples(ctx) {
		if err != nil {
			return err
		}
		if size += len(rdf.AppendQuad(nil, q)); len(quads) == limit || size > room {
			if cut = true; len(quads) == limit {
				more = ""
				if limit < queryMaxRows {
					more = fmt.Sprintf(", or raise limit, at most %d", queryMaxRows)
				}
			}
			break
		}
		quads = append(quads, q)
	}
	var text bytes.Buffer
	for {
		text.Reset()
		if err := writeGraph(r, &text, a, format, each(quads)); err != nil {
			return err
		}
		written := jsontext.Size(text.Bytes())
		if len(quads) < 2 || written <= room {
			break
		}
		cut, more, quads = true, moreChars(r), quads[:max(1, min(len(quads)-1, len(quads)*room/written))]
	}
	if cut {
		r.Parts.Cut = fmt.Sprintf("the first %d triples are shown; ask for less%s", len(quads), more)
	}
	out.MIME, out.Triples, out.Text = mimeOf(format), new(int64(len(quads))), new(text.String())
	return nil
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
func streamAnswer(ctx context.Context, r *invoke.Request, a *kg.Answer, in asking, out *queried) error {
	out.MIME = mimeOf(in.Format)
	if a.Form == sparql.Construct || a.Form == sparql.Describe {
		out.Triples = new(int64)
		return writeGraph(r, r.Output, a, in.Format, tallied(a.Triples(ctx), out.Triples))
	}
	w, err := results.NewWriter(r.Output, results.Format(in.Format))
	if err != nil {
		return err
	}
	if a.Form == sparql.Select {
		out.Vars, out.Count = a.Vars, new(int64)
		return streamRows(ctx, r, a, w, int64(in.Limit), out)
	}
	truth, err := a.Truth(ctx)
	if err != nil {
		return err
	}
	out.Boolean = &truth
	return w.Boolean(truth)
}

// streamRows sends rows whenever a buffer is full.
func streamRows(ctx context.Context, r *invoke.Request, a *kg.Answer, w results.Writer, limit int64, out *queried) error {
	if err := w.Head(a.Vars); err != nil {
		return err
	}
	limited := r.Args.Has("limit")
	for row, err := range a.Rows(ctx) {
		if err != nil {
			return err
		}
		if limited && *out.Count == limit {
			cutRows(r, limit, limit)
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

// writeGraph writes triples. N-Triples are streamed; other formats need all triples in memory, which are bounded.
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
	prefixes := maps.Clone(s.TurtlePrefixes())
	maps.Copy(prefixes, a.Prefixes)
	if form, _ := rdfio.GraphFormNamed(format); form.Write != nil {
		return form.Write(w, quads, prefixes)
	}
	context := s.JSONLDContext()
	context.Used = r.Output == nil
	text, err := rdfio.DatasetJSONLD(quads, context)
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	return err
}
