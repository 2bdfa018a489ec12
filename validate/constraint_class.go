package validate

import (
	"context"
	"maps"
	"slices"
	"strings"

	"trails/rdf"
	"trails/text/outline"
	"trails/text/quote"
)

// class requires that values are instances of a class or a subclass (SHACL section 4.1.1). The message says what a
// value is instead.
func class(p parameter) (constraint, error) {
	iri, err := p.iri()
	return func(ctx context.Context, e *evaluation, values []rdf.Term) error {
		for _, v := range values {
			is, err := e.instanceOf(ctx, v, iri)
			if err != nil {
				return err
			}
			if is {
				continue
			}
			types, err := e.typesOf(ctx, v)
			if err != nil {
				return err
			}
			name := e.shapes.className(iri)
			want := "must refer to " + quote.Article(name)
			switch {
			case rdf.IsLiteral(v):
				e.report(p.component, v, name, "%s, not to the text %s", want, e.show(v))
			case len(types) == 0:
				e.report(p.component, v, name, "%s; %s does not exist or has no type", want, e.show(v))
			default:
				names := make([]string, len(types))
				for i, t := range types {
					names[i] = quote.Article(e.shapes.className(t))
				}
				e.report(p.component, v, name, "%s; %s is %s", want, e.show(v), outline.Begin(strings.Join(names, " and "), maxShown))
			}
		}
		return nil
	}, err
}

// abstract requires that an instance of the shape's class also has a more specific type (urn:trails:ns#abstract).
func abstract(p parameter) (constraint, error) {
	on, err := p.flag()
	if err != nil || !on {
		return nil, err
	}
	return func(_ context.Context, e *evaluation, _ []rdf.Term) error {
		types := e.properties[rdf.Type]
		for _, target := range p.owner.targets {
			special := func(t rdf.Term) bool {
				class, _ := t.(rdf.IRI)
				return class != target && e.shapes.isA(class, target)
			}
			if slices.Contains(types, rdf.Term(target)) && !slices.ContainsFunc(types, special) {
				e.add(Result{
					Path: rdf.Type, Name: "type", Value: target, Component: p.component, Constraint: p.owner.name,
					Message: p.owner.name + " is abstract; give the node one of its subtypes",
				})
			}
		}
		return nil
	}, nil
}

// closed allows only the properties that the shape has itself, deactivated ones
// included, and those that sh:ignoredProperties lists (SHACL section 4.8.1).
func closed(p parameter) (constraint, error) {
	on, err := p.flag()
	if err != nil || !on {
		return nil, err
	}
	allowed := map[rdf.IRI]bool{}
	for _, property := range p.graph.all(p.shape.id, sh("property")) {
		path, _ := first(p.graph.all(property, sh("path"))).(rdf.IRI)
		allowed[path] = true
	}
	for _, head := range p.graph.all(p.shape.id, sh("ignoredProperties")) {
		ignored, err := p.graph.iris(head)
		if err != nil {
			return nil, err
		}
		for _, property := range ignored {
			allowed[property] = true
		}
	}
	return func(_ context.Context, e *evaluation, _ []rdf.Term) error {
		for _, path := range slices.Sorted(maps.Keys(e.properties)) {
			if allowed[path] {
				continue
			}
			for _, v := range e.properties[path] {
				e.add(Result{
					Path: path, Name: local(path), Value: v, Component: p.component, Constraint: true,
					Message: local(path) + " is not a property of " + e.shape.name,
				})
			}
		}
		return nil
	}, nil
}
