package expr

import (
	"strings"

	"trails/rdf"
	"trails/rdf/xsd"
)

// casts are the constructor functions (section 17.5). Their results are canonical.
var casts = map[rdf.IRI]func(rdf.Term) (value, error){
	rdf.XSDString:   castString,
	rdf.XSDBoolean:  castBoolean,
	rdf.XSDInteger:  castNumber(xsd.IntegerNumber, rdf.XSDInteger),
	rdf.XSDDecimal:  castNumber(xsd.DecimalNumber, rdf.XSDDecimal),
	rdf.XSDFloat:    castNumber(xsd.FloatNumber, rdf.XSDFloat),
	rdf.XSDDouble:   castNumber(xsd.DoubleNumber, rdf.XSDDouble),
	rdf.XSDDateTime: castDateTime,
	rdf.XSDDate:     castPart(rdf.XSDDate, func(day, _ string) string { return day }),
	rdf.XSDTime:     castPart(rdf.XSDTime, func(_, clock string) string { return clock }),
}

func castString(t rdf.Term) (value, error) {
	switch t := t.(type) {
	case rdf.String:
		return of(t)
	case rdf.IRI:
		return ofText(string(t))
	case rdf.TypedString: // of a valid literal its canonical form, of an ill-typed one its text
		if n, ok := xsd.NumberOf(t); ok {
			return ofText(n.Text())
		}
		if text, ok := xsd.Canonical(string(t.Value), t.Type); ok && !opaque[t.Type] {
			return ofText(text)
		}
		return ofText(string(t.Value))
	}
	return failed(ErrType)
}

// fromText casts a string; white space around it is ignored.
func fromText(t rdf.Term, iri rdf.IRI) (value, error) {
	text, ok := isText(t)
	if !ok {
		return failed(ErrType)
	}
	canonical, ok := xsd.Canonical(strings.Trim(text, " \t\n\r"), iri)
	if !ok {
		return failed(ErrType)
	}
	return of(typed(canonical, iri))
}

func castBoolean(t rdf.Term) (value, error) {
	if n, ok := xsd.NumberOf(t); ok {
		return ofBool(!n.IsZero() && !n.IsNaN())
	}
	if b, ok := booleanOf(t); ok {
		return ofBool(b)
	}
	return fromText(t, rdf.XSDBoolean)
}

// booleanOf returns the value of a valid xsd:boolean.
func booleanOf(t rdf.Term) (b, ok bool) {
	if rdf.DatatypeOf(t) != rdf.XSDBoolean {
		return false, false
	}
	text, ok := xsd.Canonical(rdf.Lexical(t), rdf.XSDBoolean)
	return text == "true", ok
}

func castNumber(kind xsd.NumberKind, iri rdf.IRI) func(rdf.Term) (value, error) {
	return func(t rdf.Term) (value, error) {
		if b, ok := booleanOf(t); ok {
			t = zeroOrOne[b]
		}
		n, ok := xsd.NumberOf(t)
		if !ok {
			return fromText(t, iri)
		}
		if n, ok = n.To(kind); !ok {
			return failed(ErrType)
		}
		return ofNumber(n)
	}
}

var zeroOrOne = map[bool]rdf.Term{false: xsd.Integer(0).Term(), true: xsd.Integer(1).Term()}

func castDateTime(t rdf.Term) (value, error) {
	switch rdf.DatatypeOf(t) {
	case rdf.XSDDateTime:
		return canonical(t)
	case rdf.XSDDate:
		day, zone := cutZone(rdf.Lexical(t))
		return canonical(typed(day+"T00:00:00"+zone, rdf.XSDDateTime))
	}
	return fromText(t, rdf.XSDDateTime)
}

// castPart casts an xsd:dateTime to xsd:date or xsd:time.
func castPart(iri rdf.IRI, part func(day, clock string) string) func(rdf.Term) (value, error) {
	return func(t rdf.Term) (value, error) {
		switch rdf.DatatypeOf(t) {
		case iri:
			return canonical(t)
		case rdf.XSDDateTime:
			text, ok := xsd.Canonical(rdf.Lexical(t), rdf.XSDDateTime)
			if !ok {
				return failed(ErrType)
			}
			text, zone := cutZone(text)
			day, clock, _ := strings.Cut(text, "T")
			return of(typed(part(day, clock)+zone, iri))
		}
		return fromText(t, iri)
	}
}

func canonical(t rdf.Term) (value, error) {
	text, ok := xsd.Canonical(rdf.Lexical(t), rdf.DatatypeOf(t))
	if !ok {
		return failed(ErrType)
	}
	return of(typed(text, rdf.DatatypeOf(t)))
}

// cutZone cuts the zone, Z or ±hh:mm, off the end. It cannot be taken for the dashes of a date, which are further
// left.
func cutZone(s string) (local, zone string) {
	if strings.HasSuffix(s, "Z") {
		return s[:len(s)-1], "Z"
	}
	if n := len(s) - len("+00:00"); n > 0 && s[len(s)-3] == ':' && (s[n] == '+' || s[n] == '-') {
		return s[:n], s[n:]
	}
	return s, ""
}
