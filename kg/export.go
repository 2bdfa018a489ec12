package kg

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"trails/fault"
	"trails/kg/change"
	"trails/kg/load"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema"
	"trails/text/quote"
)

// Exported reports a finished export.
type Exported struct {
	// Records counts the lines written.
	Records int64 `json:"records"`
	// Left counts quads that the format cannot express; NDJSON has only nodes of declared types.
	Left int64 `json:"left_out" doc:"Statements that the format cannot say."`
	// LeftOut says which, and why, except for quads of the system graphs.
	LeftOut rdfio.LeftOut `json:"-"`
}

// ExportFormats are those that [Snapshot.Export] writes, and for tables
// [Snapshot.ExportType].
func ExportFormats() []load.Format {
	return []load.Format{load.NQuads, load.NTriples, load.NDJSON, load.CSV, load.TSV, load.Turtle, load.TriG, load.JSONLD, load.RDFXML}
}

// Export writes the snapshot in canonical order: the same graph gives the same bytes, and blank nodes keep their
// labels. Formats of triples (N-Triples, Turtle and RDF/XML) only have the default graph. Memory is bounded, whatever
// the graph's size.
func (s *Snapshot) Export(ctx context.Context, w io.Writer, format load.Format, progress func(Progress)) (Exported, error) {
	return s.ExportGraph(ctx, w, format, "", progress)
}

// ExportGraph writes one named graph or, with [rdf.DefaultGraph], only the default graph. Formats of triples, and
// JSON-LD in this case, omit its name.
func (s *Snapshot) ExportGraph(ctx context.Context, w io.Writer, format load.Format, graph rdf.IRI, progress func(Progress)) (Exported, error) {
	if !slices.Contains(ExportFormats(), format) {
		return Exported{}, load.UnknownFormat(format, ExportFormats())
	}
	if format.IsTable() {
		return Exported{}, fault.Argument("type", fault.Required, nil, fmt.Sprintf("%s is a table of the nodes of one type: say type", format))
	}
	s.source.Outlast()
	out := exporting{snapshot: s, w: bufio.NewWriterSize(w, 1<<18), format: format, graph: graph}
	defer out.spool.Close()
	if err := out.open(); err != nil {
		return Exported{}, err
	}
	if err := out.collect(ctx, progress); err != nil {
		return Exported{}, err
	}
	report := reporter(progress, "export", "quads", out.spool.Len())
	if err := out.write(ctx, report); err != nil {
		return Exported{}, err
	}
	return out.done, out.w.Flush()
}

type exporting struct {
	snapshot *Snapshot
	w        *bufio.Writer
	format   load.Format
	graph    rdf.IRI
	only     *schema.Type // with ExportType, else nil
	// languages are those of its properties' values.
	languages map[*schema.Property][]string
	spool     change.Spool
	stream    rdfio.Stream // for a format that must read everything first; otherwise nil
	done      Exported
}

// open chooses the order and the writer.
func (x *exporting) open() (err error) {
	s := x.snapshot.Schema()
	switch {
	case x.format == load.Turtle:
		x.stream, err = rdfio.NewTurtleStream(s.TurtlePrefixes())
	case x.format == load.TriG:
		x.stream, err = rdfio.NewTriGStream(s.TurtlePrefixes())
	case x.format == load.RDFXML:
		x.stream = rdfio.NewRDFXMLStream(s.TurtlePrefixes())
	case x.format == load.JSONLD:
		x.stream = rdfio.NewJSONLDStream(s.JSONLDContext())
	}
	x.spool.ByGraph = x.stream != nil
	return err
}

// collect sorts the quads.
func (x *exporting) collect(ctx context.Context, progress func(Progress)) error {
	var pattern rdf.Quad
	if x.graph != "" {
		pattern.Label = x.graph
	}
	report := reporter(progress, "read", "quads", x.snapshot.Head().Quads)
	for q, err := range x.snapshot.Match(ctx, pattern) {
		if err != nil {
			return err
		}
		report(1)
		if why := x.unsaid(&q); why != "" {
			x.leave(q, why)
			continue
		}
		if x.stream != nil {
			x.stream.Note(q)
		}
		if err := x.spool.Add(change.Edit{Op: change.Assert, Quad: q}); err != nil {
			return err
		}
	}
	return nil
}

// unsaid says why the format cannot express a quad, "" if it can. If the format has no graphs, it removes the graph
// from the quad.
func (x *exporting) unsaid(q *rdf.Quad) string {
	triples := x.format == load.NTriples || x.format == load.Turtle || x.format == load.RDFXML
	switch {
	case triples && x.graph == "" && q.Label != nil:
		return string(x.format) + " has one graph, and this is of another than the default graph"
	case x.format == load.RDFXML && !rdfio.RDFXMLSays(*q):
		return "RDF/XML needs a predicate that ends in an XML name, and has no control characters"
	case triples || x.format == load.JSONLD && x.graph != "":
		q.Label = nil
	}
	return ""
}

// leave counts a statement that the format cannot express.
func (x *exporting) leave(q rdf.Quad, why string) {
	x.done.Left++
	if graph, _ := q.Label.(rdf.IRI); strings.HasPrefix(string(graph), graphsOfTrails) {
		return
	}
	omission := rdfio.Omission{Message: why}
	if x.done.LeftOut.Count < rdfio.MaxOmissions {
		omission.Message += ": " + quote.Line(strings.TrimSuffix(string(rdf.AppendQuad(nil, q)), " ."), maxSaid)
	}
	x.done.LeftOut.Add(omission)
}

func (x *exporting) write(ctx context.Context, report func(int64)) (err error) {
	switch {
	case x.format == load.NDJSON:
		return x.nodes(ctx, report)
	case x.stream != nil:
		x.done.Records, err = x.stream.Write(x.w, x.sorted(ctx, report))
	default:
		x.done.Records, err = rdfio.WriteNQuads(x.w, x.sorted(ctx, report))
	}
	return err
}

// sorted are the quads one by one.
func (x *exporting) sorted(ctx context.Context, report func(int64)) iter.Seq2[rdf.Quad, error] {
	return func(yield func(rdf.Quad, error) bool) {
		for e, err := range x.spool.Edits(ctx) {
			if !yield(e.Quad, err) || err != nil {
				return
			}
			report(1)
		}
	}
}

// nodes writes the nodes of declared types.
func (x *exporting) nodes(ctx context.Context, report func(int64)) error {
	for group, err := range x.spool.Groups(ctx) {
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

// node writes one node of a declared type as a line that load can read.
func (x *exporting) node(group *change.Group) error {
	t, local, ok := x.identity(group)
	if !ok {
		for _, e := range group.Edits {
			x.leave(e.Quad, string(x.format)+" has nodes of the types of the schema alone")
		}
		return nil
	}
	quads := make([]rdf.Quad, 0, len(group.Edits))
	for _, e := range group.Edits {
		if e.Quad.Predicate == rdf.Type && e.Quad.Object == t.IRI && e.Quad.Label == nil {
			continue
		}
		if why := x.unsaidOf(t, e.Quad); why != "" {
			x.leave(e.Quad, why)
			continue
		}
		quads = append(quads, e.Quad)
	}
	data, _ := x.snapshot.Schema().Object(t, quads)
	for _, p := range x.snapshot.Schema().PropertiesOf(t) {
		if _, has := data[p.Name]; !has && p.Default != nil {
			data[p.Name] = nil // otherwise loading would add the default
		}
	}
	x.done.Records++
	enc := json.NewEncoder(x.w)
	enc.SetEscapeHTML(false)
	return enc.Encode(exportedNode{Type: t.Name, ID: local, Data: data})
}

// unsaidOf says why a record or a table row of a type cannot express a statement, "" if it can.
func (x *exporting) unsaidOf(t *schema.Type, q rdf.Quad) string {
	predicate, _ := q.Predicate.(rdf.IRI)
	switch {
	case q.Label != nil:
		return string(x.format) + " has the default graph alone"
	case predicate == rdf.Type:
		return string(x.format) + " has one type of a node"
	case x.snapshot.Schema().PropertyByIRI(t, predicate) == nil:
		return t.Name + " has no such property"
	}
	return ""
}

type exportedNode struct {
	Type string         `json:"type"`
	ID   string         `json:"id"`
	Data map[string]any `json:"data"`
}

// identity returns the declared type of a node, and the id under which it can be loaded again.
func (x *exporting) identity(group *change.Group) (*schema.Type, string, bool) {
	iri, ok := group.Subject.(rdf.IRI)
	if !ok {
		return nil, "", false
	}
	s := x.snapshot.Schema()
	if x.only != nil {
		return x.only, s.IDOf(x.only, iri), true
	}
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
