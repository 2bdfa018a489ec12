package validate

import (
	"context"

	"trails/rdf"
)

// dim asks for vectors of one length (urn:trails:ns#dim). What is no vector is for
// the datatype to say.
type dim int

func compileDim(p parameter) (constraint, error) {
	n, err := p.count()
	return dim(n), err
}

func (n dim) check(_ context.Context, e *evaluation, values []rdf.Term) error {
	for _, v := range values {
		if got, ok := vectorLength(v); ok && got != int(n) {
			e.report(dimComponent, v, int(n), "must have %d numbers, not %d", int(n), got)
		}
	}
	return nil
}
