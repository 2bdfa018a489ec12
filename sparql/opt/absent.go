package opt

import (
	"slices"

	"trails/sparql"
)

// absent rewrites OPTIONAL { R } FILTER(!BOUND(?v)), the negation of SPARQL 1.0, to NOT EXISTS. OPTIONAL would
// compute all matches of R, and the filter would drop them.
//
// It is sound where R binds ?v in every solution and the left side does not name it: then ?v has no value just in the
// solutions of the left side that nothing fits, and each of these comes once (section 18.5), with nothing of R. R is
// asked with the values of the left side (section 18.6), which is to be compatible with it while all that R tests is
// bound within R. Inside EXISTS, where a solution outside may bind ?v, it stays.
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
	case sparql.LeftJoin: // a filter at the end of the group becomes the condition of OPTIONAL
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

// without returns a filter, rewritten to NOT EXISTS where possible.
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

// absentVariable returns v if the condition is !BOUND(?v).
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

// isAbsence reports whether v is unbound exactly in the solutions for which the right side of OPTIONAL has no match.
func isAbsence(v sparql.Var, j sparql.LeftJoin) bool {
	return !Mentions(j.Left, v) && binds(j.Right, v) && (j.Expr == nil || isPure(j.Expr)) && fitsSubstituted(j.Right, j.Left)
}

// fitsSubstituted reports whether substituting a solution of values into op gives exactly the solutions of op that
// are compatible with it.
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
		bound := !sparql.IsVolatile(op.Expr)
		naming{f: func(v sparql.Var) { bound = bound && (v == "" || binds(left, v) || !Mentions(values, v)) }}.inExpr(op.Expr)
		return bound && fitsSubstituted(left, values)
	}
	return false
}
