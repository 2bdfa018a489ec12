package opt

import (
	"slices"

	"trails/sparql"
)

// absent makes NOT EXISTS of OPTIONAL { R } FILTER(!BOUND(?v)), which is how negation was
// written before SPARQL 1.1: all that fits would be made, to be thrown away.
//
// It is sound where R binds ?v in every solution and the left side does not name it: then ?v
// has no value just in the solutions of the left side that nothing fits, and each of these
// comes once (section 18.5), with nothing of R. R is asked with the values of the left side
// (section 18.6), which is to be compatible with it while all that R tests is bound within R.
// Inside EXISTS, where a solution outside may bind ?v, it stays.
func absent(op sparql.Op) sparql.Op {
	if !sparql.Has(op, isLeftJoin) {
		return op
	}
	return absences(op)
}

func absences(op sparql.Op) sparql.Op {
	op = eachPlain(op, absences)
	switch op := op.(type) {
	case sparql.Filter:
		return without(op)
	case sparql.LeftJoin: // a filter at the end of the group is the condition of OPTIONAL
		inner, ok := op.Right.(sparql.LeftJoin)
		if !ok || op.Expr == nil {
			return op
		}
		list := Conjuncts(op.Expr)
		for i, e := range list {
			if v, absence := absentVariable(e); absence && !Mentions(op.Left, v) && isAbsence(v, inner) {
				op.Right = without(sparql.Filter{Expr: e, Op: inner})
				op.Expr = all(slices.Delete(slices.Clone(list), i, i+1))
				return op
			}
		}
	}
	return op
}

// without is what a filter lets pass, by NOT EXISTS where that says it.
func without(f sparql.Filter) sparql.Op {
	j, ok := f.Op.(sparql.LeftJoin)
	if !ok {
		return f
	}
	list := Conjuncts(f.Expr)
	for i, e := range list {
		if v, absence := absentVariable(e); absence && isAbsence(v, j) {
			not := sparql.Exists{Not: true, Op: j.Right}
			if j.Expr != nil {
				not.Op = filtered(j.Right, Conjuncts(j.Expr)...)
			}
			return filtered(j.Left, append(slices.Delete(list, i, i+1), not)...)
		}
	}
	return f
}

// absentVariable recognizes the condition that a variable has no value.
func absentVariable(e sparql.Expr) (sparql.Var, bool) {
	not, _ := e.(sparql.Call)
	if not.Func != sparql.Not {
		return "", false
	}
	bound, _ := not.Args[0].(sparql.Call)
	if bound.Func != sparql.Bound {
		return "", false
	}
	v, ok := bound.Args[0].(sparql.VarExpr)
	return v.Var, ok
}

// isAbsence reports whether a variable has no value where nothing on the right of OPTIONAL
// fits, and only there.
func isAbsence(v sparql.Var, j sparql.LeftJoin) bool {
	return !Mentions(j.Left, v) && binds(j.Right, v) && (j.Expr == nil || isPure(j.Expr)) && fitsSubstituted(j.Right, j.Left)
}

// fitsSubstituted reports whether a pattern has, with values of another one substituted, its
// solutions that are compatible with these.
func fitsSubstituted(op, values sparql.Op) bool {
	left, right := sparql.Operands(op)
	switch op := op.(type) {
	case sparql.BGP:
		return true
	case sparql.PathPattern:
		return !mayBeEmpty(op.Path)
	case sparql.Join, sparql.Union:
		return fitsSubstituted(left, values) && fitsSubstituted(right, values)
	case sparql.Extend:
		return !Mentions(values, op.Var) && isPure(op.Expr) && bindsAll(left, varsOf(op.Expr)) && fitsSubstituted(left, values)
	case sparql.Filter:
		bound := !IsVolatile(op.Expr)
		naming{f: func(v sparql.Var) { bound = bound && (v == "" || binds(left, v) || !Mentions(values, v)) }}.inExpr(op.Expr)
		return bound && fitsSubstituted(left, values)
	}
	return false
}
