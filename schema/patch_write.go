package schema

import (
	"bytes"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// PatchTo returns the patch from s to another schema with the same base, for [Schema.Patch]: "[]\n" without
// differences. A renamed type or property is removed and added, unless it names its former name.
func (s *Schema) PatchTo(to *Schema) ([]byte, error) {
	patched, w := s.towards(to)
	was, err := treeOf(patched.Renamed)
	if err != nil {
		return nil, err
	}
	is, err := treeOf(to)
	if err != nil {
		return nil, err
	}
	if changed := differing(orEmpty(member(was, "prefixes")), orEmpty(member(is, "prefixes"))); len(changed.Content) > 0 {
		w.step("prefixes", changed)
	}
	w.types(orEmpty(member(was, "types")), orEmpty(member(is, "types")))
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(w.steps); err != nil {
		return nil, fmt.Errorf("write the patch: %w", err)
	}
	return b.Bytes(), nil
}

// treeOf is a schema as the tree of its YAML.
func treeOf(s *Schema) (*yaml.Node, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(s.YAML(), &document); err != nil {
		return nil, fmt.Errorf("read the schema that was written: %w", err)
	}
	return document.Content[0], nil
}

// orEmpty is a mapping, which may be none.
func orEmpty(n *yaml.Node) *yaml.Node {
	if n == nil {
		return newMapping().Node
	}
	return n
}

// patchWriter collects the steps of a patch.
type patchWriter struct{ steps *yaml.Node }

func (w patchWriter) step(word string, about *yaml.Node) {
	w.steps.Content = append(w.steps.Content, &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{textNode(word), about}})
}

// about is a step about one name: its keys, or the name that it is moved before.
func (w patchWriter) about(word, name string, value *yaml.Node) {
	w.step(word, &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{textNode(name), value}})
}

// types writes the steps from some types to others.
func (w patchWriter) types(was, is *yaml.Node) {
	order := w.dropped("drop_type", "", was, is)
	for key, now := range pairs(is) {
		before := member(was, key.Value)
		if before == nil {
			w.about("add_type", key.Value, now)
			order = append(order, key.Value)
			continue
		}
		if words := differing(before, now); len(words.Content) > 0 {
			w.about("alter_type", key.Value, words)
		}
		w.properties(key.Value+".", orEmpty(member(before, "properties")), orEmpty(member(now, "properties")))
	}
	w.inOrder("", order, keysOf(is))
}

// properties writes the steps from the properties of a type to those that it has after it.
func (w patchWriter) properties(prefix string, was, is *yaml.Node) {
	order := w.dropped("drop_property", prefix, was, is)
	for key, now := range pairs(is) {
		i := index(was, key.Value)
		if i < 0 {
			w.about("add_property", prefix+key.Value, now)
			order = append(order, key.Value)
			continue
		}
		before := mappingAt(was, i)
		if words := differing(before, mappingAt(is, index(is, key.Value))); len(words.Content) > 0 {
			w.about("alter_property", prefix+key.Value, words)
		}
	}
	w.inOrder(prefix, order, keysOf(is))
}

// dropped writes a step for each removed key, and returns the others.
func (w patchWriter) dropped(word, prefix string, was, is *yaml.Node) (stay []string) {
	for _, name := range keysOf(was) {
		if member(is, name) != nil {
			stay = append(stay, name)
		} else {
			w.step(word, textNode(prefix+name))
		}
	}
	return stay
}

// inOrder writes steps that move names into the right order.
func (w patchWriter) inOrder(prefix string, have, want []string) {
	for i := len(want) - 2; i >= 0; i-- {
		name, next := want[i], want[i+1]
		if slices.Index(have, name)+1 == slices.Index(have, next) {
			continue
		}
		w.about("move_before", prefix+name, textNode(next))
		have = slices.DeleteFunc(have, func(other string) bool { return other == name })
		have = slices.Insert(have, slices.Index(have, next), name)
	}
}

// differing are the keys that change one mapping to another; null removes a key. Properties have their own steps.
func differing(was, is *yaml.Node) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode}
	for key := range pairs(was) {
		if key.Value != "properties" && member(is, key.Value) == nil {
			out.Content = append(out.Content, textNode(key.Value), &yaml.Node{Kind: yaml.ScalarNode, Tag: tagNull, Value: "null"})
		}
	}
	for key, value := range pairs(is) {
		if before := member(was, key.Value); key.Value != "properties" && (before == nil || !same(before, value)) {
			out.Content = append(out.Content, textNode(key.Value), value)
		}
	}
	return out
}

// same reports whether two trees say the same.
func same(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Tag == b.Tag && a.Value == b.Value && slices.EqualFunc(a.Content, b.Content, same)
}
