package validate

import (
	"context"

	"trails/rdf"
)

// maxCount bounds the number of values (SHACL section 4.2.2).
type maxCount int

func compileMaxCount(p parameter) (constraint, error) {
	n, err := p.count()
	return maxCount(n), err
}

func (n maxCount) check(_ context.Context, e *evaluation, values []rdf.Term) error {
	switch {
	case len(values) <= int(n):
	case n == 1:
		e.report(maxCountComponent, nil, 1, "must have one value, not %d", len(values))
	default:
		e.report(maxCountComponent, nil, int(n), "must have at most %d values, not %d", int(n), len(values))
	}
	return nil
}
