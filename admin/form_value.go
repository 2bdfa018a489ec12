package admin

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"unicode/utf8"

	"trails/text/jsontext"
	"trails/text/outline"
)

// Bounds of a result as a page shows it.
const (
	itemsShown  = 200
	depthShown  = 6
	textShown   = 4000
	columnsMost = 12
)

// shown is a JSON value prepared for display: a text, the members of an object, the items of an array, the table of
// an array of objects, or rows with column names.
type shown struct {
	Text    string
	Commit  string // the text, if it is a commit's id
	Null    bool
	Members []shownMember
	Items   []shown
	Columns []string
	Rows    [][]shown
	// More is how many items or rows are not shown.
	More int
}

type shownMember struct {
	Name  string
	Value shown
}

// shownAt lays a value out that stands at a depth of the result.
func shownAt(raw json.RawMessage, depth int) shown {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return shown{Null: true}
	case depth >= depthShown:
		return shown{Text: firstRunes(string(raw), textShown)}
	case raw[0] == '{':
		given, _ := jsontext.Members(raw)
		return shownObject(given, depth)
	case raw[0] == '[':
		return shownArray(raw, depth)
	case raw[0] == '"':
		var text string
		_ = json.Unmarshal(raw, &text)                     // the engine's own JSON
		return shown{Text: outline.Begin(text, textShown)} // the JSON beside it has more
	}
	return shown{Text: string(raw)}
}

// shownObject lays the members of an object out.
func shownObject(given []jsontext.Member, depth int) shown {
	var members []shownMember
	if table, isTable := shownTable(given, depth); isTable {
		given = slices.DeleteFunc(given, func(m jsontext.Member) bool { return m.Name == "columns" || m.Name == "rows" })
		members = append(members, shownMember{"rows", table})
	}
	for _, m := range given {
		members = append(members, shownMember{m.Name, shownAt(m.Value, depth+1).under(m.Name)})
	}
	return shown{Members: members}
}

// commitID matches a commit's id in answers; commitMembers are the members and columns with one.
var (
	commitID      = regexp.MustCompile(`^[0-9a-f]{12}$`)
	commitMembers = []string{"commit", "deleted_by", "head", "parent", "undone"}
)

// under returns the value as a member or column of this name.
func (s shown) under(name string) shown {
	if slices.Contains(commitMembers, name) && commitID.MatchString(s.Text) {
		return shown{Commit: s.Text}
	}
	return s
}

func shownArray(raw json.RawMessage, depth int) shown {
	var items []json.RawMessage
	_ = json.Unmarshal(raw, &items) // the engine's own JSON
	out := shown{More: max(0, len(items)-itemsShown)}
	items = items[:len(items)-out.More]
	out.Columns = columnsOf(items)
	for _, item := range items {
		if out.Columns == nil {
			out.Items = append(out.Items, shownAt(item, depth+1))
			continue
		}
		row := make([]shown, len(out.Columns))
		for i := range row {
			row[i] = shown{Null: true}
		}
		members, _ := jsontext.Members(item)
		for _, m := range members {
			if i := slices.Index(out.Columns, m.Name); i >= 0 {
				row[i] = shownAt(m.Value, depth+1).under(m.Name)
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// shownTable is the table of an object that has the names of its columns in columns, and a
// list of cells for each of its rows.
func shownTable(members []jsontext.Member, depth int) (out shown, isTable bool) {
	var rows [][]json.RawMessage
	for _, m := range members {
		switch m.Name {
		case "columns":
			_ = json.Unmarshal(m.Value, &out.Columns) // what is no list of texts is no table
		case "rows":
			_ = json.Unmarshal(m.Value, &rows)
		}
	}
	if len(out.Columns) == 0 || len(out.Columns) > columnsMost || len(rows) == 0 {
		return shown{}, false
	}
	out.More = max(0, len(rows)-itemsShown)
	for _, row := range rows[:len(rows)-out.More] {
		cells := make([]shown, len(row))
		for i, cell := range row {
			cells[i] = shownAt(cell, depth+2)
			if i < len(out.Columns) {
				cells[i] = cells[i].under(out.Columns[i])
			}
		}
		out.Rows = append(out.Rows, cells)
	}
	return out, true
}

// columnsOf are the members of an array's objects; nil when it is no table.
func columnsOf(items []json.RawMessage) []string {
	var columns []string
	for _, item := range items {
		members, isObject := jsontext.Members(item)
		if !isObject {
			return nil
		}
		for _, m := range members {
			if !slices.Contains(columns, m.Name) {
				columns = append(columns, m.Name)
			}
		}
	}
	if len(columns) > columnsMost {
		return nil
	}
	return columns
}

// indentedJSON lays JSON out, and says whether it had to be cut.
func indentedJSON(raw json.RawMessage, most int) (text string, isCut bool) {
	var buf bytes.Buffer
	if json.Indent(&buf, raw, "", "  ") != nil {
		return string(raw), false
	}
	if buf.Len() <= most {
		return buf.String(), false
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(buf.Bytes()[cut]) {
		cut--
	}
	return string(buf.Bytes()[:cut]), true
}
