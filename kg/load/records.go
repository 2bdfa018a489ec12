package load

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"

	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
	"trails/schema/infer"
)

// Records gives each what inputs of the formats of nodes have, before any schema reads it:
// of tables and, with Type, of objects of JSON the nodes of that type, which for a table
// that has none is called as its file. Bad lines are fault.InvalidData, and so is what
// each refuses; formats of RDF are fault.InvalidArguments.
func Records(ctx context.Context, o Options, each func(infer.Record) error) error {
	r := reader{
		Options: o, ctx: ctx, schema: new(schema.Schema), report: func(int64) {}, labels: change.NewLabels(), each: each,
		Data: Data{Edits: new(change.Spool), Types: map[rdf.IRI]bool{}, BadNodes: map[string]bool{}},
	}
	defer r.Close()
	for i, in := range o.Inputs {
		r.Sources, r.source = append(r.Sources, in.Name), change.Source{File: uint16(i)}
		if err := r.readOne(in); err != nil {
			return err
		}
	}
	if len(r.Bad) > 0 {
		return fault.Invalid(r.Bad)
	}
	return nil
}

// readRecords reads an input for each.
func (r *reader) readRecords(text *bufio.Reader, format Format) error {
	switch format {
	case JSONArray:
		return r.readArray(text, nil)
	case CSV, TSV:
		return r.giveRows(text, format)
	default:
		return r.readNDJSON(text, nil)
	}
}

// giveObject gives each the object of a line or an array.
func (r *reader) giveObject(text []byte, what string) error {
	var rec record
	if r.Type == "" {
		if err := decodeRecord(text, what, &rec); err != nil {
			return r.rejectLine(err)
		}
		return r.give(infer.Record{Type: rec.Type, ID: rec.ID, Data: rec.Data, Edge: rec.Edge, From: rec.From, To: rec.To})
	}
	given := infer.Record{Type: r.Type}
	if err := decodeObject(text, what, &given.Data); err != nil {
		return r.rejectLine(err)
	}
	for name, v := range given.Data {
		if !r.isID(name) {
			continue
		}
		switch v := v.(type) {
		case string:
			given.ID = v
		case json.Number:
			given.ID = string(v)
		}
		if r.ID == "" {
			delete(given.Data, name)
		}
	}
	return r.give(given)
}

// giveRows gives each the rows of a table.
func (r *reader) giveRows(text *bufio.Reader, format Format) error {
	rows, err := newTable(text, format)
	of := r.Type
	if of == "" {
		name := path.Base(strings.TrimSuffix(r.input.Name, ".gz"))
		of = infer.TypeName(strings.TrimSuffix(name, path.Ext(name)))
	}
	var names []string
	if err == nil {
		for _, name := range rows.header {
			if r.ID != "" || !r.isID(name) {
				names = append(names, name)
			}
		}
	}
	for {
		var wrong *rowError
		var cells []string
		if err == nil {
			cells, err = rows.next()
		}
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &wrong):
			return r.reject(r.rowProblem(wrong))
		case errors.Is(err, errLongRow):
			return r.rejectLine(err)
		case err != nil:
			return r.unreadable(err)
		}
		r.source.Line = uint64(rows.line)
		given := infer.Record{Type: of, Data: make(map[string]any, len(cells)), Names: names, Cells: true}
		for i, text := range cells {
			name := rows.header[i]
			if r.isID(name) {
				given.ID = strings.TrimSpace(text)
			}
			if text != "" {
				given.Data[name] = text
			}
		}
		if err := r.give(given); err != nil {
			return err
		}
	}
}

// isID reports whether a column or member has the ids.
func (r *reader) isID(name string) bool {
	return name == r.ID || r.ID == "" && strings.EqualFold(name, "id")
}

func (r *reader) give(rec infer.Record) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	r.Records++
	if err := r.each(rec); err != nil {
		return r.rejectLine(err)
	}
	return nil
}
