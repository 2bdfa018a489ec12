package expr

import (
	"trails/rdf"
	"trails/rdf/xsd"
)

func now(env Env) (value, error) {
	return of(typed(env.Now().Format("2006-01-02T15:04:05.999999999Z07:00"), rdf.XSDDateTime))
}

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
	return ofMoment(func(fields xsd.Fields) (value, error) {
		if !fields.HasDate {
			return failed(ErrType)
		}
		return f(fields)
	})
}

func ofTime(f func(xsd.Fields) (value, error)) function {
	return ofMoment(func(fields xsd.Fields) (value, error) {
		if !fields.HasTime {
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
