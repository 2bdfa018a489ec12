package validate

import (
	"context"
	"slices"

	"trails/rdf"
)

// unique asks that no other instance of the shape's classes, or of a subclass of
// them, has one of the values (urn:trails:ns#unique).
type unique struct{ owner *shape }

func compileUnique(p parameter) (constraint, error) {
	on, err := p.flag()
	if err != nil || !on {
		return nil, err
	}
	return unique{p.owner}, nil
}

func (u unique) check(ctx context.Context, e *evaluation, values []rdf.Term) error {
	path := e.shape.path
	for _, v := range values {
		other, err := e.holder(ctx, u.owner.targets, []PredicateObject{{path, v}})
		if err != nil {
			return err
		}
		if other != nil {
			e.report(uniqueComponent, v, true, "must be unique; %s has %s already", e.show(other), e.show(v))
		}
	}
	return nil
}

// holder returns a node other than the focus that is an instance of one of the
// targets and has all of the pairs in some spelling, or nil.
func (e *evaluation) holder(ctx context.Context, targets []rdf.IRI, pairs []PredicateObject) (rdf.Term, error) {
	for _, spelling := range spellings(pairs) {
		if other, err := e.holderOf(ctx, targets, spelling); err != nil || other != nil {
			return other, err
		}
	}
	return nil, nil
}

// holderOf is holder for the pairs as they are. The first question is the cheap one
// whose usual answer is the focus alone; only when others have the pairs are they
// asked for class by class, since any number of them may be of no such class.
func (e *evaluation) holderOf(ctx context.Context, targets []rdf.IRI, pairs []PredicateObject) (rdf.Term, error) {
	other, err := e.other(ctx, pairs)
	if err != nil || other == nil {
		return nil, err
	}
	for _, target := range targets {
		for _, class := range e.shapes.Subclasses(target) {
			other, err := e.other(ctx, append(slices.Clip(pairs), PredicateObject{rdf.Type, class}))
			if err != nil || other != nil {
				return other, err
			}
		}
	}
	return nil, nil
}

// other returns a node that has the pairs and is not the focus, or nil.
func (e *evaluation) other(ctx context.Context, pairs []PredicateObject) (rdf.Term, error) {
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
