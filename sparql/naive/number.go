package naive

import (
	"math"
	"math/big"
	"strconv"

	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
)

// numberKind orders the numeric types by promotion (section 17.3).
type numberKind int

const (
	integerKind numberKind = iota + 1
	decimalKind
	floatKind
	doubleKind
)

// numberKinds maps numeric datatypes to their kind; those derived from xsd:integer count as xsd:integer.
var numberKinds = map[rdf.IRI]numberKind{
	rdf.XSDDecimal: decimalKind, rdf.XSDFloat: floatKind, rdf.XSDDouble: doubleKind,
}

func init() {
	for _, name := range []string{
		"integer", "nonPositiveInteger", "negativeInteger", "nonNegativeInteger", "positiveInteger",
		"long", "int", "short", "byte", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte",
	} {
		numberKinds[rdf.XSDNS+rdf.IRI(name)] = integerKind
	}
}

var kindDatatypes = map[numberKind]rdf.IRI{
	integerKind: rdf.XSDInteger, decimalKind: rdf.XSDDecimal, floatKind: rdf.XSDFloat, doubleKind: rdf.XSDDouble,
}

// number is a numeric value: exact for integers and decimals, else floating.
type number struct {
	kind     numberKind
	exact    *big.Rat
	floating float64
}

func asNumber(t rdf.Term) (number, error) {
	kind, lexical := numberKinds[rdf.DatatypeOf(t)], rdf.Lexical(t)
	if kind == 0 || !xsd.Valid(lexical, rdf.DatatypeOf(t)) {
		return number{}, errType
	}
	return parseNumber(lexical, kind)
}

func parseNumber(lexical string, kind numberKind) (number, error) {
	n := number{kind: kind}
	switch kind {
	case floatKind, doubleKind:
		n.floating, _ = strconv.ParseFloat(lexical, n.bits()) // valid: only the range can fail
	case integerKind, decimalKind:
		var ok bool
		if n.exact, ok = new(big.Rat).SetString(lexical); !ok {
			return n, errType
		}
	}
	return n, nil
}

func (n number) bits() int {
	if n.kind == floatKind {
		return 32
	}
	return 64
}

func (n number) isFloating() bool { return n.kind >= floatKind }
func (n number) isNaN() bool      { return n.isFloating() && math.IsNaN(n.floating) }

func (n number) isZero() bool {
	if n.isFloating() {
		return n.floating == 0
	}
	return n.exact.Sign() == 0
}

// promoted is n in a wider type.
func (n number) promoted(kind numberKind) number {
	if kind >= floatKind && !n.isFloating() {
		f, _ := n.exact.Float64()
		n.floating = f
		if kind == floatKind {
			f32, _ := n.exact.Float32()
			n.floating = float64(f32)
		}
	}
	n.kind = kind
	return n
}

const decimalDigits = 40

// text returns a lexical form; a quotient without an end has 40 digits behind the point.
func (n number) text() string {
	switch n.kind {
	case integerKind:
		return n.exact.Num().String()
	case decimalKind:
		digits, ends := n.exact.FloatPrec()
		if !ends {
			digits = decimalDigits
		}
		canonical, _ := xsd.Canonical(n.exact.FloatString(digits), rdf.XSDDecimal)
		return canonical
	case floatKind, doubleKind:
	}
	switch {
	case math.IsNaN(n.floating):
		return "NaN"
	case math.IsInf(n.floating, 1):
		return "INF"
	case math.IsInf(n.floating, -1):
		return "-INF"
	}
	canonical, _ := xsd.Canonical(strconv.FormatFloat(n.floating, 'E', -1, n.bits()), kindDatatypes[n.kind])
	return canonical
}

func (n number) term() rdf.Term { return rdf.Literal(n.text(), kindDatatypes[n.kind]) }

func integer(n int) rdf.Term { return rdf.Literal(strconv.Itoa(n), rdf.XSDInteger) }

// arithmetic is op:numeric-add, numeric-subtract and so on (section 17.3), extended to dates, times and durations.
func arithmetic(f sparql.Func, left, right rdf.Term) (rdf.Term, error) {
	a, errA := asNumber(left)
	b, errB := asNumber(right)
	if errA != nil || errB != nil {
		return ofTime(f, left, right)
	}
	kind := max(a.kind, b.kind)
	a, b = a.promoted(kind), b.promoted(kind)
	if kind >= floatKind {
		return floating(f, a, b).term(), nil
	}
	out := number{kind: kind, exact: new(big.Rat)}
	switch f {
	case sparql.Add:
		out.exact.Add(a.exact, b.exact)
	case sparql.Subtract:
		out.exact.Sub(a.exact, b.exact)
	case sparql.Multiply:
		out.exact.Mul(a.exact, b.exact)
	default:
		if b.isZero() {
			return nil, errType
		}
		out.kind = decimalKind // integers divide to a decimal
		out.exact.Quo(a.exact, b.exact)
	}
	return out.term(), nil
}

func floating(f sparql.Func, a, b number) number {
	x, y := a.floating, b.floating
	switch f {
	case sparql.Add:
		x += y
	case sparql.Subtract:
		x -= y
	case sparql.Multiply:
		x *= y
	default:
		x /= y
	}
	if a.kind == floatKind {
		x = float64(float32(x))
	}
	return number{kind: a.kind, floating: x}
}

// compareNumbers orders two numbers; ok is false if one is NaN.
func compareNumbers(a, b number) (order int, ok bool) {
	kind := max(a.kind, b.kind)
	a, b = a.promoted(kind), b.promoted(kind)
	switch {
	case kind < floatKind:
		return a.exact.Cmp(b.exact), true
	case a.isNaN() || b.isNaN():
		return 0, false
	case a.floating < b.floating:
		return -1, true
	case a.floating > b.floating:
		return 1, true
	}
	return 0, true
}

// rounded applies a rounding of section 17.4.4 and keeps the type.
func rounded(t rdf.Term, float func(float64) float64, exact func(*big.Rat) *big.Rat) (rdf.Term, error) {
	n, err := asNumber(t)
	if err != nil {
		return nil, err
	}
	if n.isFloating() {
		n.floating = float(n.floating)
	} else {
		n.exact = exact(n.exact)
	}
	return n.term(), nil
}

// floorRat is the largest integer that is not greater than the number.
func floorRat(r *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Div(r.Num(), r.Denom())) // Euclidean; the denominator is positive
}

func ceilRat(r *big.Rat) *big.Rat {
	return new(big.Rat).Neg(floorRat(new(big.Rat).Neg(r)))
}

// roundRat is fn:round: halves go up.
func roundRat(r *big.Rat) *big.Rat { return floorRat(new(big.Rat).Add(r, big.NewRat(1, 2))) }

func absRat(r *big.Rat) *big.Rat { return new(big.Rat).Abs(r) }

// roundFloat is fn:round of a double: halves go up, -0.4 is -0.
func roundFloat(f float64) float64 {
	down := math.Floor(f)
	if f-down >= 0.5 {
		down++
	}
	return math.Copysign(down, f)
}
