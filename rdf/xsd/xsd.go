// Package xsd knows the values behind literals: which lexical forms a datatype
// of XML Schema has, how two values compare, and which form is canonical. It
// follows XML Schema Definition Language 1.1 Part 2
// (https://www.w3.org/TR/xmlschema11-2/) for the datatypes that RDF 1.1 Concepts
// section 5.1 lists. It is pure and safe for concurrent use. Start with [Valid].
//
// Where the standards leave room:
//   - A lexical form must match as it stands: RDF does not strip white space.
//   - xsd:string and xsd:anyURI take any text.
//   - Years and durations may have any number of digits to be valid. A year of more
//     than ten does not compare, nor roll over at 24:00:00; a duration of more than
//     10^11 months or 10^17 seconds neither compares nor has a canonical form.
//     Integers and decimals have no such bound.
package xsd

import (
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/cayleygraph/quad"

	"trails/rdf"
)

// space names the values that compare with each other.
type space uint8

const (
	unordered space = iota
	exact           // xsd:decimal and everything derived from it
	float           // xsd:float
	double          // xsd:double
	boolean
	text
	dateTime
	date
	timeOfDay
	gYear
	gYearMonth
	gMonthDay
	gMonth
	gDay
	duration
)

// datatype is what the package knows of one datatype. Canonical is called with
// valid lexical forms only.
type datatype struct {
	space     space
	valid     func(lexical string) bool
	canonical func(lexical string) (string, bool)
}

// bounds are the least and the greatest value of what is derived from xsd:integer, by the local name; "" if there is none.
var bounds = map[string][2]string{
	"nonPositiveInteger": {"", "0"},
	"negativeInteger":    {"", "-1"},
	"nonNegativeInteger": {"0", ""},
	"positiveInteger":    {"1", ""},
	"long":               {"-9223372036854775808", "9223372036854775807"},
	"int":                {"-2147483648", "2147483647"},
	"short":              {"-32768", "32767"},
	"byte":               {"-128", "127"},
	"unsignedLong":       {"0", "18446744073709551615"},
	"unsignedInt":        {"0", "4294967295"},
	"unsignedShort":      {"0", "65535"},
	"unsignedByte":       {"0", "255"},
}

// Bounds returns the least and the greatest value of a datatype that is derived from xsd:integer, "" if there is none.
func Bounds(iri rdf.IRI) (least, most string) {
	b := bounds[strings.TrimPrefix(string(iri), rdf.XSDNS)]
	return b[0], b[1]
}

// datatypes maps the local name in the XSD namespace.
var datatypes = withBounded(map[string]datatype{
	"decimal":           {exact, isDecimal, canonicalDecimal},
	"integer":           {exact, isInteger, canonicalDecimal},
	"float":             {float, isFloat, canonicalFloat(32)},
	"double":            {double, isFloat, canonicalFloat(64)},
	"boolean":           {boolean, func(s string) bool { return booleans[s] != "" }, func(s string) (string, bool) { return booleans[s], true }},
	"string":            {text, func(string) bool { return true }, itself},
	"anyURI":            {text, func(string) bool { return true }, itself},
	"normalizedString":  {text, isNormalized, itself},
	"token":             {text, isToken, itself},
	"language":          {text, func(s string) bool { return rdf.CheckLangTag(s) == nil }, itself},
	"NMTOKEN":           {text, isNMTOKEN, itself},
	"Name":              {text, isName, itself},
	"NCName":            {text, func(s string) bool { return isName(s) && !strings.Contains(s, ":") }, itself},
	"dateTime":          momentType(dateTime, layouts[dateTime]),
	"dateTimeStamp":     momentType(dateTime, "Y-M-DTtZ"),
	"date":              momentType(date, layouts[date]),
	"time":              momentType(timeOfDay, layouts[timeOfDay]),
	"gYear":             momentType(gYear, layouts[gYear]),
	"gYearMonth":        momentType(gYearMonth, layouts[gYearMonth]),
	"gMonthDay":         momentType(gMonthDay, layouts[gMonthDay]),
	"gMonth":            momentType(gMonth, layouts[gMonth]),
	"gDay":              momentType(gDay, layouts[gDay]),
	"duration":          {duration, isDuration("YMDT"), canonicalDuration("PT0S")},
	"yearMonthDuration": {duration, isDuration("YM"), canonicalDuration("P0M")},
	"dayTimeDuration":   {duration, isDuration("DT"), canonicalDuration("PT0S")},
	"hexBinary":         {unordered, isHex, func(s string) (string, bool) { return strings.ToUpper(s), true }},
	"base64Binary":      {unordered, isBase64, func(s string) (string, bool) { return strings.ReplaceAll(s, " ", ""), true }},
})

func withBounded(all map[string]datatype) map[string]datatype {
	for name, b := range bounds {
		all[name] = datatype{exact, integerBetween(b[0], b[1]), canonicalDecimal}
	}
	return all
}

func lookup(iri rdf.IRI) (datatype, bool) {
	local, ok := strings.CutPrefix(string(iri), rdf.XSDNS)
	if !ok {
		return datatype{}, false
	}
	d, ok := datatypes[local]
	return d, ok
}

// Valid reports whether lexical is a lexical form of the datatype. A datatype
// this package does not know has no forms to refuse: the answer is true.
func Valid(lexical string, datatype rdf.IRI) bool {
	d, ok := lookup(datatype)
	return !ok || d.valid(lexical)
}

// Canonical returns the canonical lexical form of the value that lexical stands
// for; ok is false when lexical is not valid or the value is out of bounds (see
// the package). With a datatype this package does not know it is lexical itself.
//
// The mapping is XML Schema 1.1's: a decimal that is an integer is written like
// one ("3", not "3.0"), floats have one digit before the point ("3.14E0", "1.0E1",
// "INF"), a time zone is kept and only "+00:00" becomes "Z", and 24:00:00 becomes
// midnight of the next day.
func Canonical(lexical string, datatype rdf.IRI) (canonical string, ok bool) {
	d, ok := lookup(datatype)
	if !ok {
		return lexical, true
	}
	if !d.valid(lexical) {
		return "", false
	}
	return d.canonical(lexical)
}

// Compare orders two literals by value: negative when a is less than b, zero when
// they are equal, positive when a is greater. ok is false when they do not compare:
// no literals, not valid, values of different kinds, NaN, or no order between them.
//
// Numbers compare across types, exactly unless one is a float or double, to which
// the other is then promoted (XPath Functions, op:numeric-less-than). Texts and
// URIs compare by code point, language strings only under the same tag. A date or
// time without a zone compares with one that has one when the order holds in every
// zone, durations when it holds at every starting point.
func Compare(a, b rdf.Term) (order int, ok bool) {
	if la, ok := a.(quad.LangString); ok {
		lb, ok := b.(quad.LangString)
		if !ok || la.Lang != lb.Lang {
			return 0, false
		}
		return strings.Compare(string(la.Value), string(lb.Value)), true
	}
	da, known := lookup(rdf.DatatypeOf(a))
	if !known {
		return 0, false
	}
	db, known := lookup(rdf.DatatypeOf(b))
	if !known {
		return 0, false
	}
	la, lb := rdf.Lexical(a), rdf.Lexical(b)
	if !da.valid(la) || !db.valid(lb) {
		return 0, false
	}
	switch {
	case da.space.isNumber() && db.space.isNumber():
		return compareNumbers(da.space, la, db.space, lb)
	case da.space != db.space:
		return 0, false
	case da.space == boolean:
		return strings.Compare(booleans[la], booleans[lb]), true
	case da.space == text:
		return strings.Compare(la, lb), true
	case da.space == duration:
		return compareDurations(la, lb)
	case layouts[da.space] != "":
		return compareMoments(layouts[da.space], la, lb)
	}
	return 0, false
}

func (s space) isNumber() bool { return s == exact || s == float || s == double }

func itself(lexical string) (string, bool) { return lexical, true }

// booleans maps the lexical forms of xsd:boolean to the canonical ones, of which false
// comes first also as a text.
var booleans = map[string]string{"true": "true", "1": "true", "false": "false", "0": "false"}

func isHex(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil
}

// isBase64 reports whether s is base64 whose padding leaves no bits over, with at most one
// space between two characters (section 3.3.16).
func isBase64(s string) bool {
	_, err := base64.StdEncoding.Strict().DecodeString(strings.ReplaceAll(s, " ", ""))
	return err == nil && isToken(s)
}
