package xsd

import (
	"cmp"
	"strings"

	"trails/rdf"
)

// decimal is a decimal number of any length, as the digits of its lexical form.
type decimal struct {
	negative bool   // never with zero
	whole    string // without leading zeros
	fraction string // without trailing zeros
}

// parseDecimal reads (+|-)?(digits(.digits?)?|.digits).
func parseDecimal(s string) (d decimal, ok bool) {
	s, d.negative = cutSign(s)
	n := digits(s)
	d.whole, s = s[:n], s[n:]
	if s != "" && s[0] == '.' {
		f := digits(s[1:])
		d.fraction, s = s[1:1+f], s[1+f:]
	}
	if s != "" || d.whole == "" && d.fraction == "" {
		return decimal{}, false
	}
	d.whole = strings.TrimLeft(d.whole, "0")
	d.fraction = strings.TrimRight(d.fraction, "0")
	d.negative = d.negative && (d.whole != "" || d.fraction != "")
	return d, true
}

func cutSign(s string) (rest string, negative bool) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		return s[1:], s[0] == '-'
	}
	return s, false
}

// digits returns how many decimal digits s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && rdf.IsDigit(s[n]) {
		n++
	}
	return n
}

func (d decimal) compare(e decimal) int {
	switch {
	case d.negative != e.negative && d.negative:
		return -1
	case d.negative != e.negative:
		return 1
	case d.negative:
		return e.compareSize(d)
	}
	return d.compareSize(e)
}

func (d decimal) compareSize(e decimal) int {
	return cmp.Or(
		cmp.Compare(len(d.whole), len(e.whole)),
		strings.Compare(d.whole, e.whole),
		strings.Compare(d.fraction, e.fraction), // no trailing zeros: the digits decide
	)
}

func isDecimal(s string) bool {
	_, ok := parseDecimal(s)
	return ok
}

func isInteger(s string) bool {
	s, _ = cutSign(s)
	return s != "" && digits(s) == len(s)
}

// integerBetween returns a check for integers of a range; "" leaves a side open.
func integerBetween(least, most string) func(string) bool {
	low, bounded := parseDecimal(least)
	high, capped := parseDecimal(most)
	return func(s string) bool {
		if !isInteger(s) {
			return false
		}
		d, _ := parseDecimal(s)
		return (!bounded || d.compare(low) >= 0) && (!capped || d.compare(high) <= 0)
	}
}

// canonicalDecimal is decimalCanonicalMap.
func canonicalDecimal(s string) (string, bool) {
	d, ok := parseDecimal(s)
	if !ok {
		return "", false
	}
	out := cmp.Or(d.whole, "0")
	if d.fraction != "" {
		out += "." + d.fraction
	}
	if d.negative {
		out = "-" + out
	}
	return out, true
}
