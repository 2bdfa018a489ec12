package expr

import (
	"cmp"
	"strings"

	"trails/rdf"
	"trails/rdf/xsd"
)

// value is a term, or a computed number that has not been made a term, or both for a constant.
type value struct {
	term rdf.Term
	num  xsd.Number
}

var (
	trueTerm  = rdf.Literal("true", rdf.XSDBoolean)
	falseTerm = rdf.Literal("false", rdf.XSDBoolean)
	emptyText = rdf.Literal("", rdf.XSDString)
)

func of(t rdf.Term) (value, error)          { return value{term: t}, nil }
func ofText(s string) (value, error)        { return value{term: rdf.String(s)}, nil }
func ofNumber(n xsd.Number) (value, error)  { return value{num: n}, nil }
func failed(err error) (value, error)       { return value{}, err }
func typed(s string, iri rdf.IRI) rdf.Term  { return rdf.Literal(s, iri) }
func isText(t rdf.Term) (s string, ok bool) { v, ok := t.(rdf.String); return string(v), ok }

func ofBool(b bool) (value, error) {
	if b {
		return value{term: trueTerm}, nil
	}
	return value{term: falseTerm}, nil
}

func (v value) asTerm() rdf.Term {
	if v.term == nil {
		return v.num.Term()
	}
	return v.term
}

func (v value) number() (xsd.Number, bool) {
	if v.num.Kind() != xsd.NoNumber {
		return v.num, true
	}
	return xsd.NumberOf(v.term)
}

// truth is the effective boolean value.
func (v value) truth() (bool, error) {
	if v.term == nil {
		return !v.num.IsZero() && !v.num.IsNaN(), nil
	}
	switch v.term {
	case trueTerm:
		return true, nil
	case falseTerm:
		return false, nil
	}
	switch t := v.term.(type) {
	case rdf.String:
		return t != "", nil
	case rdf.LangString:
		return t.Value != "", nil
	case rdf.TypedString:
		if t.Type == rdf.XSDBoolean {
			return t.Value == "true" || t.Value == "1", nil
		}
		if !xsd.IsNumeric(t.Type) {
			return false, ErrType
		}
		if !xsd.Valid(string(t.Value), t.Type) {
			return false, nil
		}
		n, ok := xsd.NumberOf(t)
		return !ok || !n.IsZero() && !n.IsNaN(), nil // a number with too many digits to compute with is not zero
	}
	return false, ErrType
}

// kindRank orders the kinds of terms (section 15.1).
func kindRank(t rdf.Term) int {
	switch t.(type) {
	case nil:
		return 0
	case rdf.BNode:
		return 1
	case rdf.IRI:
		return 2
	}
	return 3
}

// Compare is the order of ORDER BY, MIN and MAX (section 15.1): unbound, blank nodes by label, IRIs by code point,
// literals by [xsd.Order].
func Compare(a, b rdf.Term) int {
	rank := kindRank(a)
	if order := cmp.Compare(rank, kindRank(b)); order != 0 || rank == 0 {
		return order
	}
	if rank < 3 {
		return strings.Compare(rdf.Lexical(a), rdf.Lexical(b))
	}
	return xsd.Order(a, b)
}

// equal is = (section 17.3): by value if both values are known, else RDFterm-equal.
func equal(a, b value) (bool, error) {
	if a.num.Kind() != xsd.NoNumber || b.num.Kind() != xsd.NoNumber {
		na, oka := a.number()
		nb, okb := b.number()
		if oka && okb {
			order, ordered := na.Compare(nb)
			return ordered && order == 0, nil
		}
		return equal(value{term: a.asTerm()}, value{term: b.asTerm()})
	}
	if !rdf.IsLiteral(a.term) || !rdf.IsLiteral(b.term) {
		return a.term == b.term, nil
	}
	same, known := xsd.Equal(a.term, b.term)
	if !known || a.term != b.term && (isOpaque(a.term) || isOpaque(b.term)) && !isTagged(a.term) && !isTagged(b.term) {
		return false, ErrType
	}
	return same, nil
}

func isTagged(t rdf.Term) bool { _, tagged := rdf.LangOf(t); return tagged }

// opaque are the datatypes of XML Schema without operators in section 17.3: two literals of one are equal if they are
// the same term, and an error otherwise.
var opaque = map[rdf.IRI]bool{
	rdf.XSDNS + "anyURI": true, rdf.XSDNS + "hexBinary": true, rdf.XSDNS + "base64Binary": true,
	rdf.XSDNS + "normalizedString": true, rdf.XSDNS + "token": true, rdf.XSDNS + "language": true,
	rdf.XSDNS + "NMTOKEN": true, rdf.XSDNS + "Name": true, rdf.XSDNS + "NCName": true,
}

func isOpaque(t rdf.Term) bool {
	typed, ok := t.(rdf.TypedString)
	return ok && opaque[typed.Type]
}

// order is the order behind < and >. ordered is false if one side is NaN.
func order(a, b value) (order int, ordered bool, err error) {
	na, oka := a.number()
	nb, okb := b.number()
	if oka && okb {
		order, ordered = na.Compare(nb)
		return order, ordered, nil
	}
	if isTagged(a.term) || isOpaque(a.term) || isOpaque(b.term) {
		return 0, false, ErrType
	}
	order, ordered = xsd.Compare(a.asTerm(), b.asTerm())
	if !ordered {
		return 0, false, ErrType
	}
	return order, true, nil
}
