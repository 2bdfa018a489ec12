package kg

import (
	"bufio"
	"context"
	"encoding/json"
	"io"

	"trails/kg/change"
	"trails/kg/fault"
	"trails/kg/rdf"
	"trails/kg/schema"
)

// Exported reports a finished export.
type Exported struct {
	// Records counts the lines written.
	Records int64 `json:"records"`
	// Left counts quads that the format cannot say; NDJSON says nodes of declared types only.
	Left int64 `json:"left_out"`
}

// Export writes the snapshot in canonical order: the same graph gives the same
// bytes. Memory is bounded, whatever the graph's size.
func (s *Snapshot) Export(ctx context.Context, w io.Writer, format Format, progress func(Progress)) (Exported, error) {
	out := exporting{snapshot: s, w: bufio.NewWriterSize(w, 1<<18)}
	write, ok := map[Format]func(*change.Group) error{NQuads: out.nquads, NDJSON: out.node}[format]
	if !ok {
		return Exported{}, fault.Arguments(fault.FieldError{Field: "format", Code: fault.OneOf, Value: string(format),
			Constraint: []Format{NDJSON, NQuads}, Message: "format must be one of ndjson, nquads"})
	}
	var spool change.Spool
	defer spool.Close()
	report := reporter(progress, "read", "quads", s.Head().Quads)
	for q, err := range s.Match(ctx, rdf.Quad{}) {
		if err != nil {
			return Exported{}, err
		}
		if err := spool.Add(change.Edit{Op: change.Assert, Quad: q}); err != nil {
			return Exported{}, err
		}
		report(1)
	}
	report = reporter(progress, "export", "quads", spool.Len())
	for group, err := range spool.Groups(ctx) {
		if err == nil {
			err = write(group)
		}
		if err != nil {
			return Exported{}, err
		}
		report(int64(len(group.Edits)))
	}
	return out.done, out.w.Flush()
}

type exporting struct {
	snapshot *Snapshot
	w        *bufio.Writer
	done     Exported
	line     []byte
}

func (x *exporting) nquads(group *change.Group) error {
	for _, e := range group.Edits {
		x.done.Records++
		x.line = append(rdf.AppendQuad(x.line[:0], e.Quad), '\n')
		if _, err := x.w.Write(x.line); err != nil {
			return err
		}
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
