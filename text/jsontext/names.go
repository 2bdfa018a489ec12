package jsontext

import (
	"bytes"
	"encoding/json"
)

// nesting is one open object or array.
type nesting struct {
	object bool
	names  [][]byte        // those given so far
	many   map[string]bool // the same, once they are many
	value  bool            // a name has been read, and its value comes next
}

// fewNames is up to how many names of one object are compared one by one.
const fewNames = 32

// has reports whether a name was given before, and notes that it is now.
func (n *nesting) has(name []byte) bool {
	if n.many != nil {
		if n.many[string(name)] {
			return true
		}
		n.many[string(name)] = true
		return false
	}
	for _, other := range n.names {
		if bytes.Equal(other, name) {
			return true
		}
	}
	if n.names = append(n.names, name); len(n.names) > fewNames {
		n.many = make(map[string]bool, 2*len(n.names))
		for _, name := range n.names {
			n.many[string(name)] = true
		}
	}
	return false
}

// Repeated finds a name that an object of the text gives twice: which one counts is told
// by no standard, and what one program checks another might not use. The text is JSON.
func Repeated(text []byte) (name string, twice bool) {
	var open []nesting
	for i := 0; i < len(text); i++ {
		last := len(open) - 1
		switch text[i] {
		case '{', '[':
			open = append(open, nesting{object: text[i] == '{'})
		case '}', ']':
			if last < 0 {
				return "", false // what is no JSON was refused before
			}
			open = open[:last]
		case ',':
			if last >= 0 {
				open[last].value = false
			}
		case '"':
			begin, escaped := i, false
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					escaped = true
					i++
				}
			}
			if last < 0 || i >= len(text) || !open[last].object || open[last].value {
				continue
			}
			open[last].value = true
			name := text[begin+1 : i]
			if escaped {
				var read string
				if json.Unmarshal(text[begin:i+1], &read) != nil {
					return "", false
				}
				name = []byte(read)
			}
			if open[last].has(name) {
				return string(name), true
			}
		}
	}
	return "", false
}
