// Package opt rewrites the algebra of queries into algebra that has the same solutions,
// each as often, and is answered sooner: https://www.w3.org/TR/sparql11-query/, whose
// section 18 says what an operator means.
//
// [Passes] is the list, in the order in which they are applied; each is a file, which
// begins with what it does, why, and when that is sound. Three things bound them all.
// Solutions are multisets (section 18.5), so that nothing may be joined twice or left
// out because it looks the same. A variable may be unbound (section 18.1.8), so that what
// is said of its value holds only where an operator surely binds it. And inside EXISTS
// the solution outside is substituted (section 18.6): a variable that has no value here
// may have one there, unless a subquery hides it.
//
// A filter lets pass what is true, so that an error is as good as false there (section
// 17.2), but not inside an expression. Whatever can have another value each time (RAND,
// UUID, BNODE) stays where it is.
//
// Start with [Rewrite].
package opt

import (
	"trails/sparql"
)

// Pass is one rewriting. Wanted are the variables that somebody asks for: of others the
// solutions may say nothing.
type Pass struct {
	Name  string
	Apply func(op sparql.Op, wanted []sparql.Var) sparql.Op
}

// Passes are all, in order: paths become patterns before patterns are merged, constants
// are decided before what is empty is dropped, patterns are in the sides of a union before
// filters come out of these, and filters move when none of them is a constant of a pattern any
// more. Where they stand then, equal variables and absence are found. What nobody asks for is
// known at the end.
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

// bottomUp replaces each operator when its operands are replaced, those of patterns in
// expressions (EXISTS) included.
func bottomUp(op sparql.Op, f func(sparql.Op) sparql.Op) sparql.Op {
	return f(eachOperand(op, func(op sparql.Op) sparql.Op { return bottomUp(op, f) }))
}

// eachOperand is the operator with f of its operands, those in its expressions included.
func eachOperand(op sparql.Op, f func(sparql.Op) sparql.Op) sparql.Op {
	return sparql.EachOperand(op, f, func(e sparql.Expr) sparql.Expr { return sparql.EachPattern(e, f) })
}
