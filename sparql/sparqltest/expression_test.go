package sparqltest_test

import (
	"cmp"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/rdf"
	"trails/rdf/rdftest"
	"trails/sparql"
	"trails/sparql/expr"
	"trails/sparql/naive"
	"trails/sparql/sparqltest"
)

// row is one solution without patterns.
type row map[sparql.Var]rdf.Term

func (r row) Value(v sparql.Var) rdf.Term  { return r[v] }
func (row) Exists(sparql.Op) (bool, error) { return false, nil }
func (row) Now() time.Time                 { return time.Time{} }
func (row) NewUUID() string                { return "" }
func (row) NewBNode(label string) rdf.Term { return rdf.BNode(label) }
func (row) Rand() float64                  { return 0 }
func (row) Base() string                   { return "" }

// TestExpressionsAgree compares package expr with the oracle, which has its own code for expressions.
func TestExpressionsAgree(t *testing.T) {
	testrun.Alone(t)
	rapid.Check(t, func(t *rapid.T) {
		text, query := sparqltest.Expression(t)
		want, err := sparqltest.Oracle{}.Query(t.Context(), query, "", nil)
		if err != nil {
			t.Fatalf("%v\nfor\n%s", err, query)
		}
		if got := evaluated(t, query); rdftest.CompareAnswers(want, got) != nil {
			t.Fatalf("expr has %v, the oracle %v\nfor %s\nin\n%s", got.Rows, want.Rows, text, query)
		}
	})
}

// evaluated answers a query of [sparqltest.Expression] by package expr.
func evaluated(t *rapid.T, query string) rdftest.Answer {
	q, err := sparql.Parse(query, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	extend := q.Op.(sparql.Project).Op.(sparql.Extend)
	table := extend.Op.(sparql.Table)
	solution := row{}
	for i, v := range table.Vars {
		if table.Rows[0][i] != nil {
			solution[v] = table.Rows[0][i]
		}
	}
	value, err := expr.Compile(extend.Expr).Eval(solution)
	if err != nil && !expr.IsError(err) {
		t.Fatal(err)
	}
	return rdftest.Answer{Vars: []string{"x"}, Rows: [][]rdf.Term{{value}}}
}

func TestAggregatesAgree(t *testing.T) {
	testrun.Alone(t)
	rapid.Check(t, func(t *rapid.T) {
		values, query := sparqltest.Aggregate(t)
		want, err := sparqltest.Oracle{}.Query(t.Context(), query, "", nil)
		if err != nil {
			t.Fatalf("%v\nfor\n%s", err, query)
		}
		if got := accumulated(t, query, values); rdftest.CompareAnswers(want, got) != nil {
			t.Fatalf("expr has %v, the oracle %v\nfor %s", got.Rows, want.Rows, query)
		}
	})
}

// accumulated answers a query of [sparqltest.Aggregate] by package expr.
func accumulated(t *rapid.T, query string, values []rdf.Term) rdftest.Answer {
	q, err := sparql.Parse(query, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	group := q.Op.(sparql.Project).Op.(sparql.Extend).Op.(sparql.Group)
	accumulator := expr.NewAccumulator(group.Aggregates[0].Aggregate)
	for _, v := range values {
		var failed error
		if v == nil {
			failed = expr.ErrUnbound
		}
		accumulator.Add(v, failed)
	}
	value, err := accumulator.Value()
	if err != nil && !expr.IsError(err) {
		t.Fatal(err)
	}
	return rdftest.Answer{Vars: []string{"x"}, Rows: [][]rdf.Term{{value}}}
}

func TestOrdersAgree(t *testing.T) {
	testrun.Alone(t)
	rapid.Check(t, func(t *rapid.T) {
		a, b := sparqltest.AnyTerm(t), sparqltest.AnyTerm(t)
		want, defined := naive.Order(a, b)
		got := expr.Compare(a, b)
		if defined && sign(got) != sign(want) && want != 0 {
			t.Fatalf("expr orders %v and %v as %d, the oracle as %d", a, b, got, want)
		}
		if back := expr.Compare(b, a); sign(back) != -sign(got) {
			t.Fatalf("expr orders %v and %v as %d, and the other way as %d", a, b, got, back)
		}
	})
}

func sign(n int) int { return cmp.Compare(n, 0) }
