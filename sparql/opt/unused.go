package opt

import (
	"slices"

	"trails/sparql"
)

// unused drops values that nobody asks for: a BIND whose variable is neither in the
// answer nor named anywhere else. A value that is never shown need not be computed, and a
// constant that [equalities] has bound need not be looked up.
//
// Extend has one solution for each (section 18.5), with a binding or, after an error,
// without: so without it there are as many. What a SELECT projects is named there, also a
// subquery's: DISTINCT compares it. COUNT(DISTINCT *) compares whole solutions without
// naming their variables, so that a query which has one stays as it is.
func unused(op sparql.Op, wanted []sparql.Var) sparql.Op {
	if !sparql.Has(op, func(op sparql.Op) bool { _, ok := op.(sparql.Extend); return ok }) {
		return op
	}
	named := map[sparql.Var]int{}
	count := naming{f: func(v sparql.Var) { named[v]++ }, hidden: true}
	count.each(wanted)
	count.inOp(op)
	whole := false
	out := bottomUp(op, func(op sparql.Op) sparql.Op {
		switch op := op.(type) {
		case sparql.Group:
			whole = whole || slices.ContainsFunc(op.Aggregates, countsWhole)
		case sparql.Extend:
			if named[op.Var] == 1 {
				return op.Op
			}
		}
		return op
	})
	if whole {
		return op
	}
	return out
}

func countsWhole(a sparql.Aggregation) bool {
	return a.Aggregate.Expr == nil && a.Aggregate.Distinct
}
