package fault

import (
	"encoding/json"
	"unicode/utf8"
)

// maxValue bounds the bytes of a value that is repeated in each of many field errors.
const maxValue = 1000

// Bounded cuts a value that is too long to be repeated in each of many field errors: of
// text, or the JSON of anything else, it keeps some 1,000 bytes.
func Bounded(v any) any {
	text, isText := v.(string)
	if !isText {
		whole, err := json.Marshal(v)
		if err != nil || len(whole) <= maxValue {
			return v
		}
		text = string(whole)
	}
	if len(text) <= maxValue {
		return v
	}
	end := maxValue
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
