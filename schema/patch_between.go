package schema

import (
	"bytes"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"trails/rdf"
)

// Towards returns the change from s to a completely written schema. Renames are recognized: a property by
// [Property.Was] and a type by its ids.
func (s *Schema) Towards(after *Schema) Patched {
	patched, _ := s.towards(after)
	return patched
}

// towards returns the steps of a patch, including renames.
func (s *Schema) towards(after *Schema) (Patched, patchWriter) {
	none := patchWriter{steps: &yaml.Node{Kind: yaml.SequenceNode}}
	w := patchWriter{steps: &yaml.Node{Kind: yaml.SequenceNode}}
	for _, t := range after.Types {
		was := s.Type(t.Name)
		if was == nil {
			if was = s.goneAs(t, after); was == nil {
				continue
			}
			w.about("rename_type", was.Name, textNode(t.Name))
		}
		before, now := byName(was.Properties), byName(t.Properties)
		for _, p := range t.Properties {
			if before[p.Name] != nil {
				continue
			}
			i := slices.IndexFunc(was.Properties, func(q *Property) bool {
				return now[q.Name] == nil && (slices.Contains(p.Was, q.Name) || slices.Contains(q.Was, p.Name))
			})
			if i < 0 {
				continue
			}
			from := was.Properties[i]
			w.about("rename_property", t.Name+"."+from.Name, textNode(p.Name))
			if len(p.Was) > 0 && !slices.Equal(namesOnce(from.Was, from.Name, p.Name), p.Was) {
				w.about("alter_property", t.Name+"."+p.Name, wasNode(p.Was))
			}
		}
	}
	if len(w.steps.Content) == 0 {
		return Patched{Schema: after, Renamed: s}, none
	}
	patched, err := s.patchBy(w)
	if err != nil {
		return Patched{Schema: after, Renamed: s}, none // crossing renames become removals and additions
	}
	patched.Schema.foreign = s.foreign
	return Patched{Schema: after, Renamed: patched.Schema}, w
}

// wasNode sets the former names of a property.
func wasNode(names []string) *yaml.Node {
	words := newMapping()
	words.set("was", nameList(names))
	return words.Node
}

// goneAs returns the type of after that replaces t, by its ids, if that is unambiguous.
func (s *Schema) goneAs(t *Type, after *Schema) *Type {
	var found *Type
	for _, was := range s.Types {
		if after.Type(was.Name) == nil && was.ids() == t.ids() {
			if found != nil {
				return nil
			}
			found = was
		}
	}
	return found
}

// SameProperty reports whether both predicates are names of one property, at most one of them the current one.
func (s *Schema) SameProperty(a, b rdf.IRI) bool {
	for _, t := range s.Types {
		for _, p := range t.Properties {
			had := func(predicate rdf.IRI) bool {
				return p.IRI == predicate || slices.ContainsFunc(p.Was, func(name string) bool { return rdf.IRI(s.Base+name) == predicate })
			}
			if had(a) && had(b) {
				return true
			}
		}
	}
	return false
}

// KeepNames returns after with the former names of properties in s, where it has none: a completely written schema
// need not repeat them.
func (s *Schema) KeepNames(after *Schema) *Schema {
	w := patchWriter{steps: &yaml.Node{Kind: yaml.SequenceNode}}
	for _, t := range after.Types {
		was := s.Type(t.Name)
		if was == nil {
			continue
		}
		before := byName(was.Properties)
		for _, p := range t.Properties {
			if q := before[p.Name]; q != nil && len(q.Was) > 0 && len(p.Was) == 0 {
				w.about("alter_property", t.Name+"."+p.Name, wasNode(q.Was))
			}
		}
	}
	patched, err := after.patchBy(w)
	if err != nil {
		return after // it already has too many names
	}
	return patched.Schema
}

// patchBy takes the steps that were written.
func (s *Schema) patchBy(w patchWriter) (Patched, error) {
	if len(w.steps.Content) == 0 {
		return Patched{Schema: s, Renamed: s}, nil
	}
	var text bytes.Buffer
	if err := yaml.NewEncoder(&text).Encode(w.steps); err != nil {
		return Patched{}, fmt.Errorf("write a patch: %w", err)
	}
	return s.Patch(text.Bytes())
}
