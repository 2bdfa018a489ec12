package kg

import (
	"bufio"
	"context"
	"encoding/csv"
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

// ExportType writes the nodes that have a type, in the order of their IRIs: as a table whose columns are "id" and the
// type's properties, or as NDJSON. Nodes of subtypes are left out. Left counts the statements of these nodes that it
// cannot express. A type that is not declared, or is abstract, is refused with fault.InvalidArguments.
func (s *Snapshot) ExportType(ctx context.Context, w io.Writer, format load.Format, name string, progress func(Progress)) (Exported, error) {
	t := s.Schema().Type(name)
	switch {
	case !slices.Contains(typeFormats, format):
		return Exported{}, load.UnknownFormat(format, typeFormats)
	case t == nil:
		return Exported{}, fault.Argument("type", fault.Class, name, s.Schema().NoType(name, s.Schema().Types...))
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
				out.noteLanguage(q)
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

// noteLanguage remembers which languages a property's values have.
func (x *exporting) noteLanguage(q rdf.Quad) {
	predicate, _ := q.Predicate.(rdf.IRI)
	tag, tagged := rdf.LangOf(q.Object)
	if p := x.snapshot.Schema().PropertyByIRI(x.only, predicate); tagged && q.Label == nil && p != nil && p.IsLang() {
		if x.languages == nil {
			x.languages = map[*schema.Property][]string{}
		}
		if !slices.Contains(x.languages[p], tag) {
			x.languages[p] = append(x.languages[p], tag)
		}
	}
}

// exportColumn is a column of a table: the values of a property, or those of one language.
type exportColumn struct {
	of   *schema.Property
	lang string
}

func (c exportColumn) name() string {
	if c.lang == "" {
		return c.of.Name
	}
	return c.of.Name + "@" + c.lang
}

// columns returns the columns for the type's properties; text with a language has one column for each language.
func (x *exporting) columns() (columns []exportColumn) {
	for _, p := range x.snapshot.Schema().PropertiesOf(x.only) {
		if !p.IsLang() {
			columns = append(columns, exportColumn{of: p})
			continue
		}
		tags := slices.Clone(x.languages[p])
		if len(tags) == 0 {
			tags = slices.Clone(p.Languages)
		}
		slices.Sort(tags)
		if len(tags) == 0 {
			columns = append(columns, exportColumn{of: p})
		}
		for _, tag := range tags {
			columns = append(columns, exportColumn{p, tag})
		}
	}
	return columns
}

// rows writes a header and a row for each node.
func (x *exporting) rows(ctx context.Context, report func(int64)) error {
	w := csv.NewWriter(x.w)
	if x.format == load.TSV {
		w.Comma = '\t'
	}
	columns := x.columns()
	row := []string{"id"}
	for _, c := range columns {
		row = append(row, c.name())
	}
	if err := w.Write(row); err != nil {
		return err
	}
	for group, err := range x.spool.Groups(ctx) {
		if err != nil {
			return err
		}
		if row = x.row(group, columns, row[:0]); len(row) > 0 {
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

// row appends the cells of one node, or none for a blank node, which has no id.
func (x *exporting) row(group *change.Group, columns []exportColumn, cells []string) []string {
	iri, isIRI := group.Subject.(rdf.IRI)
	if !isIRI {
		for _, e := range group.Edits {
			x.leave(e.Quad, "a blank node has no id")
		}
		return cells
	}
	s := x.snapshot.Schema()
	values := make(map[exportColumn][]rdf.Term, len(columns))
	for _, e := range group.Edits {
		if e.Quad.Predicate == rdf.Type && e.Quad.Object == x.only.IRI && e.Quad.Label == nil {
			continue
		}
		if why := x.unsaidOf(x.only, e.Quad); why != "" {
			x.leave(e.Quad, why)
			continue
		}
		c := exportColumn{of: s.PropertyByIRI(x.only, e.Quad.Predicate.(rdf.IRI))}
		if tag, tagged := rdf.LangOf(e.Quad.Object); tagged && c.of.IsLang() {
			c.lang = tag
		}
		values[c] = append(values[c], e.Quad.Object)
	}
	id := s.IDOf(x.only, iri)
	if strings.TrimSpace(id) != id {
		id = string(iri)
	}
	cells = append(cells, id)
	for _, c := range columns {
		cell, ok := "", false
		if c.lang != "" {
			cell, ok = s.LangCell(c.of, values[c])
		} else {
			cell, ok = s.Cell(c.of, values[c])
		}
		if !ok {
			for _, v := range values[c] {
				x.leave(rdf.Quad{Subject: iri, Predicate: c.of.IRI, Object: v}, "no cell reads back as it")
			}
		}
		cells = append(cells, cell)
	}
	return cells
}
