package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"trails/fault"
	"trails/rdf"
)

// facts are derived facts about one type, computed once.
type facts struct {
	order      int // of declaration
	supertypes []*Type
	subtypes   []*Type
	concrete   []*Type
	all        []*Property
	byName     map[string]*Property
	byIRI      map[rdf.IRI]*Property
	label      string
	key        []string
	mint       Mint
	open       bool
	embedded   bool
}

// Type returns the type with this name, or nil.
func (s *Schema) Type(name string) *Type { return s.byName[name] }

// TypeByIRI returns the type with this IRI, or nil.
func (s *Schema) TypeByIRI(iri rdf.IRI) *Type { return s.byIRI[iri] }

// Renamed returns the type that had a name before, which the IRIs of its nodes keep, or nil.
func (s *Schema) Renamed(name string) *Type {
	if t := s.byIDs[name]; s.byName[name] == nil {
		return t
	}
	return nil
}

// NoType says that there is no type of a name, and how to go on: by the name that it has now, by the one that is near, or by
// those of which one can stand there.
func (s *Schema) NoType(name string, among ...*Type) string {
	hint := fault.DidYouMean(name, s.names())
	switch t := s.Renamed(name); {
	case t != nil:
		hint = "; it is called " + t.Name + " now"
	case len(s.Types) == 0:
		hint = ", because the schema has none yet; schema_apply adds them"
	case hint == "":
		hint = "; there is " + listed(NamesOf(among))
	}
	return fmt.Sprintf("there is no type %q%s", name, hint)
}

// Property returns t's property with this name, its own or an inherited one, or nil.
func (s *Schema) Property(t *Type, name string) *Property { return s.of(t).byName[name] }

// PropertyByIRI returns t's property with this predicate, its own or an inherited one, or nil.
func (s *Schema) PropertyByIRI(t *Type, predicate rdf.IRI) *Property { return s.of(t).byIRI[predicate] }

// PropertiesOf returns t's properties, the inherited ones first, in order of
// declaration. The slice is shared: do not change it.
func (s *Schema) PropertiesOf(t *Type) []*Property { return s.of(t).all }

// NoProperty says that t has no property of this name, and which it has, the most similar one first; known are the
// names of all.
func (s *Schema) NoProperty(t *Type, name string) (message string, known []string) {
	known = propertyNames(s.PropertiesOf(t))
	return fmt.Sprintf("%s has no property %q%s", t.Name, name, fault.OrOf(name, "has", known)), known
}

// Supertypes returns every type that t extends, the nearest first, without t.
func (s *Schema) Supertypes(t *Type) []*Type { return s.of(t).supertypes }

// Subtypes returns t and every type that extends it, t first, in order of declaration.
func (s *Schema) Subtypes(t *Type) []*Type { return s.of(t).subtypes }

// Concrete returns those of [Schema.Subtypes] that are not abstract.
func (s *Schema) Concrete(t *Type) []*Type { return s.of(t).concrete }

// NoReference says that a type has no reference of a name, and names those that it has.
func (s *Schema) NoReference(t *Type, name string) (message string, known []string) {
	for _, p := range s.PropertiesOf(t) {
		if p.Class != "" {
			known = append(known, p.Name)
		}
	}
	way := fault.DidYouMean(name, known)
	if way == "" && len(known) > 0 {
		way = "; it has " + strings.Join(known, ", ")
	}
	return fmt.Sprintf("%s has no reference %q%s", t.Name, name, way), known
}

// LabelOf names the property whose value people read: t's own, else that of the
// nearest supertype that has one; "" means the local id.
func (s *Schema) LabelOf(t *Type) string { return s.of(t).label }

// KeyOf names t's key properties, or those of the nearest supertype that has a key.
func (s *Schema) KeyOf(t *Type) []string { return s.of(t).key }

// MintOf says how t's entities get their IRIs: as t says, else the nearest
// supertype that does, else [MintUUIDv7].
func (s *Schema) MintOf(t *Type) Mint { return s.of(t).mint }

// Embeds reports whether texts that t's nodes have by p, a property of its own or an inherited one, are found by what they
// mean, too: as p says, or else if t or one of its supertypes says so, unless search leaves p out.
func (s *Schema) Embeds(t *Type, p *Property) bool {
	if p.Embedded != nil {
		return *p.Embedded
	}
	return s.of(t).embedded && p.isProse() && !p.Unsearched
}

// TypesOf returns the declared types that a node's quads state with rdf:type, in
// order of declaration. Quads with other predicates are ignored.
func (s *Schema) TypesOf(quads []rdf.Quad) []*Type {
	var types []*Type
	for _, q := range quads {
		if q.Predicate != rdf.Type {
			continue
		}
		iri, _ := q.Object.(rdf.IRI)
		if t := s.byIRI[iri]; t != nil && !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	slices.SortStableFunc(types, func(a, b *Type) int { return cmp.Compare(s.about[a].order, s.about[b].order) })
	return types
}

// nothing is the facts about unknown types and nil.
var nothing = &facts{}

func (s *Schema) of(t *Type) *facts {
	if f := s.about[t]; f != nil {
		return f
	}
	return nothing
}

// ancestors walks the supertypes breadth first, so that the nearest comes first.
func (s *Schema) ancestors(t *Type) []*Type {
	seen := map[*Type]bool{t: true}
	var found []*Type
	for queue := []*Type{t}; len(queue) > 0; queue = queue[1:] {
		for _, name := range queue[0].Extends {
			super := s.byName[name]
			if super == nil || seen[super] {
				continue
			}
			seen[super] = true
			found = append(found, super)
			queue = append(queue, super)
		}
	}
	return found
}

func (s *Schema) addSubtype(super, t *Type) {
	f := s.about[super]
	f.subtypes = append(f.subtypes, t)
	if !t.Abstract {
		f.concrete = append(f.concrete, t)
	}
}

// inherit computes label, key and mint, the type's own or those of the nearest supertype, and whether it is open
// or embedded, which subtypes inherit.
func (s *Schema) inherit(t *Type) {
	f := s.about[t]
	f.label, f.key, f.mint, f.open, f.embedded = t.Label, t.Key, t.Mint, t.Open, t.Embedded
	for _, super := range f.supertypes {
		f.label = cmp.Or(f.label, super.Label)
		f.mint = cmp.Or(f.mint, super.Mint)
		f.open = f.open || super.Open
		f.embedded = f.embedded || super.Embedded
		if f.key == nil {
			f.key = super.Key
		}
	}
	f.mint = cmp.Or(f.mint, MintUUIDv7)
}

// add adds the properties of one type of the chain. It stops one beyond the limit, so that check refuses the type.
func (f *facts) add(properties []*Property) {
	for _, p := range properties {
		if len(f.all) > maxProperties {
			return
		}
		f.all = append(f.all, p)
		if f.byName[p.Name] == nil {
			f.byName[p.Name] = p
		}
		if f.byIRI[p.IRI] == nil {
			f.byIRI[p.IRI] = p
		}
	}
}
