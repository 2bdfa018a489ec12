package fault

import (
	"encoding/json"
	"unicode/utf8"
)

// maxValue is how many bytes of a value each field error keeps.
const maxValue = 1000

// Bounded shortens a value for use in field errors to about 1,000 bytes of text or JSON.
func Bounded(v any) any { return boundedTo(v, maxValue) }

func boundedTo(v any, most int) any {
	text, isText := v.(string)
	if !isText {
		whole, err := json.Marshal(v)
		if err != nil || len(whole) <= most {
			return v
		}
		text = string(whole)
	}
	if len(text) <= most {
		return v
	}
	return cutText(text, most)
}

// cutText cuts a text to at most most bytes, with a note that it was cut.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := max(most, 0)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// bounded returns the field error in about most bytes: texts are cut, and a long value or constraint becomes
// the beginning of its JSON.
func (f FieldError) bounded(most int) FieldError {
	f.Field, f.Node, f.Source = cutText(f.Field, most/8), cutText(f.Node, most/8), cutText(f.Source, most/8)
	f.Message = cutText(f.Message, most*3/8)
	f.Value, f.Constraint = boundedTo(f.Value, most/8), boundedTo(f.Constraint, most/8)
	return f
}
