package validate

import (
	"context"
	"slices"

	"trails/rdf"
)

// abstract asks that an instance of the shape's class has a more special type, too
// (urn:trails:ns#abstract).
type abstract struct{ owner *shape }

func compileAbstract(p parameter) (constraint, error) {
	on, err := p.flag()
	if err != nil || !on {
		return nil, err
	}
	return abstract{p.owner}, nil
}

func (a abstract) check(_ context.Context, e *evaluation, _ []rdf.Term) error {
	types := e.properties[rdf.Type]
	for _, target := range a.owner.targets {
		special := func(t rdf.Term) bool {
			class, _ := t.(rdf.IRI)
			return class != target && e.shapes.isA(class, target)
		}
		if slices.Contains(types, rdf.Term(target)) && !slices.ContainsFunc(types, special) {
			e.add(Result{
				Path: rdf.Type, Name: "type", Value: target, Component: abstractComponent, Constraint: a.owner.name,
				Message: a.owner.name + " is abstract; give the node one of its subtypes",
			})
		}
	}
	return nil
}
