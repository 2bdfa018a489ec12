package artifact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"trails/text/jsontext"
	"trails/text/quote"
)

// mostJSON is the maximum size of JSON that is parsed, in bytes, and mostDepth its maximum nesting.
const (
	mostJSON  = 16 << 20
	mostDepth = 200
)

var errTooMuch = errors.New("it is too large or too deep to be read as JSON; use lines, bytes or grep")

// parse parses JSON, keeping numbers as text. A sequence of objects, as in JSON lines, becomes a list.
func parse(text []byte) (any, error) {
	if len(text) > mostJSON || jsontext.TooDeep(text, mostDepth) {
		return nil, errTooMuch
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var values []any
	for {
		var v any
		err := d.Decode(&v)
		if err == io.EOF && len(values) > 0 {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("it is no JSON (%w); use lines, grep or stats", err)
		}
		values = append(values, v)
		if first, is := values[0].(map[string]any); len(values) > 1 && (first == nil || !is) {
			return nil, errors.New("it is no JSON: something follows the value")
		}
	}
	if len(values) == 1 {
		return values[0], nil
	}
	return values, nil
}

func sameJSON(a, b []byte) bool {
	x, err := parse(a)
	if err != nil {
		return false
	}
	y, err := parse(b)
	return err == nil && jsontext.Equal(x, y)
}

// isMember reports whether data is an object whose only member is the text.
func isMember(data []byte, text string) bool {
	v, err := parse(data)
	object, is := v.(map[string]any)
	if err != nil || !is || len(object) != 1 {
		return false
	}
	for _, member := range object {
		return member == text
	}
	return false
}

func names(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }

func isScalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

// written is a value as JSON; a text stays as it is.
func written(v any) string {
	if text, is := v.(string); is {
		return text
	}
	text, err := jsontext.Marshal(v)
	if err != nil {
		return "" // parsed values can be encoded
	}
	return string(text)
}

// Bounds of a shape.
const (
	shapeDepth  = 3
	shapeNames  = 24
	shapeLength = 600
)

// shapeOf describes a value: {"id": number, "tags": [3 of string]}.
func shapeOf(v any, depth int) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		if n := utf8.RuneCountInString(v); n > 100 {
			return fmt.Sprintf("string of %d characters", n)
		}
		return "string"
	case []any:
		if len(v) == 0 {
			return "[]"
		}
		if depth == 0 {
			return fmt.Sprintf("[%d]", len(v))
		}
		var kinds []string
		for _, item := range v[:min(len(v), 1_000)] {
			if kind := shapeOf(item, depth-1); !slices.Contains(kinds, kind) {
				if kinds = append(kinds, kind); len(kinds) == 3 {
					kinds[2] = "…"
					break
				}
			}
		}
		return fmt.Sprintf("[%d of %s]", len(v), strings.Join(kinds, " | "))
	case map[string]any:
		if depth == 0 {
			return fmt.Sprintf("{%d}", len(v))
		}
		var members []string
		for i, name := range names(v) {
			if i == shapeNames {
				members = append(members, fmt.Sprintf("and %d more", len(v)-i))
				break
			}
			members = append(members, quote.Text(name, 40)+": "+shapeOf(v[name], depth-1))
		}
		return "{" + strings.Join(members, ", ") + "}"
	}
	return ""
}

// shape describes an artifact with structured data.
func (a Artifact) shape() string {
	if v, err := parse(a.Data); err == nil {
		if isScalar(v) {
			return ""
		}
		return quote.Line(shapeOf(v, shapeDepth), shapeLength)
	}
	if t, is := a.table(); is {
		return quote.Line(fmt.Sprintf("table of %d rows with the columns %s", len(t.rows), strings.Join(t.columns, ", ")), shapeLength)
	}
	return ""
}

// offers are selectors for an artifact, the most useful first.
func (a Artifact) offers() []Selector {
	if v, err := parse(a.Data); err == nil && !isScalar(v) {
		if list, is := v.([]any); is && len(list) > 0 && !isScalar(list[0]) {
			return []Selector{&Rows{Type: "rows"}}
		}
		return []Selector{&Keys{Type: "json_keys"}}
	}
	if _, is := a.table(); is {
		return []Selector{&Rows{Type: "rows"}}
	}
	return a.readers()
}
