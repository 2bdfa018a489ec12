package schema

import (
	"iter"
	"slices"

	"go.yaml.in/yaml/v3"
)

// This file changes YAML trees: mappings, in which a key is followed by its value.

// pairs yields the keys of a mapping with their values; nil has none.
func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

func keysOf(n *yaml.Node) []string {
	var keys []string
	for key := range pairs(n) {
		keys = append(keys, key.Value)
	}
	return keys
}

// index is the index of a key in a mapping, -1 for none.
func index(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// mappingAt returns the value of the key at i as a mapping: an empty value is an empty one, and a bare word is the
// type of a property.
func mappingAt(n *yaml.Node, i int) *yaml.Node {
	value := n.Content[i+1]
	if value.Kind != yaml.ScalarNode {
		return value
	}
	m := newMapping()
	if value.Tag != tagNull {
		m.set("type", value)
	}
	m.Line = value.Line
	n.Content[i+1] = m.Node
	return m.Node
}

// branch returns the mapping under a key, and creates it if missing.
func branch(n *yaml.Node, key string) *yaml.Node {
	if i := index(n, key); i >= 0 {
		return mappingAt(n, i)
	}
	m := newMapping().Node
	insert(n, key, m, 0)
	return m
}

// insert appends a key with its value to a mapping, as set by a step.
func insert(n *yaml.Node, key string, value *yaml.Node, step int) {
	k := textNode(key)
	k.Line = step
	n.Content = append(n.Content, k, value)
}

func remove(n *yaml.Node, key string) {
	if i := index(n, key); i >= 0 {
		n.Content = slices.Delete(n.Content, i, i+2)
	}
}

// rewrite applies a function to every text in a value, which may be nil, a text, or nested lists.
func rewrite(n *yaml.Node, replace func(string) string) {
	switch {
	case n == nil:
	case n.Kind == yaml.ScalarNode:
		n.Value = replace(n.Value)
	default:
		for _, child := range n.Content {
			rewrite(child, replace)
		}
	}
}

// other returns now for the text was, and other texts unchanged.
func other(text, was, now string) string {
	if text == was {
		return now
	}
	return text
}
