package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// maxExponent bounds the exponent of numbers that are written without one.
const maxExponent = 400

// Whole returns the digits of a JSON number that is an integer in any notation: 5 for 5.0 and 50e-1. It is false for
// other numbers, and beyond maxExponent.
func Whole(number string) (digits string, whole bool) {
	digits, ok := plain(number)
	return digits, ok && !strings.Contains(digits, ".")
}

// plain writes a JSON number without an exponent and redundant zeros: 1.50e2 is 150. It is false beyond maxExponent.
func plain(number string) (string, bool) {
	unsigned, negative := strings.CutPrefix(number, "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(unsigned), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	shift := 0
	if exponent != "" {
		n, err := strconv.Atoi(exponent)
		if err != nil || n > maxExponent || n < -maxExponent {
			return "", false
		}
		shift = n
	}
	digits := unpoint(whole+fraction, len(whole)+shift)
	if negative && digits != "0" {
		digits = "-" + digits
	}
	return digits, true
}

// unpoint puts the point into digits before position at, and trims zeros.
func unpoint(digits string, at int) string {
	if at <= 0 {
		digits, at = strings.Repeat("0", 1-at)+digits, 1
	}
	if at > len(digits) {
		digits += strings.Repeat("0", at-len(digits))
	}
	whole, fraction := strings.TrimLeft(digits[:at], "0"), strings.TrimRight(digits[at:], "0")
	if whole == "" {
		whole = "0"
	}
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// floatNumber is a valid double or float as a JSON number; INF, -INF and NaN stay text.
func floatNumber(lexical string, bits int) any {
	f, err := strconv.ParseFloat(lexical, bits)
	if err != nil {
		return lexical
	}
	number, err := jsonFloat(f, bits)
	if err != nil {
		return lexical
	}
	return number
}

func jsonFloat(f float64, bits int) (json.Number, error) {
	var v any = f
	if bits == 32 {
		v = float32(f)
	}
	text, err := json.Marshal(v)
	return json.Number(text), err
}

// vectorLexical is the compact JSON array of a vector's components.
func vectorLexical(p *Property, v any) (lexical, reason string) {
	array, ok := v.([]any)
	if !ok {
		return "", fmt.Sprintf("%s is not a vector; give an array of numbers such as %s", shown(v), p.example())
	}
	var b strings.Builder
	b.WriteByte('[')
	for i, component := range array {
		number, ok := componentOf(component)
		if !ok {
			return "", fmt.Sprintf("component %d of the vector is not a number: %s; give an array of numbers such as %s", i, shown(component), p.example())
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(string(number))
	}
	b.WriteByte(']')
	return b.String(), ""
}

// componentOf is a vector's component in its shortest form, so that equal vectors are one term.
func componentOf(v any) (json.Number, bool) {
	number, ok := numberOf(v)
	if !ok {
		return "", false
	}
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil {
		return "", false
	}
	shortest, err := jsonFloat(f, 64)
	return shortest, err == nil
}

// vectorOf is the inverse of vectorLexical.
func vectorOf(lexical string) ([]any, bool) {
	d := json.NewDecoder(bytes.NewReader([]byte(lexical)))
	d.UseNumber()
	var array []any
	if err := d.Decode(&array); err != nil || d.InputOffset() != int64(len(lexical)) {
		return nil, false
	}
	return array, array != nil
}
