package inline

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trails/rdf"
	"trails/rdf/xsd"
)

// literals draws lexical forms, canonical and not.
func literals(datatype rdf.IRI) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		switch datatype {
		case rdf.XSDBoolean:
			return rapid.SampledFrom([]string{"true", "false", "1", "0", "TRUE"}).Draw(t, "boolean")
		case rdf.XSDInteger:
			n := rapid.Int64().Draw(t, "integer") >> rapid.IntRange(0, 63).Draw(t, "shift")
			return rapid.SampledFrom([]string{"", "0", "+"}).Draw(t, "prefix") + fmt.Sprint(n)
		case rdf.XSDDate:
			return time.Unix(rapid.Int64Range(-1<<36, 1<<38).Draw(t, "date"), 0).UTC().Format("2006-01-02") + rapid.SampledFrom([]string{"", "", "Z"}).Draw(t, "zone")
		case rdf.XSDDateTime:
			at := time.UnixMilli(rapid.Int64Range(-1<<45, 1<<45).Draw(t, "time")).UTC()
			return at.Format(rapid.SampledFrom([]string{secondForm, milliForm, "2006-01-02T15:04:05.0Z", "2006-01-02T15:04:05", "2006-01-02T15:04:05+00:00"}).Draw(t, "form"))
		}
		n := rapid.Int64().Draw(t, "number") >> rapid.IntRange(0, 63).Draw(t, "shift")
		f := float64(n) / math.Pow10(rapid.IntRange(0, 9).Draw(t, "scale"))
		form := rapid.SampledFrom([]string{"%g", "%.1f", "%.6f", "%.7f", "%v"}).Draw(t, "form")
		if rapid.Bool().Draw(t, "canonical") {
			if c, ok := xsd.Canonical(fmt.Sprintf("%g", f), rdf.XSDDouble); ok {
				return c
			}
		}
		return fmt.Sprintf(form, f)
	})
}

func TestInlineLiteralsComeBack(t *testing.T) {
	for _, r := range regions {
		t.Run(string(r.Datatype), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				term := rdf.Literal(literals(r.Datatype).Draw(t, "lexical"), r.Datatype)
				id, ok := ID(term)
				if !ok {
					return
				}
				if id < r.Low || id >= r.High {
					t.Fatalf("%v has the id %d outside its region", term, id)
				}
				if got := Term(id); got != term {
					t.Fatalf("%v came back as %v", term, got)
				}
			})
		})
	}
}

func TestInlineIDsOrderByValue(t *testing.T) {
	for _, r := range regions {
		t.Run(string(r.Datatype), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a := rdf.Literal(literals(r.Datatype).Draw(t, "a"), r.Datatype)
				b := rdf.Literal(literals(r.Datatype).Draw(t, "b"), r.Datatype)
				x, ok1 := ID(a)
				y, ok2 := ID(b)
				order, comparable := xsd.Compare(a, b)
				if !ok1 || !ok2 || !comparable || order == 0 {
					return
				}
				if (order < 0) != (x < y) {
					t.Fatalf("%v and %v compare %d, their ids %d and %d", a, b, order, x, y)
				}
			})
		})
	}
}

func TestCanonicalFormsAreInlined(t *testing.T) {
	for datatype, forms := range map[rdf.IRI]string{
		rdf.XSDBoolean:  "true false",
		rdf.XSDInteger:  "0 -1 42 17592186044415 -17592186044415",
		rdf.XSDDate:     "0001-01-01 1969-12-31 2026-02-28 9999-12-31",
		rdf.XSDDateTime: "1600-01-01T00:00:00Z 2026-01-02T03:04:05Z 2026-01-02T03:04:05.678Z",
		rdf.XSDDecimal:  "0 0.0 -1.5 12.000001 99999999999.5 7",
		rdf.XSDDouble:   "0.0E0 1.0E0 -1.5E3 1.25E-3 1.0E-6 12.5 3 1.0E10 0.001",
	} {
		for _, lexical := range strings.Fields(forms) {
			if _, ok := ID(rdf.Literal(lexical, datatype)); !ok {
				t.Errorf("%q^^%s is not inlined", lexical, datatype)
			}
		}
	}
}

func TestOtherFormsAreNot(t *testing.T) {
	for datatype, forms := range map[rdf.IRI]string{
		rdf.XSDBoolean:  "1 TRUE",
		rdf.XSDInteger:  "01 +1 -0 1.0 999999999999999999999 x",
		rdf.XSDDate:     "2026-02-30 2026-01-01Z 12026-01-01 -0001-01-01",
		rdf.XSDDateTime: "2026-01-02T24:00:00Z 2026-01-02T03:04:05.6Z 2026-01-02T03:04:05 2026-01-02T03:04:05+00:00 0001-01-01T00:00:00Z",
		rdf.XSDDecimal:  "+1.5 01.5 1.50 .5 1. -0.0 1e3 1.0000001 -0",
		rdf.XSDDouble:   "INF NaN 1E0 1.50E0 10.0E0 1.0e0 1.0E+0 -0.0E0 1.0E300 01.0E0 1.0E-7",
		rdf.XSDFloat:    "1.0E0",
	} {
		for _, lexical := range strings.Fields(forms) {
			if id, ok := ID(rdf.Literal(lexical, datatype)); ok {
				t.Errorf("%q^^%s is inlined as %d", lexical, datatype, id)
			}
		}
	}
}

// The regions must not overlap, and stay below the dictionary.
func TestRegionsAreApart(t *testing.T) {
	for i, a := range regions {
		if a.Low >= a.High || a.High > 0 || a.Zero < a.Low || a.Zero >= a.High {
			t.Errorf("%s: %d…%d with zero at %d", a.Datatype, a.Low, a.High, a.Zero)
		}
		for _, b := range regions[i+1:] {
			if a.Low < b.High && b.Low < a.High {
				t.Errorf("%s overlaps %s", a.Datatype, b.Datatype)
			}
		}
	}
}

func TestTimesAreWrittenInTheirForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		day := rapid.Int64Range(0, maxDays-1).Draw(t, "day")
		if got, want := decodeDate(day), time.Unix(day*secondsDay+yearOne, 0).UTC().Format(dateForm); got != want {
			t.Fatalf("day %d is written %s, want %s", day, got, want)
		}
		offset := rapid.Int64Range(-1<<45, 1<<45-1).Draw(t, "offset")
		form := []string{secondForm, milliForm}[offset&1]
		if got, want := decodeDateTime(offset), time.UnixMilli(offset>>1+year2000).UTC().Format(form); got != want {
			t.Fatalf("offset %d is written %s, want %s", offset, got, want)
		}
		for r, offset := range map[*Region]int64{RegionOf(rdf.XSDDate): day, RegionOf(rdf.XSDDateTime): offset} {
			at, hasTime, ok := Time(r.Zero + TermID(offset))
			if written := at.Format(map[bool]string{false: dateForm, true: form}[hasTime]); !ok || written != r.decode(offset) {
				t.Fatalf("offset %d of %s is at %s, want %s", offset, r.Datatype, written, r.decode(offset))
			}
		}
	})
}
