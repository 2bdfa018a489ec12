package jsontext

import (
	"bytes"
	"encoding/json"
	"iter"
)

// given is the set of names of one object so far.
type given struct {
	names [][]byte
	many  map[string]bool // the same as a set, once there are many
}

// fewNames is the number of names up to which they are compared one by one.
const fewNames = 32

// has reports whether a name is in the set, and adds it.
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

// Repeated finds a name that occurs twice in an object of the valid JSON text. No standard says which one
// counts, so two programs may read different values.
func Repeated(text []byte) (name string, twice bool) {
	var objects []given // at each depth the current object
	for n := range names(text) {
		for len(objects) <= n.depth {
			objects = append(objects, given{names: make([][]byte, 0, 8)})
		}
		if n.first {
			objects[n.depth] = given{names: objects[n.depth].names[:0]}
		}
		if objects[n.depth].has(n.name) {
			return string(n.name), true
		}
	}
	return "", false
}

// OuterNames yields the member names of the outermost object of a valid JSON text.
func OuterNames(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for n := range names(text) {
			if n.depth == 0 && !yield(n.name) {
				return
			}
		}
	}
}

// named is the name of a member.
type named struct {
	name  []byte
	depth int  // of the object; 0 is the outermost
	first bool // it is the object's first
}

// names yields the names of all objects, up to invalid JSON.
func names(text []byte) iter.Seq[named] {
	type nesting struct{ object, later, value bool } // value: a name was read, its value comes next
	return func(yield func(named) bool) {
		var open []nesting
		for i := 0; i < len(text); i++ {
			last := len(open) - 1
			switch text[i] {
			case '{', '[':
				open = append(open, nesting{object: text[i] == '{'})
			case '}', ']':
				if last < 0 {
					return // invalid JSON was refused before
				}
				open = open[:last]
			case ',':
				if last >= 0 {
					open[last].value = false
				}
			case '"':
				begin := i
				for i++; i < len(text) && text[i] != '"'; i++ {
					if text[i] == '\\' {
						i++
					}
				}
				if last < 0 || i >= len(text) || !open[last].object || open[last].value {
					continue
				}
				name := text[begin+1 : i]
				if bytes.IndexByte(name, '\\') >= 0 {
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
