package load

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
	"trails/schema/infer"
)

// Records passes the content of inputs with nodes to each, before a schema reads it: for tables and, with Type, for
// JSON objects the nodes of that type. A table without Type is named after its file. Bad lines, and those that each
// refuses, are fault.InvalidData; formats of RDF are fault.InvalidArguments.
func Records(ctx context.Context, o Options, each func(infer.Record) error) error {
	r := reader{
		Options: o, ctx: ctx, schema: new(schema.Schema), report: func(int64) {}, labels: change.NewLabels(), each: each,
		Data: Data{Edits: new(change.Spool), Tried: new(change.Spool), Types: map[rdf.IRI]bool{}, BadNodes: map[string]bool{}},
	}
	defer r.Close()
	for i, in := range o.Inputs {
		r.Sources, r.source = append(r.Sources, in.Name), change.Source{File: uint16(i)}
		if err := r.readOne(in); err != nil {
			return err
		}
	}
	bad := int64(len(r.Bad))
	if infer.TooMany(bad, r.Records+bad) || bad > 0 && (o.Strict || bad >= r.Records) {
		return fault.Invalid(r.Bad)
	}
	return nil
}

// readRecords reads an input for each.
func (r *reader) readRecords(text *bufio.Reader, format Format) error {
	switch format {
	case JSONArray:
		return r.readArray(text, nil)
	case CSV, TSV, XLSX:
		return r.giveRows(text, format)
	default:
		return r.readNDJSON(text, nil)
	}
}

// giveObject passes the object of a line or an array element to each.
func (r *reader) giveObject(text []byte, what string) error {
	if r.of == "" && r.Records == 0 && !isRecord(text) {
		r.of = r.typeOfFile()
	}
	if r.of == "" {
		var rec record
		if err := decodeRecord(text, what, &rec); err != nil {
			return r.rejectLine(err)
		}
		return r.give(infer.Record{Type: rec.Type, ID: rec.ID, Data: rec.Data, Edge: rec.Edge, From: rec.From, To: rec.To, Named: true})
	}
	given := infer.Record{Type: r.of, KeyAsked: r.ID != ""}
	if err := decodeObject(text, what, &given.Data); err != nil {
		return r.rejectLine(err)
	}
	delete(given.Data, RejectedBecause)
	for name, v := range given.Data {
		if !r.isID(name) {
			continue
		}
		given.Key = name
		switch v := v.(type) {
		case string:
			given.ID = v
		case json.Number:
			given.ID = string(v)
		}
	}
	return r.give(given)
}

// recordMembers are the members of nodes and edges.
var recordMembers = []string{"type", "id", "data", "edge", "from", "to"}

// isNearlyRecord reports whether an object is probably meant as a record although it has an unknown member: it is an
// edge with one end, or has data, or a type and data by another name.
func isNearlyRecord(text []byte) bool {
	members, isObject := inLowerCase(text)
	if !isObject {
		return false // isRecord decides that
	}
	if len(members["edge"]) > 0 && (len(members["from"]) > 0 || len(members["to"]) > 0) {
		return true
	}
	for name, value := range members {
		isData := name == "data" || len(members["type"]) > 0 && fault.Nearest(name, recordMembers) == "data"
		if isData && value[0] == '{' {
			return true
		}
	}
	return false
}

// isRecord reports whether an object contains its type, or is an edge, and has no other members than records.
func isRecord(text []byte) bool {
	members, isObject := inLowerCase(text)
	if !isObject {
		return true // then it is refused as an edge
	}
	for name := range members {
		if name != RejectedBecause && !slices.Contains(recordMembers, name) {
			return false
		}
	}
	return len(members["type"]) > 0 || len(members["edge"]) > 0
}

// inLowerCase are the members of an object with lower-case names: "Type" is meant as a record's, and the error says
// how it is written.
func inLowerCase(text []byte) (map[string]json.RawMessage, bool) {
	var members map[string]json.RawMessage
	err := json.Unmarshal(text, &members)
	lower := make(map[string]json.RawMessage, len(members))
	for name, value := range members {
		lower[strings.ToLower(name)] = value
	}
	return lower, err == nil
}

// typeOfFile is a type name made from the name of the input.
func (r *reader) typeOfFile() string {
	name := path.Base(strings.TrimSuffix(r.input.Name, ".gz"))
	return infer.TypeName(strings.TrimSuffix(name, path.Ext(name)))
}

// giveRows passes the rows of a table to each.
func (r *reader) giveRows(text *bufio.Reader, format Format) error {
	rows, err := r.newTable(text, format)
	if r.of == "" {
		r.of = r.typeOfFile()
	}
	var names []string
	if err == nil {
		names = slices.DeleteFunc(slices.Clone(rows.header), func(name string) bool { return name == RejectedBecause })
		header := infer.Record{Type: r.of, Names: names, Header: true, Unnamed: rows.unnamed, Cells: true, KeyAsked: r.ID != ""}
		if rows.book != nil {
			header.Sheets = rows.book.shown()
		}
		if at := slices.IndexFunc(rows.header, r.isID); at >= 0 {
			header.Key = rows.header[at]
		} else if r.ID != "" {
			return fault.Argument("id", fault.Closed, r.ID, fmt.Sprintf("%s has no column %q%s", r.input.Name, r.ID, fault.DidYouMean(r.ID, rows.header)))
		}
		r.source.Line = uint64(rows.line)
		if err := r.each(header); err != nil {
			return r.rejectLine(err)
		}
	}
	for {
		var wrong *rowError
		var broken *breakError
		var cells []string
		if err == nil {
			cells, err = rows.next()
		}
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &wrong):
			if rows.header == nil {
				return fault.Invalid([]fault.FieldError{r.rowProblem(wrong)}) // no row can be read without it
			}
			if rejected := r.reject(r.rowProblem(wrong)); rejected != nil {
				return rejected
			}
			err = nil
			continue
		case errors.As(err, &broken):
			return fault.Invalid([]fault.FieldError{{Code: fault.Shape, Message: broken.reason, Source: r.placeAt(broken.line, broken.column)}})
		case err != nil:
			return r.unreadableTable(rows, err)
		}
		r.source.Line = uint64(rows.line)
		r.edit(rows, cells)
		given := infer.Record{Type: r.of, Data: make(map[string]any, len(cells)), Names: names, Cells: true, KeyAsked: r.ID != "", Line: rows.line}
		for i, text := range cells {
			name := rows.header[i]
			if r.isID(name) {
				given.ID, given.Key = strings.TrimSpace(text), name
			}
			if text != "" && name != RejectedBecause {
				given.Data[name] = text
			}
		}
		if err := r.give(given); err != nil {
			return err
		}
	}
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
