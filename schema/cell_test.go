package schema_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/rdf"
)

func TestValuesFromCells(t *testing.T) {
	s := parse(t, everyDatatype)
	for _, c := range []struct{ property, cell, want string }{
		{"string", ` a;"b" `, `" a;\"b\" "`},
		{"string", ` `, `" "`},
		{"string", `[1]`, `"[1]"`},
		{"boolean", ` true`, `"true"`}, {"boolean", `1`, `"true"`}, {"boolean", `0`, `"false"`},
		{"boolean", `yes`, `boolean, datatype: boolean: "yes" is not a valid boolean; give one such as true`},
		{"boolean", `TRUE`, `boolean, datatype: boolean: "TRUE" is not a valid boolean; give one such as true`},
		{"integer", ` +007 `, `"7"`}, {"integer", `-0`, `"0"`}, {"integer", `000`, `"0"`},
		{"integer", `1.0`, `integer, datatype: integer: "1.0" is not a valid integer; give one such as 42`},
		{"integer", `1e3`, `integer, datatype: integer: "1e3" is not a valid integer; give one such as 42`},
		{"integer", `1,000`, `integer, datatype: integer: "1,000" is not a valid integer; give one such as 42`},
		{"big", `9007199254740993`, `"9007199254740993"`},
		{"decimal", `.50`, `"0.50"`}, {"decimal", `-5.`, `"-5"`}, {"decimal", `+1.20`, `"1.20"`},
		{"decimal", `1e2`, `decimal, datatype: decimal: "1e2" is not a valid decimal; give one such as 19.95`},
		{"number", `1.e3`, `"1.0E3"`}, {"number", `-.5E-7`, `"-5.0E-8"`}, {"number", `INF`, `"INF"`},
		{"number", `0x10`, `number, datatype: number: "0x10" is not a valid number; give one such as 0.5`},
		{"date", ` 2024-05-31 `, `"2024-05-31"`},
		{"date", `31.5.2024`, `date, datatype: date: "31.5.2024" is not a valid date; give one such as "2024-05-31"`},
		{"vector", ` [0.10, 2]`, `"[0.1,2]"`},
		{"vector", `0.1`, `vector, datatype: vector: "0.1" is not a vector; give an array of numbers such as [0.1, 0.2]`},
		{"vectors", `[1,2]`, `"[1,2]"`}, {"vectors", `[[1,2],[3,4]]`, `"[1,2]" "[3,4]"`},
		{"tags", `a; b ;;c`, `"a" "b" "c"`}, {"tags", `["a;b"," c",""]`, `"a;b" " c" ""`}, {"tags", `[a]`, `"[a]"`},
		{"tags", `[1]`, `tags, datatype: tags: 1 is not a valid string; give one such as "text"`},
		{"ref", ` Thing/x`, `<urn:trails:test:Thing/x>`}, {"ref", `x`, `<urn:trails:test:Thing/x>`},
	} {
		p := s.Property(s.Type("Thing"), c.property)
		terms, fields := s.Values(p, p.CellValue(c.cell))
		var got []string
		for _, term := range terms {
			text, _, _ := strings.Cut(string(rdf.AppendTerm(nil, term)), "^^")
			got = append(got, text)
		}
		for _, f := range fields {
			got = append(got, f.Field+", "+string(f.Code)+": "+f.Message)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s %q: %s", c.property, c.cell, diff)
		}
	}
	for _, c := range []struct{ property, cell string }{{"string", ""}, {"integer", " "}, {"tags", ""}, {"tags", " ; "}, {"ref", "  "}} {
		if v := s.Property(s.Type("Thing"), c.property).CellValue(c.cell); v != nil {
			t.Errorf("%s: %q is %v", c.property, c.cell, v)
		}
	}
}

// TestACellIsReadAsItWasWritten holds for all values that a cell can say.
func TestACellIsReadAsItWasWritten(t *testing.T) {
	s := parse(t, everyDatatype)
	text := rapid.StringOfN(rapid.SampledFrom([]rune("a;[]\", \n1")), 0, 5, -1)
	values := map[string]*rapid.Generator[any]{
		"string":  rapid.Map(text, func(s string) any { return s }),
		"tags":    rapid.Map(rapid.SliceOfDistinct(text, rapid.ID[string]), func(all []string) any { return anys(all) }),
		"number":  rapid.Map(rapid.Float64(), func(f float64) any { return f }),
		"integer": rapid.Map(rapid.IntRange(-9, 1<<50), func(i int) any { return i }),
		"boolean": rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		"vectors": rapid.Map(rapid.SliceOfN(rapid.SliceOfN(rapid.Float64(), 2, 2), 0, 3), func(all [][]float64) any {
			out := []any{}
			for _, v := range all {
				out = append(out, anys(v))
			}
			return out
		}),
		"ref": rapid.Map(text, func(s string) any { return "Thing/x" + s }),
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"string", "tags", "number", "integer", "boolean", "vectors", "ref"}).Draw(t, "property")
		p := s.Property(s.Type("Thing"), name)
		terms, fields := s.Values(p, values[name].Draw(t, "value"))
		if len(fields) > 0 {
			t.Skip(fields)
		}
		cell, ok := s.Cell(p, terms)
		if ok != (p.Many() || rdf.Lexical(terms[0]) != "" && !strings.HasSuffix(rdf.Lexical(terms[0]), "%20")) {
			t.Fatalf("%v is the cell %q: %v", terms, cell, ok)
		}
		if !ok {
			return
		}
		var again []rdf.Term
		if v := p.CellValue(cell); v != nil {
			again, fields = s.Values(p, v)
		}
		if diff := cmp.Diff(append([]rdf.Term(nil), terms...), append([]rdf.Term(nil), again...)); diff != "" || len(fields) > 0 {
			t.Fatalf("%q: %v %s", cell, fields, diff)
		}
	})
}

func anys[T any](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}
