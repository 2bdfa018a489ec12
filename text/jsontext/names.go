package jsontext

import (
	"bytes"
	"encoding/json"
	"iter"
)

// given are the names of one object so far.
type given struct {
	names [][]byte
	many  map[string]bool // the same, once they are many
}

// fewNames is up to how many names of one object are compared one by one.
const fewNames = 32

// has reports whether a name was given before, and notes that it is now.
func (n *given) has(name []byte) bool {
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
	var objects []given // at each depth the last one
	for n := range names(text) {
		for len(objects) <= n.depth {
			objects = append(objects, given{})
		}
		if n.first {
			objects[n.depth] = given{}
		}
		if objects[n.depth].has(n.name) {
			return string(n.name), true
		}
	}
	return "", false
}

// OuterNames goes through the names of an object itself, without those of what is in it. The text
// is JSON.
func OuterNames(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for n := range names(text) {
			if n.depth == 0 && !yield(n.name) {
				return
			}
		}
	}
}

// named is a name in an object.
type named struct {
	name  []byte
	depth int  // of its object: 0 is the outermost
	first bool // the object has none before it
}

// names goes through the names of all objects, until there is what is no JSON.
func names(text []byte) iter.Seq[named] {
	type nesting struct{ object, later, value bool } // value: a name has been read, and its value comes next
	return func(yield func(named) bool) {
		var open []nesting
		for i := 0; i < len(text); i++ {
			last := len(open) - 1
			switch text[i] {
			case '{', '[':
				open = append(open, nesting{object: text[i] == '{'})
			case '}', ']':
				if last < 0 {
					return // what is no JSON was refused before
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
				name := text[begin+1 : i]
				if escaped {
					var read string
					if json.Unmarshal(text[begin:i+1], &read) != nil {
						return
					}
					name = []byte(read)
				}
				if !yield(named{name: name, depth: last, first: !open[last].later}) {
					return
				}
				open[last].later, open[last].value = true, true
			}
		}
	}
}
