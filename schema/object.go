package schema

import (
	"trails/rdf"
)

// Object returns the properties of an entity of type t as JSON by name, from its
// quads: a single value, or an array for a property with many. It leaves out, and
// counts, the quads whose predicate the type does not declare.
func (s *Schema) Object(t *Type, quads []rdf.Quad) (object map[string]any, left int) {
	object = make(map[string]any)
	for _, q := range quads {
		predicate, _ := q.Predicate.(rdf.IRI)
		p := s.PropertyByIRI(t, predicate)
		if p == nil {
			left++
			continue
		}
		v := s.JSONValue(p, q.Object)
		if !p.Many() {
			object[p.Name] = v
			continue
		}
		list, _ := object[p.Name].([]any)
		object[p.Name] = append(list, v)
	}
	return object, left
}

// IDOf returns the id that names an entity of type t in a call: its local id, or
// its whole IRI when that was preserved from elsewhere.
func (s *Schema) IDOf(t *Type, iri rdf.IRI) string {
	if name, local, ok := s.Local(iri); ok && name == t.Name {
		return local
	}
	return string(iri)
}
