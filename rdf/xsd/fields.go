package xsd

import (
	"fmt"
	"strconv"

	"trails/rdf"
)

// Fields are the parts of a date, a time or both, as the accessors of XPath
// Functions, section 10.5, give them.
type Fields struct {
	// HasDate and HasTime say which parts there are.
	HasDate, HasTime bool
	Year             string // an integer of any length
	Month, Day       int
	Hour, Minute     int
	Second           string // a decimal
	// HasZone says whether Zone is there: minutes east of Greenwich.
	HasZone bool
	Zone    int
}

// FieldsOf returns the parts of an xsd:dateTime, xsd:date or xsd:time; ok is false
// for other terms and for forms that are not valid. The end of a day is the next
// day's beginning.
func FieldsOf(t rdf.Term) (f Fields, ok bool) {
	d, known := lookup(rdf.DatatypeOf(t))
	if !known || d.space != dateTime && d.space != date && d.space != timeOfDay {
		return Fields{}, false
	}
	m, ok := parseMoment(rdf.Lexical(t), layouts[d.space])
	if !ok || m.hour == 24 && !m.endDay() {
		return Fields{}, false
	}
	year := m.yearText
	if !m.far {
		year = strconv.FormatInt(m.year, 10)
	}
	second, _ := canonicalDecimal(fmt.Sprintf("%d.%s", m.second, m.fraction))
	return Fields{
		HasDate: d.space != timeOfDay, HasTime: d.space != date,
		Year: year, Month: m.month, Day: m.day,
		Hour: m.hour, Minute: m.minute, Second: second,
		HasZone: m.hasZone, Zone: m.zone,
	}, true
}

// ZoneDuration returns the zone as the lexical form of an xsd:dayTimeDuration.
func (f Fields) ZoneDuration() string {
	if f.Zone == 0 {
		return "PT0S"
	}
	d := span{negative: f.Zone < 0, seconds: int64(max(f.Zone, -f.Zone)) * 60}
	return d.String()
}

// Equal reports whether two literals have the same value. ok is false when that is
// unknown: a datatype this package does not know or a form that is not valid,
// unless both literals are the same term, and dates of which only one has a zone
// and that are not too far apart for it to matter. Values of different kinds are
// known to differ.
func Equal(a, b rdf.Term) (equal, ok bool) {
	if a == b {
		n, ok := NumberOf(a)
		return !ok || !n.IsNaN(), true
	}
	sa, sb := spaceOf(a), spaceOf(b)
	_, tagged := rdf.LangOf(a)
	if _, other := rdf.LangOf(b); tagged || other {
		order, same := Compare(a, b)
		return same && order == 0, true
	}
	if !knows(a, sa) || !knows(b, sb) {
		return false, false
	}
	if sa == unordered && rdf.DatatypeOf(a) == rdf.DatatypeOf(b) {
		ca, _ := Canonical(rdf.Lexical(a), rdf.DatatypeOf(a))
		cb, _ := Canonical(rdf.Lexical(b), rdf.DatatypeOf(b))
		return ca == cb, true
	}
	order, compared := Compare(a, b)
	return compared && order == 0, compared || sa != sb || layouts[sa] == ""
}

func knows(t rdf.Term, s space) bool {
	_, known := lookup(rdf.DatatypeOf(t))
	return known && s != invalid
}
