package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"trails/schema"
	"trails/text/jsontext"
)

// writeValue shows any JSON value: objects as aligned names and values, arrays of flat objects as tables, other
// values as text. An object whose one member is a text of several lines, such as the guide, is these lines.
func writeValue(w io.Writer, value json.RawMessage) error {
	if members, _ := jsontext.Members(value); len(members) == 1 {
		var text string
		if json.Unmarshal(members[0].Value, &text) == nil && strings.Contains(text, "\n") {
			for l := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
				fmt.Fprintln(w, line(l))
			}
			return nil
		}
	}
	return writeIndented(w, value, "")
}

func writeIndented(w io.Writer, value json.RawMessage, indent string) error {
	switch members, isObject := jsontext.Members(value); {
	case isObject:
		return writeMembers(w, members, indent)
	case isArray(value):
		return writeItems(w, items(value), indent)
	}
	_, err := fmt.Fprintf(w, "%s%s\n", indent, scalar(value))
	return err
}

// writeMembers writes flat members in one aligned block, and nested ones below their name.
func writeMembers(w io.Writer, members []jsontext.Member, indent string) error {
	width := 0
	for _, m := range members {
		if isFlat(m.Value) {
			width = max(width, len(m.Name))
		}
	}
	columns, rows := columnsAndRows(members)
	for _, m := range members {
		switch {
		case rows != nil && m.Name == "columns":
			continue
		case rows != nil && m.Name == "rows":
			if err := writeTable(w, columns, rows, indent); err != nil {
				return err
			}
			continue
		case isFlat(m.Value):
			fmt.Fprintf(w, "%s%-*s  %s\n", indent, width, line(m.Name), scalar(m.Value))
			continue
		}
		fmt.Fprintf(w, "%s%s\n", indent, line(m.Name))
		if err := writeIndented(w, m.Value, indent+"  "); err != nil {
			return err
		}
	}
	return nil
}

func writeItems(w io.Writer, list []json.RawMessage, indent string) error {
	if columns, ok := tableColumns(list); ok {
		rows := make([][]string, len(list))
		for i, item := range list {
			rows[i] = row(columns, item)
		}
		return writeTable(w, columns, rows, indent)
	}
	for i, item := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := writeIndented(w, item, indent); err != nil {
			return err
		}
	}
	return nil
}

// tableColumns returns the names of the members when every item is a flat object.
func tableColumns(list []json.RawMessage) ([]string, bool) {
	var columns []string
	seen := map[string]bool{}
	for _, item := range list {
		members, ok := jsontext.Members(item)
		if !ok {
			return nil, false
		}
		for _, m := range members {
			if !isFlat(m.Value) {
				return nil, false
			}
			if !seen[m.Name] {
				seen[m.Name] = true
				columns = append(columns, m.Name)
			}
		}
	}
	return columns, len(columns) > 0
}

// columnsAndRows are the table of an object with a list of names "columns" and a list "rows"; nil for other objects.
func columnsAndRows(members []jsontext.Member) (columns []string, rows [][]string) {
	rows = [][]string{}
	for _, m := range members {
		switch m.Name {
		case "columns":
			if json.Unmarshal(m.Value, &columns) != nil {
				return nil, nil
			}
		case "rows":
			for _, item := range items(m.Value) {
				cells := []string{}
				for _, cell := range items(item) {
					cells = append(cells, scalar(cell))
				}
				rows = append(rows, cells)
			}
		}
	}
	if columns == nil || slices.ContainsFunc(rows, func(row []string) bool { return len(row) != len(columns) }) {
		return nil, nil
	}
	return columns, rows
}

func writeTable(w io.Writer, columns []string, rows [][]string, indent string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	heads := make([]string, len(columns))
	for i, c := range columns {
		heads[i] = strings.ToUpper(line(c))
	}
	fmt.Fprintf(tw, "%s%s\n", indent, strings.Join(heads, "\t"))
	for _, row := range rows {
		fmt.Fprintf(tw, "%s%s\n", indent, strings.Join(row, "\t"))
	}
	return tw.Flush()
}

// row returns the cells of one object, empty where it has no such member.
func row(columns []string, item json.RawMessage) []string {
	members, _ := jsontext.Members(item)
	cells := make([]string, len(columns))
	for i, c := range columns {
		for _, m := range members {
			if m.Name == c {
				cells[i] = scalar(m.Value)
			}
		}
	}
	return cells
}

// isFlat reports whether a value is written in one line: a scalar, an empty object or array, or an array of scalars.
func isFlat(value json.RawMessage) bool {
	if _, tagged := langText(value); tagged {
		return true
	}
	if members, ok := jsontext.Members(value); ok {
		return len(members) == 0
	}
	for _, item := range items(value) {
		_, tagged := langText(item)
		if _, isObject := jsontext.Members(item); isObject && !tagged || isArray(item) {
			return false
		}
	}
	return true
}

// scalar writes a flat value on one line.
func scalar(value json.RawMessage) string {
	if isArray(value) {
		var parts []string
		for _, item := range items(value) {
			parts = append(parts, scalar(item))
		}
		return strings.Join(parts, ", ")
	}
	if text, ok := langText(value); ok {
		return line(text)
	}
	if members, ok := jsontext.Members(value); ok && len(members) > 0 {
		var parts []string
		for _, m := range members {
			parts = append(parts, line(m.Name)+": "+scalar(m.Value))
		}
		return strings.Join(parts, ", ")
	}
	var s string
	if json.Unmarshal(value, &s) == nil && !bytes.Equal(value, []byte("null")) {
		return line(s)
	}
	if text := string(bytes.TrimSpace(value)); text != "null" && text != "{}" {
		return line(text)
	}
	return "-"
}

// langText writes text with a language, an object in JSON, as Cat@en.
func langText(value json.RawMessage) (string, bool) {
	var v map[string]string
	if json.Unmarshal(value, &v) != nil || len(v) != 2 || v[schema.LangTag] == "" {
		return "", false
	}
	text, ok := v[schema.LangText]
	return text + "@" + v[schema.LangTag], ok
}

func isArray(value json.RawMessage) bool {
	return bytes.HasPrefix(bytes.TrimSpace(value), []byte("["))
}

func items(value json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if isArray(value) {
		_ = json.Unmarshal(value, &list) // not an array after all: no items
	}
	return list
}
