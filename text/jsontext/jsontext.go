// Package jsontext handles JSON as text: it writes values in one way everywhere, and refuses texts that nest
// too deep or contain half a character before they are parsed. It does not know what the JSON means.
package jsontext

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Marshal is json.Marshal without escapes of <, > and &, because agents and people read the text. Map members
// are sorted.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// Joined is one object with the members of two, as [Marshal] writes these, the first's before the second's.
func Joined(first, second []byte) []byte {
	switch {
	case string(first) == "{}":
		return second
	case string(second) == "{}":
		return first
	}
	return slices.Concat(first[:len(first)-1], []byte{','}, second[1:])
}

// AppendText appends a string as [Marshal] writes it. Only strings that may need escapes go through
// encoding/json.
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

// Size is how many characters text takes within a JSON string.
func Size[T ~string | ~[]byte](text T) int {
	return utf8.RuneCount(AppendText(nil, string(text))) - len(`""`)
}

// TooDeep reports whether brackets outside of strings nest deeper than limit. The text may be invalid JSON;
// that is for the parser to report.
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

// Lone is a surrogate without its other half, such as "\ud800": an escape for no character, which encoding/json
// silently replaces.
type Lone struct {
	Field  string // path of the member, such as data.title; "" outside of any
	Offset int    // position of its backslash
}

func (l Lone) Error() string {
	where := "the text"
	if l.Field != "" {
		where = l.Field
	}
	return where + " has half of a surrogate pair, such as \\ud800 by itself, which is no character"
}

// LoneSurrogate finds the first lone surrogate in a text, which may be invalid JSON.
func LoneSurrogate(text []byte) (Lone, bool) {
	if !bytes.Contains(text, []byte(`\u`)) {
		return Lone{}, false
	}
	type nesting struct {
		object bool
		name   string // name of the current member
		value  bool   // its name has been read
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

// escaped returns the UTF-16 unit of the \uXXXX at the beginning of text, 0 if there is none.
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

// MaxMembers is how many members an object or array in arguments may have.
const MaxMembers = 10_000

// TooWide reports whether an object or array has more members than limit. It does not parse: it counts commas
// outside of strings, and needs memory only for open brackets.
func TooWide(text []byte, limit int) bool {
	var open []int // commas in each open bracket
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

// ObjectInText returns the object inside a JSON string; ok is false if there is none. Some hosts send objects
// in this form.
func ObjectInText(text []byte) (object []byte, ok bool) {
	var held string
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte{'"'}) || json.Unmarshal(text, &held) != nil {
		return nil, false
	}
	object = bytes.TrimSpace([]byte(held))
	return object, bytes.HasPrefix(object, []byte{'{'}) && json.Valid(object)
}
