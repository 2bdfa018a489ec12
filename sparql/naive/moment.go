package naive

import (
	"regexp"
	"strings"

	"trails/rdf"
	"trails/rdf/xsd"
)

// moment is the parts of an xsd:dateTime, date or time as written; missing parts are empty.
type moment struct{ year, month, day, hours, minutes, seconds, zone string }

const (
	dateText = `(-?\d+)-(\d\d)-(\d\d)`
	timeText = `(\d\d):(\d\d):(\d\d(?:\.\d+)?)`
	zoneText = `(Z|[+-]\d\d:\d\d)?`
)

// momentTexts have seven groups each.
var momentTexts = map[rdf.IRI]*regexp.Regexp{
	rdf.XSDDateTime: regexp.MustCompile("^" + dateText + "T" + timeText + zoneText + "$"),
	rdf.XSDDate:     regexp.MustCompile("^" + dateText + "()()()" + zoneText + "$"),
	rdf.XSDTime:     regexp.MustCompile("^()()()" + timeText + zoneText + "$"),
}

func asMoment(t rdf.Term) (moment, bool) {
	lexical, datatype := rdf.Lexical(t), rdf.DatatypeOf(t)
	parts := momentTexts[datatype]
	if parts == nil || !xsd.Valid(lexical, datatype) {
		return moment{}, false
	}
	if strings.Contains(lexical, "24:00:00") { // the beginning of the next day
		lexical, _ = xsd.Canonical(lexical, datatype)
	}
	p := parts.FindStringSubmatch(lexical)
	if p == nil {
		return moment{}, false
	}
	return moment{p[1], p[2], p[3], p[4], p[5], p[6], p[7]}, true
}

// wholeSeconds is section 17.4.5.7, an xsd:decimal.
func (m moment) wholeSeconds() rdf.Term {
	if m.seconds == "" {
		return nil
	}
	canonical, _ := xsd.Canonical(m.seconds, rdf.XSDDecimal)
	return rdf.Literal(canonical, rdf.XSDDecimal)
}

// timezone is section 17.4.5.8; without a zone it is an error.
func (m moment) timezone() rdf.Term {
	if m.zone == "" {
		return nil
	}
	duration := "PT0S"
	if m.zone != "Z" {
		duration = strings.TrimPrefix(m.zone[:1], "+") + "PT" + m.zone[1:3] + "H" + m.zone[4:] + "M"
	}
	const dayTime = rdf.IRI(rdf.XSDNS + "dayTimeDuration")
	canonical, _ := xsd.Canonical(duration, dayTime)
	return rdf.Literal(canonical, dayTime)
}
