package naive

import (
	"cmp"
	"strings"

	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
)

// kind is the value space of a literal; values of different kinds are never equal.
type kind int

const (
	unknown kind = iota // of another datatype, or ill typed
	numeric
	text
	tagged
	truthValue
	dateTime
	otherXSD // dates, times and durations: see spaces
)

func kindOf(t rdf.Term) kind {
	datatype := rdf.DatatypeOf(t)
	switch {
	case datatype == rdf.XSDString:
		return text
	case datatype == rdf.RDFLangString:
		return tagged
	case !strings.HasPrefix(string(datatype), rdf.XSDNS) || !xsd.Valid(rdf.Lexical(t), datatype):
		return unknown
	case numberKinds[datatype] != 0:
		return numeric
	case datatype == rdf.XSDBoolean:
		return truthValue
	case datatype == rdf.XSDDateTime:
		return dateTime
	case spaces[datatype] != "":
		return otherXSD
	}
	return unknown
}

// spaces maps datatypes of dates, times and durations that the table of section 17.3 does not cover to a value space.
// Values of one space are compared by package xsd.
var spaces = map[rdf.IRI]string{
	rdf.XSDDate: "date", rdf.XSDTime: "time", rdf.XSDNS + "gYear": "gYear", rdf.XSDNS + "gYearMonth": "gYearMonth",
	rdf.XSDNS + "gMonthDay": "gMonthDay", rdf.XSDNS + "gMonth": "gMonth", rdf.XSDNS + "gDay": "gDay",
	rdf.XSDDuration: "duration", rdf.XSDNS + "yearMonthDuration": "duration", rdf.XSDNS + "dayTimeDuration": "duration",
}

// equal is the operator = (section 17.3), with RDFterm-equal (17.4.1.7) for types that the table does not cover.
func equal(a, b rdf.Term) (bool, error) {
	if !rdf.IsLiteral(a) || !rdf.IsLiteral(b) {
		return a == b, nil
	}
	if order, comparable := compareValues(a, b); comparable {
		return order == 0, nil
	}
	x, y := kindOf(a), kindOf(b)
	switch {
	case x == numeric && y == numeric: // NaN
		return false, nil
	case identical(a, b):
		return true, nil
	case x == tagged || y == tagged: // only strings have a language
		return false, nil
	case x == unknown || y == unknown:
		return false, errType
	case x == y && x != otherXSD, x == otherXSD && y == otherXSD && spaces[rdf.DatatypeOf(a)] == spaces[rdf.DatatypeOf(b)]:
		return false, errType // dates and times with and without a zone
	}
	return false, nil
}

func tag(t rdf.Term) string {
	lang, _ := rdf.LangOf(t)
	return lang
}

// compareValues orders literals of types in the table of section 17.3.
func compareValues(a, b rdf.Term) (order int, ok bool) {
	x, y := kindOf(a), kindOf(b)
	if x != y {
		return 0, false
	}
	switch x {
	case numeric:
		m, _ := asNumber(a)
		n, _ := asNumber(b)
		return compareNumbers(m, n)
	case text:
		return strings.Compare(rdf.Lexical(a), rdf.Lexical(b)), true
	case truthValue:
		p, _ := asBoolean(a)
		q, _ := asBoolean(b)
		return cmp.Compare(number01(p), number01(q)), true
	case dateTime, otherXSD:
		return xsd.Compare(a, b)
	case unknown, tagged:
	}
	return 0, false
}

func number01(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compared is <, >, <= and >=.
func compared(f sparql.Func, a, b rdf.Term) (rdf.Term, error) {
	order, ok := compareValues(a, b)
	if !ok {
		if kindOf(a) == numeric && kindOf(b) == numeric { // NaN
			return boolean(false), nil
		}
		return nil, errType
	}
	switch f {
	case sparql.Less:
		return boolean(order < 0), nil
	case sparql.Greater:
		return boolean(order > 0), nil
	case sparql.LessOrEqual:
		return boolean(order <= 0), nil
	default:
		return boolean(order >= 0), nil
	}
}

// Order is section 15.1's order of two terms, nil for unbound; it is not defined
// between blank nodes, nor between literals that the operator < does not compare.
func Order(a, b rdf.Term) (order int, defined bool) {
	switch {
	case class(a) != class(b) || a == nil || isIRI(a):
		return orderTerms(a, b), true
	case isBlank(a):
		return 0, identical(a, b)
	}
	return compareValues(a, b)
}

// orderTerms is section 15.1's order of ORDER BY. Where it is not defined, literals have the order of [xsd.Order]: the
// standard leaves it open, so an engine is compared with the order that it documents.
func orderTerms(a, b rdf.Term) int {
	if order := cmp.Compare(class(a), class(b)); order != 0 {
		return order
	}
	switch {
	case a == nil || isBlank(a):
		return 0
	case isIRI(a):
		return strings.Compare(rdf.Lexical(a), rdf.Lexical(b))
	}
	if order, ok := compareValues(a, b); ok {
		return order
	}
	return xsd.Order(a, b)
}

// class is the order of section 15.1: unbound, blank nodes, IRIs, literals.
func class(t rdf.Term) int {
	switch {
	case t == nil:
		return 0
	case isBlank(t):
		return 1
	case isIRI(t):
		return 2
	}
	return 3
}
