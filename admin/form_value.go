package admin

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"unicode/utf8"
)

// Bounds of a result as a page shows it.
const (
	itemsShown  = 200
	depthShown  = 6
	textShown   = 4000
	columnsMost = 12
)

// shown is a JSON value laid out for reading: a text, the members of an object, the
// items of an array, or the table that an array of objects is.
type shown struct {
	Text    string
	Commit  string // the text, when it is a commit's id
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

func shownOf(raw json.RawMessage) shown { return shownAt(raw, 0) }

func shownAt(raw json.RawMessage, depth int) shown {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return shown{Null: true}
	case depth >= depthShown:
		return shown{Text: firstRunes(string(raw), textShown)}
	case raw[0] == '{':
		var members []shownMember
		for _, m := range namesOf(raw) { // in the order in which they are written
			members = append(members, shownMember{m.name, shownAt(m.value, depth+1)})
		}
		return shown{Members: members}
	case raw[0] == '[':
		return shownArray(raw, depth)
	case raw[0] == '"':
		var text string
		_ = json.Unmarshal(raw, &text) // the engine's own JSON
		if commitID.MatchString(text) {
			return shown{Commit: text}
		}
		if utf8.RuneCountInString(text) > textShown { // the JSON beside it has more
			text = firstRunes(text, textShown) + "…"
		}
		return shown{Text: text}
	}
	return shown{Text: string(raw)}
}

var commitID = regexp.MustCompile(`^[0-9a-f]{64}$`)

type rawMember struct {
	name  string
	value json.RawMessage
}

func namesOf(raw json.RawMessage) []rawMember {
	var out []rawMember
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return out
		}
		m := rawMember{}
		m.name, _ = name.(string)
		if d.Decode(&m.value) != nil {
			return out
		}
		out = append(out, m)
	}
	return out
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
		for _, m := range namesOf(item) {
			if i := slices.Index(out.Columns, m.name); i >= 0 {
				row[i] = shownAt(m.value, depth+1)
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// columnsOf are the members of an array's objects; nil when it is no table.
func columnsOf(items []json.RawMessage) []string {
	var columns []string
	for _, item := range items {
		if item = bytes.TrimSpace(item); len(item) == 0 || item[0] != '{' {
			return nil
		}
		for _, m := range namesOf(item) {
			if !slices.Contains(columns, m.name) {
				columns = append(columns, m.name)
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
