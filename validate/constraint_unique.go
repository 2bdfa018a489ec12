package validate

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
)

// unique asks that no other instance of the shape's classes, or of a subclass of
// them, has one of the values (urn:trails:ns#unique).
func unique(p parameter) (constraint, error) {
	on, err := p.flag()
	if err != nil || !on {
		return nil, err
	}
	return func(ctx context.Context, e *evaluation, values []rdf.Term) error {
		for _, v := range values {
			other, err := e.holder(ctx, p.owner.targets, []rdf.PredicateObject{{P: e.shape.path, O: v}})
			if err != nil {
				return err
			}
			if other != nil {
				e.report(p.component, v, true, "must be unique; %s has %s already", e.show(other), e.show(v))
			}
		}
		return nil
	}, nil
}

// maxCombinations bounds the combinations of values that one node can have.
const maxCombinations = 1000

// together requires that no other instance of the shape's classes, or of a subclass, has the same values for all of
// these properties (urn:trails:ns#uniqueTogether and #key). A node without one of the properties never conflicts;
// with several values, every combination counts.
func together(p parameter) (constraint, error) {
	paths, err := p.graph.iris(p.value)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fault.New(fault.InvalidData, "%s lists no property", word(p.name))
	}
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = propertyName(p.graph, path)
	}
	return func(ctx context.Context, e *evaluation, _ []rdf.Term) error {
		combinations := [][]rdf.PredicateObject{nil}
		for _, path := range paths {
			if len(combinations)*len(e.properties[path]) > maxCombinations {
				return fault.New(fault.TooLarge, "%s have more than %d combinations of values, which are unique together", strings.Join(names, ", "), maxCombinations)
			}
			var longer [][]rdf.PredicateObject
			for _, begun := range combinations {
				for _, v := range e.properties[path] {
					longer = append(longer, append(slices.Clip(begun), rdf.PredicateObject{P: path, O: v}))
				}
			}
			combinations = longer
		}
		for _, pairs := range combinations {
			other, err := e.holder(ctx, p.owner.targets, pairs)
			if err != nil {
				return err
			}
			if other == nil {
				continue
			}
			values := make([]rdf.Term, len(pairs))
			for i, pair := range pairs {
				values[i] = pair.O
			}
			r := Result{Name: strings.Join(names, ","), Component: p.component, Constraint: names}
			if len(values) == 1 { // a result has no place for several
				r.Value = values[0]
				r.Message = names[0] + " must be unique; " + e.show(other) + " has " + e.show(values[0]) + " already"
			} else {
				r.Message = strings.Join(names, " and ") + " must be unique together; " + e.show(other) + " has " + e.showList(values) + " already"
			}
			e.add(r)
		}
		return nil
	}, nil
}

// propertyName returns the name of a predicate in some property shape, because a group may list inherited properties.
func propertyName(g *graph, path rdf.IRI) string {
	for _, shape := range g.subjects {
		if name := cmp.Or(g.text(shape, schema.TrailsName), g.text(shape, sh("name"))); name != "" && g.has(shape, sh("path"), path) {
			return name
		}
	}
	return local(path)
}

// holder returns a node other than the focus node that is an instance of one of the targets and has all of the pairs
// in some spelling, or nil.
func (e *evaluation) holder(ctx context.Context, targets []rdf.IRI, pairs []rdf.PredicateObject) (rdf.Term, error) {
	for _, spelling := range spellings(pairs) {
		if other, err := e.holderOf(ctx, targets, spelling); err != nil || other != nil {
			return other, err
		}
	}
	return nil, nil
}

// holderOf is holder for the pairs as they are. The first read is cheap, and usually finds only the focus node; only
// if others have the pairs are they read class by class, because many of them may be of other classes.
func (e *evaluation) holderOf(ctx context.Context, targets []rdf.IRI, pairs []rdf.PredicateObject) (rdf.Term, error) {
	if alone, err := e.alone(ctx, pairs); err != nil || alone {
		return nil, err
	}
	other, err := e.other(ctx, pairs)
	if err != nil || other == nil {
		return nil, err
	}
	for _, target := range targets {
		for _, class := range e.shapes.Subclasses(target) {
			other, err := e.other(ctx, append(slices.Clip(pairs), rdf.PredicateObject{P: rdf.Type, O: class}))
			if err != nil || other != nil {
				return other, err
			}
		}
	}
	return nil, nil
}

// alone reports whether the cache shows that only the focus node has all of the pairs.
func (e *evaluation) alone(ctx context.Context, pairs []rdf.PredicateObject) (bool, error) {
	if e.cache == nil {
		return false, nil
	}
	for _, pair := range pairs {
		if !slices.Contains(e.properties[pair.P], pair.O) {
			continue // it is another spelling, which another node may have
		}
		if s, err := e.cache.sharedBy(ctx, pair.P); err != nil || s.whole && !s.values[pair.O] {
			return true, err
		}
	}
	return false, nil
}

// other returns a node that has the pairs and is not the focus, or nil.
func (e *evaluation) other(ctx context.Context, pairs []rdf.PredicateObject) (rdf.Term, error) {
	subjects, err := e.data.Having(ctx, pairs, 2)
	if err != nil {
		return nil, err
	}
	for _, s := range subjects {
		if s != e.focus {
			return s, nil
		}
	}
	return nil, nil
}
