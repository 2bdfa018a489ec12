package xsd

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/cayleygraph/quad"

	"trails/rdf"
)

// Order orders any two literals, so that a sort of mixed values has one outcome:
// zero means that they hold the same place. It extends [Compare], with two
// differences that a total order needs: numbers compare exactly, also where one is
// a float, and NaN follows them; a date without a zone takes Greenwich's, and is
// before the one that says so.
//
// Numbers come first, then booleans, dates and times by their datatypes, durations,
// texts with and without language by text and then tag, other datatypes by their
// IRI and canonical form, and last what is not valid.
func Order(a, b rdf.Term) int {
	if na, ok := NumberOf(a); ok {
		if nb, ok := NumberOf(b); ok {
			return na.Order(nb)
		}
	}
	sa, sb := spaceOf(a), spaceOf(b)
	if sa.isNumber() && sb.isNumber() {
		na, oka := NumberOf(a)
		nb, okb := NumberOf(b)
		if oka && na.IsNaN() || okb && nb.IsNaN() {
			return cmp.Compare(nanLast(na), nanLast(nb))
		}
		order, _ := Compare(a, b) // also of numbers too long to compute with
		return order
	}
	if order := cmp.Compare(places[sa], places[sb]); order != 0 || sa.isNumber() {
		return order
	}
	la, lb := rdf.Lexical(a), rdf.Lexical(b)
	switch {
	case sa == boolean:
		return strings.Compare(booleans[la], booleans[lb])
	case sa == text:
		return cmp.Or(strings.Compare(la, lb), strings.Compare(tagOf(a), tagOf(b)))
	case sa == duration:
		da, _ := parseDuration(la)
		db, _ := parseDuration(lb)
		switch { // those too long to compute with come last
		case da.far && db.far:
			return strings.Compare(la, lb)
		case da.far:
			return 1
		case db.far:
			return -1
		}
		for _, start := range startingPoints { // durations that the partial order tells apart differ at the first
			if order := da.from(start).compare(db.from(start)); order != 0 {
				return order
			}
		}
		return 0
	case layouts[sa] != "":
		return orderMoments(la, lb, layouts[sa])
	}
	return cmp.Or(cmp.Compare(rdf.DatatypeOf(a), rdf.DatatypeOf(b)), strings.Compare(canonicalOr(la, a), canonicalOr(lb, b)))
}

// Place is the rank of a literal's kind in [Order]: literals of equal rank are compared by value.
func Place(t rdf.Term) int { return places[spaceOf(t)] }

// Nearest is the float nearest to a numeric literal; it keeps the order of Order. For NaN it is infinity.
func Nearest(t rdf.Term) float64 {
	f := 0.0
	if n, ok := NumberOf(t); ok {
		f = n.Float64()
	} else {
		f, _ = strconv.ParseFloat(rdf.Lexical(t), 64) // an error is infinity
	}
	if math.IsNaN(f) {
		return math.Inf(1)
	}
	return f
}

// canonicalOr returns a literal's canonical form, or its own when it has none.
func canonicalOr(lexical string, t rdf.Term) string {
	if canonical, ok := Canonical(lexical, rdf.DatatypeOf(t)); ok {
		return canonical
	}
	return lexical
}

// invalid is the space of ill-typed literals.
const invalid space = 255

var places = map[space]int{
	exact: 0, float: 0, double: 0, boolean: 1,
	dateTime: 2, date: 3, timeOfDay: 4, gYear: 5, gYearMonth: 6, gMonthDay: 7, gMonth: 8, gDay: 9,
	duration: 10, text: 11, unordered: 12, invalid: 13,
}

var layouts = map[space]string{
	dateTime: "Y-M-DTtz", date: "Y-M-Dz", timeOfDay: "tz", gYear: "Yz", gYearMonth: "Y-Mz",
	gMonthDay: "--M-Dz", gMonth: "--Mz", gDay: "---Dz",
}

func spaceOf(t rdf.Term) space {
	switch t.(type) {
	case quad.String, quad.LangString:
		return text
	}
	d, known := lookup(rdf.DatatypeOf(t))
	switch {
	case !known:
		return unordered
	case !d.valid(rdf.Lexical(t)):
		return invalid
	}
	return d.space
}

func tagOf(t rdf.Term) string {
	tag, _ := rdf.LangOf(t)
	return strings.ToLower(tag)
}

// Order compares exactly in any kinds; NaN is equal to itself and after all others.
func (n Number) Order(m Number) int {
	switch {
	case n.isExact() && m.isExact():
		return n.compareExact(m)
	case n.IsNaN() || m.IsNaN():
		return cmp.Compare(nanLast(n), nanLast(m))
	case !n.isExact() && !m.isExact():
		return cmp.Compare(n.float, m.float)
	case m.isExact():
		return -m.Order(n)
	}
	if math.IsInf(m.float, 0) {
		return cmp.Compare(0, m.float)
	}
	if order := cmp.Compare(n.asFloat(64), m.float); order != 0 {
		return order // rounding keeps the order
	}
	return new(big.Rat).SetFrac(n.unscaled(), powerOfTen(n.scale)).Cmp(new(big.Rat).SetFloat64(m.float))
}

func nanLast(n Number) int {
	if n.IsNaN() {
		return 1
	}
	return 0
}

// orderMoments compares on the time line. Times too far away for it are compared by year, and then by the other
// parts.
func orderMoments(a, b, layout string) int {
	ma, _ := parseMoment(a, layout)
	mb, _ := parseMoment(b, layout)
	order := 0
	if ma.far || mb.far {
		da, _ := parseDecimal(ma.yearText)
		db, _ := parseDecimal(mb.yearText)
		order, ma.year, mb.year = da.compare(db), 0, 0
	}
	order = cmp.Or(order, ma.timeline().compare(mb.timeline()))
	switch {
	case order != 0 || ma.hasZone == mb.hasZone:
		return order
	case mb.hasZone:
		return -1
	}
	return 1
}
