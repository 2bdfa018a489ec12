package xsd_test

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/rdf"
	"trails/rdf/xsd"
)

// decimals are lexical forms of all lengths.
var decimals = rapid.StringMatching(`[+-]?([0-9]{1,40}(\.[0-9]{0,30})?|\.[0-9]{1,30})`)

func number(t *rapid.T, lexical string) xsd.Number {
	n, ok := xsd.NumberOf(rdf.Literal(lexical, rdf.XSDDecimal))
	if !ok {
		t.Fatalf("%q is no number", lexical)
	}
	return n
}

func rational(t *rapid.T, lexical string) *big.Rat {
	r, ok := new(big.Rat).SetString(lexical)
	if !ok {
		t.Fatalf("%q is no rational", lexical)
	}
	return r
}

// TestExactArithmeticIsThatOfRationals holds sums and products to package big.
func TestExactArithmeticIsThatOfRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := decimals.Draw(t, "a"), decimals.Draw(t, "b")
		na, nb, ra, rb := number(t, a), number(t, b), rational(t, a), rational(t, b)
		for name, op := range map[string]struct {
			got  func(xsd.Number) (xsd.Number, error)
			want *big.Rat
		}{
			"+": {na.Add, new(big.Rat).Add(ra, rb)},
			"-": {na.Sub, new(big.Rat).Sub(ra, rb)},
			"*": {na.Mul, new(big.Rat).Mul(ra, rb)},
		} {
			n, err := op.got(nb)
			if err != nil {
				t.Fatal(err)
			}
			got := rdf.Lexical(n.Term())
			if rational(t, got).Cmp(op.want) != 0 {
				t.Errorf("%s %s %s: got %s, want %s", a, name, b, got, op.want)
			}
			if canonical, _ := xsd.Canonical(got, rdf.XSDDecimal); canonical != got {
				t.Errorf("%s %s %s: %s is not canonical", a, name, b, got)
			}
		}
		if got, ok := na.Compare(nb); !ok || got != ra.Cmp(rb) || na.Order(nb) != got {
			t.Errorf("compare %s with %s: got %d, want %d", a, b, got, ra.Cmp(rb))
		}
		if want, _ := xsd.Compare(na.Term(), nb.Term()); want != ra.Cmp(rb) {
			t.Errorf("compare the terms of %s and %s: got %d", a, b, want)
		}
	})
}

func TestAQuotientIsWithinHalfOfItsLastDigit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := decimals.Draw(t, "a"), decimals.Draw(t, "b")
		n, err := number(t, a).Div(number(t, b))
		rb := rational(t, b)
		if rb.Sign() == 0 {
			if err != xsd.ErrDivision {
				t.Fatalf("%s / %s: got %v", a, b, err)
			}
			return
		}
		off := new(big.Rat).Sub(rational(t, rdf.Lexical(n.Term())), new(big.Rat).Quo(rational(t, a), rb))
		if off.Abs(off).Cmp(big.NewRat(1, 2e18)) > 0 {
			t.Errorf("%s / %s: got %s, off by %s", a, b, n.Term(), off)
		}
	})
}

func TestRoundingIsTowardsWhereItSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := decimals.Draw(t, "a")
		r := rational(t, a)
		floor := new(big.Int).Div(r.Num(), r.Denom()) // towards minus infinity: the denominator is positive
		ceil := new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(r.Num()), r.Denom()))
		half := new(big.Rat).Add(r, big.NewRat(1, 2))
		round := new(big.Int).Div(half.Num(), half.Denom())
		for name, c := range map[string]struct {
			got  xsd.Number
			want *big.Int
		}{"floor": {number(t, a).Floor(), floor}, "ceil": {number(t, a).Ceil(), ceil}, "round": {number(t, a).Round(), round}} {
			if got := rdf.Lexical(c.got.Term()); got != c.want.String() {
				t.Errorf("%s of %s: got %s, want %s", name, a, got, c.want)
			}
		}
	})
}

func TestNumbersBeyondTheirBoundsAreNone(t *testing.T) {
	if _, ok := xsd.NumberOf(rdf.Literal(strings.Repeat("1", xsd.MaxDigits+1), rdf.XSDInteger)); ok {
		t.Error("an integer beyond MaxDigits is a number")
	}
	n, ok := xsd.NumberOf(rdf.Literal("0."+strings.Repeat("1", xsd.MaxDigits), rdf.XSDDecimal))
	if !ok {
		t.Fatal("a decimal of MaxDigits is none")
	}
	for range 3 {
		var err error
		if n, err = n.Mul(n); err == xsd.ErrOverflow {
			return
		}
	}
	t.Error("a product grows without bound")
}

// TestOrder gives an order of terms of all kinds; those of a line hold one place.
func TestOrder(t *testing.T) {
	places := []string{
		"-INF^^double", "-1^^integer", "0^^integer|0.0^^decimal|-0^^double", "0.1^^decimal", "0.1^^double", "0.1^^float",
		"1^^integer|01^^byte|1.0^^decimal|1E0^^float", "123456789012345678901234567890^^integer", "1E99^^double", "INF^^float|INF^^double", "NaN^^double|NaN^^float",
		"false^^boolean|0^^boolean", "true^^boolean",
		"2001-01-01T00:00:00Z^^dateTime", "2006-08-23T09:00:00^^dateTime", "2006-08-23T10:00:00+01:00^^dateTime", "123456789012-01-01T00:00:00Z^^dateTime",
		"2006-08-22^^date", "2006-08-23^^date", "2006-08-23Z^^date", "10:00:00^^time", "2000^^gYear",
		"-P1D^^duration", "PT0S^^duration|P0M^^yearMonthDuration", "P28D^^duration", "P1M^^duration", "P31D^^duration", "P1Y^^duration|P12M^^duration",
		"", "A", "a", "a@de", "a@en|a@EN", "a@en-gb", "aa", "b^^token", "é",
		"0a^^hexBinary", "0B^^hexBinary", "a^^unheardOf",
		"2006-13-01^^date", "abc^^integer", "abd^^integer",
	}
	type placed struct {
		term  rdf.Term
		place int
	}
	var all []placed
	for i, place := range places {
		for s := range strings.SplitSeq(place, "|") {
			all = append(all, placed{term(s), i})
		}
	}
	for _, a := range all {
		for _, b := range all {
			if got, want := sign(xsd.Order(a.term, b.term)), sign(a.place-b.place); got != want {
				t.Errorf("%v and %v: got %d, want %d", a.term, b.term, got, want)
			}
			if order, ok := xsd.Compare(a.term, b.term); ok && order != 0 && sign(order) != sign(a.place-b.place) {
				t.Errorf("%v and %v: the order contradicts Compare", a.term, b.term)
			}
		}
	}
	if !slices.IsSortedFunc(all, func(a, b placed) int { return xsd.Order(a.term, b.term) }) {
		t.Error("not sorted")
	}
}

func sign(n int) int { return min(max(n, -1), 1) }

// TestAFloatIsCastToItsExactValue goes by XPath Functions, section 19.1.2: the nearest
// decimal is the value itself.
func TestAFloatIsCastToItsExactValue(t *testing.T) {
	for _, c := range []struct {
		from xsd.Number
		kind xsd.NumberKind
		want string
	}{
		{xsd.Double(1e23), xsd.IntegerNumber, "99999999999999991611392"},
		{xsd.Double(-1e23), xsd.DecimalNumber, "-99999999999999991611392"},
		{xsd.Double(0.1), xsd.DecimalNumber, "0.1000000000000000055511151231257827021181583404541015625"},
		{xsd.Float(0.1), xsd.DecimalNumber, "0.100000001490116119384765625"},
		{xsd.Double(-2.5), xsd.IntegerNumber, "-2"},
		{xsd.Double(-2.5), xsd.DecimalNumber, "-2.5"},
		{xsd.Double(0), xsd.DecimalNumber, "0"},
		{xsd.Float(16777217), xsd.IntegerNumber, "16777216"},
	} {
		got, ok := c.from.To(c.kind)
		if !ok || got.Text() != c.want {
			t.Errorf("%s as %d is %s, want %s", c.from.Text(), c.kind, got.Text(), c.want)
		}
	}
	for _, f := range []float64{math.MaxFloat64, math.SmallestNonzeroFloat64, -math.Pi} {
		got, ok := xsd.Double(f).To(xsd.DecimalNumber)
		if back := got.Float64(); !ok || back != f {
			t.Errorf("%g as a decimal is %g", f, back)
		}
	}
}
