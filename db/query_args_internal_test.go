package db

import (
	"testing"

	"pgregory.net/rapid"

	"trails/db/inline"
	"trails/db/lower"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
)

// TestIDRangesHoldWhatComparisonsSay draws a constant and an inline value: the value's
// id is in the range when, and only when, the value compares so.
func TestIDRangesHoldWhatComparisonsSay(t *testing.T) {
	constants := rapid.SampledFrom([]rdf.Term{
		rdf.Literal("5", rdf.XSDInteger), rdf.Literal("05", rdf.XSDInteger), rdf.Literal("-3", rdf.XSDInteger),
		rdf.Literal("2.5", rdf.XSDDecimal), rdf.Literal("2.50", rdf.XSDDecimal), rdf.Literal("3", rdf.XSDDecimal),
		rdf.Literal("2.5E0", rdf.XSDDouble), rdf.Literal("0.1", rdf.XSDDouble), rdf.Literal("INF", rdf.XSDDouble),
		rdf.Literal("1.5", rdf.XSDNS+"float"), rdf.Literal("99999999999999999999", rdf.XSDInteger),
	})
	values := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) rdf.Term { return near(t, rdf.XSDInteger, 10, 1) }),
		rapid.Custom(func(t *rapid.T) rdf.Term { return near(t, rdf.XSDDecimal, 12_000_000, 100_000) }),
		rapid.Custom(func(t *rapid.T) rdf.Term { return near(t, rdf.XSDDouble, 12_000_000, 100_000) }),
	)
	holds := map[sparql.Func]func(int) bool{
		sparql.Equal: func(o int) bool { return o == 0 },
		sparql.Less:  func(o int) bool { return o < 0 }, sparql.LessOrEqual: func(o int) bool { return o <= 0 },
		sparql.Greater: func(o int) bool { return o > 0 }, sparql.GreaterOrEqual: func(o int) bool { return o >= 0 },
	}
	rapid.Check(t, func(t *rapid.T) {
		c, v := constants.Draw(t, "constant"), values.Draw(t, "value")
		id, ok := inline.ID(v)
		if !ok {
			t.Skip("not inline")
		}
		for f, want := range holds {
			low, high := idRange(lower.Region(rdf.DatatypeOf(v)), []lower.Bound{{Func: f, Term: c}})
			if got, want := id >= low && id <= high, want(orderOfValues(v, c)); got != want {
				t.Errorf("%v %s %v is %v, want %v", v, f, c, got, want)
			}
		}
	})
}

// near draws a literal of a datatype around zero, a multiple of step in its ids.
func near(t *rapid.T, datatype rdf.IRI, most, step int64) rdf.Term {
	n := rapid.Int64Range(-most/step, most/step).Draw(t, "n") * step
	form := rapid.Int64Range(0, 1).Draw(t, "form")
	return inline.Term(inline.RegionOf(datatype).Zero + inline.TermID(n+form))
}

// orderOfValues compares as expressions do.
func orderOfValues(a, b rdf.Term) int {
	na, oka := xsd.NumberOf(a)
	nb, okb := xsd.NumberOf(b)
	if oka && okb {
		order, _ := na.Compare(nb)
		return order
	}
	order, _ := xsd.Compare(a, b)
	return order
}
