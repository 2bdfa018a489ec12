package xsd

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"trails/rdf"
)

// moment is a date, a time or both, with the seven properties of XSD 1.1 Part 2, appendix D.2. The year and the
// fraction of a second may have any number of digits, and stay text.
type moment struct {
	yearText   string // as written
	year       int64  // 0 when far
	far        bool   // the year has too many digits to compute with
	leapYear   bool
	month, day int
	hour       int // 24 only at the end of a day
	minute     int
	second     int
	fraction   string // of a second, without trailing zeros
	zone       int    // minutes east of Greenwich
	hasZone    bool
	hasDay     bool // the layout has a day
}

const (
	maxYearDigits = 10
	zoneSpan      = 14 * 3600 // the largest offset of a zone, in seconds
	secondsInDay  = 24 * 3600
)

// parseMoment reads s by a layout, in which Y, M, D, t, z and Z stand for year,
// month, day, time, optional and required zone, and other bytes for themselves.
// The parts that a layout lacks are those of 1972-01-01T00:00:00.
func parseMoment(s, layout string) (m moment, ok bool) {
	m = moment{year: 1972, leapYear: true, month: 1, day: 1}
	for i := range len(layout) {
		if s, ok = m.part(s, layout[i]); !ok {
			return moment{}, false
		}
	}
	return m, s == "" && m.day <= daysIn(m.month, m.leapYear)
}

// part reads one part and returns what follows it.
func (m *moment) part(s string, part byte) (rest string, ok bool) {
	switch part {
	case 'Y':
		return m.readYear(s)
	case 'M':
		return twoDigits(s, 1, 12, &m.month)
	case 'D':
		m.hasDay = true
		return twoDigits(s, 1, 31, &m.day)
	case 't':
		return m.readTime(s)
	case 'z':
		if s == "" {
			return "", true
		}
		return m.readZone(s)
	case 'Z':
		return m.readZone(s)
	}
	if s == "" || s[0] != part {
		return s, false
	}
	return s[1:], true
}

// readYear reads -?([1-9]ddd+|0ddd). The last four digits tell a leap year.
func (m *moment) readYear(s string) (string, bool) {
	sign := 0
	if s != "" && s[0] == '-' {
		sign = 1
	}
	n := digits(s[sign:])
	if n < 4 || n > 4 && s[sign] == '0' {
		return s, false
	}
	end := sign + n
	last, _ := strconv.Atoi(s[end-4 : end])
	m.leapYear = last%4 == 0 && (last%100 != 0 || last%400 == 0)
	m.yearText, m.far, m.year = s[:end], n > maxYearDigits, 0
	if !m.far {
		m.year, _ = strconv.ParseInt(m.yearText, 10, 64)
	}
	return s[end:], true
}

// readTime reads hh:mm:ss(.d+)?, where 24:00:00 is the only time past 23:59:59.
func (m *moment) readTime(s string) (rest string, ok bool) {
	if rest, ok = twoDigits(s, 0, 24, &m.hour); !ok {
		return s, false
	}
	if rest, ok = colonDigits(rest, &m.minute); !ok {
		return s, false
	}
	if rest, ok = colonDigits(rest, &m.second); !ok {
		return s, false
	}
	if strings.HasPrefix(rest, ".") {
		n := 1 + digits(rest[1:])
		m.fraction, rest, ok = strings.TrimRight(rest[1:n], "0"), rest[n:], n > 1
	}
	return rest, ok && (m.hour < 24 || m.minute == 0 && m.second == 0 && m.fraction == "")
}

// readZone reads Z or (+|-)hh:mm up to 14:00.
func (m *moment) readZone(s string) (string, bool) {
	if s == "" {
		return s, false
	}
	m.hasZone = true
	if s[0] == 'Z' {
		return s[1:], true
	}
	if s[0] != '+' && s[0] != '-' {
		return s, false
	}
	var hours, minutes int
	rest, ok := twoDigits(s[1:], 0, 14, &hours)
	if !ok {
		return s, false
	}
	if rest, ok = colonDigits(rest, &minutes); !ok || hours == 14 && minutes > 0 {
		return s, false
	}
	m.zone = hours*60 + minutes
	if s[0] == '-' {
		m.zone = -m.zone
	}
	return rest, true
}

func colonDigits(s string, into *int) (string, bool) {
	if s == "" || s[0] != ':' {
		return s, false
	}
	return twoDigits(s[1:], 0, 59, into)
}

func twoDigits(s string, least, most int, into *int) (string, bool) {
	if len(s) < 2 || !rdf.IsDigit(s[0]) || !rdf.IsDigit(s[1]) {
		return s, false
	}
	*into = int(s[0]-'0')*10 + int(s[1]-'0')
	return s[2:], least <= *into && *into <= most
}

var monthDays = [13]int{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func daysIn(month int, leapYear bool) int {
	if month == 2 && !leapYear {
		return 28
	}
	return monthDays[month]
}

// instant is a point on the time line: whole seconds and the digits of the rest.
type instant struct {
	seconds  int64
	fraction string
}

func (i instant) compare(j instant) int {
	return cmp.Or(cmp.Compare(i.seconds, j.seconds), strings.Compare(i.fraction, j.fraction))
}

// timeline returns the instant of m; without a zone it is taken as UTC.
func (m moment) timeline() instant {
	hour := m.hour
	if !m.hasDay && hour == 24 {
		hour = 0 // a time of day has no next day
	}
	seconds := daysBefore(m.year, m.month, m.day)*secondsInDay + int64(hour*3600+(m.minute-m.zone)*60+m.second)
	return instant{seconds, m.fraction}
}

// daysBefore returns the days from 0000-03-01 to a date of the proleptic
// Gregorian calendar. Years begin in March here, which puts the leap day last.
func daysBefore(year int64, month, day int) int64 {
	y, m := year, int64(month-3)
	if m < 0 {
		y, m = y-1, m+12
	}
	return y*365 + floorDiv(y, 4) - floorDiv(y, 100) + floorDiv(y, 400) + (153*m+2)/5 + int64(day-1)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// momentType is the datatype of dates and times with a layout.
func momentType(s space, layout string) datatype {
	valid := func(s string) bool {
		_, ok := parseMoment(s, layout)
		return ok
	}
	canonical := func(s string) (string, bool) {
		m, _ := parseMoment(s, layout)
		if m.hour == 24 && !m.endDay() {
			return "", false
		}
		out := make([]byte, 0, len(s)+1)
		for i := range len(layout) {
			out = m.appendPart(out, layout[i])
		}
		return string(out), true
	}
	return datatype{s, valid, canonical}
}

// compareMoments is the partial order of section 3.3.7.2 and its like.
func compareMoments(layout, a, b string) (int, bool) {
	ma, _ := parseMoment(a, layout)
	mb, _ := parseMoment(b, layout)
	switch {
	case ma.far || mb.far:
		return 0, false
	case ma.hasZone == mb.hasZone:
		return ma.timeline().compare(mb.timeline()), true
	case ma.hasZone:
		return compareWithin(ma.timeline(), mb.timeline())
	}
	order, ok := compareWithin(mb.timeline(), ma.timeline())
	return -order, ok
}

// compareWithin compares an instant with a known zone with one without, which may be up to 14 hours earlier or later.
func compareWithin(zoned, local instant) (int, bool) {
	early, late := local, local
	early.seconds -= zoneSpan
	late.seconds += zoneSpan
	switch {
	case zoned.compare(early) < 0:
		return -1, true
	case zoned.compare(late) > 0:
		return 1, true
	}
	return 0, false
}

// endDay turns 24:00:00 into the next day's midnight; false when it is too far.
func (m *moment) endDay() bool {
	m.hour = 0
	if !m.hasDay {
		return true
	}
	m.day++
	if m.day > daysIn(m.month, m.leapYear) {
		m.month, m.day = m.month+1, 1
	}
	if m.month > 12 {
		m.year, m.month, m.yearText = m.year+1, 1, ""
	}
	return !m.far || m.yearText != ""
}

func (m *moment) appendPart(out []byte, part byte) []byte {
	switch part {
	case 'Y':
		if m.far {
			return append(out, m.yearText...)
		}
		if m.year < 0 {
			return fmt.Appendf(out, "-%04d", -m.year)
		}
		return fmt.Appendf(out, "%04d", m.year)
	case 'M':
		return fmt.Appendf(out, "%02d", m.month)
	case 'D':
		return fmt.Appendf(out, "%02d", m.day)
	case 't':
		out = fmt.Appendf(out, "%02d:%02d:%02d", m.hour, m.minute, m.second)
		if m.fraction != "" {
			out = append(append(out, '.'), m.fraction...)
		}
		return out
	case 'z', 'Z':
		switch {
		case !m.hasZone:
			return out
		case m.zone == 0:
			return append(out, 'Z')
		case m.zone < 0:
			return fmt.Appendf(out, "-%02d:%02d", -m.zone/60, -m.zone%60)
		}
		return fmt.Appendf(out, "+%02d:%02d", m.zone/60, m.zone%60)
	}
	return append(out, part)
}
