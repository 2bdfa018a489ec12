package agent_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"trails/auth/policy"
	"trails/mcp"
)

// view is the part of an answer that a host shows a model.
type view struct {
	name   string
	errors mcp.ToolErrors // how the server answers what is invalid
	json   bool           // results are shown by their structured content, and else by their text
	scopes []policy.Scope // of the agent beside runtime, which are those of an operator
}

var views = []view{
	{name: "structured content alone", errors: mcp.ToolErrorsResult, json: true},
	{name: "text alone", errors: mcp.ToolErrorsResult},
	{name: "of errors the message alone", errors: mcp.ToolErrorsProtocol},
}

// shown returns the text that the model reads.
func (v view) shown(t testing.TB, r reply) string {
	t.Helper()
	if r.Error != nil {
		if v.errors == mcp.ToolErrorsResult {
			t.Fatalf("an error in the place of a result: %s", r.Error.Message)
		}
		return r.Error.Message
	}
	var result struct {
		Content           []struct{ Type, Text, Name, URI string }
		StructuredContent json.RawMessage
	}
	if err := json.Unmarshal(r.Result, &result); err != nil {
		t.Fatal(err)
	}
	if v.json {
		return string(result.StructuredContent)
	}
	var text strings.Builder
	for _, block := range result.Content {
		if text.WriteString(block.Text); block.Type == "resource_link" { // a host may show it, although it is for the user
			text.WriteString("\n" + block.Name + " " + block.URI)
		}
	}
	return text.String()
}

// answer is a text that an agent reads. Its methods know how tables and members look, but nothing about tools.
type answer struct {
	testing.TB
	shown string
	json  bool
}

// says requires each of these words in the answer.
func (a answer) says(words ...string) answer {
	a.Helper()
	var missing []string
	for _, word := range words {
		written := word
		if a.json {
			quoted, _ := json.Marshal(word)
			written = strings.Trim(string(quoted), `"`)
		}
		if !strings.Contains(a.shown, written) {
			missing = append(missing, word)
		}
	}
	if missing != nil {
		a.Errorf("the answer does not say %q:\n%.3000s", missing, a.shown)
	}
	return a
}

// begins requires that the first member has this name, and returns its value.
func (a answer) begins(name string) string {
	a.Helper()
	first := name + ":"
	if a.json {
		first = `{"` + name + `":`
	}
	if !strings.HasPrefix(a.shown, first) {
		a.Errorf("the answer does not begin with %s:\n%.3000s", name, a.shown)
	}
	return a.member(name)
}

// member returns the value of the first member with a name, as text.
func (a answer) member(name string) string {
	a.Helper()
	if values := a.members(name); len(values) > 0 {
		return values[0]
	}
	a.Fatalf("the answer has no %s:\n%.3000s", name, a.shown)
	return ""
}

// members returns the values of all members with a name.
func (a answer) members(name string) (values []string) {
	a.Helper()
	if !a.json {
		lines := strings.Split(a.shown, "\n")
		for i, line := range lines {
			value, found := strings.CutPrefix(strings.TrimLeft(line, " -"), name+":")
			if !found {
				continue
			}
			if value == "" && i+1 < len(lines) {
				value = strings.TrimLeft(lines[i+1], " -") // a list of sentences
			}
			values = append(values, strings.TrimSpace(value))
		}
		return values
	}
	a.walk(func(o map[string]any) {
		if v, has := o[name]; has {
			values = append(values, textOf(v))
		}
	})
	return values
}

// word returns the first word that begins with a text: up to white space, quotation marks or a colon behind it.
func (a answer) word(begins string) string {
	a.Helper()
	_, rest, found := strings.Cut(a.shown, begins)
	if !found {
		a.Fatalf("the answer has no %s:\n%.3000s", begins, a.shown)
	}
	if end := strings.IndexAny(rest, " \n\":"); end >= 0 {
		rest = rest[:end]
	}
	return begins + rest
}

// table returns the rows of the table whose first columns are these.
func (a answer) table(columns ...string) (rows [][]string) {
	a.Helper()
	found := false
	if a.json {
		a.walk(func(o map[string]any) {
			list, _ := o["rows"].([]any)
			head, _ := o["columns"].([]any)
			if found || list == nil || textOf(head) != strings.Join(columns, "; ") {
				return
			}
			found = true
			for _, row := range list {
				var cells []string
				for _, cell := range row.([]any) {
					cells = append(cells, textOf(cell))
				}
				rows = append(rows, cells)
			}
		})
	} else {
		lines := strings.Split(a.shown, "\n")
		head := slices.IndexFunc(lines, func(line string) bool { return strings.TrimSpace(line) == strings.Join(columns, " | ") })
		if found = head >= 0; found {
			for _, line := range lines[head+1:] {
				cells := cellsOf(strings.TrimSpace(line))
				if len(cells) != len(columns) {
					break
				}
				rows = append(rows, cells)
			}
		}
	}
	if !found {
		a.Fatalf("the answer has no table of %v:\n%.3000s", columns, a.shown)
	}
	return rows
}

// cellsOf returns the cells of a row. A cell in quotation marks is a JSON string.
func cellsOf(line string) (cells []string) {
	for {
		d := json.NewDecoder(strings.NewReader(line))
		var text string
		if strings.HasPrefix(line, `"`) && d.Decode(&text) == nil {
			rest := line[d.InputOffset():]
			if after, more := strings.CutPrefix(rest, " | "); more || rest == "" || rest == " |" {
				cells, line = append(cells, text), after
				if !more {
					return append(cells, make([]string, strings.Count(rest, "|"))...)
				}
				continue
			}
		}
		cell, rest, more := strings.Cut(line, " | ")
		if !more {
			if cell, more = strings.CutSuffix(cell, " |"); more {
				return append(cells, cell, "")
			}
			return append(cells, cell)
		}
		cells, line = append(cells, cell), rest
	}
}

// walk visits the objects of structured content, outer ones first.
func (a answer) walk(visit func(map[string]any)) {
	a.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(a.shown))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		a.Fatalf("%v in\n%s", err, a.shown)
	}
	walk(v, visit)
}

func walk(v any, visit func(map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, member := range v {
			walk(member, visit)
		}
	case map[string]any:
		visit(v)
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			walk(v[name], visit)
		}
	}
}

// textOf returns a JSON value as answers write it.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return ""
	case json.Number:
		return v.String()
	case []any:
		var texts []string
		for _, member := range v {
			texts = append(texts, textOf(member))
		}
		return strings.Join(texts, "; ")
	}
	text, _ := json.Marshal(v)
	return string(text)
}
