package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"trails/builtin/view"
)

// writeNodes writes nodes as they are, or as rows of their values.
func (p *program) writeNodes(w io.Writer, all json.RawMessage) error {
	if p.output != "csv" && p.output != "table" {
		return writeValue(w, all)
	}
	type node struct {
		Node   string
		Values map[string]json.RawMessage
	}
	var answer struct {
		Cut           string
		Nodes, Linked []node
	}
	if err := json.Unmarshal(all, &answer); err != nil {
		return err
	}
	if answer.Cut != "" { // for which rows have no place
		fmt.Fprintf(p.stderr, "trails: warning: %s\n", line(answer.Cut))
	}
	table := struct {
		Columns []string `json:"columns"`
		Rows    [][]any  `json:"rows"`
	}{Columns: []string{"node", "property", "value", "label"}, Rows: [][]any{}}
	for _, n := range append(answer.Nodes, answer.Linked...) {
		for _, property := range slices.Sorted(maps.Keys(n.Values)) {
			values := []json.RawMessage{n.Values[property]}
			if isArray(values[0]) {
				values = items(values[0])
			}
			for _, value := range values {
				if text, ok := langText(value); ok {
					table.Rows = append(table.Rows, []any{n.Node, property, text, nil})
					continue
				}
				var labels map[string]string // of nodes
				if json.Unmarshal(value, &labels) != nil {
					table.Rows = append(table.Rows, []any{n.Node, property, value, nil})
				}
				for _, ref := range slices.Sorted(maps.Keys(labels)) {
					table.Rows = append(table.Rows, []any{n.Node, property, ref, labels[ref]})
				}
			}
		}
	}
	text, err := json.Marshal(table)
	if err != nil {
		return err
	}
	return p.writeRows(w, text)
}

// writeRows writes an answer of columns and rows as it is, or its rows as CSV.
func (p *program) writeRows(w io.Writer, all json.RawMessage) error {
	if p.output != "csv" {
		return writeValue(w, all)
	}
	var table struct {
		Columns []string
		Rows    [][]json.RawMessage
	}
	if err := json.Unmarshal(all, &table); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	if err := out.Write(table.Columns); err != nil {
		return err
	}
	for _, row := range table.Rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			if cells[i] = string(cell); cells[i] == "null" {
				cells[i] = ""
			}
			_ = json.Unmarshal(cell, &cells[i]) // what is no text stays as it is written
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// writePaths writes a line for each path between two nodes, and what was cut or not found.
func writePaths(w io.Writer, found view.Paths) error {
	for _, path := range found.Paths {
		fmt.Fprintln(w, line(path.Text))
	}
	if found.Note != "" {
		fmt.Fprintln(w, line(found.Note))
	}
	return nil
}
