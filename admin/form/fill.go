package form

import (
	"bytes"
	"encoding/json"
	"strings"

	"trails/capability"
)

// Fill returns the entries of arguments. A value that its field cannot show as people
// type it, such as an empty text in a list, is shown as JSON: what is posted again
// is always what was given.
func Fill(shape capability.Shape, args map[string]json.RawMessage) map[string]Entry {
	entries := map[string]Entry{}
	for _, f := range shape.Fields {
		if raw, ok := args[f.Name]; ok {
			entries[f.Name] = entryOf(f, raw)
		}
	}
	return entries
}

// Begin returns the entries of a form that changes what is there: each field that may
// be null, for those are the properties, knows the value that it began with. Those
// in held are there, too, but too long to be sent along; they map to a note.
func Begin(shape capability.Shape, args map[string]json.RawMessage, held map[string]string) map[string]Entry {
	entries := Fill(shape, args)
	for _, f := range shape.Fields {
		if !f.Nullable {
			continue
		}
		e := entries[f.Name]
		if note, ok := held[f.Name]; ok {
			entries[f.Name] = Entry{Was: wasHeld, Held: note}
			continue
		}
		value, _ := e.value(f) // what Fill made has nothing wrong
		e.Was = Mark(value)
		entries[f.Name] = e
	}
	return entries
}

// Rebase lets entries that a person wrote stand on another beginning: what they
// touched stays theirs, all else becomes as it is now.
func Rebase(shape capability.Shape, posted, now map[string]Entry) map[string]Entry {
	out := map[string]Entry{}
	for _, f := range shape.Fields {
		mine, theirs := posted[f.Name], now[f.Name]
		value, wrong := mine.value(f)
		if wrong == nil && mine.Was != "" && mine.untouched(value) {
			out[f.Name] = theirs
			continue
		}
		mine.Was, mine.Held = theirs.Was, theirs.Held
		out[f.Name] = mine
	}
	return out
}

func entryOf(f capability.Field, raw json.RawMessage) Entry {
	if f.Nullable && string(raw) == "null" && f.Type != capability.Any {
		return Entry{Removed: true}
	}
	if texts, ok := textsOf(f, raw); ok {
		e := Entry{Texts: texts}
		if back, wrong := e.normal().value(f); wrong == nil && sameJSON(back, raw) && e.fits(controlOf(f, e)) {
			return e
		}
	}
	return Entry{JSON: true, Texts: []string{indented(raw)}}
}

// fits reports whether the control keeps every text: those of one line drop line ends.
func (e Entry) fits(c Control) bool {
	return c == Lines || c == JSON || e.all(func(text string) bool { return !strings.Contains(text, "\n") })
}

// textsOf shows a value, or each of an array, as people type it.
func textsOf(f capability.Field, raw json.RawMessage) ([]string, bool) {
	var values []json.RawMessage // empty: decoding into raw's own place would overwrite it
	if !f.Many {
		values = append(values, raw)
	} else if json.Unmarshal(raw, &values) != nil {
		return nil, false
	}
	texts := make([]string, len(values))
	for i, v := range values {
		if isJSON(f.Type) {
			texts[i] = shownJSON(f.Type, v)
			continue
		}
		text, ok := plainText(v)
		if f.Type == capability.LangString && !ok {
			text, ok = taggedText(v)
		}
		if !ok {
			return nil, false
		}
		texts[i] = text
	}
	return texts, true
}

// shownJSON is a vector on one line, and all else indented.
func shownJSON(t capability.Type, raw json.RawMessage) string {
	if t == capability.Vector {
		return compact(raw)
	}
	return indented(raw)
}

// plainText returns the text of a string, a number or a boolean.
func plainText(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 {
		return "", false
	}
	switch raw[0] {
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err == nil
	case '[', '{', 'n':
		return "", false
	}
	return string(raw), true
}

func compact(raw json.RawMessage) string {
	var buf bytes.Buffer
	if json.Compact(&buf, raw) != nil {
		return string(raw)
	}
	return buf.String()
}

func indented(raw json.RawMessage) string {
	var buf bytes.Buffer
	if json.Indent(&buf, raw, "", "  ") != nil {
		return string(raw)
	}
	return buf.String()
}

// sameJSON compares JSON texts, not values: 1.0 is not 1. Only how strings are
// escaped makes no difference.
func sameJSON(a, b json.RawMessage) bool {
	return compact(a) == compact(b) || a != nil && rewritten(a) == rewritten(b)
}

func rewritten(raw json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return string(raw)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(text)
}

// normal is the entry as a browser sends it back: line ends become one kind, and
// NUL, which HTML has no way to say, is replaced.
func (e Entry) normal() Entry {
	texts := make([]string, len(e.Texts))
	for i, text := range e.Texts {
		texts[i] = strings.ReplaceAll(newlines.Replace(text), "\x00", "\ufffd")
	}
	e.Texts = texts
	return e
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")
