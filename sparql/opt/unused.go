package opt

import (
	"slices"

	"trails/sparql"
)

// unused drops a BIND whose variable is neither in the answer nor used anywhere else. Its value need not be computed,
// and a constant that [equalities] has bound need not be looked up.
//
// Extend has one solution for each solution of its operand (section 18.5), so dropping it keeps their number. Each
// side of a union is examined by itself. What a SELECT projects is named there, also a subquery's: DISTINCT compares
// it. COUNT(DISTINCT *) compares whole solutions without naming their variables, so that a query which has one stays
// as it is.
func unused(op sparql.Op, wanted []sparql.Var) sparql.Op {
	if !sparql.Has(op, func(op sparql.Op) bool { _, ok := op.(sparql.Extend); return ok }) || sparql.Has(op, countsWhole) {
		return op
	}
	u := uses{}
	for _, v := range wanted {
		u[v]++
	}
	u.count(op, 1)
	return u.in(op)
}

// countsWhole reports whether an operator is a group with COUNT(DISTINCT *).
func countsWhole(op sparql.Op) bool {
	g, ok := op.(sparql.Group)
	return ok && slices.ContainsFunc(g.Aggregates, func(a sparql.Aggregation) bool { return a.Aggregate.Expr == nil && a.Aggregate.Distinct })
}

// uses counts how often each variable is used by operators that may share a solution with the operator.
type uses map[sparql.Var]int

func (u uses) count(op sparql.Op, by int) {
	naming{f: func(v sparql.Var) { u[v] += by }, hidden: true}.inOp(op)
}

func (u uses) in(op sparql.Op) sparql.Op {
	switch op := op.(type) {
	case sparql.Extend:
		if u[op.Var] == 1 {
			return u.in(op.Op)
		}
	case sparql.Union:
		sides := sidesOf(op, nil)
		u.count(op, -1)
		for i, side := range sides {
			u.count(side, 1)
			sides[i] = u.in(side)
			u.count(side, -1)
		}
		u.count(op, 1)
		return unionOf(sides)
	}
	return eachOperand(op, u.in)
}
