package validate

import (
	"context"
	"slices"

	"trails/rdf"
)

// hasValue asks that one of the values is this one (SHACL section 4.8.2).
type hasValue struct{ term rdf.Term }

func compileHasValue(p parameter) (constraint, error) { return hasValue{p.value}, nil }

func (c hasValue) check(_ context.Context, e *evaluation, values []rdf.Term) error {
	if !slices.Contains(values, c.term) {
		e.report(hasValueComponent, nil, e.json(c.term), "must have the value %s", e.show(c.term))
	}
	return nil
}
