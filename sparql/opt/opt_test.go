package opt_test

import (
	"slices"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"trails/rdf"
	"trails/rdf/rdftest"
	"trails/sparql"
	"trails/sparql/naive"
	"trails/sparql/opt"
	"trails/sparql/sparqltest"
)

var prefixes = map[string]string{"": "http://example.org/", "xsd": string(rdf.XSDNS)}

// TestPasses holds what a pass, by its name, makes of a query's algebra after those
// before it; "all" is what is left of the query in the end.
func TestPasses(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			q, err := sparql.Parse(d.Input, sparql.Options{Prefixes: prefixes})
			if err != nil {
				t.Fatal(err)
			}
			q.Prefixes = prefixes
			if d.Cmd == "all" {
				return after(q, opt.Rewrite(q.Op, q.Vars))
			}
			return step(t, q, d.Cmd)
		})
	})
}

// step shows the algebra before and after one pass.
func step(t *testing.T, q *sparql.Query, name string) string {
	op := q.Op
	for _, p := range opt.Passes {
		if p.Name == name {
			before := after(q, op)
			if changed := after(q, p.Apply(op, q.Vars)); changed != before {
				return before + "=>\n" + changed
			}
			return before + "=> the same\n"
		}
		op = p.Apply(op, q.Vars)
	}
	t.Fatalf("there is no pass %q", name)
	return ""
}

func after(q *sparql.Query, op sparql.Op) string {
	changed := *q
	changed.Op = op
	return changed.Dump() + "\n"
}

// TestPassesChangeNoAnswer draws data and queries: the oracle must give the same
// solutions, as often, whichever passes a query went through.
func TestPassesChangeNoAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, c := sparqltest.Data(t), sparqltest.Query(t)
		text := c.Text
		if c.Whole != "" {
			text = c.Whole
		}
		q, err := sparql.Parse(text, sparql.Options{})
		if err != nil {
			t.Fatalf("%v\nfor\n%s", err, text)
		}
		if rapid.Bool().Draw(t, "conditioned") {
			q.Op = conditioned(t, q.Op)
		}
		passed(t, q, data)
	})
}

// passed holds the answers behind each pass by itself, behind all so far, and behind all
// twice against the query's own.
func passed(t *rapid.T, q *sparql.Query, data []rdf.Quad) {
	want := answer(t, q, q.Op, data)
	op, wanted := q.Op, columns(q)
	for _, p := range opt.Passes {
		agree(t, q, p.Apply(q.Op, wanted), data, want, p.Name+" alone")
		op = p.Apply(op, wanted)
		agree(t, q, op, data, want, p.Name)
	}
	agree(t, q, opt.Rewrite(op, wanted), data, want, "all passes again")
}

// columns are the variables that a query's answer is made of.
func columns(q *sparql.Query) []sparql.Var {
	list := slices.Clone(q.Vars)
	for _, p := range q.Template {
		list = append(list, p.Subject.Var, p.Predicate.Var, p.Object.Var)
	}
	return list
}

// conditioned is a query with conditions of the kinds that move, which are drawn too
// seldom: below what sorts and projects.
func conditioned(t *rapid.T, op sparql.Op) sparql.Op {
	switch op := op.(type) {
	case sparql.Project:
		return sparql.Project{Op: conditioned(t, op.Op), Vars: op.Vars}
	case sparql.Distinct:
		return sparql.Distinct{Op: conditioned(t, op.Op)}
	case sparql.OrderBy:
		return sparql.OrderBy{Op: conditioned(t, op.Op), Keys: op.Keys}
	}
	e := condition(t)
	if rapid.Bool().Draw(t, "two") {
		e = sparql.Call{Func: sparql.And, Args: []sparql.Expr{e, condition(t)}}
	}
	return sparql.Filter{Op: op, Expr: e}
}

func condition(t *rapid.T) sparql.Expr {
	variable := rapid.SampledFrom([]sparql.Var{"a", "b", "c", "d", "e", "g", "m", "n1"})
	v := variable.Draw(t, "variable")
	if rapid.Bool().Draw(t, "of variables") {
		other := variable.Draw(t, "other")
		switch of := []sparql.Expr{sparql.VarExpr{Var: v}, sparql.VarExpr{Var: other}}; rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return sparql.Call{Func: sparql.Not, Args: []sparql.Expr{sparql.Call{Func: sparql.Bound, Args: of[:1]}}}
		case 1:
			return sparql.Call{Func: "SAMETERM", Args: of}
		default:
			return sparql.Call{Func: sparql.Equal, Args: of}
		}
	}
	term := rapid.SampledFrom([]string{":a", ":b", ":c", ":nowhere", ":g1", ":p", `"a"`, `"ab"`, "1"}).Draw(t, "term")
	function := rapid.SampledFrom([]sparql.Func{sparql.Equal, sparql.Equal, sparql.Equal, "SAMETERM", sparql.NotEqual, sparql.Greater}).Draw(t, "function")
	return sparql.Call{Func: function, Args: []sparql.Expr{sparql.VarExpr{Var: v}, sparql.TermExpr{Term: sparqltest.Term(term)}}}
}

func agree(t *rapid.T, q *sparql.Query, op sparql.Op, data []rdf.Quad, want rdftest.Answer, after string) {
	if err := rdftest.CompareAnswers(want, answer(t, q, op, data)); err != nil {
		changed := *q
		changed.Op = op
		t.Fatalf("after %s: %v\nfor\n%s\nwhich is\n%s\nand became\n%s", after, err, q, q.Dump(), changed.Dump())
	}
}

func answer(t *rapid.T, q *sparql.Query, op sparql.Op, data []rdf.Quad) rdftest.Answer {
	changed := *q
	changed.Op = op
	r, err := naive.Eval(t.Context(), &changed, slices.Clone(data))
	if err != nil {
		t.Fatal(err)
	}
	switch r.Form {
	case sparql.Ask:
		return rdftest.Answer{Truth: &r.True}
	case sparql.Construct, sparql.Describe:
		return rdftest.Answer{IsGraph: true, Graph: r.Graph}
	case sparql.Select:
	}
	a := rdftest.Answer{Rows: r.Rows}
	for _, v := range r.Vars {
		a.Vars = append(a.Vars, string(v))
	}
	return a
}
