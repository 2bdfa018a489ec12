package jsontext

import (
	"bytes"
	"encoding/json"
)

// nesting is one open object or array.
type nesting struct {
	names map[string]bool // those given so far; nil for an array
	value bool            // a name has been read, and its value comes next
}

// Repeated finds a name that an object of the text gives twice: which one counts is told
// by no standard, and what one program checks another might not use. The text is JSON.
func Repeated(text []byte) (name string, twice bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var open []nesting
	for {
		token, err := d.Token()
		if err != nil {
			return "", false // the end; what is no JSON was refused before
		}
		name, isText := token.(string)
		last := len(open) - 1
		switch {
		case isText && last >= 0 && open[last].names != nil && !open[last].value:
			if open[last].names[name] {
				return name, true
			}
			open[last].names[name], open[last].value = true, true
		case token == json.Delim('{'):
			open = append(open, nesting{names: map[string]bool{}})
		case token == json.Delim('['):
			open = append(open, nesting{})
		case token == json.Delim('}'), token == json.Delim(']'):
			open = open[:last]
			fallthrough
		default:
			if len(open) > 0 {
				open[len(open)-1].value = false
			}
		}
	}
}
