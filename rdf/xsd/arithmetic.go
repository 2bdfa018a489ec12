package xsd

import (
	"math"
	"math/big"
	"math/bits"
)

// Add is op:numeric-add (XPath Functions, section 6.2). The result has the wider
// kind of the two; only exact numbers overflow, past [MaxDigits].
func (n Number) Add(m Number) (Number, error) {
	kind := max(n.kind, m.kind)
	if kind <= DecimalNumber {
		return addExact(kind, n, m)
	}
	return floating(kind, n, m, func(a, b float64) float64 { return a + b }), nil
}

// Sub is op:numeric-subtract.
func (n Number) Sub(m Number) (Number, error) {
	kind := max(n.kind, m.kind)
	if kind <= DecimalNumber {
		return addExact(kind, n, m.Neg())
	}
	return floating(kind, n, m, func(a, b float64) float64 { return a - b }), nil
}

// Mul is op:numeric-multiply.
func (n Number) Mul(m Number) (Number, error) {
	kind := max(n.kind, m.kind)
	if kind <= DecimalNumber {
		if n.big == nil && m.big == nil && n.scale+m.scale <= 2*MaxDigits {
			high, low := bits.Mul64(size(n.small), size(m.small))
			if high == 0 && low <= math.MaxInt64 {
				return smallOf(kind, n.small*m.small, n.scale+m.scale), nil
			}
		}
		return exactOf(kind, new(big.Int).Mul(n.unscaled(), m.unscaled()), n.scale+m.scale)
	}
	return floating(kind, n, m, func(a, b float64) float64 { return a * b }), nil
}

// Div is op:numeric-divide: integers divide to a decimal, which has at least 18
// digits behind the point unless it ends before.
func (n Number) Div(m Number) (Number, error) {
	kind := max(n.kind, m.kind)
	if kind <= DecimalNumber {
		return divExact(n, m)
	}
	return floating(kind, n, m, func(a, b float64) float64 { return a / b }), nil
}

// floating computes in 32 or 64 bits. A result of 32-bit operands that is rounded
// twice is the one rounded once: 64 bits are more than twice as many.
func floating(kind NumberKind, n, m Number, op func(a, b float64) float64) Number {
	if kind == FloatNumber {
		return Float(op(n.asFloat(32), m.asFloat(32)))
	}
	return Double(op(n.asFloat(64), m.asFloat(64)))
}

// Neg is op:numeric-unary-minus.
func (n Number) Neg() Number {
	n.float = -n.float
	if n.big != nil {
		n.big = new(big.Int).Neg(n.big)
	}
	n.small = -n.small // never the least int64
	return n
}

// Abs is fn:abs.
func (n Number) Abs() Number {
	if n.isExact() && n.sign() < 0 {
		return n.Neg()
	}
	n.float = math.Abs(n.float)
	return n
}

// Floor is fn:floor.
func (n Number) Floor() Number {
	if !n.isExact() {
		n.float = math.Floor(n.float)
		return n
	}
	if n.scale == 0 {
		return n
	}
	floor := new(big.Int).Div(n.unscaled(), powerOfTen(n.scale)) // Euclidean, and the divisor is positive
	out, _ := exactOf(n.kind, floor, 0)                          // at most one digit more than n
	return out
}

// Ceil is fn:ceiling.
func (n Number) Ceil() Number { return n.Neg().Floor().Neg() }

// Round is fn:round: half goes towards positive infinity.
func (n Number) Round() Number {
	if !n.isExact() {
		floor := math.Floor(n.float)
		if n.float-floor >= 0.5 {
			floor++
		}
		n.float = math.Copysign(floor, n.float)
		return n
	}
	if n.scale == 0 {
		return n
	}
	half := Number{kind: DecimalNumber, small: 5, scale: 1}
	sum, err := addExact(n.kind, n, half)
	if err != nil {
		return n // as long as a number may be, with a fraction: cannot come from reading
	}
	return sum.Floor()
}
