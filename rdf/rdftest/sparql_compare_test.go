package rdftest_test

import (
	"testing"

	"trails/e2e/testrun"
	"trails/rdf"
	"trails/rdf/rdftest"
)

func TestAnswersCompare(t *testing.T) {
	testrun.Alone(t)
	b := func(label string) rdf.Term { return rdf.BNode(label) }
	n := rdf.Literal
	rows := func(rows ...[]rdf.Term) rdftest.Answer {
		return rdftest.Answer{Vars: []string{"x", "y"}, Rows: rows}
	}
	ordered := func(a rdftest.Answer) rdftest.Answer { a.Ordered = true; return a }
	lax := func(a rdftest.Answer) rdftest.Answer { a.Lax = true; return a }
	one, two := []rdf.Term{n("1", rdf.XSDInteger), b("a")}, []rdf.Term{n("2", rdf.XSDInteger), b("b")}
	for _, c := range []struct {
		says      string
		want, got rdftest.Answer
		same      bool
	}{
		{"rows in another order", rows(one, two), rows(two, one), true},
		{"rows in another order, where order counts", ordered(rows(one, two)), rows(two, one), false},
		{"a row more", rows(one), rows(one, one), false},
		{"rows as often as each other", rows(one, one, two), rows(one, two, two), false},
		{"fewer equal rows, where that is allowed", lax(rows(one, one, two)), rows(two, one), true},
		{"more equal rows, where fewer are allowed", lax(rows(one, two)), rows(two, one, one), false},
		{"no equal row at all, where fewer are allowed", lax(rows(one, one, two)), rows(two, two), false},
		{
			"columns in another order",
			rows(one),
			rdftest.Answer{Vars: []string{"y", "x"}, Rows: [][]rdf.Term{{b("z"), n("1", rdf.XSDInteger)}}}, true,
		},
		{
			"a column of another name",
			rows(one),
			rdftest.Answer{Vars: []string{"x", "z"}, Rows: [][]rdf.Term{one}}, false,
		},
		{"blank nodes by one mapping", rows([]rdf.Term{b("a"), b("b")}, []rdf.Term{b("b"), b("a")}), rows([]rdf.Term{b("x"), b("y")}, []rdf.Term{b("y"), b("x")}), true},
		{"two blank nodes that became one", rows([]rdf.Term{b("a"), b("b")}), rows([]rdf.Term{b("x"), b("x")}), false},
		{"one blank node that became two", rows([]rdf.Term{b("a"), b("a")}), rows([]rdf.Term{b("x"), b("y")}), false},
		{
			"a mapping that only a later row decides",
			rows([]rdf.Term{b("a"), nil}, []rdf.Term{b("b"), nil}, []rdf.Term{n("1", rdf.XSDInteger), b("b")}),
			rows([]rdf.Term{b("b"), nil}, []rdf.Term{b("a"), nil}, []rdf.Term{n("1", rdf.XSDInteger), b("b")}), true,
		},
		{"an integer by value", rows([]rdf.Term{n("1", rdf.XSDInteger), nil}), rows([]rdf.Term{n("01", rdf.XSDInteger), nil}), true},
		{"an integer as a decimal", rows([]rdf.Term{n("1", rdf.XSDInteger), nil}), rows([]rdf.Term{n("1", rdf.XSDDecimal), nil}), false},
		{"a double by value", rows([]rdf.Term{n("2.0E0", rdf.XSDDouble), nil}), rows([]rdf.Term{n("2", rdf.XSDDouble), nil}), true},
		{"unbound and the empty string", rows([]rdf.Term{nil, nil}), rows([]rdf.Term{n("", ""), nil}), false},
		{"language tags in another case", rows([]rdf.Term{rdf.LangLiteral("a", "en"), nil}), rows([]rdf.Term{rdf.LangLiteral("a", "EN"), nil}), true},
		{"another language", rows([]rdf.Term{rdf.LangLiteral("a", "en"), nil}), rows([]rdf.Term{rdf.LangLiteral("a", "fr"), nil}), false},
		{"a table for a graph", rdftest.Answer{IsGraph: true}, rows(), false},
	} {
		t.Run(c.says, func(t *testing.T) {
			if err := rdftest.CompareAnswers(c.want, c.got); (err == nil) != c.same {
				t.Errorf("got %v, want the same: %t", err, c.same)
			}
		})
	}
}
