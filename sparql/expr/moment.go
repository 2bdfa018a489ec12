package expr

import (
	"trails/rdf"
	"trails/rdf/xsd"
)

// ofMoment is a function of a date, a time or both.
func ofMoment(f func(xsd.Fields) (value, error)) function {
	return unary(func(t rdf.Term) (value, error) {
		fields, ok := xsd.FieldsOf(t)
		if !ok {
			return failed(ErrType)
		}
		return f(fields)
	})
}

func ofDate(f func(xsd.Fields) (value, error)) function {
	return ofPart(func(fields xsd.Fields) bool { return fields.HasDate }, f)
}

func ofTime(f func(xsd.Fields) (value, error)) function {
	return ofPart(func(fields xsd.Fields) bool { return fields.HasTime }, f)
}

// ofPart is a function of the moments that have a part.
func ofPart(has func(xsd.Fields) bool, f func(xsd.Fields) (value, error)) function {
	return ofMoment(func(fields xsd.Fields) (value, error) {
		if !has(fields) {
			return failed(ErrType)
		}
		return f(fields)
	})
}

// zone is TZ: the zone as it is written.
func zone(t rdf.Term) (value, error) {
	if _, ok := xsd.FieldsOf(t); !ok {
		return failed(ErrType)
	}
	_, zone := cutZone(rdf.Lexical(t))
	return ofText(zone)
}

func timezone(f xsd.Fields) (value, error) {
	if !f.HasZone {
		return failed(ErrType)
	}
	return of(typed(f.ZoneDuration(), rdf.XSDNS+"dayTimeDuration"))
}
