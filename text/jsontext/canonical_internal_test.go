package jsontext

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Two numbers have one canonical form when, and only when, they are equal.
func TestEqualNumbersHaveOneForm(t *testing.T) {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,6})(\.[0-9]{1,6})?([eE][+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		same := canonicalNumber(json.Number(a)) == canonicalNumber(json.Number(b))
		if same != (x.Cmp(y) == 0) {
			t.Fatalf("%s is %s, %s is %s", a, canonicalNumber(json.Number(a)), b, canonicalNumber(json.Number(b)))
		}
		z, ok := new(big.Rat).SetString(string(canonicalNumber(json.Number(a))))
		if !ok || z.Cmp(x) != 0 {
			t.Fatalf("%s became %s", a, canonicalNumber(json.Number(a)))
		}
	})
	for _, n := range []string{"1e99999999999999999999", "-1e-99999999999999999999"} {
		if got := canonicalNumber(json.Number(n)); got != json.Number(n) {
			t.Errorf("%s became %s", n, got)
		}
	}
}

// The canonical text is what is written of the decoded value.
func TestTheCanonicalTextIsThatOfTheValue(t *testing.T) {
	space := rapid.SampledFrom([]string{"", " ", "\n\t"})
	text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab", "\\\"", "\\u0061", "<", "\\u2028", "\u2028", "é", "\\ud83d\\ude00", "\\/", "{", "]"}), 0, 3),
		func(parts []string) string { return `"` + strings.Join(parts, "") + `"` })
	var value func(*rapid.T, int) string
	value = func(t *rapid.T, depth int) string {
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		if depth == 0 {
			kind %= 3
		}
		var parts []string
		switch kind {
		case 0:
			return text.Draw(t, "text")
		case 1:
			return rapid.SampledFrom([]string{"0", "-0", "1.50", "15e-1", "1E2"}).Draw(t, "number")
		case 2:
			return rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "word")
		}
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			part := space.Draw(t, "before") + value(t, depth-1) + space.Draw(t, "after")
			if kind == 3 {
				part = space.Draw(t, "space") + text.Draw(t, "name") + space.Draw(t, "space") + ":" + part
			}
			parts = append(parts, part)
		}
		if kind == 3 {
			return "{" + strings.Join(parts, ",") + space.Draw(t, "end") + "}"
		}
		return "[" + strings.Join(parts, ",") + space.Draw(t, "end") + "]"
	}
	rapid.Check(t, func(t *rapid.T) {
		written := value(t, 4)
		d := json.NewDecoder(strings.NewReader(written))
		d.UseNumber()
		var decoded any
		if err := d.Decode(&decoded); err != nil {
			t.Fatal(err)
		}
		want, err := Marshal(withCanonicalNumbers(decoded))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := CanonicalText([]byte(written)); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s became %s, want %s, error %v", written, got, want, err)
		}
	})
	if _, err := CanonicalText([]byte(`{"a":1}}`)); err == nil {
		t.Error("what is no JSON has a canonical text")
	}
}

// withCanonicalNumbers returns decoded JSON with its numbers in one notation.
func withCanonicalNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		return canonicalNumber(v)
	case []any:
		for i, member := range v {
			v[i] = withCanonicalNumbers(member)
		}
	case map[string]any:
		for name, member := range v {
			v[name] = withCanonicalNumbers(member)
		}
	}
	return v
}
