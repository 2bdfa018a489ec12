package xsd

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
)

// span is the value of a duration: months and seconds, with one sign for both.
type span struct {
	negative        bool
	months, seconds int64  // their size
	fraction        string // of a second, without trailing zeros
	far             bool   // a number is too large to compute with; other fields are then undefined
}

const (
	maxComponentDigits = 18
	maxMonths          = 100_000_000_000
	maxSeconds         = 100_000_000_000_000_000
)

// durationPart is one component: the letter behind its number, and its effect.
type durationPart struct {
	letter          byte
	months, seconds int64
}

var (
	dateParts = []durationPart{{'Y', 12, 0}, {'M', 1, 0}, {'D', 0, secondsInDay}}
	timeParts = []durationPart{{'H', 0, 3600}, {'M', 0, 60}, {'S', 0, 1}}
)

// parseDuration reads -?P(nY)?(nM)?(nD)?(T(nH)?(nM)?(n(.n)?S)?)? with at least
// one component, and one behind T.
func parseDuration(s string) (d span, ok bool) {
	s, d.negative = strings.CutPrefix(s, "-")
	s, ok = strings.CutPrefix(s, "P")
	if !ok || s == "" {
		return span{}, false
	}
	if s = d.read(s, dateParts); s == "" {
		return d, true
	}
	if s[0] != 'T' || len(s) == 1 {
		return span{}, false
	}
	return d, d.read(s[1:], timeParts) == ""
}

// span.read reads components in order and returns the rest.
func (d *span) read(s string, parts []durationPart) string {
	for _, part := range parts {
		n := digits(s)
		end, fraction := n, ""
		if part.letter == 'S' && n > 0 && end < len(s) && s[end] == '.' {
			f := digits(s[end+1:])
			fraction = s[end+1 : end+1+f]
			end += 1 + f
			if f == 0 {
				return s
			}
		}
		if n > 0 && end < len(s) && s[end] == part.letter {
			d.add(s[:n], part)
			d.fraction = strings.TrimRight(fraction, "0")
			s = s[end+1:]
		}
	}
	return s
}

func (d *span) add(number string, part durationPart) {
	number = strings.TrimLeft(number, "0")
	if len(number) > maxComponentDigits {
		d.far = true
		return
	}
	n, _ := strconv.ParseInt(cmp.Or(number, "0"), 10, 64)
	if n > maxSeconds/max(part.seconds, 1) || part.months > 0 && n > maxMonths/part.months {
		d.far = true
		return
	}
	d.months += n * part.months
	d.seconds += n * part.seconds
}

// isDuration returns a check for durations whose components are among those of
// kinds: Y, M and D, and T for all of the time.
func isDuration(kinds string) func(string) bool {
	return func(s string) bool {
		if _, ok := parseDuration(s); !ok {
			return false
		}
		day, _, timed := strings.Cut(s, "T")
		return (!timed || strings.Contains(kinds, "T")) &&
			(!strings.ContainsAny(day, "YM") || strings.Contains(kinds, "Y")) &&
			(!strings.Contains(day, "D") || strings.Contains(kinds, "D"))
	}
}

// compareDurations is the partial order of section 3.3.6.2: a < b when it holds
// from each of four starting points.
func compareDurations(a, b string) (int, bool) {
	da, _ := parseDuration(a)
	db, _ := parseDuration(b)
	if da.far || db.far {
		return 0, false
	}
	order := da.from(startingPoints[0]).compare(db.from(startingPoints[0]))
	for _, start := range startingPoints[1:] {
		if da.from(start).compare(db.from(start)) != order {
			return 0, false
		}
	}
	return order, true
}

// startingPoints are the standard's, as months since year 0: 1696-09, 1697-02,
// 1903-03 and 1903-07.
var startingPoints = [4]int64{1696*12 + 8, 1697*12 + 1, 1903*12 + 2, 1903*12 + 6}

// from returns the instant d after the first day of a month.
func (d span) from(month int64) instant {
	if !d.negative {
		days := firstOfMonth(month + d.months)
		return instant{days*secondsInDay + d.seconds, d.fraction}
	}
	at := instant{firstOfMonth(month-d.months)*secondsInDay - d.seconds, d.fraction}
	if d.fraction != "" { // one second less, and what is missing to it: the digits of 1-0.f
		rest := []byte(d.fraction)
		for i := range rest {
			rest[i] = '9' - rest[i] + '0'
		}
		rest[len(rest)-1]++ // the last digit was no 0
		at = instant{at.seconds - 1, string(rest)}
	}
	return at
}

func firstOfMonth(month int64) int64 {
	year := floorDiv(month, 12)
	return daysBefore(year, int(month-year*12)+1, 1)
}

// canonicalDuration is durationCanonicalMap; zero is how the datatype writes none.
func canonicalDuration(zero string) func(string) (string, bool) {
	return func(s string) (string, bool) {
		d, _ := parseDuration(s)
		switch {
		case d.far:
			return "", false
		case d.months == 0 && d.seconds == 0 && d.fraction == "":
			return zero, true
		}
		return d.String(), true
	}
}

// String returns the canonical form of a duration that is not zero.
func (d span) String() string {
	var out bytes.Buffer
	if d.negative {
		out.WriteByte('-')
	}
	out.WriteByte('P')
	component(&out, d.months/12, 'Y')
	component(&out, d.months%12, 'M')
	component(&out, d.seconds/secondsInDay, 'D')
	if d.seconds%secondsInDay == 0 && d.fraction == "" {
		return out.String()
	}
	out.WriteByte('T')
	component(&out, d.seconds/3600%24, 'H')
	component(&out, d.seconds/60%60, 'M')
	if d.fraction == "" {
		component(&out, d.seconds%60, 'S')
		return out.String()
	}
	out.WriteString(strconv.FormatInt(d.seconds%60, 10) + "." + d.fraction + "S")
	return out.String()
}

func component(out *bytes.Buffer, n int64, letter byte) {
	if n == 0 {
		return
	}
	out.WriteString(strconv.FormatInt(n, 10))
	out.WriteByte(letter)
}
