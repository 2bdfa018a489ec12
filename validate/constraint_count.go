package validate

import (
	"context"
	"unicode/utf8"

	"trails/rdf"
)

// minCount asks for a number of values (SHACL section 4.2.1).
func minCount(p parameter) (constraint, error) {
	limit, err := p.count()
	if err != nil || limit == 0 {
		return nil, err
	}
	return func(_ context.Context, e *evaluation, values []rdf.Term) error {
		switch {
		case len(values) >= limit:
		case limit == 1:
			e.report(p.component, nil, 1, "is required")
		default:
			e.report(p.component, nil, limit, "must have at least %d values, not %d", limit, len(values))
		}
		return nil
	}, nil
}

// maxCount bounds the number of values (SHACL section 4.2.2).
func maxCount(p parameter) (constraint, error) {
	limit, err := p.count()
	return func(_ context.Context, e *evaluation, values []rdf.Term) error {
		switch {
		case len(values) <= limit:
		case limit == 1:
			e.report(p.component, nil, 1, "must have one value, not %d", len(values))
		default:
			e.report(p.component, nil, limit, "must have at most %d values, not %d", limit, len(values))
		}
		return nil
	}, err
}

// length bounds the number of characters of a value's text; a blank node has no text and violates every bound (SHACL
// sections 4.4.1 and 4.4.2).
func length(phrase string, inside func(n, limit int) bool) func(parameter) (constraint, error) {
	return func(p parameter) (constraint, error) {
		limit, err := p.count()
		characters := "characters"
		if limit == 1 {
			characters = "character"
		}
		return func(_ context.Context, e *evaluation, values []rdf.Term) error {
			for _, v := range values {
				_, blank := v.(rdf.BNode)
				got := 0
				if !blank {
					got = utf8.RuneCountInString(rdf.Lexical(v))
				}
				if blank || !inside(got, limit) {
					e.report(p.component, v, limit, "must have %s %d %s, not %d", phrase, limit, characters, got)
				}
			}
			return nil
		}, err
	}
}

// dim requires vectors of one length (urn:trails:ns#dim). Values that are not vectors are reported by the datatype.
func dim(p parameter) (constraint, error) {
	n, err := p.count()
	return func(_ context.Context, e *evaluation, values []rdf.Term) error {
		for _, v := range values {
			if got, ok := vectorLength(v); ok && got != n {
				e.report(p.component, v, n, "must have %d numbers, not %d", n, got)
			}
		}
		return nil
	}, err
}
