package naive

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"time"

	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
)

// length is the value of a duration: months and seconds, which have one sign.
type length struct {
	months   *big.Int
	seconds  *big.Rat
	datatype rdf.IRI
}

var (
	durationText = regexp.MustCompile(`^(-?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$`)
	mostMonths   = big.NewInt(100_000_000_000)
	mostSeconds  = new(big.Rat).SetInt64(100_000_000_000_000_000)
)

func isDuration(t rdf.Term) bool {
	d := rdf.DatatypeOf(t)
	return (d == rdf.XSDDuration || d == rdf.XSDYearMonthDuration || d == rdf.XSDDayTimeDuration) && xsd.Valid(rdf.Lexical(t), d)
}

func asLength(t rdf.Term) (length, error) {
	parts := durationText.FindStringSubmatch(rdf.Lexical(t))
	if !isDuration(t) || parts == nil {
		return length{}, errType
	}
	part := func(i int, of int64) *big.Rat {
		n, ok := new(big.Rat).SetString("0" + parts[i])
		if !ok {
			panic("naive: digits are no number")
		}
		return n.Mul(n, new(big.Rat).SetInt64(of))
	}
	months := new(big.Rat).Add(part(2, 12), part(3, 1))
	seconds := part(4, 86_400)
	seconds.Add(seconds, part(5, 3600)).Add(seconds, part(6, 60)).Add(seconds, part(7, 1))
	l := length{months.Num(), seconds, rdf.DatatypeOf(t)}
	if parts[1] == "-" {
		l = l.negated()
	}
	return l, nil
}

func (l length) negated() length {
	return length{new(big.Int).Neg(l.months), new(big.Rat).Neg(l.seconds), l.datatype}
}

func (l length) plus(m length) length {
	if l.datatype != m.datatype {
		l.datatype = rdf.XSDDuration
	}
	return length{new(big.Int).Add(l.months, m.months), new(big.Rat).Add(l.seconds, m.seconds), l.datatype}
}

func (l length) term() (rdf.Term, error) {
	if l.months.Sign()*l.seconds.Sign() < 0 || l.months.CmpAbs(mostMonths) > 0 || new(big.Rat).Abs(l.seconds).Cmp(mostSeconds) > 0 {
		return nil, errType
	}
	sign := ""
	if l.months.Sign() < 0 || l.seconds.Sign() < 0 {
		sign = "-"
	}
	text := fmt.Sprintf("%sP%sMT%sS", sign, new(big.Int).Abs(l.months), decimalText(new(big.Rat).Abs(l.seconds)))
	switch l.datatype {
	case rdf.XSDYearMonthDuration:
		text = strings.TrimSuffix(text, "T0S")
	case rdf.XSDDayTimeDuration:
		text = strings.Replace(text, "0M", "", 1)
	}
	canonical, ok := xsd.Canonical(text, l.datatype)
	if !ok {
		return nil, errType
	}
	return rdf.Literal(canonical, l.datatype), nil
}

func decimalText(n *big.Rat) string {
	digits, _ := n.FloatPrec()
	return n.FloatString(digits)
}

// floor is the greatest whole number that is not more.
func floor(n *big.Rat) *big.Int { return new(big.Int).Div(n.Num(), n.Denom()) }

// inDigits rounds n to a number of digits behind the point, half up.
func inDigits(n *big.Rat, digits int64) *big.Rat {
	unit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(digits), nil))
	n = new(big.Rat).Mul(n, unit)
	n.Add(n, big.NewRat(1, 2))
	return new(big.Rat).Quo(new(big.Rat).SetInt(floor(n)), unit)
}

func (l length) times(n *big.Rat) (rdf.Term, error) {
	months := new(big.Rat).Mul(new(big.Rat).SetInt(l.months), n)
	l.seconds = inDigits(new(big.Rat).Mul(l.seconds, n), 9)
	if !months.IsInt() && l.seconds.Sign() != 0 {
		return nil, errType // a part of a month has no length in seconds
	}
	l.months = inDigits(months, 0).Num()
	return l.term()
}

// instant is a dateTime, date or time in seconds since 1970, with its zone taken as UTC.
type instant struct {
	seconds  *big.Rat
	zone     string
	datatype rdf.IRI
}

func asInstant(t rdf.Term) (instant, bool) {
	if rdf.DatatypeOf(t) == rdf.XSDNS+"dateTimeStamp" && xsd.Valid(rdf.Lexical(t), rdf.XSDNS+"dateTimeStamp") {
		t = rdf.Literal(rdf.Lexical(t), rdf.XSDDateTime)
	}
	m, ok := asMoment(t)
	if !ok || len(strings.TrimPrefix(m.year, "-")) > 10 {
		return instant{}, false
	}
	number := func(text string) (n int) {
		_, _ = fmt.Sscan(strings.TrimLeft(text, "0"), &n) // an empty text is 0
		return n
	}
	year, month, day := 1972, 1, 1 // of a time
	if m.year != "" {
		year, month, day = number(strings.TrimPrefix(m.year, "-")), number(m.month), number(m.day)
		if m.year[0] == '-' {
			year = -year
		}
	}
	whole, fraction, _ := strings.Cut(m.seconds, ".")
	at := time.Date(year, time.Month(month), day, number(m.hours), number(m.minutes), number(whole), 0, time.UTC)
	rest, _ := new(big.Rat).SetString("0." + fraction + "0")
	seconds := new(big.Rat).SetInt64(at.Unix())
	return instant{seconds.Add(seconds, rest), m.zone, rdf.DatatypeOf(t)}, true
}

// offset is the offset of the zone from UTC in seconds, east positive.
func (i instant) offset() *big.Rat {
	var hours, minutes int64
	if i.zone == "" || i.zone == "Z" {
		return new(big.Rat)
	}
	_, _ = fmt.Sscanf(i.zone[1:], "%d:%d", &hours, &minutes) // the pattern has checked its form
	n := new(big.Rat).SetInt64(hours*3600 + minutes*60)
	if i.zone[0] == '-' {
		n.Neg(n)
	}
	return n
}

func (i instant) plus(l length) (rdf.Term, error) {
	if i.datatype == rdf.XSDTime && l.months.Sign() != 0 {
		return nil, errType
	}
	whole := floor(i.seconds)
	fraction := new(big.Rat).Sub(i.seconds, new(big.Rat).SetInt(whole))
	at := time.Unix(whole.Int64(), 0).UTC()
	if l.months.CmpAbs(mostMonths) > 0 {
		return nil, errType
	}
	first := time.Date(at.Year(), at.Month()+time.Month(l.months.Int64()), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	at = time.Date(first.Year(), first.Month(), min(at.Day(), last), at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
	seconds := new(big.Rat).SetInt64(at.Unix())
	seconds.Add(seconds, fraction).Add(seconds, l.seconds)
	whole = floor(seconds)
	fraction = new(big.Rat).Sub(seconds, new(big.Rat).SetInt(whole))
	if new(big.Rat).Abs(l.seconds).Cmp(mostSeconds) > 0 {
		return nil, errType
	}
	at = time.Unix(whole.Int64(), 0).UTC()
	if year := at.Year(); year >= 10_000_000_000 || year <= -10_000_000_000 {
		return nil, errType
	}
	year := fmt.Sprintf("%04d", at.Year())
	if at.Year() < 0 {
		year = fmt.Sprintf("-%04d", -at.Year())
	}
	day := year + at.Format("-01-02")
	clock := at.Format("15:04:05") + strings.TrimPrefix(decimalText(fraction), "0")
	text := day + "T" + clock
	switch i.datatype {
	case rdf.XSDDate:
		text = day
	case rdf.XSDTime:
		text = clock
	}
	canonical, ok := xsd.Canonical(text+i.zone, i.datatype)
	if !ok {
		return nil, errType
	}
	return rdf.Literal(canonical, i.datatype), nil
}

// ofTime is an operator on dates, times and durations (XPath Functions, sections 8.4, 9.7 and 9.8), extended to
// xsd:duration.
func ofTime(f sparql.Func, left, right rdf.Term) (rdf.Term, error) {
	a, errA := asLength(left)
	b, errB := asLength(right)
	from, isFrom := asInstant(left)
	to, isTo := asInstant(right)
	switch f {
	case sparql.Add:
		switch {
		case errA == nil && errB == nil:
			return a.plus(b).term()
		case isFrom && errB == nil:
			return from.plus(b)
		case errA == nil && isTo:
			return to.plus(a)
		}
	case sparql.Subtract:
		switch {
		case errA == nil && errB == nil:
			return a.plus(b.negated()).term()
		case isFrom && errB == nil:
			return from.plus(b.negated())
		case isFrom && isTo && from.datatype == to.datatype && (from.zone == "") == (to.zone == ""):
			between := new(big.Rat).Sub(from.seconds, from.offset())
			between.Sub(between, to.seconds).Add(between, to.offset())
			return length{new(big.Int), between, rdf.XSDDayTimeDuration}.term()
		}
	case sparql.Multiply:
		of, by := a, right
		if errA != nil {
			of, by = b, left
		}
		n, err := asFactor(by)
		if errA != nil && errB != nil || err != nil {
			return nil, errType
		}
		return of.times(n)
	default:
		if errA != nil {
			return nil, errType
		}
		if errB == nil {
			return quotient(a, b)
		}
		n, err := asFactor(right)
		if err != nil || n.Sign() == 0 {
			return nil, errType
		}
		return a.times(new(big.Rat).Inv(n))
	}
	return nil, errType
}

// asFactor returns a number to multiply a duration with.
func asFactor(t rdf.Term) (*big.Rat, error) {
	n, err := asNumber(t)
	switch {
	case err != nil:
		return nil, err
	case !n.isFloating():
		return n.exact, nil
	}
	exact := new(big.Rat).SetFloat64(n.floating)
	if exact == nil {
		return nil, errType
	}
	return exact, nil
}

// quotient returns a divided by b.
func quotient(a, b length) (rdf.Term, error) {
	n, m := a.seconds, b.seconds
	if a.datatype == rdf.XSDYearMonthDuration {
		n, m = new(big.Rat).SetInt(a.months), new(big.Rat).SetInt(b.months)
	}
	if a.datatype != b.datatype || a.datatype == rdf.XSDDuration || m.Sign() == 0 {
		return nil, errType
	}
	return number{kind: decimalKind, exact: new(big.Rat).Quo(n, m)}.term(), nil
}

// sumOfDurations adds all durations before it checks that the sum is a valid duration.
func sumOfDurations(values []rdf.Term) (rdf.Term, error) {
	total, err := asLength(values[0])
	if err != nil {
		return nil, err
	}
	for _, v := range values[1:] {
		l, err := asLength(v)
		if err != nil {
			return nil, err
		}
		total = total.plus(l)
	}
	return total.term()
}
