package kg

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"trails/fault"
	"trails/kg/change"
	"trails/kg/load"
	"trails/rdf"
	"trails/schema"
)

// typeFormats are those that [Snapshot.ExportType] writes.
var typeFormats = []load.Format{load.CSV, load.TSV, load.NDJSON}

// ExportType writes the nodes that have a type, in the order of their IRIs: as a table
// whose columns are "id" and the type's properties, or as NDJSON. Nodes of subtypes are
// not among them. Left counts what these nodes say beyond it. A type that is not declared,
// or is abstract, is refused with fault.InvalidArguments.
func (s *Snapshot) ExportType(ctx context.Context, w io.Writer, format load.Format, name string, progress func(Progress)) (Exported, error) {
	t := s.Schema().Type(name)
	switch {
	case !slices.Contains(typeFormats, format):
		return Exported{}, load.UnknownFormat(format, typeFormats)
	case t == nil:
		var names []string
		for _, t := range s.Schema().Types {
			names = append(names, t.Name)
		}
		return Exported{}, fault.Argument("type", fault.Class, name, fmt.Sprintf("there is no type %q%s", name, fault.DidYouMean(name, names)))
	case t.Abstract:
		return Exported{}, fault.Argument("type", fault.Class, name, name+" is abstract and has no nodes of its own; export its subtypes")
	}
	s.source.Outlast()
	out := exporting{snapshot: s, w: bufio.NewWriterSize(w, 1<<18), format: format, only: t}
	defer out.spool.Close()
	report := reporter(progress, "read", "nodes", 0)
	for typed, err := range s.Match(ctx, rdf.Quad{Predicate: rdf.Type, Object: t.IRI, Label: rdf.DefaultGraph}) {
		if err != nil {
			return Exported{}, err
		}
		for q, err := range s.Match(ctx, rdf.Quad{Subject: typed.Subject}) {
			if err == nil {
				err = out.spool.Add(change.Edit{Op: change.Assert, Quad: q})
			}
			if err != nil {
				return Exported{}, err
			}
		}
		report(1)
	}
	write, report := out.nodes, reporter(progress, "export", "quads", out.spool.Len())
	if format.IsTable() {
		write = out.rows
	}
	if err := write(ctx, report); err != nil {
		return Exported{}, err
	}
	return out.done, out.w.Flush()
}

// rows writes a header and a row for each node.
func (x *exporting) rows(ctx context.Context, report func(int64)) error {
	w := csv.NewWriter(x.w)
	if x.format == load.TSV {
		w.Comma = '\t'
	}
	properties := x.snapshot.Schema().PropertiesOf(x.only)
	row := []string{"id"}
	for _, p := range properties {
		row = append(row, p.Name)
	}
	if err := w.Write(row); err != nil {
		return err
	}
	for group, err := range x.spool.Groups(ctx) {
		if err != nil {
			return err
		}
		if row = x.row(group, properties, row[:0]); len(row) > 0 {
			x.done.Records++
			if err := w.Write(row); err != nil {
				return err
			}
		}
		report(int64(len(group.Edits)))
	}
	w.Flush()
	return w.Error()
}

// row appends the cells of one node, none when it is a blank node, which has no id.
func (x *exporting) row(group *change.Group, properties []*schema.Property, cells []string) []string {
	iri, isIRI := group.Subject.(rdf.IRI)
	if !isIRI {
		x.done.Left += int64(len(group.Edits))
		return cells
	}
	s := x.snapshot.Schema()
	values := make(map[*schema.Property][]rdf.Term, len(properties))
	left := len(group.Edits) - 1 // all but the type
	for _, e := range group.Edits {
		predicate, _ := e.Quad.Predicate.(rdf.IRI)
		if p := s.PropertyByIRI(x.only, predicate); p != nil && e.Quad.Label == nil {
			values[p] = append(values[p], e.Quad.Object)
		}
	}
	id := s.IDOf(x.only, iri)
	if strings.TrimSpace(id) != id {
		id = string(iri)
	}
	cells = append(cells, id)
	for _, p := range properties {
		cell, ok := s.Cell(p, values[p])
		if ok {
			left -= len(values[p])
		}
		cells = append(cells, cell)
	}
	x.done.Left += int64(left)
	return cells
}
