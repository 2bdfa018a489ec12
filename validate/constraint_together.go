package validate

import (
	"context"
	"strings"

	"trails/fault"
	"trails/rdf"
)

// together asks that no other instance of the shape's classes, or of a subclass of
// them, has the same values for all of these properties (urn:trails:ns#uniqueTogether
// and #key). A node that lacks one of the properties collides with none; of several
// values, every combination counts.
type together struct {
	component rdf.IRI
	owner     *shape
	paths     []rdf.IRI
	names     []string
}

// maxCombinations bounds the combinations of values that one node can have.
const maxCombinations = 1000

func compileUniqueTogether(p parameter) (constraint, error) {
	return compileTogether(p, uniqueTogetherComponent)
}

func compileKey(p parameter) (constraint, error) { return compileTogether(p, keyComponent) }

func compileTogether(p parameter, component rdf.IRI) (constraint, error) {
	paths, err := p.graph.iris(p.value)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fault.New(fault.InvalidData, "%s lists no property", word(p.name))
	}
	t := together{component: component, owner: p.owner, paths: paths}
	for _, path := range paths {
		t.names = append(t.names, propertyName(p.graph, path))
	}
	return t, nil
}

// propertyName returns the name that some property shape gives a predicate, for a
// group may list inherited properties.
func propertyName(g *graph, path rdf.IRI) string {
	for _, shape := range g.subjects {
		if name := g.text(shape, sh("name")); name != "" && g.has(shape, sh("path"), path) {
			return name
		}
	}
	return local(path)
}

func (t together) check(ctx context.Context, e *evaluation, _ []rdf.Term) error {
	if t.combinations(e) > maxCombinations {
		return fault.New(fault.TooLarge, "%s have more than %d combinations of values, which are unique together", strings.Join(t.names, ", "), maxCombinations)
	}
	return t.each(ctx, e, nil)
}

func (t together) combinations(e *evaluation) int {
	n := 1
	for _, path := range t.paths {
		n *= len(e.properties[path])
		if n > maxCombinations {
			break
		}
	}
	return n
}

// each completes pairs by every value of the next property and checks what is complete.
func (t together) each(ctx context.Context, e *evaluation, pairs []PredicateObject) error {
	if len(pairs) == len(t.paths) {
		return t.one(ctx, e, pairs)
	}
	path := t.paths[len(pairs)]
	for _, v := range e.properties[path] {
		if err := t.each(ctx, e, append(pairs[:len(pairs):len(pairs)], PredicateObject{path, v})); err != nil {
			return err
		}
	}
	return nil
}

func (t together) one(ctx context.Context, e *evaluation, pairs []PredicateObject) error {
	other, err := e.holder(ctx, t.owner.targets, pairs)
	if err != nil || other == nil {
		return err
	}
	e.add(Result{
		Name: strings.Join(t.names, ","), Value: t.value(pairs), Component: t.component, Constraint: t.names,
		Message: t.message(e, other, pairs),
	})
	return nil
}

// value is the value of a group of one; a result has no place for several.
func (t together) value(pairs []PredicateObject) rdf.Term {
	if len(pairs) == 1 {
		return pairs[0].O
	}
	return nil
}

func (t together) message(e *evaluation, other rdf.Term, pairs []PredicateObject) string {
	values := make([]rdf.Term, len(pairs))
	for i, pair := range pairs {
		values[i] = pair.O
	}
	if len(pairs) == 1 {
		return t.names[0] + " must be unique; " + e.show(other) + " has " + e.show(values[0]) + " already"
	}
	return strings.Join(t.names, " and ") + " must be unique together; " + e.show(other) + " has " + e.showList(values) + " already"
}
