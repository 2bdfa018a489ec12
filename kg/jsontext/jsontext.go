// Package jsontext is what every door does with JSON as text: write a value the
// same way, and refuse a text that nests too deep before anybody parses it. It
// knows nothing of what the JSON means.
package jsontext

import (
	"bytes"
	"encoding/json"
)

// Marshal is json.Marshal without its escapes of <, > and &: agents and people read
// the text. Members of a map are in the order of their names.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// TooDeep reports whether brackets outside of strings nest deeper than limit. It
// does not need text to be JSON; on text that is not, the parser has the last word.
func TooDeep(text []byte, limit int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > limit {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}
