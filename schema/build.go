package schema

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/xsd"
)

// New builds a schema from these types, of which it takes ownership: it fills in empty IRIs, converts numbers to
// canonical form, and sorts unordered groups. All violated rules are returned at once as fault.InvalidData, with
// places like types.Person.properties.name.
func New(base string, prefixes map[string]string, types []*Type) (*Schema, error) {
	s := assemble(base, prefixes, types)
	if problems := s.check(nil); len(problems) > 0 {
		return nil, fault.Invalid(problems)
	}
	return s, nil
}

// Empty returns the schema without types over base.
func Empty(base string) *Schema { return assemble(base, nil, nil) }

// assemble indexes types without checking them: duplicate names, unknown names and cycles are found by check.
func assemble(base string, prefixes map[string]string, types []*Type) *Schema {
	if len(prefixes) == 0 {
		prefixes = nil
	}
	s := &Schema{Base: base, Prefixes: prefixes, Types: orNone(types)}
	s.byName = make(map[string]*Type, len(s.Types))
	s.byIRI = make(map[rdf.IRI]*Type, len(s.Types))
	s.byIDs = make(map[string]*Type, len(s.Types))
	s.identifying = map[*Property]bool{}
	s.about = make(map[*Type]*facts, len(s.Types))
	s.declared = map[rdf.IRI]bool{}
	for i, t := range s.Types {
		s.about[t] = &facts{order: i}
		if s.byName[t.Name] == nil {
			s.byName[t.Name] = t
		}
	}
	for _, t := range types {
		t.IRI = cmp.Or(t.IRI, rdf.IRI(s.Base+t.Name))
		t.Key, t.Unique, t.Extends, t.Properties = orNone(t.Key), orNone(t.Unique), orNone(t.Extends), orNone(t.Properties)
		sort.SliceStable(t.Unique, func(i, j int) bool { return slices.Compare(t.Unique[i], t.Unique[j]) < 0 })
		s.orderExtends(t)
		for _, p := range t.Properties {
			s.normalizeProperty(p)
			s.declared[p.IRI] = true
		}
		s.byIRI[t.IRI] = t
		if t.IDs == t.Name {
			t.IDs = ""
		}
		s.byIDs[t.ids()] = t
	}
	for _, t := range s.Types {
		s.about[t].supertypes = s.ancestors(t)
	}
	for _, t := range s.Types {
		s.addSubtype(t, t)
	}
	for _, t := range s.Types {
		for _, super := range s.about[t].supertypes {
			s.addSubtype(super, t)
		}
	}
	for _, t := range s.Types {
		s.inherit(t)
		f := s.about[t]
		f.byName, f.byIRI = map[string]*Property{}, map[rdf.IRI]*Property{}
		for _, super := range slices.Backward(f.supertypes) {
			f.add(super.Properties)
		}
		f.add(t.Properties)
		s.identifies(t)
	}
	return s
}

// identifies records the properties that identify entities of t.
func (s *Schema) identifies(t *Type) {
	f := s.about[t]
	for _, group := range append(slices.Clone(t.Unique), t.Key) {
		for _, name := range group {
			if p := f.byName[name]; p != nil {
				s.identifying[p] = true
			}
		}
	}
	if s.MintOf(t) == MintContent {
		for _, p := range f.all {
			s.identifying[p] = true
		}
	}
}

// orNone is nil for an empty list, so that equal schemas are equal values.
func orNone[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// orderExtends puts the supertypes in their order of declaration.
func (s *Schema) orderExtends(t *Type) {
	position := func(name string) int {
		if super := s.byName[name]; super != nil {
			return s.about[super].order
		}
		return len(s.Types)
	}
	slices.SortStableFunc(t.Extends, func(a, b string) int {
		return cmp.Or(cmp.Compare(position(a), position(b)), strings.Compare(a, b))
	})
}

func (s *Schema) normalizeProperty(p *Property) {
	p.IRI = cmp.Or(p.IRI, rdf.IRI(s.Base+p.Name))
	if p.Class != "" && p.Datatype == "" {
		p.Datatype = wordIRI
	}
	p.Datatype = wordFor(p.Datatype)
	p.OneOf, p.Languages, p.Was = orNone(p.OneOf), orNone(p.Languages), orNone(p.Was)
	for _, field := range p.fields() {
		switch f := field.(type) {
		case *rdf.Term:
			*f = canonical(*f)
		case *[]rdf.Term:
			for i, t := range *f {
				(*f)[i] = canonical(t)
			}
		}
	}
	if p.HasValue != nil && p.MinCount == 0 {
		p.MinCount = 1 // sh:hasValue asks for the value itself, SHACL 4.8.1
	}
}

// numeric are the datatypes whose literals are stored in canonical form, so that equal numbers are the same term.
var numeric = func() map[rdf.IRI]bool {
	iris := map[rdf.IRI]bool{}
	for _, d := range table {
		switch d.JSON {
		case JSONBoolean, JSONInteger, JSONNumber:
			iris[d.IRI] = true
		case JSONString:
			iris[d.IRI] = iris[d.IRI] || d.As == wordBigInteger
		case JSONArray, JSONObject:
		}
	}
	return iris
}()

// canonical returns t with a number or boolean in canonical form, any other term as it is.
func canonical(t rdf.Term) rdf.Term {
	datatype := rdf.DatatypeOf(t)
	if !numeric[datatype] {
		return t
	}
	lexical, ok := xsd.Canonical(rdf.Lexical(t), datatype)
	if !ok {
		return t
	}
	return rdf.Literal(lexical, datatype)
}
