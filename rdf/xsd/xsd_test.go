package xsd_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cayleygraph/quad"
	"pgregory.net/rapid"

	"trails/rdf"
	"trails/rdf/xsd"
)

func TestValid(t *testing.T) {
	for _, c := range []struct{ datatype, valid, invalid string }{
		{"boolean", "true|false|1|0", "|TRUE|yes| true"},
		{"decimal", "0|-0|+1.5|.5|5.|007.100|123456789012345678901234567890.1", "|.|+|1e3|1,5|INF| 1|1 "},
		{"integer", "0|-0|+7|007|123456789012345678901234567890", "|1.0|1.|--1|0x1|1_000|٣"},
		{"byte", "-128|127|+0127", "-129|128|1.0"},
		{"short", "-32768|32767", "-32769|32768"},
		{"int", "-2147483648|2147483647", "-2147483649|2147483648"},
		{"long", "-9223372036854775808|9223372036854775807", "-9223372036854775809|9223372036854775808"},
		{"unsignedByte", "0|-0|255", "-1|256"},
		{"unsignedShort", "65535", "65536"},
		{"unsignedInt", "4294967295", "4294967296"},
		{"unsignedLong", "18446744073709551615", "18446744073709551616|-1"},
		{"nonNegativeInteger", "0|-0|99999999999999999999", "-1"},
		{"positiveInteger", "1|99999999999999999999", "0|-1"},
		{"nonPositiveInteger", "0|-99999999999999999999", "1"},
		{"negativeInteger", "-1|-99999999999999999999", "0|-0"},
		{"double", "1|1.5E0|-.5e-7|5.E+10|INF|+INF|-INF|NaN|1E999", "|E5|1e|1e1.5|inf|nan|Infinity|-NaN|+-1|0x1p3|1_0"},
		{"float", "1|INF", "infinity"},
		{"date", "2024-02-29|2000-02-29|-0001-01-01|0000-01-01|12024-01-01|2024-01-01Z|2024-01-01-14:00", "2023-02-29|1900-02-29|2024-13-01|2024-00-10|2024-01-32|24-01-01|02024-01-01|2024-1-1|+2024-01-01|2024-01-01+14:01|2024-01-01+1:00|2024-01-01T00:00:00"},
		{"dateTime", "2024-02-29T23:59:59|2024-01-01T24:00:00|2024-01-01T24:00:00.000Z|2024-01-01T00:00:00.123456789123+05:30|99999999999999999996-02-29T00:00:00", "2024-01-01|2024-01-01T24:00:01|2024-01-01T24:00:00.1|2024-01-01T25:00:00|2024-01-01T00:60:00|2024-01-01T00:00:60|2024-01-01T00:00:00.|2024-01-01T00:00|2024-01-01 00:00:00|99999999999999999998-02-29T00:00:00|2024-01-01T00:00:00z"},
		{"dateTimeStamp", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00"},
		{"time", "00:00:00|23:59:59.9Z|24:00:00", "24:00:01|1:00:00|00:00|00:00:00+15:00"},
		{"gYear", "2024|-0044|12024Z", "24|02024|2024-01"},
		{"gYearMonth", "2024-12|2024-12+01:00", "2024-13|2024"},
		{"gMonthDay", "--02-29|--12-31Z", "--02-30|--04-31|02-29"},
		{"gMonth", "--12|--01-05:00", "--13|-12|--1"},
		{"gDay", "---31|---01Z", "---32|--01"},
		{"duration", "P1Y|-P1Y2M3DT4H5M6.7S|PT0.5S|P0D|PT1M|P99999999999999999999Y", "P|PT|1Y|P1|P1S|P1YT|P1M1Y|PT1.S|PT.5S|P-1Y|P1.5D|PT1H1H|-|P1DT1D"},
		{"yearMonthDuration", "P1Y|-P2M|P1Y2M", "P1D|PT1M|P1Y1D|P"},
		{"dayTimeDuration", "P1D|PT1M|-P1DT2H", "P1Y|P1M|P1MT1S"},
		{"hexBinary", "|0aFF", "0|0g| 00"},
		{"base64Binary", "|AAAA|AA==|AAA=|A A A =|AQ==", "A|AAA|AB==|AAB=|AA=A|AAAA=| AAAA|AA  AA|A===|AA-A"},
		{"anyURI", "|http://example.org/|a b", ""},
		{"string", "|a\tb\x00", ""},
		{"normalizedString", "| a  b ", "a\tb|a\nb|\r"},
		{"token", "|a b", " a|a |a  b|a\tb"},
		{"language", "en|en-GB|x-klingon|zh-Hant-TW", "|e1|en-|-en|abcdefghi|en_GB"},
		{"NMTOKEN", "a|1a|-.:|é", "|a b|a/b"},
		{"Name", "a|_:x|é1", "|1a|-a"},
		{"NCName", "a|_x.y-z", "a:b|1a|"},
		{"unheardOf", "|anything", ""},
	} {
		datatype := rdf.IRI(rdf.XSDNS + c.datatype)
		for _, s := range strings.Split(c.valid, "|") {
			if s == "" && c.valid[0] != '|' {
				continue
			}
			if !xsd.Valid(s, datatype) {
				t.Errorf("%q is refused as xsd:%s", s, c.datatype)
			}
		}
		if c.invalid == "" {
			continue
		}
		for _, s := range strings.Split(c.invalid, "|") {
			if xsd.Valid(s, datatype) {
				t.Errorf("%q is taken as xsd:%s", s, c.datatype)
			}
		}
	}
}

func TestDatatypesOfOthersAreValid(t *testing.T) {
	if !xsd.Valid("anything", "urn:trails:demo:point") {
		t.Error("an unknown datatype has nothing to refuse")
	}
}

func TestCanonical(t *testing.T) {
	for _, c := range []struct{ datatype, lexical, want string }{
		{"integer", "+007", "7"}, {"integer", "-0", "0"}, {"integer", "-0123456789012345678901234567890", "-123456789012345678901234567890"},
		{"decimal", "3.0", "3"}, {"decimal", "+03.140", "3.14"}, {"decimal", ".5", "0.5"}, {"decimal", "-0.0", "0"}, {"decimal", "-00.50", "-0.5"},
		{"double", "3.14", "3.14E0"}, {"double", "100", "1.0E2"}, {"double", "0", "0.0E0"}, {"double", "-0", "-0.0E0"},
		{"double", "1e-7", "1.0E-7"}, {"double", "123456e18", "1.23456E23"}, {"double", "+INF", "INF"}, {"double", "1E999", "INF"}, {"double", "NaN", "NaN"},
		{"float", "0.1", "1.0E-1"}, {"float", "16777217", "1.6777216E7"},
		{"boolean", "1", "true"}, {"boolean", "0", "false"}, {"boolean", "true", "true"},
		{"dateTime", "2024-12-31T24:00:00Z", "2025-01-01T00:00:00Z"}, {"dateTime", "2024-02-28T24:00:00", "2024-02-29T00:00:00"},
		{"dateTime", "2024-01-01T10:00:00.500+00:00", "2024-01-01T10:00:00.5Z"}, {"dateTime", "2024-01-01T10:00:00.000-05:30", "2024-01-01T10:00:00-05:30"},
		{"dateTime", "-0001-12-31T24:00:00", "0000-01-01T00:00:00"},
		{"time", "24:00:00", "00:00:00"}, {"date", "-0000-01-01", "0000-01-01"}, {"gYear", "123456789012", "123456789012"},
		{"gMonthDay", "--02-29-00:00", "--02-29Z"},
		{"duration", "P0Y14M", "P1Y2M"}, {"duration", "P1DT36H90M61.50S", "P2DT13H31M1.5S"}, {"duration", "-PT0S", "PT0S"}, {"duration", "-PT0.10S", "-PT0.1S"}, {"duration", "P1MT60S", "P1MT1M"},
		{"yearMonthDuration", "P0Y", "P0M"}, {"dayTimeDuration", "P0D", "PT0S"},
		{"hexBinary", "0aff", "0AFF"}, {"base64Binary", "A Q = =", "AQ=="}, {"token", "a b", "a b"},
	} {
		got, ok := xsd.Canonical(c.lexical, rdf.IRI(rdf.XSDNS+c.datatype))
		if !ok || got != c.want {
			t.Errorf("xsd:%s %q: got %q, %v, want %q", c.datatype, c.lexical, got, ok, c.want)
		}
	}
}

func TestWhatHasNoCanonicalForm(t *testing.T) {
	for _, c := range []struct{ datatype, lexical string }{
		{"integer", "1.0"},
		{"duration", "P99999999999999999999Y"},
		{"dateTime", "123456789012-12-31T24:00:00"},
	} {
		if got, ok := xsd.Canonical(c.lexical, rdf.IRI(rdf.XSDNS+c.datatype)); ok {
			t.Errorf("xsd:%s %q: got %q, want none", c.datatype, c.lexical, got)
		}
	}
}

// term reads lexical^^local, text@lang, or a plain text.
func term(s string) rdf.Term {
	if lexical, local, ok := strings.Cut(s, "^^"); ok {
		return rdf.Literal(lexical, rdf.IRI(rdf.XSDNS+local))
	}
	if text, lang, ok := strings.Cut(s, "@"); ok {
		return rdf.LangLiteral(text, lang)
	}
	return quad.String(s)
}

func TestCompare(t *testing.T) {
	for _, c := range []struct{ a, op, b string }{
		{"1^^integer", "=", "01.0^^decimal"},
		{"-2^^integer", "<", "-1.99^^decimal"},
		{"10^^integer", ">", "9.5^^decimal"},
		{"123456789012345678901234567890^^integer", "<", "123456789012345678901234567890.1^^decimal"},
		{"200^^unsignedByte", ">", "-5^^byte"},
		{"0.3^^decimal", "=", "3E-1^^double"},
		{"0.1^^decimal", "=", "0.1^^float"},
		{"0.1^^float", ">", "0.1^^double"},
		{"-0.0E0^^double", "=", "0^^integer"},
		{"INF^^double", ">", "99999^^integer"},
		{"NaN^^double", "?", "NaN^^double"},
		{"300^^byte", "?", "1^^integer"},
		{"a", "<", "b"}, {"a", "<", "aa"}, {"é", "<", "\U0001F600"}, {"\uFFFD", "<", "\U00010000"},
		{"a^^token", "=", "a"}, {"a^^anyURI", "=", "a"}, {"1", "?", "1^^integer"},
		{"a@en", "<", "b@EN"}, {"a@en", "?", "a@de"}, {"a@en", "?", "a"}, {"a", "?", "a@en"},
		{"0^^boolean", "<", "true^^boolean"}, {"1^^boolean", "=", "true^^boolean"}, {"true^^boolean", "?", "1^^integer"},
		{"2024-01-01T00:00:00Z^^dateTime", "=", "2024-01-01T02:00:00+02:00^^dateTimeStamp"},
		{"2023-12-31T24:00:00Z^^dateTime", "=", "2024-01-01T00:00:00.000Z^^dateTime"},
		{"2024-01-01T00:00:00.1Z^^dateTime", "<", "2024-01-01T00:00:00.12Z^^dateTime"},
		{"2024-01-01T00:00:00^^dateTime", "<", "2024-01-02T00:00:00^^dateTime"},
		{"2024-01-01T12:00:00Z^^dateTime", "?", "2024-01-01T12:00:00^^dateTime"},
		{"2024-01-01T12:00:00Z^^dateTime", "?", "2024-01-02T02:00:00^^dateTime"},
		{"2024-01-01T12:00:00Z^^dateTime", "<", "2024-01-02T02:00:00.1^^dateTime"},
		{"2024-01-02T02:00:01^^dateTime", ">", "2024-01-01T12:00:00Z^^dateTime"},
		{"-0001-12-31T23:59:59Z^^dateTime", "<", "0000-01-01T00:00:00Z^^dateTime"},
		{"123456789012-01-01T00:00:00^^dateTime", "?", "2024-01-01T00:00:00^^dateTime"},
		{"2024-02-29^^date", "<", "2024-03-01^^date"}, {"2024-01-01+02:00^^date", "<", "2024-01-01Z^^date"},
		{"2024-01-01^^date", "?", "2024-01-01T00:00:00^^dateTime"},
		{"10:00:00+01:00^^time", "=", "09:00:00Z^^time"}, {"24:00:00^^time", "=", "00:00:00^^time"},
		{"-0044^^gYear", "<", "2024^^gYear"}, {"2024-02^^gYearMonth", ">", "2023-12^^gYearMonth"},
		{"--02-29^^gMonthDay", "<", "--03-01^^gMonthDay"}, {"--02^^gMonth", ">", "--01^^gMonth"}, {"---31^^gDay", ">", "---01^^gDay"},
		{"P1Y^^duration", "=", "P12M^^yearMonthDuration"}, {"P1D^^duration", "=", "PT24H^^dayTimeDuration"},
		{"P1M^^duration", "?", "P30D^^duration"}, {"P1M^^duration", "<", "P32D^^duration"}, {"P1M^^duration", ">", "P27D^^duration"},
		{"-PT0.5S^^duration", ">", "-PT0.51S^^duration"}, {"-PT1.5S^^duration", "<", "PT0S^^duration"},
		{"P99999999999999999999Y^^duration", "?", "P1Y^^duration"},
		{"00^^hexBinary", "?", "00^^hexBinary"}, {"a^^unheardOf", "?", "a^^unheardOf"},
	} {
		check(t, c.a, c.op, c.b)
		check(t, c.b, map[string]string{"<": ">", ">": "<", "=": "=", "?": "?"}[c.op], c.a)
	}
}

func check(t *testing.T, a, want, b string) {
	t.Helper()
	got := "?"
	if order, ok := xsd.Compare(term(a), term(b)); ok {
		got = string("<=>"[1+min(1, max(-1, order))])
	}
	if got != want {
		t.Errorf("got %s %s %s, want %s", a, got, b, want)
	}
}

func TestNodesDoNotCompare(t *testing.T) {
	if _, ok := xsd.Compare(rdf.IRI("a:a"), rdf.IRI("a:a")); ok {
		t.Error("IRIs have no value order")
	}
	if _, ok := xsd.Compare(nil, quad.String("a")); ok {
		t.Error("nothing has no value order")
	}
}

// forms draws lexical forms that are likely to be valid for one datatype.
var forms = map[string]string{
	"integer": `[-+]?[0-9]{1,22}`, "decimal": `[-+]?[0-9]{1,20}(\.[0-9]{0,4})?`, "double": `[-+]?[0-9]{1,3}(\.[0-9]{1,3})?([eE][-+]?[0-9]{1,3})?`,
	"float": `[-+]?[0-9]{1,3}(\.[0-9]{1,9})?|NaN|-?INF`, "boolean": `true|false|0|1`, "byte": `-?[0-9]{1,3}`,
	"dateTime":      `-?(20)?[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T(([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,3})?|24:00:00)(Z|[-+](0[0-9]|1[0-3]):[0-5][0-9])?`,
	"date":          `-?[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(Z|[-+](0[0-9]|1[0-3]):[0-5][0-9])?`,
	"time":          `(([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,3})?|24:00:00)(Z|[-+](0[0-9]|1[0-3]):[0-5][0-9])?`,
	"duration":      `-?P[0-9]{1,4}M([0-9]{1,5}D)?(T[0-9]{1,4}H([0-9]{1,3}\.[0-9]{1,3}S)?)?`,
	"gMonthDay":     `--(0[1-9]|1[0-2])-(0[1-9]|[12][0-9])(Z|[-+](0[0-9]|1[0-3]):[0-5][0-9])?`,
	"hexBinary":     `([0-9a-fA-F]{2}){0,3}`,
	"base64Binary":  `([A-Za-z0-9+/]{4}){0,2}([A-Za-z0-9+/][AQgw]==)?`,
	"string":        `.{0,4}`,
	"gYear":         `-?[1-9][0-9]{3,12}Z?`,
	"dateTimeStamp": `20[0-9]{2}-(0[1-9]|1[0-2])-[012][0-9]T24:00:00(Z|[-+]00:00)`,
}

func literalGen() *rapid.Generator[rdf.Term] {
	return rapid.Custom(func(t *rapid.T) rdf.Term {
		names := make([]string, 0, len(forms))
		for name := range forms {
			names = append(names, name)
		}
		slices.Sort(names)
		name := rapid.SampledFrom(names).Draw(t, "datatype")
		return rdf.Literal(rapid.StringMatching(forms[name]).Draw(t, "lexical"), rdf.IRI(rdf.XSDNS+name))
	})
}

func TestCompareIsAntisymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := literalGen().Draw(t, "a"), literalGen().Draw(t, "b")
		ab, ok := xsd.Compare(a, b)
		ba, back := xsd.Compare(b, a)
		if ok != back || ab != -ba {
			t.Fatalf("a?b is %d, %v but b?a is %d, %v", ab, ok, ba, back)
		}
	})
}

func TestCompareIsTransitiveWithinADatatype(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := literalGen().Draw(t, "a")
		datatype := rdf.DatatypeOf(a)
		same := rapid.Map(rapid.StringMatching(forms[strings.TrimPrefix(string(datatype), rdf.XSDNS)]), func(s string) rdf.Term { return rdf.Literal(s, datatype) })
		b, c := same.Draw(t, "b"), same.Draw(t, "c")
		ab, ok1 := xsd.Compare(a, b)
		bc, ok2 := xsd.Compare(b, c)
		ac, ok3 := xsd.Compare(a, c)
		if ok1 && ok2 && ab < 0 && bc < 0 && !(ok3 && ac < 0) {
			t.Fatalf("a<b and b<c, but a?c is %d, %v", ac, ok3)
		}
	})
}

func TestCanonicalFormsAreValidEqualAndStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := literalGen().Draw(t, "a")
		datatype := rdf.DatatypeOf(a)
		canonical, ok := xsd.Canonical(rdf.Lexical(a), datatype)
		if !ok {
			return
		}
		if !xsd.Valid(canonical, datatype) {
			t.Fatalf("canonical form %q is not valid", canonical)
		}
		if again, ok := xsd.Canonical(canonical, datatype); !ok || again != canonical {
			t.Fatalf("canonical form of %q is %q", canonical, again)
		}
		if order, ok := xsd.Compare(a, rdf.Literal(canonical, datatype)); ok && order != 0 {
			t.Fatalf("canonical form %q has another value", canonical)
		}
	})
}

func TestHotPathsDoNotAllocate(t *testing.T) {
	a, b := term("123456^^integer"), term("99.5^^decimal")
	d, e := term("2024-01-01T00:00:00Z^^dateTime"), term("2024-01-01T00:00:00.5+02:00^^dateTime")
	n := testing.AllocsPerRun(100, func() {
		xsd.Valid("2024-01-01T00:00:00Z", rdf.XSDDateTime)
		xsd.Valid("12", rdf.XSDInteger)
		xsd.Valid("1.5E3", rdf.XSDDouble)
		xsd.Compare(a, b)
		xsd.Compare(d, e)
	})
	if n != 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

func BenchmarkValidInteger(b *testing.B) {
	for b.Loop() {
		xsd.Valid("123456", rdf.XSDInteger)
	}
}

func BenchmarkValidDateTime(b *testing.B) {
	for b.Loop() {
		xsd.Valid("2024-05-01T10:00:00Z", rdf.XSDDateTime)
	}
}
