package jsontext

import (
	"encoding/json"
	"math/big"
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
