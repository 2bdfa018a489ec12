package opt

import (
	"slices"

	"trails/rdf"
	"trails/sparql"
)

// isPure reports whether the value of an expression depends on its variables only.
func isPure(e sparql.Expr) bool {
	return !sparql.IsVolatile(e) && !sparql.Some(e, func(e sparql.Expr) bool {
		_, aggregate := e.(sparql.Aggregate)
		_, pattern := e.(sparql.Exists)
		return aggregate || pattern
	})
}

// varsOf lists the variables of an expression without patterns.
func varsOf(e sparql.Expr) (list []sparql.Var) {
	sparql.Some(e, func(e sparql.Expr) bool {
		if v, ok := e.(sparql.VarExpr); ok && !slices.Contains(list, v.Var) {
			list = append(list, v.Var)
		}
		return false
	})
	return list
}

// Conjuncts lists the operands of nested &&: a filter needs all of them.
func Conjuncts(e sparql.Expr) []sparql.Expr { return Chain(e, sparql.And) }

// Chain lists the operands of nested calls of one function with two arguments.
func Chain(e sparql.Expr, f sparql.Func) []sparql.Expr { return chain(e, f, nil) }

func chain(e sparql.Expr, f sparql.Func, list []sparql.Expr) []sparql.Expr {
	if c, ok := e.(sparql.Call); ok && c.Func == f && len(c.Args) == 2 {
		return chain(c.Args[1], f, chain(c.Args[0], f, list))
	}
	return append(list, e)
}

// filtered returns op filtered by conditions. An existing filter takes them over.
func filtered(op sparql.Op, list ...sparql.Expr) sparql.Op {
	if len(list) == 0 {
		return op
	}
	if f, ok := op.(sparql.Filter); ok {
		return filtered(f.Op, append(Conjuncts(f.Expr), list...)...)
	}
	return sparql.Filter{Expr: all(list), Op: op}
}

// all returns the conjunction of conditions, or nil if there are none.
func all(list []sparql.Expr) (e sparql.Expr) {
	for i, next := range list {
		if i > 0 {
			next = sparql.Call{Func: sparql.And, Args: []sparql.Expr{e, next}}
		}
		e = next
	}
	return e
}

var (
	trueTerm  = rdf.Literal("true", rdf.XSDBoolean)
	falseTerm = rdf.Literal("false", rdf.XSDBoolean)
)
