// Package validate checks nodes against SHACL shapes. A shapes graph is compiled once ([Compile]); [Shapes.Node] then
// reads one node and evaluates every shape that targets one of its types, so the cost of a write follows the change
// and not the graph. Package kg decides which nodes a change can affect.
//
// It supports a part of SHACL Core (https://www.w3.org/TR/shacl/): node shapes and property shapes with class
// targets, one predicate as path, and the components of the table in component.go. Compile refuses all other terms of
// SHACL, and never ignores one.
//
// Read [Shapes] first, then evaluate.go, then one constraint of constraint_*.go.
package validate

import (
	"context"
	"slices"

	"trails/rdf"
)

// Data is the source of nodes: the state after the change.
type Data interface {
	rdf.Source
	// Having returns at most limit subjects, in no order, of the default graph that
	// have every one of these predicate/object pairs.
	Having(ctx context.Context, pairs []rdf.PredicateObject, limit int) ([]rdf.Term, error)
}

// Shapes is a compiled shapes graph. It is immutable and safe for concurrent use; the zero value has no shapes, so
// that every node conforms.
type Shapes struct {
	// byClass has the shapes that instances of a class must conform to, including those of its superclasses.
	byClass map[rdf.IRI][]*shape
	// within holds, for a class, the class and all of its subclasses, sorted.
	within map[rdf.IRI][]rdf.IRI
	// above holds, for a class, the class and all of its superclasses.
	above      map[rdf.IRI]map[rdf.IRI]bool
	names      map[rdf.IRI]string // of classes, for messages
	references []rdf.IRI
	name       func(node rdf.Term) string // nil: nodes are shown as IRIs
}

// shape is a node shape, or a property shape when it has a path.
type shape struct {
	id          rdf.Term
	path        rdf.IRI
	name        string // its name in messages
	message     string // sh:message, replacing ours
	severity    rdf.IRI
	targets     []rdf.IRI
	constraints []constraint
	properties  []*shape
}

// Naming returns the same shapes, with messages and field errors that show nodes by the given function: "Person/ana"
// instead of the IRI. It must be safe for concurrent use.
func (s *Shapes) Naming(name func(node rdf.Term) string) *Shapes {
	named := *s
	named.name = name
	return &named
}

// Empty reports whether no class has a shape.
func (s *Shapes) Empty() bool { return len(s.byClass) == 0 }

// Targets reports whether instances of the class have a shape to keep, its own or
// that of a superclass.
func (s *Shapes) Targets(class rdf.IRI) bool { return len(s.byClass[class]) > 0 }

// Subclasses returns the class and all of its subclasses, sorted; the caller may
// not change it.
func (s *Shapes) Subclasses(class rdf.IRI) []rdf.IRI {
	if within, ok := s.within[class]; ok {
		return within
	}
	return []rdf.IRI{class}
}

// ReferencePaths returns, sorted, the predicates whose values must be instances of a class: if a node loses a type,
// the nodes that refer to it by these may become invalid.
func (s *Shapes) ReferencePaths() []rdf.IRI { return slices.Clone(s.references) }

// isA reports whether class is one, or a subclass of it.
func (s *Shapes) isA(class, super rdf.IRI) bool {
	return class == super || s.above[class][super]
}

// className returns what messages call a class.
func (s *Shapes) className(class rdf.IRI) string {
	if name := s.names[class]; name != "" {
		return name
	}
	return local(class)
}
