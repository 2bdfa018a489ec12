package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"trails/jsontext"
)

// writeValue shows any JSON value to a person: objects as aligned names and
// values, arrays of flat objects as tables, the rest as its text.
func writeValue(w io.Writer, value json.RawMessage) error {
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

// writeMembers writes flat members first in one aligned block each, nested ones below their name.
func writeMembers(w io.Writer, members []jsontext.Member, indent string) error {
	width := 0
	for _, m := range members {
		if isFlat(m.Value) {
			width = max(width, len(m.Name))
		}
	}
	for _, m := range members {
		if isFlat(m.Value) {
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
		return writeTable(w, columns, list, indent)
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

func writeTable(w io.Writer, columns []string, list []json.RawMessage, indent string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	heads := make([]string, len(columns))
	for i, c := range columns {
		heads[i] = strings.ToUpper(line(c))
	}
	fmt.Fprintf(tw, "%s%s\n", indent, strings.Join(heads, "\t"))
	for _, item := range list {
		fmt.Fprintf(tw, "%s%s\n", indent, strings.Join(row(columns, item), "\t"))
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

// isFlat reports whether a value goes on one line: a scalar, an empty object or
// array, or an array of scalars.
func isFlat(value json.RawMessage) bool {
	if members, ok := jsontext.Members(value); ok {
		return len(members) == 0
	}
	for _, item := range items(value) {
		if _, isObject := jsontext.Members(item); isObject || isArray(item) {
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
	var s string
	if json.Unmarshal(value, &s) == nil && !bytes.Equal(value, []byte("null")) {
		return line(s)
	}
	if text := string(bytes.TrimSpace(value)); text != "null" && text != "{}" {
		return line(text)
	}
	return "-"
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
