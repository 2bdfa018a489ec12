package kg

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"iter"
	"slices"

	"trails/kg/change"
	"trails/kg/fault"
	"trails/kg/rdf"
	"trails/kg/rdfio"
	"trails/kg/schema"
)

// Exported reports a finished export.
type Exported struct {
	// Records counts the lines written.
	Records int64 `json:"records"`
	// Left counts quads that the format cannot say; NDJSON says nodes of declared types only.
	Left int64 `json:"left_out"`
}

// ExportFormats are those that [Snapshot.Export] writes.
func ExportFormats() []Format { return []Format{NQuads, NTriples, NDJSON, Turtle, TriG, JSONLD} }

// Export writes the snapshot in canonical order: the same graph gives the same
// bytes, and blank nodes keep their labels. Triples, which are what N-Triples and Turtle can say, are those of the
// default graph. Memory is bounded, whatever the graph's size: what is written for
// people to read, Turtle, TriG and JSON-LD, has a limit.
func (s *Snapshot) Export(ctx context.Context, w io.Writer, format Format, progress func(Progress)) (Exported, error) {
	return s.ExportGraph(ctx, w, format, "", progress)
}

// ExportGraph writes one named graph, or with [rdf.DefaultGraph] the default graph
// only. Formats of triples say it without its name.
func (s *Snapshot) ExportGraph(ctx context.Context, w io.Writer, format Format, graph rdf.IRI, progress func(Progress)) (Exported, error) {
	if !slices.Contains(ExportFormats(), format) {
		return Exported{}, wrongFormat(format, ExportFormats())
	}
	out := exporting{snapshot: s, w: bufio.NewWriterSize(w, 1<<18), graph: graph}
	var spool change.Spool
	defer spool.Close()
	if err := out.collect(ctx, &spool, progress); err != nil {
		return Exported{}, err
	}
	report := reporter(progress, "export", "quads", spool.Len())
	if err := out.write(ctx, format, &spool, report); err != nil {
		return Exported{}, err
	}
	return out.done, out.w.Flush()
}

type exporting struct {
	snapshot *Snapshot
	w        *bufio.Writer
	graph    rdf.IRI
	done     Exported
}

// collect sorts the quads.
func (x *exporting) collect(ctx context.Context, spool *change.Spool, progress func(Progress)) error {
	var pattern rdf.Quad
	if x.graph != "" {
		pattern.Label = x.graph
	}
	report := reporter(progress, "read", "quads", x.snapshot.Head().Quads)
	for q, err := range x.snapshot.Match(ctx, pattern) {
		if err != nil {
			return err
		}
		if err := spool.Add(change.Edit{Op: change.Assert, Quad: q}); err != nil {
			return err
		}
		report(1)
	}
	return nil
}

func (x *exporting) write(ctx context.Context, format Format, spool *change.Spool, report func(int64)) (err error) {
	switch format {
	case NDJSON:
		return x.nodes(ctx, spool, report)
	case NQuads:
		x.done.Records, err = rdfio.WriteNQuads(x.w, spooled(ctx, spool, report))
	case NTriples:
		x.done.Records, err = rdfio.WriteNQuads(x.w, x.triples(spooled(ctx, spool, report)))
	case Turtle:
		err = x.shaped(x.triples(spooled(ctx, spool, report)), x.turtle)
	case TriG:
		err = x.shaped(spooled(ctx, spool, report), x.trig)
	default:
		err = x.shaped(spooled(ctx, spool, report), x.jsonld)
	}
	return err
}

// spooled are the sorted quads one by one.
func spooled(ctx context.Context, spool *change.Spool, report func(int64)) iter.Seq2[rdf.Quad, error] {
	return func(yield func(rdf.Quad, error) bool) {
		for group, err := range spool.Groups(ctx) {
			if err != nil {
				yield(rdf.Quad{}, err)
				return
			}
			for _, e := range group.Edits {
				if !yield(e.Quad, nil) {
					return
				}
			}
			report(int64(len(group.Edits)))
		}
	}
}

// triples takes the name off the quads of the graph that is asked for, and leaves
// out those of named graphs when none is.
func (x *exporting) triples(quads iter.Seq2[rdf.Quad, error]) iter.Seq2[rdf.Quad, error] {
	return func(yield func(rdf.Quad, error) bool) {
		for q, err := range quads {
			if x.graph == "" && q.Label != nil {
				x.done.Left++
				continue
			}
			q.Label = nil
			if !yield(q, err) {
				return
			}
		}
	}
}

// maxShaped bounds the quads of an export that needs all of them at once.
const maxShaped = 1_000_000

// shaped writes what is laid out as a whole.
func (x *exporting) shaped(quads iter.Seq2[rdf.Quad, error], write func([]rdf.Quad) error) error {
	var all []rdf.Quad
	for q, err := range quads {
		if err != nil {
			return err
		}
		if len(all) == maxShaped {
			return fault.New(fault.TooLarge, "only nquads, ntriples and ndjson have no limit; other formats take %d quads at most", maxShaped)
		}
		all = append(all, q)
	}
	x.done.Records = int64(len(all))
	return write(all)
}

func (x *exporting) turtle(quads []rdf.Quad) error {
	return rdfio.WriteLabelledTurtle(x.w, quads, x.snapshot.Schema().TurtlePrefixes())
}

func (x *exporting) trig(quads []rdf.Quad) error {
	return rdfio.WriteLabelledTriG(x.w, quads, x.snapshot.Schema().TurtlePrefixes())
}

func (x *exporting) jsonld(quads []rdf.Quad) error {
	s := x.snapshot.Schema()
	text, err := rdfio.DatasetJSONLD(quads, s.JSONLDContext(s.Types...))
	if err == nil {
		_, err = x.w.Write(append(text, '\n'))
	}
	return err
}

// nodes writes the nodes of declared types.
func (x *exporting) nodes(ctx context.Context, spool *change.Spool, report func(int64)) error {
	for group, err := range spool.Groups(ctx) {
		if err == nil {
			err = x.node(group)
		}
		if err != nil {
			return err
		}
		report(int64(len(group.Edits)))
	}
	return nil
}

// node writes one node of a declared type as a line that load reads back.
func (x *exporting) node(group *change.Group) error {
	t, local, ok := x.identity(group)
	if !ok {
		x.done.Left += int64(len(group.Edits))
		return nil
	}
	quads := make([]rdf.Quad, 0, len(group.Edits))
	for _, e := range group.Edits {
		if e.Quad.Label == nil && !(e.Quad.Predicate == rdf.Type && e.Quad.Object == t.IRI) {
			quads = append(quads, e.Quad)
		}
	}
	data, left := x.snapshot.Schema().Object(t, quads)
	for _, p := range x.snapshot.Schema().PropertiesOf(t) {
		if _, has := data[p.Name]; !has && p.Default != nil {
			data[p.Name] = nil // or the default would come back
		}
	}
	x.done.Left += int64(left + len(group.Edits) - len(quads) - 1)
	x.done.Records++
	enc := json.NewEncoder(x.w)
	enc.SetEscapeHTML(false)
	return enc.Encode(exportedNode{Type: t.Name, ID: local, Data: data})
}

type exportedNode struct {
	Type string         `json:"type"`
	ID   string         `json:"id"`
	Data map[string]any `json:"data"`
}

// identity finds the declared type of a node, and the id that loads it again.
func (x *exporting) identity(group *change.Group) (*schema.Type, string, bool) {
	iri, ok := group.Subject.(rdf.IRI)
	if !ok {
		return nil, "", false
	}
	s := x.snapshot.Schema()
	for _, e := range group.Edits {
		object, isIRI := e.Quad.Object.(rdf.IRI)
		if e.Quad.Predicate != rdf.Type || e.Quad.Label != nil || !isIRI {
			continue
		}
		if t := s.TypeByIRI(object); t != nil && !t.Abstract {
			return t, s.IDOf(t, iri), true
		}
	}
	return nil, "", false
}
