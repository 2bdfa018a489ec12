package outline

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// inlineObject is how many characters an object on one line may have.
const inlineObject = 200

// TextOf returns the text of a JSON object; invalid JSON is returned unchanged.
func TextOf(source []byte) string {
	v, err := Parse(source)
	if err != nil {
		return string(source)
	}
	return v.Text()
}

// Text writes an object as lines of "name: value". A list of flat objects becomes a table, as does an object
// whose member "rows" has lists with the columns in "columns". Other nested values are indented, and a text of
// several lines follows its name.
func (v *Value) Text() string {
	var b strings.Builder
	v.lines(&b, "")
	return strings.TrimSuffix(b.String(), "\n")
}

func (v *Value) lines(b *strings.Builder, indent string) {
	if v.kind != object {
		b.WriteString(indent + v.inline() + "\n")
		return
	}
	columns := v.columns()
	for i, member := range v.members {
		if columns != nil && v.names[i] == "columns" {
			continue
		}
		if columns != nil && v.names[i] == "rows" {
			table(b, indent, columns, member.members)
			continue
		}
		member.named(b, indent, v.names[i])
	}
}

// named writes a member.
func (v *Value) named(b *strings.Builder, indent, name string) {
	head := indent + name + ":"
	switch {
	case v.kind == text && strings.Contains(strings.TrimSpace(v.text), "\n"):
		b.WriteString(head + "\n" + indented(v.text, indent) + "\n")
	case v.kind == text:
		b.WriteString(head + " " + strings.TrimSpace(v.text) + "\n")
	case v.sentences():
		b.WriteString(head + "\n")
		for _, member := range v.members {
			b.WriteString(indent + "- " + strings.ReplaceAll(strings.TrimSpace(member.text), "\n", " ") + "\n")
		}
	case v.flat():
		b.WriteString(head + " " + v.inline() + "\n")
	case v.kind == array:
		if names := v.tableNames(); names != nil {
			rows := make([]*Value, len(v.members))
			for i, member := range v.members {
				rows[i] = member.row(names)
			}
			b.WriteString(head + "\n")
			table(b, indent+"  ", names, rows)
			return
		}
		b.WriteString(head + "\n")
		for _, member := range v.members {
			var item strings.Builder
			member.lines(&item, indent+"  ")
			b.WriteString(indent + "- " + strings.TrimPrefix(item.String(), indent+"  "))
		}
	default:
		b.WriteString(head + "\n")
		v.lines(b, indent+"  ")
	}
}

// sentences reports whether a value is a list of texts too long for one line.
func (v *Value) sentences() bool {
	return v.kind == array && len(v.members) > 0 && utf8.RuneCountInString(v.inline()) > inlineObject/2 &&
		!slices.ContainsFunc(v.members, func(m *Value) bool { return m.kind != text || !strings.Contains(m.text, " ") })
}

// flat reports whether a value fits on one line: a scalar, a short object, or a list of these.
func (v *Value) flat() bool {
	switch v.kind {
	case array:
		return !slices.ContainsFunc(v.members, func(m *Value) bool { return m.kind > text })
	case object:
		return !slices.ContainsFunc(v.members, func(m *Value) bool { return m.kind > text || strings.Contains(m.text, "\n") }) &&
			utf8.RuneCountInString(v.inline()) <= inlineObject
	case scalar, text:
	}
	return true
}

// inline writes a value in one line.
func (v *Value) inline() string {
	switch v.kind {
	case scalar:
		return v.text
	case text:
		return word(v.text)
	case array:
		if len(v.members) == 0 {
			return "none"
		}
		items := make([]string, len(v.members))
		for i, member := range v.members {
			items[i] = member.inline()
		}
		return strings.Join(items, "; ")
	case object:
	}
	items := make([]string, len(v.members))
	for i, member := range v.members {
		items[i] = v.names[i] + ": " + member.inline()
	}
	return "{" + strings.Join(items, ", ") + "}"
}

// word returns a text unchanged, or quoted if it would be read as something else.
func word(s string) string {
	if s == "" || strings.ContainsAny(s, "\n\r") || strings.Contains(s, "; ") || strings.Contains(s, " | ") || s != strings.TrimSpace(s) {
		return quoted(s)
	}
	return s
}

// columns returns the column names of an object that is a table: "columns" is a list of texts, "rows" a list of
// lists of the same length.
func (v *Value) columns() []string {
	head, rows := slices.Index(v.names, "columns"), slices.Index(v.names, "rows")
	if head < 0 || rows < 0 || v.members[head].kind != array || v.members[rows].kind != array {
		return nil
	}
	names := []string{}
	for _, column := range v.members[head].members {
		if column.kind != text {
			return nil
		}
		names = append(names, column.text)
	}
	for _, row := range v.members[rows].members {
		if row.kind != array || len(row.members) != len(names) {
			return nil
		}
	}
	return names
}

// tableNames returns the member names in a list of flat objects, in order of appearance; nil for any other
// list.
func (v *Value) tableNames() (names []string) {
	for _, member := range v.members {
		if member.kind != object {
			return nil
		}
		for i, cell := range member.members {
			if cell.kind == object || cell.kind == array && !cell.flat() {
				return nil
			}
			if !slices.Contains(names, member.names[i]) {
				names = append(names, member.names[i])
			}
		}
	}
	return names
}

// row returns an object's members as table cells; a missing member is empty.
func (v *Value) row(names []string) *Value {
	cells := make([]*Value, len(names))
	for i := range cells {
		cells[i] = &Value{text: "null"}
	}
	for i, member := range v.members {
		cells[slices.Index(names, v.names[i])] = member
	}
	return &Value{kind: array, members: cells}
}

// table writes a line of names and a line for each row.
func table(b *strings.Builder, indent string, columns []string, rows []*Value) {
	b.WriteString(indent + strings.Join(columns, " | ") + "\n")
	for _, row := range rows {
		cells := make([]string, len(row.members))
		for i, cell := range row.members {
			switch {
			case cell.kind == scalar && cell.text == "null" || cell.kind == array && len(cell.members) == 0:
			case cell.kind > text && !cell.flat():
				cells[i] = cell.JSON()
			default:
				cells[i] = cell.inline()
			}
		}
		b.WriteString(strings.TrimRight(indent+strings.Join(cells, " | "), " ") + "\n")
	}
}

func indented(s, indent string) string {
	s = strings.Trim(s, "\n")
	if indent == "" {
		return s
	}
	return indent + strings.ReplaceAll(s, "\n", "\n"+indent)
}
