package expr_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"trails/fault"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/expr"
)

// world is an environment with a fixed clock and no chance.
type world struct {
	vars   map[sparql.Var]rdf.Term
	exists error
	fresh  int
}

func (w *world) Value(v sparql.Var) rdf.Term { return w.vars[v] }
func (w *world) Exists(op sparql.Op) (bool, error) {
	return len(op.(sparql.BGP).Patterns) == 0, w.exists
}
func (w *world) Now() time.Time {
	return time.Date(2011, 1, 10, 14, 45, 13, 815e6, time.FixedZone("", -5*3600))
}
func (w *world) NewUUID() string { return "b9302fb5-642e-4d3b-af19-29a8f6d894c9" }
func (w *world) Rand() float64   { return 0.25 }
func (w *world) Base() string    { return "http://example.org/base/" }
func (w *world) NewBNode(label string) rdf.Term {
	if label == "" {
		w.fresh++
		label = fmt.Sprint("fresh", w.fresh)
	}
	return rdf.BNode(label)
}

const prologue = `PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX : <http://example.org/>
`

// parse returns an expression as it stands in a query.
func parse(t testing.TB, text string) sparql.Expr {
	t.Helper()
	q, err := sparql.Parse(prologue+"SELECT ("+text+" AS ?result__) {}", sparql.Options{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	extend, ok := q.Op.(sparql.Project).Op.(sparql.Extend)
	if !ok {
		t.Fatalf("%s: no expression in %#v", text, q.Op)
	}
	return extend.Expr
}

// show writes a result as the test files have it.
func show(term rdf.Term, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	text := string(rdf.AppendTerm(nil, term))
	return strings.ReplaceAll(strings.ReplaceAll(text, "<"+rdf.XSDNS, "<xsd:"), "<http://example.org/", "<:")
}

// TestExpressions evaluates the expressions of testdata/eval, one a line; "bind" gives
// variables values for the rest of the file.
func TestExpressions(t *testing.T) {
	datadriven.Walk(t, "testdata/eval", func(t *testing.T, path string) {
		env := &world{vars: map[sparql.Var]rdf.Term{}}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out strings.Builder
			for _, line := range strings.Split(d.Input, "\n") {
				if d.Cmd == "bind" {
					name, text, _ := strings.Cut(line, " := ")
					env.vars[sparql.Var(name)], _ = expr.Compile(parse(t, text)).Eval(env)
					continue
				}
				fmt.Fprintf(&out, "%s  →  %s\n", line, show(expr.Compile(parse(t, line)).Eval(env)))
			}
			return out.String()
		})
	})
}

func TestAnErrorOfTheQueryIsNotAnErrorOfTheExpression(t *testing.T) {
	cancelled := errors.New("cancelled")
	env := &world{exists: cancelled}
	for _, text := range []string{
		"EXISTS {} || true", "true && NOT EXISTS {}", "COALESCE(EXISTS {}, 1)",
		"IF(EXISTS {}, 1, 2)", "1 IN (EXISTS {}, 1)", "!(EXISTS {})",
	} {
		if _, err := expr.Compile(parse(t, text)).Eval(env); !errors.Is(err, cancelled) {
			t.Errorf("%s: got error %v, want %v", text, err, cancelled)
		}
	}
}

func TestTextsAreBounded(t *testing.T) {
	env := &world{vars: map[sparql.Var]rdf.Term{"x": rdf.Literal(strings.Repeat("a", 9<<20), "")}}
	for _, text := range []string{
		"CONCAT(?x, ?x)", `REPLACE(?x, "a", "b")`, "ENCODE_FOR_URI(?x)",
		`REPLACE(?x, "a.{25}", "$0$0")`, `REGEX(?x, "a{900}b")`,
	} {
		if _, err := expr.Compile(parse(t, text)).Eval(env); !fault.Is(err, fault.TooLarge) || expr.IsError(err) {
			t.Errorf("%s: got error %v, want one that ends the query", text, err)
		}
	}
}

func TestNumbersAreBounded(t *testing.T) {
	env := &world{vars: map[sparql.Var]rdf.Term{"x": rdf.Literal(strings.Repeat("9", 4000), rdf.XSDInteger)}}
	for text, want := range map[string]error{
		"?x * ?x": expr.ErrOverflow,
		"?x < ?y": expr.ErrUnbound,
	} {
		if _, err := expr.Compile(parse(t, text)).Eval(env); err != want {
			t.Errorf("%s: got error %v, want %v", text, err, want)
		}
	}
	long := rdf.Literal(strings.Repeat("9", 5000), rdf.XSDInteger)
	env.vars["y"] = long
	for text, want := range map[string]string{
		"?x < ?y": "true", "?y = ?y": "true", "?y > 1e0": "true", "xsd:boolean(?y)": "error", "IF(?y, 1, 2)": "1", "?y + 1": "error",
	} {
		got := "error"
		if term, err := expr.Compile(parse(t, text)).Eval(env); err == nil {
			got = rdf.Lexical(term)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestWhatNoParserWritesIsATypeError(t *testing.T) {
	one := sparql.TermExpr{Term: rdf.Literal("1", rdf.XSDInteger)}
	for _, e := range []sparql.Expr{
		nil, sparql.Aggregate{Func: sparql.Count}, sparql.Call{Func: "NOSUCH"},
		sparql.Call{Func: "STRLEN"}, sparql.Call{Func: sparql.Or}, sparql.Call{Func: sparql.If, Args: []sparql.Expr{one}},
		sparql.Call{Func: "REGEX"}, sparql.Call{Func: "REPLACE"}, sparql.Call{Func: sparql.In}, sparql.Call{Func: sparql.Bound, Args: []sparql.Expr{one}},
		sparql.Call{Func: sparql.Add, Args: []sparql.Expr{one, one, one}}, sparql.Cast{IRI: rdf.XSDInteger},
	} {
		if _, err := expr.Compile(e).Eval(&world{}); err != expr.ErrType {
			t.Errorf("%#v: got error %v, want %v", e, err, expr.ErrType)
		}
	}
}

func TestEveryBuiltInFunctionIsThere(t *testing.T) {
	env := &world{vars: map[sparql.Var]rdf.Term{}}
	args := []rdf.Term{
		rdf.Literal("1", rdf.XSDInteger), rdf.Literal("a", ""), rdf.IRI("http://example.org/a"), rdf.LangLiteral("a", "en"),
		rdf.Literal("2024-01-01T00:00:00Z", rdf.XSDDateTime), rdf.BNode("b"), rdf.Literal("en", ""),
	}
	for name, arity := range sparql.Functions {
		if !evaluates(env, name, max(arity.Min, 1), args) && !evaluates(env, name, 0, args) {
			t.Errorf("%s is an error for all arguments", name)
		}
	}
}

// evaluates reports whether some choice of n arguments gives a value.
func evaluates(env *world, name sparql.Func, n int, from []rdf.Term, chosen ...sparql.Expr) bool {
	if len(chosen) == n {
		_, err := expr.Compile(sparql.Call{Func: name, Args: chosen}).Eval(env)
		return err == nil
	}
	for _, term := range from {
		e := sparql.Expr(sparql.TermExpr{Term: term})
		if name == sparql.Bound {
			e = sparql.VarExpr{Var: "x"}
		}
		if evaluates(env, name, n, from, append(chosen[:len(chosen):len(chosen)], e)...) {
			return true
		}
	}
	return false
}
