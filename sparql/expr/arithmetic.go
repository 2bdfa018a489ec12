package expr

import "trails/rdf/xsd"

// arithmetic is an operator on two numbers (section 17.3), which are promoted to
// the wider of their types.
func arithmetic(f func(a, b xsd.Number) (xsd.Number, error)) function {
	return operator(func(a, b value) (value, error) {
		na, oka := a.number()
		nb, okb := b.number()
		if !oka || !okb {
			return failed(ErrType)
		}
		n, err := f(na, nb)
		if err != nil {
			return failed(numberErrors[err])
		}
		return ofNumber(n)
	})
}

var numberErrors = map[error]error{xsd.ErrDivision: ErrDivision, xsd.ErrOverflow: ErrOverflow}

// comparison is "<" and its like: holds says for which orders it is true.
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
