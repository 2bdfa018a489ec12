package xsd

import (
	"cmp"
	"errors"
	"math"
	"math/big"
	"strconv"

	"trails/rdf"
)

// NumberKind is the type that arithmetic gives a number: types derived from
// xsd:integer are integers. Kinds are in the order of promotion (XPath 2.0,
// appendix B.1); the zero kind is no number.
type NumberKind uint8

// The kinds.
const (
	NoNumber NumberKind = iota
	IntegerNumber
	DecimalNumber
	FloatNumber
	DoubleNumber
)

var kindDatatypes = [...]rdf.IRI{
	IntegerNumber: rdf.XSDInteger, DecimalNumber: rdf.XSDDecimal,
	FloatNumber: rdf.XSDFloat, DoubleNumber: rdf.XSDDouble,
}

// MaxDigits is how many digits an integer or decimal may have to compute with it.
// Longer ones are valid and compare, but are no [Number].
const MaxDigits = 4096

// What arithmetic cannot do (XPath Functions, err:FOAR0001 and err:FOAR0002).
var (
	ErrDivision = errors.New("division by zero")
	ErrOverflow = errors.New("number out of range")
)

// Number is the value of a numeric literal: exact for integers and decimals,
// IEEE 754 for floats and doubles. It is immutable; the zero Number is none.
type Number struct {
	kind  NumberKind
	scale int32    // exact numbers are small, or big, divided by 10^scale
	small int64    // when big is nil
	big   *big.Int // never written once it is here
	float float64
}

// Integer returns an xsd:integer.
func Integer(i int64) Number { return Number{kind: IntegerNumber, small: i} }

// Double returns an xsd:double.
func Double(f float64) Number { return Number{kind: DoubleNumber, float: f} }

// Float returns an xsd:float: f is rounded to 32 bits.
func Float(f float64) Number { return Number{kind: FloatNumber, float: float64(float32(f))} }

// NumberOf returns the value of a numeric literal; ok is false for other terms,
// forms that are not valid, and integers and decimals past [MaxDigits].
func NumberOf(t rdf.Term) (n Number, ok bool) {
	iri := rdf.DatatypeOf(t)
	d, known := lookup(iri)
	if !known || !d.space.isNumber() {
		return Number{}, false
	}
	lexical := rdf.Lexical(t)
	if iri == rdf.XSDInteger {
		if n, ok := shortInteger(lexical); ok {
			return n, true
		}
	}
	if !d.valid(lexical) {
		return Number{}, false
	}
	switch {
	case d.space == double:
		return Double(parseFloat(lexical, 64)), true
	case d.space == float:
		return Float(parseFloat(lexical, 32)), true
	case iri == rdf.XSDDecimal:
		return exactNumber(lexical, DecimalNumber)
	}
	return exactNumber(lexical, IntegerNumber)
}

// shortInteger reads the integers that fit without looking twice at them.
func shortInteger(s string) (Number, bool) {
	unsigned, negative := cutSign(s)
	if len(unsigned) == 0 || len(unsigned) > 18 {
		return Number{}, false
	}
	var value int64
	for i := range len(unsigned) {
		if !rdf.IsDigit(unsigned[i]) {
			return Number{}, false
		}
		value = value*10 + int64(unsigned[i]-'0')
	}
	if negative {
		value = -value
	}
	return Integer(value), true
}

// exactNumber reads a valid decimal.
func exactNumber(lexical string, kind NumberKind) (Number, bool) {
	d, ok := parseDecimal(lexical)
	all := d.whole + d.fraction
	if !ok || len(all) > MaxDigits {
		return Number{}, false
	}
	n := Number{kind: kind, scale: int32(len(d.fraction))}
	if len(all) <= 18 {
		n.small, _ = strconv.ParseInt(all, 10, 64) // no digits are zero
		if d.negative {
			n.small = -n.small
		}
		return n, true
	}
	n.big, _ = new(big.Int).SetString(all, 10)
	if d.negative {
		n.big.Neg(n.big)
	}
	return n, true
}

// Kind returns the type of n.
func (n Number) Kind() NumberKind { return n.kind }

// IsNaN reports that n is the float or double that is not a number.
func (n Number) IsNaN() bool { return math.IsNaN(n.float) }

// IsZero reports that n is a zero of its kind.
func (n Number) IsZero() bool {
	if n.isExact() {
		return n.sign() == 0
	}
	return n.float == 0
}

// Term returns n as a literal of its kind in canonical form.
func (n Number) Term() rdf.Term {
	if n.kind == NoNumber {
		return nil
	}
	return rdf.Literal(n.canonical(), kindDatatypes[n.kind])
}

func (n Number) canonical() string {
	switch n.kind {
	case FloatNumber:
		return formatFloat(n.float, 32)
	case DoubleNumber:
		return formatFloat(n.float, 64)
	default:
		return n.exactText()
	}
}

// Text returns n as XPath casts it to a string (XPath Functions, section 17.1.2):
// a float or double from 10^-6 up to 10^6 is written like a decimal.
func (n Number) Text() string {
	if n.isExact() {
		return n.exactText()
	}
	size := math.Abs(n.float)
	if size == 0 || size >= 1e-6 && size < 1e6 {
		return strconv.FormatFloat(n.float, 'f', -1, n.bits())
	}
	return n.canonical()
}

func (n Number) bits() int {
	if n.kind == FloatNumber {
		return 32
	}
	return 64
}

// To returns n as a number of another kind (XPath Functions, section 17.1.3): an integer
// or decimal of a float or double is its exact value, integers are cut off towards zero,
// and what is infinite or no number is neither integer nor decimal.
func (n Number) To(kind NumberKind) (Number, bool) {
	if kind == DoubleNumber {
		return Double(n.asFloat(64)), true
	}
	if kind == FloatNumber {
		return Float(n.asFloat(32)), true
	}
	exact := n
	if !n.isExact() {
		if math.IsNaN(n.float) || math.IsInf(n.float, 0) {
			return Number{}, false
		}
		// A multiple of a power of two ends behind as many digits as the power is below zero.
		r := new(big.Rat).SetFloat64(n.float)
		scale := int32(r.Denom().BitLen() - 1)
		fives := new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(scale)), nil)
		exact, _ = exactOf(DecimalNumber, fives.Mul(fives, r.Num()), scale) // a double has 1,074 digits at most
	}
	if kind == IntegerNumber && exact.scale > 0 {
		exact, _ = exactOf(kind, new(big.Int).Quo(exact.unscaled(), powerOfTen(exact.scale)), 0) // no longer than it was
	}
	exact.kind = kind
	return exact, true
}

// asFloat returns the nearest float of 32 or 64 bits.
func (n Number) asFloat(bits int) float64 {
	if !n.isExact() {
		return n.float
	}
	if n.big == nil && n.scale == 0 && bits == 64 {
		return float64(n.small)
	}
	return parseFloat(n.exactText(), bits)
}

// Compare orders two numbers in the wider of their types; ok is false when one
// is NaN.
func (n Number) Compare(m Number) (order int, ok bool) {
	if n.isExact() && m.isExact() {
		return n.compareExact(m), true
	}
	if n.IsNaN() || m.IsNaN() {
		return 0, false
	}
	bits := 64
	if n.kind != DoubleNumber && m.kind != DoubleNumber {
		bits = 32
	}
	return cmp.Compare(n.asFloat(bits), m.asFloat(bits)), true
}

// IsNumeric reports whether a datatype is xsd:float, xsd:double, xsd:decimal or
// derived from it.
func IsNumeric(datatype rdf.IRI) bool {
	d, known := lookup(datatype)
	return known && d.space.isNumber()
}

// Float64 returns the nearest double.
func (n Number) Float64() float64 { return n.asFloat(64) }
