package expr

import (
	"trails/rdf"
	"trails/rdf/xsd"
)

// ofMoment is a function that returns one part of a date or time, and is an error for values without it.
func ofMoment(has func(xsd.Fields) bool, f func(xsd.Fields) (value, error)) function {
	return unary(func(t rdf.Term) (value, error) {
		fields, ok := xsd.FieldsOf(t)
		if !ok || !has(fields) {
			return failed(ErrType)
		}
		return f(fields)
	})
}

func hasDate(f xsd.Fields) bool { return f.HasDate }
func hasTime(f xsd.Fields) bool { return f.HasTime }
func hasZone(f xsd.Fields) bool { return f.HasZone }

// zone is TZ: the zone as written.
func zone(t rdf.Term) (value, error) {
	if _, ok := xsd.FieldsOf(t); !ok {
		return failed(ErrType)
	}
	_, zone := cutZone(rdf.Lexical(t))
	return ofText(zone)
}
