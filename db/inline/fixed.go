package inline

import (
	"strconv"
	"strings"
)

// Decimals and doubles are inlined as fixed point numbers with six decimals, computed from their digits: no binary
// fraction is involved, so the text can be restored. The low bit is the form, which orders equal values by their
// spelling:
//
//	decimal  0: "12.5", "12.0"      1: "12"
//	double   0: "1.25E1", "1.2E1"   1: "12.5", "12"
const (
	decimals = 6
	// Unit is the offset of 1 for a decimal or double, without the form bit.
	Unit     = 1_000_000
	maxFixed = 1 << 57
)

// parseFixed converts digits with an optional sign and fraction to millionths.
func parseFixed(s string) (int64, bool) {
	digits, negative := strings.CutPrefix(s, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if len(fraction) > decimals || len(whole) > 12 {
		return 0, false
	}
	text := whole + fraction + "000000"[:decimals-len(fraction)]
	n, err := strconv.ParseUint(text, 10, 62)
	if err != nil || n >= maxFixed {
		return 0, false
	}
	if negative {
		return -int64(n), true
	}
	return int64(n), true
}

// formatFixed writes millionths with as few decimals as possible.
func formatFixed(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	whole, fraction := n/Unit, n%Unit
	s := sign + strconv.FormatInt(whole, 10)
	if fraction == 0 {
		return s
	}
	digits := strconv.FormatInt(fraction+Unit, 10)[1:]
	return s + "." + strings.TrimRight(digits, "0")
}

func encodeDecimal(s string) (int64, bool) {
	n, ok := parseFixed(s)
	if strings.Contains(s, ".") {
		return n << 1, ok
	}
	return n<<1 | 1, ok
}

func decodeDecimal(offset int64) string {
	s := formatFixed(offset >> 1)
	if offset&1 == 1 || strings.Contains(s, ".") {
		return s
	}
	return s + ".0"
}

func encodeDouble(s string) (int64, bool) {
	mantissa, exponent, scientific := strings.Cut(s, "E")
	if !scientific {
		n, ok := parseFixed(s)
		return n<<1 | 1, ok
	}
	shift, err := strconv.Atoi(exponent)
	if err != nil || shift < -decimals || shift > 11 {
		return 0, false
	}
	n, ok := parseFixed(moveDot(mantissa, shift))
	return n << 1, ok
}

// moveDot moves the decimal point of d.ddd by shift places.
func moveDot(mantissa string, shift int) string {
	digits, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if shift >= 0 {
		fraction += strings.Repeat("0", max(0, shift-len(fraction)))
		whole, fraction = whole+fraction[:shift], fraction[shift:]
	} else {
		whole = strings.Repeat("0", max(0, 1-shift-len(whole))) + whole
		cut := len(whole) + shift
		whole, fraction = whole[:cut], whole[cut:]+fraction
	}
	sign := ""
	if negative {
		sign = "-"
	}
	return sign + whole + "." + strings.TrimRight(fraction, "0")
}

func decodeDouble(offset int64) string {
	if offset&1 == 1 {
		return formatFixed(offset >> 1)
	}
	return scientific(offset >> 1)
}

// scientific writes millionths in the canonical form of xsd:double: one digit before the point and at least one after
// it (XSD 1.1 part 2, section 3.3.5).
func scientific(n int64) string {
	if n == 0 {
		return "0.0E0"
	}
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	digits := strconv.FormatInt(n, 10)
	exponent := len(digits) - 1 - decimals
	fraction := strings.TrimRight(digits[1:], "0")
	if fraction == "" {
		fraction = "0"
	}
	return sign + digits[:1] + "." + fraction + "E" + strconv.Itoa(exponent)
}
