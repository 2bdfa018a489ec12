package validate

import (
	"context"
	"unicode/utf8"

	"trails/rdf"
)

// minLength and maxLength bound the characters of a value's text; a blank node has
// no text and breaks both (SHACL sections 4.4.1 and 4.4.2).
type (
	minLength int
	maxLength int
)

func compileMinLength(p parameter) (constraint, error) {
	n, err := p.count()
	return minLength(n), err
}

func compileMaxLength(p parameter) (constraint, error) {
	n, err := p.count()
	return maxLength(n), err
}

func (n minLength) check(_ context.Context, e *evaluation, values []rdf.Term) error {
	for _, v := range values {
		if got, ok := length(v); !ok || got < int(n) {
			e.report(minLengthComponent, v, int(n), "must have at least %s, not %d", characters(int(n)), got)
		}
	}
	return nil
}

func (n maxLength) check(_ context.Context, e *evaluation, values []rdf.Term) error {
	for _, v := range values {
		if got, ok := length(v); !ok || got > int(n) {
			e.report(maxLengthComponent, v, int(n), "must have at most %s, not %d", characters(int(n)), got)
		}
	}
	return nil
}

// length returns the number of characters of a term's text; false for blank nodes.
func length(v rdf.Term) (int, bool) {
	if _, blank := v.(rdf.BNode); blank {
		return 0, false
	}
	return utf8.RuneCountInString(rdf.Lexical(v)), true
}
