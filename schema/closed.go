package schema

import (
	"fmt"
	"slices"
	"strings"

	"trails/fault"
	"trails/rdf"
	"trails/text/quote"
)

// Undeclared reports whether a statement uses an undeclared name under the base: a predicate of no type or, with
// rdf:type, a class that is not a type. Names of other vocabularies are allowed, and so is everything in a schema
// without types. It does not apply to the schema graph.
func (s *Schema) Undeclared(q rdf.Quad) bool {
	predicate, _ := q.Predicate.(rdf.IRI)
	if predicate == rdf.Type {
		class, _ := q.Object.(rdf.IRI)
		return s.isUnderBase(class) && s.byIRI[class] == nil && q.Label != rdf.SchemaGraph
	}
	return s.isUnderBase(predicate) && !s.declared[predicate] && q.Label != rdf.SchemaGraph
}

// UsesBase reports whether a statement uses a name under the base, of a schema that has types,
// as its predicate or class.
func (s *Schema) UsesBase(q rdf.Quad) bool {
	name, _ := q.Predicate.(rdf.IRI)
	if name == rdf.Type {
		name, _ = q.Object.(rdf.IRI)
	}
	return s.isUnderBase(name) && q.Label != rdf.SchemaGraph
}

// Misplaced reports whether the default graph may not contain a statement about a node of these types, because its
// predicate is a property (under the base) of other types only. A node without declared types may have any.
func (s *Schema) Misplaced(q rdf.Quad, types []*Type) bool {
	predicate, _ := q.Predicate.(rdf.IRI)
	return q.Label == nil && len(types) > 0 && s.declared[predicate] && s.isUnderBase(predicate) && !s.IsOpen(types) && !s.HasProperty(types, q)
}

// HasProperty reports whether the predicate of a statement is a property of one of the types.
func (s *Schema) HasProperty(types []*Type, q rdf.Quad) bool {
	predicate, _ := q.Predicate.(rdf.IRI)
	return slices.ContainsFunc(types, func(t *Type) bool { return s.PropertyByIRI(t, predicate) != nil })
}

func (s *Schema) isUnderBase(name rdf.IRI) bool {
	return len(s.Types) > 0 && strings.HasPrefix(string(name), s.Base)
}

// IsOpen reports whether the default graph may contain [Schema.Undeclared] statements about a node of these types:
// one of them or of their supertypes is open.
func (s *Schema) IsOpen(types []*Type) bool {
	return slices.ContainsFunc(types, func(t *Type) bool { return s.of(t).open })
}

// maxQuoted bounds the characters of a name in an error.
const maxQuoted = 200

// DeclareWith is the way out for [Schema.ClosedError] where data is written, DeclareIn where the schema changes
// under data.
const (
	DeclareWith = "declare it with schema_apply"
	DeclareIn   = "declare it in this change, or remove the statement first (mutate)"
)

// ClosedError explains a statement that is [Schema.Undeclared] or [Schema.Misplaced], with similar declared names and
// a way out.
func (s *Schema) ClosedError(q rdf.Quad, types []*Type, way string) fault.FieldError {
	short := func(iri rdf.IRI) string { return quote.Line(s.Short(iri), maxQuoted) }
	if s.Misplaced(q, types) {
		return s.misplacedError(q, types, short)
	}
	var names []string
	declared := map[string]rdf.IRI{}
	add := func(name string, iri rdf.IRI) {
		if declared[name] == "" {
			names, declared[name] = append(names, name), iri
		}
	}
	e, kind, where := fault.FieldError{Code: fault.Closed}, "property", ""
	undeclared, _ := q.Predicate.(rdf.IRI)
	if undeclared == rdf.Type {
		undeclared, _ = q.Object.(rdf.IRI)
		e.Field, e.Value, kind = "type", short(undeclared), "type"
		for _, t := range s.Types {
			add(t.Name, t.IRI)
		}
	} else {
		e.Field, e.Value = short(undeclared), fault.Bounded(rdf.Lexical(q.Object))
		if !rdf.IsLiteral(q.Object) {
			e.Value = fault.Bounded(s.NodeName(q.Object))
		}
		for _, t := range slices.Concat(types, s.Types) { // of equally similar names, one of the node's types
			for _, p := range s.PropertiesOf(t) {
				add(p.Name, p.IRI)
			}
		}
	}
	out := ", or say open: true on a type of the node"
	if len(types) > 0 {
		out = ", or say open: true on " + types[0].Name
	}
	if q.Label != nil {
		where, out = " in graph "+quote.Line(rdf.Lexical(q.Label), maxQuoted), ""
	}
	if near := fault.Nearest(strings.TrimPrefix(string(undeclared), s.Base), names); near != "" {
		e.Constraint = short(declared[near])
		way = fmt.Sprintf("did you mean %s? Else %s", e.Constraint, way)
	}
	e.Message = fmt.Sprintf("%s%s is no %s of the schema, whose base is closed; %s%s", short(undeclared), where, kind, way, out)
	return e
}

// namesListed is how many names an error lists.
const namesListed = 8

// misplacedError says which types have the property, and which type the node has.
func (s *Schema) misplacedError(q rdf.Quad, types []*Type, short func(rdf.IRI) string) fault.FieldError {
	predicate, _ := q.Predicate.(rdf.IRI)
	e := fault.FieldError{Field: short(predicate), Code: fault.Closed, Value: fault.Bounded(rdf.Lexical(q.Object))}
	if !rdf.IsLiteral(q.Object) {
		e.Value = fault.Bounded(s.NodeName(q.Object))
	}
	var of, own []string
	for _, t := range s.Types {
		if slices.ContainsFunc(t.Properties, func(p *Property) bool { return p.IRI == predicate }) {
			of = append(of, t.Name)
		}
	}
	for _, t := range types {
		for _, p := range s.PropertiesOf(t) {
			if name := short(p.IRI); !slices.Contains(own, name) {
				own = append(own, name)
			}
		}
	}
	e.Constraint = own[:min(len(own), namesListed)]
	has, question := "", ""
	if near := fault.Nearest(e.Field, own); near != "" {
		question = fmt.Sprintf("; did you mean %s?", near)
	} else if len(own) > 0 {
		has = ", which has " + someOf(own)
	}
	e.Message = fmt.Sprintf("%s is a property of %s, and the node is %s%s; add it to %s with schema_apply, or say open: true there%s",
		e.Field, someOf(of), quote.Article(types[0].Name), has, types[0].Name, question)
	return e
}

// someOf joins the first of some names.
func someOf(names []string) string {
	if more := len(names) - namesListed; more > 0 {
		return strings.Join(names[:namesListed], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}
