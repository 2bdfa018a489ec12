package db_test

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/db"
	"trails/db/lower"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
	"trails/sparql/expr"
	"trails/sparql/sparqltest"
)

// TestSortKeysNeverContradictTheOrder draws two terms: what has a lesser class, or a
// lesser key in the same class, is not after the other.
func TestSortKeysNeverContradictTheOrder(t *testing.T) {
	numbers := []rdf.Term{
		rdf.Literal("9007199254740993", rdf.XSDInteger), rdf.Literal("9007199254740992", rdf.XSDDouble), rdf.Literal("0.1", rdf.XSDDecimal),
		rdf.Literal("0.1", rdf.XSDDouble), rdf.Literal("-INF", rdf.XSDDouble), rdf.Literal("-0.0", rdf.XSDDouble), rdf.Literal("NaN", rdf.XSDFloat),
		rdf.Literal(strings.Repeat("9", xsd.MaxDigits+1), rdf.XSDInteger), rdf.Literal("1E308", rdf.XSDDouble), rdf.Literal("x", rdf.XSDNS+"token"),
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) rdf.Term {
			if rapid.Bool().Draw(t, "number") {
				return rapid.SampledFrom(numbers).Draw(t, name)
			}
			return sparqltest.AnyTerm(t)
		}
		a, b := draw("a"), draw("b")
		want, got := expr.Compare(a, b), sortOrder(a, b)
		if got != 0 && want != got {
			t.Errorf("%v and %v sort as %d, want %d", a, b, got, want)
		}
	})
}

func sortOrder(a, b rdf.Term) int {
	if order := cmp.Compare(lower.SortClass(a), lower.SortClass(b)); order != 0 {
		return order
	}
	ta, na, _, _ := lower.SortKey(a)
	tb, nb, _, _ := lower.SortKey(b)
	return cmp.Or(strings.Compare(ta, tb), cmp.Compare(na, nb))
}

func TestOrderByHasTheOrderOfExpressions(t *testing.T) {
	var quads []rdf.Quad
	var want []rdf.Term
	for i, text := range []string{
		`"b"`, `"a"`, `"a"@en`, `"a"@de`, `"ab"`, `""`, `:n`, `:m`, `1`, `0.5`, `2.5e0`, `"01"^^xsd:integer`, `"NaN"^^xsd:double`, `"INF"^^xsd:double`,
		`true`, `"2020-01-02"^^xsd:date`, `"2020-01-02Z"^^xsd:date`, `"2020-01-02T03:04:05Z"^^xsd:dateTime`, `"t"^^xsd:token`, `"x"^^:unknown`, `"x"^^xsd:integer`,
	} {
		term := sparqltest.Term(text)
		quads = append(quads, q(fmt.Sprintf("s%02d", i), "v", term))
		want = append(want, term)
	}
	r := readerOf(t, quads)
	slices.SortStableFunc(want, expr.Compare)
	for _, query := range []string{"SELECT ?x { ?s :v ?x } ORDER BY ?x ?s", "SELECT ?x { ?s :v ?x } ORDER BY ?x ?s LIMIT 100", "SELECT DISTINCT ?x { ?s :v ?x } ORDER BY ?x"} {
		if diff := gocmp.Diff(want, column(t, r, query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	slices.Reverse(want)
	if diff := gocmp.Diff(want, column(t, r, "SELECT ?x { ?s :v ?x } ORDER BY DESC(?x) DESC(?s)")); diff != "" {
		t.Errorf("descending (-want +got):\n%s", diff)
	}
}

// TestSumsAreExact adds numbers up that are too large for SQL's sum.
func TestSumsAreExact(t *testing.T) {
	for _, c := range []struct {
		datatype rdf.IRI
		texts    []string
	}{
		{rdf.XSDInteger, []string{"35184372088831", "-35184372088831", "0", "7"}},
		{rdf.XSDDecimal, []string{"140000000000.5", "-0.000001", "12", "12.0", "-3.25"}},
	} {
		var quads []rdf.Quad
		for i := range 2000 {
			text := c.texts[0]
			if i%10 == 9 {
				text = c.texts[i/10%len(c.texts)]
			}
			quads = append(quads, q(fmt.Sprintf("s%04d", i), "v", rdf.Literal(text, c.datatype)))
		}
		r := readerOf(t, quads)
		for _, f := range []sparql.AggregateFunc{sparql.Sum, sparql.Avg} {
			acc := expr.NewAccumulator(sparql.Aggregate{Func: f})
			for _, q := range quads {
				acc.Add(q.Object, nil)
			}
			want, err := acc.Value()
			if err != nil {
				t.Fatal(err)
			}
			got := column(t, r, "SELECT ("+string(f)+"(?x) AS ?y) { ?s :v ?x }")
			if diff := gocmp.Diff([]rdf.Term{want}, got); diff != "" {
				t.Errorf("%s of %s (-want +got):\n%s", f, c.datatype, diff)
			}
		}
	}
}

func TestTextsWithAnyCharactersAreFound(t *testing.T) {
	texts := []string{"a\x00b", "a\x00", "a", "a\U0010FFFF", "é😀", "%_", "A"}
	var quads []rdf.Quad
	for i, text := range texts {
		quads = append(quads, q(fmt.Sprintf("s%d", i), "v", rdf.Literal(text, "")))
	}
	r := readerOf(t, quads)
	for filter, want := range map[string]int{
		`STRSTARTS(?x, "a")`: 4, `STRSTARTS(?x, "")`: 7, `CONTAINS(?x, "")`: 7, `CONTAINS(?x, "b")`: 1, `CONTAINS(?x, "%")`: 1, `CONTAINS(STR(?x), "😀")`: 1,
		`STRSTARTS(?x, "A")`: 1, `?x = "a"`: 1, `?x != "a"`: 6, `?x < "a"`: 2, `STRENDS(?x, "b")`: 1, `STRLEN(?x) = 2`: 4, `LCASE(?x) = "a"`: 2,
	} {
		if got := column(t, r, "SELECT ?x { ?s :v ?x FILTER("+filter+") }"); len(got) != want {
			t.Errorf("%s finds %q, want %d", filter, got, want)
		}
	}
}

func readerOf(t *testing.T, quads []rdf.Quad) *db.Reader {
	t.Helper()
	f, err := fileOf(t.Context(), filepath.Join(t.TempDir(), "sort.db"), quads)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	r, err := f.Read(t.Context(), db.View{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// column is the first column of an answer.
func column(t *testing.T, r *db.Reader, query string) (list []rdf.Term) {
	t.Helper()
	for row, err := range ask(t, t.Context(), r, query, db.Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, row[0])
	}
	return list
}
