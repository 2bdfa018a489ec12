package validate

import (
	"context"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/xsd"
)

// bound compares values with one end of a range (SHACL section 4.3). A value that
// cannot be compared with it is outside.
type bound struct {
	component rdf.IRI
	limit     rdf.Term
	phrase    string
	inside    func(order int) bool
}

func compileMinInclusive(p parameter) (constraint, error) {
	return compileBound(p, minInclusiveComponent, "at least", func(order int) bool { return order >= 0 })
}

func compileMinExclusive(p parameter) (constraint, error) {
	return compileBound(p, minExclusiveComponent, "more than", func(order int) bool { return order > 0 })
}

func compileMaxInclusive(p parameter) (constraint, error) {
	return compileBound(p, maxInclusiveComponent, "at most", func(order int) bool { return order <= 0 })
}

func compileMaxExclusive(p parameter) (constraint, error) {
	return compileBound(p, maxExclusiveComponent, "less than", func(order int) bool { return order < 0 })
}

func compileBound(p parameter, component rdf.IRI, phrase string, inside func(int) bool) (constraint, error) {
	if _, ok := xsd.Compare(p.value, p.value); !ok {
		return nil, fault.New(fault.InvalidData, "%s must be a value that has an order, not %s", word(p.name), label(p.value))
	}
	return bound{component, p.value, phrase, inside}, nil
}

func (b bound) check(_ context.Context, e *evaluation, values []rdf.Term) error {
	for _, v := range values {
		if order, ok := xsd.Compare(v, b.limit); !ok || !b.inside(order) {
			e.report(b.component, v, e.json(b.limit), "must be %s %s, not %s", b.phrase, e.show(b.limit), e.show(v))
		}
	}
	return nil
}
