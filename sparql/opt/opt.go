// Package opt rewrites the algebra of queries into algebra that has the same solutions, each as often, and is
// answered sooner: https://www.w3.org/TR/sparql11-query/, whose section 18 says what an operator means.
//
// [Passes] is the list, in the order in which they are applied; each is a file, which begins with what it does, why,
// and when that is sound. Three things bound them all. Solutions are multisets (section 18.5): a rewriting must keep
// how often each one occurs. A variable may be unbound (section 18.1.8): a claim about its value holds only below an
// operator that always binds it. Inside EXISTS the outer solution is substituted (section 18.6): a variable that
// nothing binds inside may have a value from outside, unless a subquery hides it.
//
// A filter only lets true pass, so as a whole condition an error equals false (section 17.2), but not inside an
// expression. Volatile expressions (RAND, UUID, BNODE) stay where they are.
//
// Start with [Rewrite].
package opt

import (
	"trails/sparql"
)

// Pass is one rewriting. wanted are the variables that the caller needs; the solutions may lack others.
type Pass struct {
	Name  string
	Apply func(op sparql.Op, wanted []sparql.Var) sparql.Op
}

// Passes are all passes in order. Paths become patterns before patterns are merged. Constants are decided before
// empty operands are dropped. Patterns move into the sides of a union before filters come out of them. Filters move
// once no filter is an equality with a constant in a pattern any more; equal variables and absence are then found
// where the filters have moved to. Unused values are known last.
var Passes = []Pass{
	{"paths", plain(paths)},
	{"constants", plain(constants)},
	{"units", plain(units)},
	{"unions", plain(unions)},
	{"outward", plain(outward)},
	{"joins", plain(joins)},
	{"equalities", plain(equalities)},
	{"filters", plain(filters)},
	{"unified", plain(unified)},
	{"absent", plain(absent)},
	{"unused", unused},
}

func plain(apply func(sparql.Op) sparql.Op) func(sparql.Op, []sparql.Var) sparql.Op {
	return func(op sparql.Op, _ []sparql.Var) sparql.Op { return apply(op) }
}

// Rewrite applies all passes.
func Rewrite(op sparql.Op, wanted []sparql.Var) sparql.Op {
	for _, p := range Passes {
		op = p.Apply(op, wanted)
	}
	return op
}

// bottomUp replaces each operator after its operands, including those in patterns of EXISTS.
func bottomUp(op sparql.Op, f func(sparql.Op) sparql.Op) sparql.Op {
	return f(eachOperand(op, func(op sparql.Op) sparql.Op { return bottomUp(op, f) }))
}

// eachOperand returns the operator with f applied to its operands and to the patterns of EXISTS.
func eachOperand(op sparql.Op, f func(sparql.Op) sparql.Op) sparql.Op {
	return sparql.EachOperand(op, f, func(e sparql.Expr) sparql.Expr { return sparql.EachPattern(e, f) })
}
