package expr_test

import (
	"errors"
	"strings"
	"testing"

	"trails/fault"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/expr"
)

// aggregated gives an accumulator the values of expressions that stand in text,
// one a word; "error" is an error.
func aggregated(t *testing.T, a sparql.Aggregate, text string) string {
	t.Helper()
	acc := expr.NewAccumulator(a)
	for word := range strings.FieldsSeq(text) {
		if word == "error" {
			acc.Add(nil, expr.ErrType)
			continue
		}
		acc.Add(expr.Compile(parse(t, word)).Eval(&world{}))
	}
	return show(acc.Value())
}

func TestAggregates(t *testing.T) {
	const unbound, wrong = "error: unbound variable", "error: type error"
	for _, c := range []struct {
		f        sparql.AggregateFunc
		distinct bool
		values   string
		want     string
	}{
		{"COUNT", false, "", `"0"^^<xsd:integer>`},
		{"COUNT", false, "1 1 error 2", `"3"^^<xsd:integer>`},
		{"COUNT", true, "1 01 1 error error", `"2"^^<xsd:integer>`},
		{"COUNT", true, `"a"@en "a"@EN "a"`, `"2"^^<xsd:integer>`},
		{"SUM", false, "", `"0"^^<xsd:integer>`},
		{"SUM", false, "1 2 3", `"6"^^<xsd:integer>`},
		{"SUM", false, "1.0 2.2 3.5", `"6.7"^^<xsd:decimal>`},
		{"SUM", false, "100e0 2e3 3e4", `"3.21E4"^^<xsd:double>`},
		{"SUM", false, "1 2.2", `"3.2"^^<xsd:decimal>`},
		{"SUM", true, "2.2 2.2 1", `"3.2"^^<xsd:decimal>`},
		{"SUM", false, `1 "2"`, wrong},
		{"SUM", false, "1 error", wrong},
		{"AVG", false, "", `"0"^^<xsd:integer>`},
		{"AVG", false, "1 2 3", `"2"^^<xsd:decimal>`},
		{"AVG", false, "1 2", `"1.5"^^<xsd:decimal>`},
		{"AVG", false, "1.0 2.2 3.5 2.2 2.2", `"2.22"^^<xsd:decimal>`},
		{"AVG", true, "1 2 2", `"1.5"^^<xsd:decimal>`},
		{"AVG", false, "2.5e0 0 3.5 4", `"2.5E0"^^<xsd:double>`},
		{"AVG", false, "1 BNODE() 3", wrong},
		{"MIN", false, "", unbound},
		{"MIN", false, "3.5 1.0 2.2", `"1.0"^^<xsd:decimal>`},
		{"MIN", false, "1 1.0", `"1"^^<xsd:integer>`},
		{"MIN", false, "1.0 1 1.00", `"1"^^<xsd:integer>`},
		{"MAX", false, "1 01 1.0", `"1.0"^^<xsd:decimal>`},
		{"MAX", false, "1.0 1 01", `"1.0"^^<xsd:decimal>`},
		{"MIN", false, `1 :a "a" BNODE()`, "_:fresh1"},
		{"MIN", false, "1 error", wrong},
		{"MAX", false, "1 2e-1 2.2 3.0E4", `"3.0E4"^^<xsd:double>`},
		{"MAX", true, "1 2 2 1", `"2"^^<xsd:integer>`},
		{"MAX", false, `1 :a "a" BNODE()`, `"a"`},
		{"MAX", false, "error", wrong},
		{"SAMPLE", false, "error 7 8", `"7"^^<xsd:integer>`},
		{"SAMPLE", false, "", unbound},
		{"SAMPLE", false, "error", unbound},
		{"GROUP_CONCAT", false, "", `""`},
		{"GROUP_CONCAT", false, `"1" "22"@en :a 3`, `"1|22|http://example.org/a|3"`},
		{"GROUP_CONCAT", true, `"1" "2" "1"`, `"1|2"`},
		{"GROUP_CONCAT", false, `"" ""`, `"|"`},
		{"GROUP_CONCAT", false, `"a" BNODE()`, wrong},
		{"MEDIAN", false, "1", wrong},
	} {
		got := aggregated(t, sparql.Aggregate{Func: c.f, Distinct: c.distinct, Expr: sparql.VarExpr{Var: "x"}, Separator: "|"}, c.values)
		if got != c.want {
			t.Errorf("%s of %s, distinct %v: got %s, want %s", c.f, c.values, c.distinct, got, c.want)
		}
	}
}

func TestCountOfRows(t *testing.T) {
	a, b := rdf.Literal("a", ""), rdf.Literal("b", "")
	for distinct, want := range map[bool]string{false: "5", true: "4"} {
		acc := expr.NewAccumulator(sparql.Aggregate{Func: sparql.Count, Distinct: distinct})
		for _, row := range [][]rdf.Term{{a, b}, {a, nil}, {nil, a}, {a, b}, {nil, nil}} {
			acc.AddRow(row...)
		}
		if term, err := acc.Value(); err != nil || rdf.Lexical(term) != want {
			t.Errorf("distinct %v: got %v, %v, want %s", distinct, term, err, want)
		}
		if held := acc.Size() > 0; held != distinct {
			t.Errorf("distinct %v: holds %d bytes", distinct, acc.Size())
		}
	}
}

func TestAnErrorOfTheQueryEndsEveryAggregate(t *testing.T) {
	cancelled := errors.New("cancelled")
	for _, f := range []sparql.AggregateFunc{sparql.Count, sparql.Sample, sparql.Sum} {
		acc := expr.NewAccumulator(sparql.Aggregate{Func: f, Expr: sparql.VarExpr{Var: "x"}})
		acc.Add(rdf.Literal("1", rdf.XSDInteger), nil)
		acc.Add(nil, cancelled)
		acc.Add(nil, expr.ErrType)
		if _, err := acc.Value(); err != cancelled {
			t.Errorf("%s: got error %v, want %v", f, err, cancelled)
		}
	}
}

func TestGroupConcatIsBounded(t *testing.T) {
	acc := expr.NewAccumulator(sparql.Aggregate{Func: sparql.GroupConcat, Expr: sparql.VarExpr{Var: "x"}})
	for range 17 {
		acc.Add(rdf.Literal(strings.Repeat("a", 1<<20), ""), nil)
	}
	if _, err := acc.Value(); !fault.Is(err, fault.TooLarge) {
		t.Errorf("got error %v", err)
	}
	if acc.Size() > expr.MaxText {
		t.Errorf("holds %d bytes", acc.Size())
	}
}

func TestCompareOrdersKindsOfTerms(t *testing.T) {
	order := []rdf.Term{
		nil, rdf.BNode("a"), rdf.BNode("b"), rdf.IRI("http://example.org/a"), rdf.IRI("http://example.org/b"),
		rdf.Literal("10", rdf.XSDInteger), rdf.Literal("9", ""),
	}
	for i, a := range order {
		for j, b := range order {
			if got := expr.Compare(a, b); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%v and %v: got %d", a, b, got)
			}
		}
	}
}

var benchmarks = map[string]string{
	"number filter":    "?n > 10 && ?n < 1000",
	"arithmetic":       "(?n * 2 + 1) / 4 > 3.5",
	"equal texts":      `?s = "label of something"`,
	"date window":      `?d >= "2024-01-01T00:00:00Z"^^xsd:dateTime`,
	"constant regex":   `REGEX(?s, "some.*g", "i")`,
	"text functions":   `STRLEN(UCASE(SUBSTR(?s, 3, 8)))`,
	"unbound coalesce": `COALESCE(?u, ?n)`,
}

func BenchmarkProgram(b *testing.B) {
	env := &world{vars: map[sparql.Var]rdf.Term{
		"n": rdf.Literal("42", rdf.XSDInteger), "s": rdf.Literal("label of something else", ""),
		"d": rdf.Literal("2024-06-01T12:00:00Z", rdf.XSDDateTime),
	}}
	for name, text := range benchmarks {
		program := expr.Compile(parse(b, text))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := program.Eval(env); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
