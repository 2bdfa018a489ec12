package xsd

import (
	"errors"
	"strings"

	"trails/rdf"
)

// This file computes with dates, times and durations as XPath Functions 3.1 do (sections 8.4,
// 9.7 and 9.8), and with xsd:duration, for which they have no operators, in the same way.

// ErrOperands is the error for operands that cannot be combined: of other types, times with and without a zone, or
// durations with a positive and a negative part.
var ErrOperands = errors.New("the operator does not take these operands")

// nanoDigits is the number of digits of a duration's quotient behind the decimal point of its seconds.
const nanoDigits = 9

// length is the value of a duration with its datatype: months and seconds, with the same sign.
type length struct {
	months   int64
	seconds  Number
	datatype rdf.IRI
}

func isSpan(t rdf.Term) bool { return spaceOf(t) == duration }

func lengthOf(t rdf.Term) (length, error) {
	d, _ := parseDuration(rdf.Lexical(t))
	if d.far {
		return length{}, ErrOverflow
	}
	seconds, err := secondsOf(d.seconds, d.fraction)
	if err != nil {
		return length{}, err
	}
	l := length{months: d.months, seconds: seconds, datatype: rdf.DatatypeOf(t)}
	if d.negative {
		l.months, l.seconds = -l.months, l.seconds.Neg()
	}
	return l, nil
}

// secondsOf is a number of seconds.
func secondsOf(whole int64, fraction string) (Number, error) {
	if fraction == "" {
		return Integer(whole), nil
	}
	part, ok := exactNumber("0."+fraction, DecimalNumber)
	if !ok {
		return Number{}, ErrOverflow
	}
	return Integer(whole).Add(part)
}

// split is the inverse of secondsOf, for numbers that are not negative.
func split(seconds Number) (whole int64, fraction string, ok bool) {
	text, fraction, _ := strings.Cut(seconds.Text(), ".")
	n, isSmall := exactNumber(text, IntegerNumber)
	if !isSmall || n.big != nil || n.small > maxSeconds {
		return 0, "", false
	}
	return n.small, strings.TrimRight(fraction, "0"), true
}

func (l length) term() (rdf.Term, error) {
	sign := l.seconds.sign()
	if l.months > 0 && sign < 0 || l.months < 0 && sign > 0 {
		return nil, ErrOperands
	}
	d := span{negative: l.months < 0 || sign < 0, months: max(l.months, -l.months)}
	var ok bool
	if d.seconds, d.fraction, ok = split(l.seconds.Abs()); !ok || d.months > maxMonths {
		return nil, ErrOverflow
	}
	text := d.String()
	if d.months == 0 && d.seconds == 0 && d.fraction == "" {
		if text = "PT0S"; l.datatype == rdf.XSDYearMonthDuration {
			text = "P0M"
		}
	}
	return rdf.Literal(text, l.datatype), nil
}

func (l length) plus(m length) (length, error) {
	sum := length{months: l.months + m.months, datatype: l.datatype}
	if m.datatype != l.datatype {
		sum.datatype = rdf.XSDDuration
	}
	var err error
	sum.seconds, err = l.seconds.Add(m.seconds)
	return sum, err
}

func (l length) negated() length {
	l.months, l.seconds = -l.months, l.seconds.Neg()
	return l
}

// scaled multiplies both parts. Months are integers: a fraction is rounded if there are only months, and is an error
// if there are seconds, too.
func (l length) scaled(by func(Number) (Number, error)) (rdf.Term, error) {
	months, err := by(Integer(l.months))
	if err != nil {
		return nil, err
	}
	if l.seconds, err = by(l.seconds); err != nil {
		return nil, err
	}
	nano := Integer(powers[nanoDigits])
	if l.seconds, err = l.seconds.Mul(nano); err != nil {
		return nil, err
	}
	if l.seconds, err = l.seconds.Round().Div(nano); err != nil {
		return nil, err
	}
	whole := months.Round()
	if order, _ := whole.Compare(months); order != 0 && !l.seconds.IsZero() {
		return nil, ErrOperands
	}
	l.months = 0
	if !whole.IsZero() {
		n, ok := exactNumber(whole.Text(), IntegerNumber)
		if !ok || n.big != nil || n.small > maxMonths || n.small < -maxMonths {
			return nil, ErrOverflow
		}
		l.months = n.small
	}
	return l.term()
}

// factor is a number that durations can be multiplied with, in decimal digits.
func factor(t rdf.Term) (Number, error) {
	n, ok := NumberOf(t)
	if !ok {
		return Number{}, ErrOperands
	}
	if n, ok = n.To(DecimalNumber); !ok {
		return Number{}, ErrOverflow // NaN, infinite or too long
	}
	return n, nil
}

// calendar reads a term as a date or time to which durations can be added.
func calendar(t rdf.Term) (m moment, s space, ok bool) {
	if s = spaceOf(t); s != dateTime && s != date && s != timeOfDay {
		return moment{}, s, false
	}
	m, ok = parseMoment(rdf.Lexical(t), layouts[s])
	return m, s, ok
}

var calendarTypes = map[space]rdf.IRI{dateTime: rdf.XSDDateTime, date: rdf.XSDDate, timeOfDay: rdf.XSDTime}

// plus returns the time a duration later (XML Schema 1.1 Part 2, appendix E.3.3): months are added first, with days
// limited to the last day of the month, then seconds.
func (m moment) plus(l length, s space) (rdf.Term, error) {
	switch {
	case s == timeOfDay && l.months != 0:
		return nil, ErrOperands
	case m.far || m.hour == 24 && !m.endDay():
		return nil, ErrOverflow
	}
	month := m.year*12 + int64(m.month-1) + l.months
	m.year = floorDiv(month, 12)
	m.month = int(month-m.year*12) + 1
	m.day = min(m.day, daysIn(m.month, isLeap(m.year)))
	at, err := secondsOf(int64(m.hour*3600+m.minute*60+m.second), m.fraction)
	if err != nil {
		return nil, err
	}
	if at, err = at.Add(l.seconds); err != nil {
		return nil, err
	}
	below := at.Floor()
	whole, _, ok := split(below.Abs())
	if !ok {
		return nil, ErrOverflow
	}
	if below.sign() < 0 {
		whole = -whole
	}
	rest, _ := at.Sub(below)
	_, fraction, _ := split(rest)
	days := floorDiv(whole, secondsInDay)
	second := int(whole - days*secondsInDay)
	m.hour, m.minute, m.second, m.fraction = second/3600, second/60%60, second%60, fraction
	if s != timeOfDay {
		m.year, m.month, m.day = dateAt(daysBefore(m.year, m.month, m.day) + days)
	}
	if m.year >= maxYear || m.year <= -maxYear {
		return nil, ErrOverflow
	}
	var out []byte
	for i := range len(layouts[s]) {
		out = m.appendPart(out, layouts[s][i])
	}
	return rdf.Literal(string(out), calendarTypes[s]), nil
}

// maxYear is the first year with more than maxYearDigits.
const maxYear = 10_000_000_000

func isLeap(year int64) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

// dateAt is the inverse of daysBefore.
func dateAt(days int64) (year int64, month, day int) {
	const era = 146_097 // the days of 400 years
	cycle := floorDiv(days, era)
	n := days - cycle*era
	year = (n - n/1460 + n/36_524 - n/(era-1)) / 365
	n -= year*365 + year/4 - year/100
	month = int((5*n + 2) / 153)
	day = int(n-(153*int64(month)+2)/5) + 1
	if month += 3; month > 12 {
		month, year = month-12, year+1
	}
	return year + cycle*400, month, day
}

// AddTime is "+" of durations, and of a date or time and a duration.
func AddTime(a, b rdf.Term) (rdf.Term, error) {
	if !isSpan(b) {
		a, b = b, a
	}
	if !isSpan(b) {
		return nil, ErrOperands
	}
	l, err := lengthOf(b)
	if err != nil {
		return nil, err
	}
	return addLength(a, l)
}

func addLength(a rdf.Term, l length) (rdf.Term, error) {
	if m, s, ok := calendar(a); ok {
		return m.plus(l, s)
	}
	if !isSpan(a) {
		return nil, ErrOperands
	}
	of, err := lengthOf(a)
	if err != nil {
		return nil, err
	}
	if of, err = of.plus(l); err != nil {
		return nil, err
	}
	return of.term()
}

// SubTime is "-": for two dates or times of one kind the duration from b to a, otherwise [AddTime] of a and the
// negated duration b.
func SubTime(a, b rdf.Term) (rdf.Term, error) {
	if isSpan(b) {
		l, err := lengthOf(b)
		if err != nil {
			return nil, err
		}
		return addLength(a, l.negated())
	}
	ma, sa, oka := calendar(a)
	mb, sb, okb := calendar(b)
	switch {
	case !oka || !okb || sa != sb || ma.hasZone != mb.hasZone:
		return nil, ErrOperands
	case ma.far || mb.far:
		return nil, ErrOverflow
	}
	ta, tb := ma.timeline(), mb.timeline()
	seconds, err := secondsOf(ta.seconds, ta.fraction)
	if err != nil {
		return nil, err
	}
	before, err := secondsOf(tb.seconds, tb.fraction)
	if err != nil {
		return nil, err
	}
	if seconds, err = seconds.Sub(before); err != nil {
		return nil, err
	}
	return length{seconds: seconds, datatype: rdf.XSDDayTimeDuration}.term()
}

// MulTime is "*" of a duration and a number.
func MulTime(a, b rdf.Term) (rdf.Term, error) {
	if !isSpan(a) {
		a, b = b, a
	}
	if !isSpan(a) {
		return nil, ErrOperands
	}
	l, err := lengthOf(a)
	if err != nil {
		return nil, err
	}
	by, err := factor(b)
	if err != nil {
		return nil, err
	}
	return l.scaled(by.Mul)
}

// DivTime is "/" of a duration by a number, or by one of the same type that has months alone,
// or none.
func DivTime(a, b rdf.Term) (rdf.Term, error) {
	if !isSpan(a) {
		return nil, ErrOperands
	}
	l, err := lengthOf(a)
	if err != nil {
		return nil, err
	}
	if !isSpan(b) {
		by, err := factor(b)
		if err != nil {
			return nil, err
		}
		return l.scaled(func(n Number) (Number, error) { return n.Div(by) })
	}
	m, err := lengthOf(b)
	var n Number
	switch {
	case err != nil:
		return nil, err
	case l.datatype != m.datatype || l.datatype == rdf.XSDDuration:
		return nil, ErrOperands
	case l.datatype == rdf.XSDYearMonthDuration:
		n, err = Integer(l.months).Div(Integer(m.months))
	default:
		n, err = l.seconds.Div(m.seconds)
	}
	if err != nil {
		return nil, err
	}
	return n.Term(), nil
}

// NegTime is unary "-" of a duration.
func NegTime(t rdf.Term) (rdf.Term, error) {
	if !isSpan(t) {
		return nil, ErrOperands
	}
	l, err := lengthOf(t)
	if err != nil {
		return nil, err
	}
	return l.negated().term()
}

// Durations is a sum of durations, in any order. The zero Durations is empty.
type Durations struct {
	total length
	begun bool
}

// Begun reports whether a duration was added.
func (d *Durations) Begun() bool { return d.begun }

// Add adds a duration.
func (d *Durations) Add(t rdf.Term) error {
	if !isSpan(t) {
		return ErrOperands
	}
	l, err := lengthOf(t)
	if err == nil && d.begun {
		l, err = d.total.plus(l)
	}
	d.total, d.begun = l, true
	return err
}

// Sum is the sum.
func (d *Durations) Sum() (rdf.Term, error) { return d.total.term() }

// Mean is the sum divided by a number of durations.
func (d *Durations) Mean(n int64) (rdf.Term, error) {
	if _, err := d.total.term(); err != nil {
		return nil, err
	}
	return d.total.scaled(func(part Number) (Number, error) { return part.Div(Integer(n)) })
}
