package rdfio

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"

	"trails/rdf"
)

// canonicalJSON appends the canonical form of a JSON literal (JSON Canonicalization Scheme, RFC
// 8785).
func canonicalJSON(dst []byte, value any) []byte {
	switch v := value.(type) {
	case map[string]any:
		return canonicalObject(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = canonicalJSON(dst, item)
		}
		return append(dst, ']')
	case string:
		return canonicalString(dst, v)
	case json.Number:
		f, _ := v.Float64() // too large a number becomes infinite
		return canonicalNumber(dst, f)
	case float64:
		return canonicalNumber(dst, v)
	case bool:
		return strconv.AppendBool(dst, v)
	}
	return append(dst, "null"...)
}

func canonicalObject(dst []byte, object map[string]any) []byte {
	keys := slices.SortedStableFunc(maps.Keys(object), func(a, b string) int {
		return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
	})
	dst = append(dst, '{')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(canonicalString(dst, key), ':')
		dst = canonicalJSON(dst, object[key])
	}
	return append(dst, '}')
}

// jcsEscapes are the escapes of RFC 8785, section 3.2.2.2.
var jcsEscapes = rdf.NewEscapes(`\u%04x`, map[byte]string{
	'"': `\"`, '\\': `\\`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`,
})

func canonicalString(dst []byte, s string) []byte {
	return append(jcsEscapes.Append(append(dst, '"'), s), '"')
}

// canonicalNumber writes a number as ECMAScript does.
func canonicalNumber(dst []byte, f float64) []byte {
	switch abs := math.Abs(f); {
	case f == 0:
		return append(dst, '0')
	case math.IsInf(f, 0):
		return append(dst, "null"...)
	case abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); n > 3 && dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') {
		dst = append(dst[:n-2], dst[n-1]) // an exponent has no leading zero
	}
	return dst
}
