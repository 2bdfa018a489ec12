package naive

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"trails/rdf"
	"trails/rdf/xsd"
)

// casts are the constructor functions of section 17.5.
var casts = map[rdf.IRI]func(rdf.Term) (rdf.Term, error){
	rdf.XSDString:   toString,
	rdf.XSDBoolean:  toBoolean,
	rdf.XSDInteger:  toNumber(integerKind),
	rdf.XSDDecimal:  toNumber(decimalKind),
	rdf.XSDFloat:    toNumber(floatKind),
	rdf.XSDDouble:   toNumber(doubleKind),
	rdf.XSDDateTime: toDateTime,
	rdf.XSDDate:     toDate,
	rdf.XSDTime:     toTime,
}

func cast(to rdf.IRI, t rdf.Term) (rdf.Term, error) {
	constructor, known := casts[to]
	if !known {
		return nil, errType // no extension functions
	}
	return constructor(t)
}

// collapsed returns the text that a cast reads, without the white space at its ends
// (XPath Functions section 17.1.1).
func collapsed(t rdf.Term) string { return strings.Trim(rdf.Lexical(t), " \t\r\n") }

func toString(t rdf.Term) (rdf.Term, error) {
	switch kindOf(t) {
	case numeric:
		n, err := asNumber(t)
		return simple(asText(n)), err
	case truthValue:
		b, err := asBoolean(t)
		return simple(strconv.FormatBool(b)), err
	case dateTime, otherXSD:
		t = canonical(t)
		return simple(rdf.Lexical(t)), nil
	case text:
		return simple(rdf.Lexical(t)), nil
	case unknown, tagged:
	}
	if isIRI(t) || rdf.IsLiteral(t) && tag(t) == "" { // extension of the table: the text of any literal
		return simple(rdf.Lexical(t)), nil
	}
	return nil, errType
}

// asText is the cast to xsd:string of XPath Functions section 17.1.2: a float or double
// from 10^-6 up to 10^6 has no exponent.
func asText(n number) string {
	size := math.Abs(n.floating)
	if !n.isFloating() || size != 0 && (size < 1e-6 || size >= 1e6) || math.IsNaN(size) {
		return n.text()
	}
	return strconv.FormatFloat(n.floating, 'f', -1, n.bits())
}

func toBoolean(t rdf.Term) (rdf.Term, error) {
	switch kindOf(t) {
	case numeric:
		n, err := asNumber(t)
		return boolean(!n.isZero() && !n.isNaN()), err
	case text, truthValue:
		b, err := asBoolean(rdf.Literal(collapsed(t), rdf.XSDBoolean))
		return boolean(b), err
	case unknown, tagged, dateTime, otherXSD:
	}
	return nil, errType
}

func toNumber(kind numberKind) func(rdf.Term) (rdf.Term, error) {
	return func(t rdf.Term) (rdf.Term, error) {
		switch kindOf(t) {
		case numeric:
			n, err := asNumber(t)
			if err != nil {
				return nil, err
			}
			return converted(n, kind)
		case truthValue:
			b, err := asBoolean(t)
			n := number{kind: integerKind, exact: big.NewRat(int64(number01(b)), 1)}
			return n.promoted(kind).term(), err
		case text:
			return numberFrom(collapsed(t), kind)
		case unknown, tagged, dateTime, otherXSD:
		}
		return nil, errType
	}
}

func numberFrom(lexical string, kind numberKind) (rdf.Term, error) {
	if !xsd.Valid(lexical, kindDatatypes[kind]) {
		return nil, errType
	}
	n, err := parseNumber(lexical, kind)
	if err != nil {
		return nil, err
	}
	return n.term(), nil
}

// converted is a number in another type; integers lose what is behind the point.
func converted(n number, kind numberKind) (rdf.Term, error) {
	if kind >= floatKind {
		if n.isFloating() {
			n.kind = kind
			if kind == floatKind {
				n.floating = float64(float32(n.floating))
			}
			return n.term(), nil
		}
		return n.promoted(kind).term(), nil
	}
	if n.isFloating() {
		if math.IsNaN(n.floating) || math.IsInf(n.floating, 0) {
			return nil, errType
		}
		n.exact = new(big.Rat)
		n.exact.SetFloat64(n.floating)
	}
	if n.kind = kind; kind == integerKind {
		n.exact = new(big.Rat).SetInt(new(big.Int).Quo(n.exact.Num(), n.exact.Denom()))
	}
	return n.term(), nil
}

// canonical returns a literal of XML Schema in canonical form: 24:00:00 becomes 00:00:00 of the next day.
func canonical(t rdf.Term) rdf.Term {
	lexical, _ := xsd.Canonical(rdf.Lexical(t), rdf.DatatypeOf(t))
	return rdf.Literal(lexical, rdf.DatatypeOf(t))
}

// momentFrom parses a string as a date or time.
func momentFrom(t rdf.Term, datatype rdf.IRI) (rdf.Term, error) {
	if kindOf(t) != text || !xsd.Valid(collapsed(t), datatype) {
		return nil, errType
	}
	return canonical(rdf.Literal(collapsed(t), datatype)), nil
}

func toDateTime(t rdf.Term) (rdf.Term, error) {
	switch {
	case kindOf(t) == dateTime:
		return canonical(t), nil
	case rdf.DatatypeOf(t) == rdf.XSDDate: // a day begins at midnight
		m, ok := asMoment(t)
		if !ok {
			return nil, errType
		}
		return canonical(rdf.Literal(m.year+"-"+m.month+"-"+m.day+"T00:00:00"+m.zone, rdf.XSDDateTime)), nil
	}
	return momentFrom(t, rdf.XSDDateTime)
}

// toDate and toTime are extensions of the table in section 17.5.
func toDate(t rdf.Term) (rdf.Term, error) {
	return partOf(t, rdf.XSDDate, func(m moment) string { return m.year + "-" + m.month + "-" + m.day + m.zone })
}

func toTime(t rdf.Term) (rdf.Term, error) {
	return partOf(t, rdf.XSDTime, func(m moment) string { return m.hours + ":" + m.minutes + ":" + m.seconds + m.zone })
}

func partOf(t rdf.Term, datatype rdf.IRI, part func(moment) string) (rdf.Term, error) {
	if at := rdf.DatatypeOf(t); at != rdf.XSDDateTime && at != datatype {
		return momentFrom(t, datatype)
	}
	m, ok := asMoment(t)
	if !ok {
		return nil, errType
	}
	return canonical(rdf.Literal(part(m), datatype)), nil
}
