// Package jsontext is what every door does with JSON as text: write a value the
// same way, and refuse a text that nests too deep, or has half a character, before
// anybody parses it. It knows nothing of what the JSON means.
package jsontext

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"
	"strings"
	"unicode/utf16"
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

// AppendText appends a text in quotation marks, as [Marshal] writes it, to b. Only what has to
// be escaped, or may have to, is left to the package that knows how.
func AppendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, err := Marshal(text)
			if err != nil {
				panic("jsontext: a text is not JSON: " + err.Error())
			}
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, text...)
	return append(b, '"')
}

// TooDeep reports whether brackets outside of strings nest deeper than limit. It
// does not need text to be JSON; on text that is not, the parser has the last word.
func TooDeep(text []byte, limit int) bool {
	depth := 0
	for c := range unquoted(text) {
		switch c {
		case '[', '{':
			if depth++; depth > limit {
				return true
			}
		case ']', '}':
			depth--
		}
	}
	return false
}

// unquoted yields the bytes outside of strings.
func unquoted(text []byte) iter.Seq[byte] {
	return func(yield func(byte) bool) {
		quoted := false
		for i := 0; i < len(text); i++ {
			switch c := text[i]; {
			case quoted && c == '\\':
				i++
			case c == '"':
				quoted = !quoted
			case quoted:
			case !yield(c):
				return
			}
		}
	}
}

// Lone is a surrogate without its other half, as in "\ud800": an escape that stands for
// no character, for which encoding/json puts another one. It is no valid UTF-8 either.
type Lone struct {
	Field  string // names of the members around it, as in data.title; "" outside of any
	Offset int    // of its backslash
}

// Error says which field has it.
func (l Lone) Error() string {
	where := "the text"
	if l.Field != "" {
		where = l.Field
	}
	return where + " has half of a surrogate pair, such as \\ud800 by itself, which is no character"
}

// LoneSurrogate finds the first one in a text. As [TooDeep] it does not need text to be
// JSON.
func LoneSurrogate(text []byte) (Lone, bool) {
	if !bytes.Contains(text, []byte(`\u`)) {
		return Lone{}, false
	}
	type nesting struct {
		object bool
		name   string // of the member at hand
		value  bool   // the name has been read
	}
	var open []nesting
	for i := 0; i < len(text); i++ {
		last := len(open) - 1
		switch c := text[i]; {
		case c == '{' || c == '[':
			open = append(open, nesting{object: c == '{'})
		case last < 0 && c != '"':
		case c == '}' || c == ']':
			open = open[:last]
		case c == ',':
			open[last].value = false
		case c == ':':
			open[last].value = true
		case c == '"':
			start := i + 1
			lone := -1
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] != '\\' {
					continue
				}
				if r := escaped(text[i:]); lone < 0 && utf16.IsSurrogate(r) {
					if utf16.DecodeRune(r, escaped(text[min(i+6, len(text)):])) != '\uFFFD' {
						i += 6
					} else {
						lone = i
					}
				}
				i++
			}
			if last >= 0 && open[last].object && !open[last].value {
				open[last].name = string(text[start:min(i, len(text))])
			}
			if lone >= 0 {
				var names []string
				for _, n := range open {
					if n.object {
						names = append(names, n.name)
					}
				}
				return Lone{Field: strings.Join(names, "."), Offset: lone}, true
			}
		}
	}
	return Lone{}, false
}

// escaped is the unit of UTF-16 that \uXXXX at the beginning of text stands for, 0 when
// there is none.
func escaped(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return 0
	}
	return rune(n)
}

// MaxMembers is how many members an object or an array may have that comes as arguments.
const MaxMembers = 10_000

// TooWide reports whether an object or an array has more members than limit, without
// parsing text. It counts commas outside of strings, and needs memory for the open
// brackets alone.
func TooWide(text []byte, limit int) bool {
	var open []int // how many commas each has
	for c := range unquoted(text) {
		last := len(open) - 1
		switch {
		case c == '[' || c == '{':
			open = append(open, 0)
		case last < 0:
		case c == ']' || c == '}':
			open = open[:last]
		case c == ',':
			if open[last]++; open[last] >= limit {
				return true
			}
		}
	}
	return false
}

// ObjectInText returns the JSON object that a JSON string holds, which is what some hosts make of
// one; false when it holds none.
func ObjectInText(text []byte) (object []byte, ok bool) {
	var held string
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte{'"'}) || json.Unmarshal(text, &held) != nil {
		return nil, false
	}
	object = bytes.TrimSpace([]byte(held))
	return object, bytes.HasPrefix(object, []byte{'{'}) && json.Valid(object)
}
