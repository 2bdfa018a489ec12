package xsd

import (
	"cmp"
	"math"
	"strconv"
	"strings"
)

// isFloat reports whether s is a lexical form of xsd:float and xsd:double, which
// are the same: a decimal with an optional exponent, (+|-)?INF or NaN.
func isFloat(s string) bool {
	if s == "NaN" {
		return true
	}
	unsigned, _ := cutSign(s)
	if unsigned == "INF" {
		return true
	}
	mantissa, exponent, scaled := unsigned, "", false
	if i := strings.IndexAny(unsigned, "eE"); i >= 0 {
		mantissa, exponent, scaled = unsigned[:i], unsigned[i+1:], true
	}
	if mantissa == "" || mantissa[0] == '+' || mantissa[0] == '-' {
		return false
	}
	return isDecimal(mantissa) && (!scaled || isInteger(exponent))
}

// parseFloat returns the value of a valid lexical form, rounded to bits. What is
// too large is infinite, as floatingPointRound has it.
func parseFloat(s string, bits int) float64 {
	if unsigned, negative := cutSign(s); unsigned == "INF" {
		if negative {
			return math.Inf(-1)
		}
		return math.Inf(1)
	}
	f, _ := strconv.ParseFloat(s, bits) // the form is valid: only the range can fail
	return f
}

// compareNumbers compares exactly between decimals, else in the wider type.
func compareNumbers(sa space, a string, sb space, b string) (int, bool) {
	if sa == exact && sb == exact {
		da, _ := parseDecimal(a)
		db, _ := parseDecimal(b)
		return da.compare(db), true
	}
	fa, fb := promote(a, sa, sb), promote(b, sb, sa)
	if math.IsNaN(fa) || math.IsNaN(fb) {
		return 0, false
	}
	return cmp.Compare(fa, fb), true
}

// promote reads s in its own space; a decimal beside an xsd:float becomes one.
func promote(s string, own, other space) float64 {
	if own == float || own == exact && other == float {
		return parseFloat(s, 32)
	}
	return parseFloat(s, 64)
}

// canonicalFloat is floatCanonicalMap or doubleCanonicalMap.
func canonicalFloat(bits int) func(string) (string, bool) {
	return func(s string) (string, bool) { return formatFloat(parseFloat(s, bits), bits), true }
}

func formatFloat(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "INF"
	case math.IsInf(f, -1):
		return "-INF"
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'E', -1, bits), "E")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	digits, negative := cutSign(exponent)
	digits = cmp.Or(strings.TrimLeft(digits, "0"), "0")
	if negative {
		digits = "-" + digits
	}
	return mantissa + "E" + digits
}
