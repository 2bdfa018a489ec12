package db

import (
	"cmp"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"trails/rdf"
	"trails/rdf/xsd"
)

var orderedLiterals = map[rdf.IRI]*rapid.Generator[string]{
	rdf.XSDDouble: rapid.OneOf(
		rapid.Map(rapid.Float64(), func(f float64) string { return fmt.Sprint(f) }),
		rapid.SampledFrom([]string{"INF", "-INF", "-0", "0", "0.0E0", "1", "1.0E0", "-1.5", "1e400", "-1e400", "5e-324"}),
	),
	rdf.XSDInteger: rapid.StringMatching(`[+-]?[0-9]{1,25}`),
	rdf.XSDDecimal: rapid.StringMatching(`[+-]?[0-9]{1,12}(\.[0-9]{0,9})?`),
	rdf.XSDFloat:   rapid.Map(rapid.Float32(), func(f float32) string { return fmt.Sprint(f) }),
	rdf.XSDDateTime: rapid.Custom(func(t *rapid.T) string {
		zone := rapid.SampledFrom([]string{"Z", "+00:00", "+02:00", "-11:30"}).Draw(t, "zone")
		fraction := rapid.SampledFrom([]string{"", ".5", ".123456", ".000"}).Draw(t, "fraction")
		in := func(name string, from, to int) int { return rapid.IntRange(from, to).Draw(t, name) }
		return fmt.Sprintf("%04d-%02d-%02dT%02d:00:%02d%s%s", in("year", 1, 9999), in("month", 1, 12), in("day", 1, 28), in("hour", 0, 24)%24, in("second", 0, 59), fraction, zone)
	}),
}

// TestOrderTextsAreInTheOrderOfValues compares the texts that values are sorted by as
// the values themselves compare.
func TestOrderTextsAreInTheOrderOfValues(t *testing.T) {
	for datatype, literals := range orderedLiterals {
		t.Run(string(datatype), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a, b := literals.Draw(t, "a"), literals.Draw(t, "b")
				want, ok := xsd.Compare(rdf.Literal(a, datatype), rdf.Literal(b, datatype))
				if got := cmp.Compare(orderText(datatype, a), orderText(datatype, b)); ok && got != cmp.Compare(want, 0) {
					t.Errorf("%s and %s: got %d, want %d", a, b, got, want)
				}
			})
		})
	}
}

func TestWhatDoesNotCompareComesLast(t *testing.T) {
	for _, c := range []struct {
		datatype      rdf.IRI
		before, after string
	}{
		{rdf.XSDDouble, "INF", "NaN"},
		{rdf.XSDDecimal, "-1.51", "-1.5"},
		{rdf.XSDDecimal, "-0.1", "0"},
		{rdf.XSDInteger, "99999999999999999999", "100000000000000000000"},
		{rdf.XSDDateTime, "9999-12-31T23:59:59Z", "12024-01-01T00:00:00Z"},
		{rdf.XSDDateTime, "2024-01-01T23:00:00Z", "2024-01-01T24:00:00Z"},
		{rdf.XSDDateTime, "2024-01-01T11:00:00", "2024-01-01T12:00:00Z"},
		{rdf.XSDString, "Éa", "éb"},
	} {
		if a, b := orderText(c.datatype, c.before), orderText(c.datatype, c.after); a >= b {
			t.Errorf("%q (%q) is not before %q (%q)", c.before, a, c.after, b)
		}
	}
}
