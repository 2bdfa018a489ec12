package validate

import (
	"context"
	"maps"
	"slices"

	"trails/rdf"
)

// closed allows only the properties that the shape has itself, deactivated ones
// included, and those that sh:ignoredProperties lists (SHACL section 4.8.1).
type closed struct{ allowed map[rdf.IRI]bool }

func compileClosed(p parameter) (constraint, error) {
	on, err := p.flag()
	if err != nil || !on {
		return nil, err
	}
	c := closed{allowed: make(map[rdf.IRI]bool)}
	for _, property := range p.graph.all(p.shape.id, sh("property")) {
		path, _ := first(p.graph.all(property, sh("path"))).(rdf.IRI)
		c.allowed[path] = true
	}
	for _, head := range p.graph.all(p.shape.id, sh("ignoredProperties")) {
		ignored, err := p.graph.iris(head)
		if err != nil {
			return nil, err
		}
		for _, property := range ignored {
			c.allowed[property] = true
		}
	}
	return c, nil
}

func (c closed) check(_ context.Context, e *evaluation, _ []rdf.Term) error {
	for _, path := range slices.Sorted(maps.Keys(e.properties)) {
		if c.allowed[path] {
			continue
		}
		for _, v := range e.properties[path] {
			e.add(Result{
				Path: path, Name: local(path), Value: v, Component: closedComponent, Constraint: true,
				Message: local(path) + " is not a property of " + e.shape.name,
			})
		}
	}
	return nil
}
