package fault

import (
	"encoding/json"
	"unicode/utf8"
)

// maxValue bounds the bytes of a value that is repeated in each of many field errors.
const maxValue = 1000

// Bounded cuts a value that is too long to be repeated in each of many field errors: of
// text, or the JSON of anything else, it keeps some 1,000 bytes.
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

// cutText cuts a text to most bytes, and says so in it.
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

// bounded is the field in about most bytes: of its names and texts the beginnings, and of
// a value or constraint that is longer its JSON as text.
func (f FieldError) bounded(most int) FieldError {
	f.Field, f.Node, f.Source = cutText(f.Field, most/8), cutText(f.Node, most/8), cutText(f.Source, most/8)
	f.Message = cutText(f.Message, most*3/8)
	f.Value, f.Constraint = boundedTo(f.Value, most/8), boundedTo(f.Constraint, most/8)
	return f
}
