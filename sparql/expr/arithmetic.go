package expr

import (
	"trails/rdf"
	"trails/rdf/xsd"
)

// arithmetic is an operator on two numbers (section 17.3), promoted to the wider type. As an extension it also takes
// dates, times and durations.
func arithmetic(f func(a, b xsd.Number) (xsd.Number, error), ofTime func(a, b rdf.Term) (rdf.Term, error)) function {
	return operator(func(a, b value) (value, error) {
		na, oka := a.number()
		nb, okb := b.number()
		if !oka || !okb {
			return computed(ofTime(a.asTerm(), b.asTerm()))
		}
		n, err := f(na, nb)
		if err != nil {
			return failed(numberErrors[err])
		}
		return ofNumber(n)
	})
}

// negation is unary minus of a number or a duration.
var negation = function{arity: oneArgument, one: func(_ Env, v value) (value, error) {
	if n, ok := v.number(); ok {
		return ofNumber(n.Neg())
	}
	return computed(xsd.NegTime(v.asTerm()))
}}

// computed turns a result of package xsd (dates, times, durations) into a value.
func computed(t rdf.Term, err error) (value, error) {
	if err != nil {
		return failed(numberErrors[err])
	}
	return of(t)
}

var numberErrors = map[error]error{xsd.ErrDivision: ErrDivision, xsd.ErrOverflow: ErrOverflow, xsd.ErrOperands: ErrType}

// comparison is one of <, >, <= and >=. holds tells for which orders it is true.
func comparison(holds func(order int) bool) function {
	return operator(func(a, b value) (value, error) {
		order, ordered, err := order(a, b)
		if err != nil {
			return failed(err)
		}
		return ofBool(ordered && holds(order))
	})
}

func equality(want bool) function {
	return operator(func(a, b value) (value, error) {
		same, err := equal(a, b)
		if err != nil {
			return failed(err)
		}
		return ofBool(same == want)
	})
}
