package jsontext

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// Canonical writes v as JSON in one form for all that is equal: names are sorted, and
// numbers have one notation.
func Canonical(v any) ([]byte, error) {
	text, err := Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var decoded any
	if err := d.Decode(&decoded); err != nil {
		return nil, err
	}
	return Marshal(withCanonicalNumbers(decoded))
}

// Equal reports that two values are the same JSON, numbers by their value.
func Equal(a, b any) bool {
	x, err := Canonical(a)
	y, wrong := Canonical(b)
	return err == nil && wrong == nil && bytes.Equal(x, y)
}

// withCanonicalNumbers returns decoded JSON with its numbers in one notation.
func withCanonicalNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		return canonicalNumber(v)
	case []any:
		out := make([]any, len(v))
		for i, member := range v {
			out[i] = withCanonicalNumbers(member)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			out[name] = withCanonicalNumbers(member)
		}
		return out
	}
	return v
}

// canonicalNumber writes a number as its digits without zeros at either end, and the
// power of ten that they are multiplied by: 1.50 and 15e-1 are both 15e-1. It keeps every
// digit; a number with an exponent beyond 64 bits stays as it was written.
func canonicalNumber(n json.Number) json.Number {
	digits, negative := strings.CutPrefix(string(n), "-")
	power := int64(0)
	if at := strings.IndexAny(digits, "eE"); at >= 0 {
		var err error
		if power, err = strconv.ParseInt(digits[at+1:], 10, 64); err != nil || power < -1<<62 || power > 1<<62 {
			return n
		}
		digits = digits[:at]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return "0"
	}
	power += int64(len(digits)-len(trimmed)) - int64(len(fraction))
	sign := ""
	if negative {
		sign = "-"
	}
	return json.Number(sign + trimmed + "e" + strconv.FormatInt(power, 10))
}
