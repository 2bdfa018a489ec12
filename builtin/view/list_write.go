package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema"
	"trails/text/xlsx"
)

// ListForm is a form in which all rows of a list can be written.
type ListForm struct {
	Name, Label, MIME, Ending string
	write                     func(listWriter) error
}

// ListForms are the forms of a list. In "csv" a cell that a spreadsheet would run as a formula begins with an
// apostrophe; "csv-raw" has it as it is, for a program. Those that end in "-shown" have what people see, and are not for
// importing it again.
var ListForms = []ListForm{
	{"csv", "CSV", "text/csv; charset=utf-8; header=present", ".csv", listWriter.csv},
	{"csv-raw", "CSV for programs", "text/csv; charset=utf-8; header=present", ".csv", listWriter.rawCSV},
	{"xlsx", "Excel", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx", listWriter.xlsx},
	{"xlsx-shown", "Excel, as shown", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx", listWriter.xlsxShown},
	{"csv-shown", "CSV, as shown", "text/csv; charset=utf-8; header=present", ".csv", listWriter.csvShown},
	{"ndjson", "NDJSON", "application/x-ndjson", ".ndjson", listWriter.ndjson},
	{"jsonld", "JSON-LD", "application/ld+json", ".jsonld", listWriter.jsonld},
	{"turtle", "Turtle", "text/turtle; charset=utf-8", ".ttl", listWriter.turtle},
}

// listWriter is a list that is being written.
type listWriter struct {
	out    io.Writer
	schema *schema.Schema
	args   map[string]any
	read   ReadTable
	title  func(Column) string
}

// Write writes all rows of a list, with the texts whole, in the list's order. The arguments are those of
// entities_list, and title returns what a column is called where people see it. JSON-LD and Turtle have the type of
// each node and the values of the columns: a column that is a path is refused with [fault.InvalidArguments], and more
// than [MaxDocumentQuads] statements with [fault.TooLarge], before anything is written. The other forms write as they
// read.
func (f ListForm) Write(out io.Writer, s *schema.Schema, args map[string]any, read ReadTable, title func(Column) string) error {
	return f.write(listWriter{out, s, args, read, title})
}

func (w listWriter) csv() error {
	_, _, err := writeCSV(w.out, w.args, math.MaxInt, w.read, importable, unformula)
	return err
}

func (w listWriter) csvShown() error {
	_, _, err := writeCSV(w.out, w.args, math.MaxInt, w.read, w.asShown(), unformula)
	return err
}

func (w listWriter) rawCSV() error {
	_, _, err := WriteCSV(w.out, w.args, math.MaxInt, w.read)
	return err
}

// unformula is a cell as a spreadsheet shows it: with an apostrophe before what it would run as a formula
// (https://owasp.org/www-community/attacks/CSV_Injection). A number is none.
func unformula(text string) string {
	if text == "" || !strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}

func (w listWriter) xlsx() error      { return w.sheet(importable) }
func (w listWriter) xlsxShown() error { return w.sheet(w.asShown()) }

// sheet writes as many rows as a sheet has; the last one says so when there are more.
func (w listWriter) sheet(l layout) (err error) {
	var book *xlsx.Writer
	row := func(texts []string, kinds []xlsx.Kind) error {
		cells := make([]xlsx.Cell, len(texts))
		for i, text := range texts {
			cells[i].Text = text
			if i < len(kinds) {
				cells[i].Kind = kinds[i]
			}
		}
		return book.Row(cells)
	}
	const most = xlsx.MaxRows - 2 // beside the header, and what says that there are more
	var kinds []xlsx.Kind
	done, last, err := EachPage(w.args, most, w.read, func(t Table, columns []Column) error {
		if book == nil {
			book = xlsx.NewWriter(w.out, t.Type)
			if err := row(l.head(t, columns), nil); err != nil {
				return err
			}
			kinds = make([]xlsx.Kind, l.own) // texts
			for _, c := range columns {
				kinds = append(kinds, sheetKinds[c.Datatype])
			}
		}
		for _, r := range t.Rows {
			if err := row(l.record(r, columns), kinds); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && done == most && (last.TotalMore || last.Total > done) {
		err = row([]string{fmt.Sprintf("Only the first %d rows: a sheet has no room for more. As CSV the list is whole.", done)}, nil)
	}
	if err != nil {
		return err
	}
	return book.Close()
}

// sheetKinds are the kinds of cells by datatype; other values are texts.
var sheetKinds = map[string]xlsx.Kind{
	"xsd:integer": xlsx.Number, "xsd:decimal": xlsx.Number, "xsd:double": xlsx.Number, "xsd:float": xlsx.Number, "xsd:int": xlsx.Number, "xsd:long": xlsx.Number,
	"xsd:boolean": xlsx.Boolean, "xsd:date": xlsx.Date,
}

// ndjson writes a node on a line, as load reads it.
func (w listWriter) ndjson() error {
	lines := json.NewEncoder(w.out)
	lines.SetEscapeHTML(false)
	return w.each(func(row Row, columns []listColumn) error {
		data := map[string]any{}
		for _, c := range columns {
			var values []any
			for _, cell := range row.Cells[c.Name] {
				values = append(values, w.schema.JSONValue(c.property, w.term(c, cell)))
			}
			switch {
			case c.Many && values != nil:
				data[c.Name] = values
			case len(values) > 0:
				data[c.Name] = values[0]
			}
		}
		return lines.Encode(struct {
			Type string         `json:"type"`
			ID   string         `json:"id"`
			Data map[string]any `json:"data"`
		}{row.Node.Type, row.Node.ID, data})
	})
}

func (w listWriter) jsonld() error { return w.graph(rdfio.NewJSONLDStream(w.schema.JSONLDContext())) }

func (w listWriter) turtle() error {
	stream, err := rdfio.NewTurtleStream(w.schema.TurtlePrefixes())
	if err != nil {
		return err
	}
	return w.graph(stream)
}

// graph writes the statements that the list shows.
func (w listWriter) graph(stream rdfio.Stream) error {
	var quads []rdf.Quad
	err := w.each(func(row Row, columns []listColumn) error {
		subject, begin := nodeTerm(row.Node), len(quads)
		if own := w.schema.Type(row.Node.Type); own != nil {
			quads = append(quads, rdf.Quad{Subject: subject, Predicate: rdf.Type, Object: own.IRI})
		}
		for _, c := range columns {
			if c.property == nil {
				return fault.Argument("columns", fault.Closed, c.Name, fmt.Sprintf("%.100q is a path, and its values are said of other nodes than those of the list: choose columns without a dot, or take the list as CSV, XLSX or NDJSON", c.Name))
			}
			for _, cell := range row.Cells[c.Name] {
				quads = append(quads, rdf.Quad{Subject: subject, Predicate: c.property.IRI, Object: w.term(c, cell)})
			}
		}
		if len(quads) > MaxDocumentQuads {
			return fault.New(fault.TooLarge, "the list has more than %d statements: filter it, choose fewer columns, or take it as CSV or NDJSON", MaxDocumentQuads)
		}
		slices.SortFunc(quads[begin:], func(a, b rdf.Quad) int {
			return bytes.Compare(rdf.AppendQuad(nil, a), rdf.AppendQuad(nil, b))
		})
		return nil
	})
	if err != nil {
		return err
	}
	for _, q := range quads {
		stream.Note(q)
	}
	_, err = stream.Write(w.out, iter.Seq2[rdf.Quad, error](func(yield func(rdf.Quad, error) bool) {
		for _, q := range quads {
			if !yield(q, nil) {
				return
			}
		}
	}))
	return err
}

// listColumn is a column with its property, nil for a path.
type listColumn struct {
	Column
	property *schema.Property
}

// each gives the rows of the list with its columns, of which one has the label.
func (w listWriter) each(row func(row Row, columns []listColumn) error) error {
	if names, _ := w.args["columns"].([]string); len(names) > 0 {
		t, _ := w.args["type"].(string)
		if own := w.schema.Type(t); own != nil && w.schema.LabelOf(own) != "" && !slices.Contains(names, w.schema.LabelOf(own)) {
			w.args = maps.Clone(w.args)
			w.args["columns"] = append([]string{w.schema.LabelOf(own)}, names...)
		}
	}
	_, _, err := EachPage(w.args, math.MaxInt, w.read, func(t Table, _ []Column) error {
		own := w.schema.Type(t.Type)
		if own == nil {
			return fault.New(fault.Conflict, "the schema changed while %s was read; ask again", t.Type)
		}
		columns := make([]listColumn, len(t.Columns))
		for i, c := range t.Columns {
			columns[i] = listColumn{c, w.schema.Property(own, c.Name)}
		}
		for _, r := range t.Rows {
			if err := row(r, columns); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// nodeTerm is the term of a node.
func nodeTerm(n Node) rdf.Term {
	if label, blank := strings.CutPrefix(n.IRI, "_:"); blank {
		return rdf.BNode(label)
	}
	return rdf.IRI(n.IRI)
}

// term is the term that a whole cell of a column shows.
func (w listWriter) term(column listColumn, c Cell) rdf.Term {
	class := w.schema.Type(c.Text)
	switch {
	case c.Ref == nil && column.Datatype == "iri" && class != nil: // a class is shown by its name
		return class.IRI
	case c.Ref != nil:
		return nodeTerm(*c.Ref)
	case c.Lang != "":
		return rdf.LangLiteral(c.Text, c.Lang)
	}
	if name, ok := strings.CutPrefix(c.Datatype, "xsd:"); ok {
		return rdf.Literal(c.Text, rdf.IRI(rdf.XSDNS+name))
	}
	return rdf.Literal(c.Text, rdf.IRI(c.Datatype))
}
