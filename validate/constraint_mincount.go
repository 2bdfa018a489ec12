package validate

import (
	"context"

	"trails/rdf"
)

// minCount asks for a number of values (SHACL section 4.2.1).
type minCount int

func compileMinCount(p parameter) (constraint, error) {
	n, err := p.count()
	if err != nil || n == 0 {
		return nil, err
	}
	return minCount(n), nil
}

func (n minCount) check(_ context.Context, e *evaluation, values []rdf.Term) error {
	switch {
	case len(values) >= int(n):
	case n == 1:
		e.report(minCountComponent, nil, 1, "is required")
	default:
		e.report(minCountComponent, nil, int(n), "must have at least %d values, not %d", int(n), len(values))
	}
	return nil
}
