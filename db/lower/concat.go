package lower

import (
	"slices"
	"strconv"

	"trails/sparql"
)

// orderBelow returns the operand of a group with hidden variables for the sort keys of an ordered subquery in it, and
// the new keys. GROUP_CONCAT takes values in that order. Extend, Filter, Project and the left side of a join keep the
// order of solutions. Without an ordered subquery it returns the operand unchanged.
func orderBelow(op sparql.Op) (sparql.Op, []sparql.OrderKey) {
	below := func(op sparql.Op, with func(sparql.Op) sparql.Op) (sparql.Op, []sparql.OrderKey) {
		inner, keys := orderBelow(op)
		return with(inner), keys
	}
	switch op := op.(type) {
	case sparql.OrderBy:
		inner, keys := op.Op, make([]sparql.OrderKey, len(op.Keys))
		for i, k := range op.Keys {
			v := sparql.Var(".by" + strconv.Itoa(i))
			inner = sparql.Extend{Op: inner, Var: v, Expr: k.Expr}
			keys[i] = sparql.OrderKey{Expr: sparql.VarExpr{Var: v}, Descending: k.Descending, Stored: k.Stored}
		}
		return sparql.OrderBy{Op: inner, Keys: keys}, keys
	case sparql.Project:
		inner, keys := orderBelow(op.Op)
		vars := slices.Clip(op.Vars)
		for _, k := range keys {
			vars = append(vars, k.Expr.(sparql.VarExpr).Var)
		}
		return sparql.Project{Op: inner, Vars: vars}, keys
	case sparql.Slice:
		return below(op.Op, func(inner sparql.Op) sparql.Op { op.Op = inner; return op })
	case sparql.Extend:
		return below(op.Op, func(inner sparql.Op) sparql.Op { op.Op = inner; return op })
	case sparql.Filter:
		return below(op.Op, func(inner sparql.Op) sparql.Op { op.Op = inner; return op })
	case sparql.LeftJoin:
		return below(op.Left, func(inner sparql.Op) sparql.Op { op.Left = inner; return op })
	case sparql.Minus:
		return below(op.Left, func(inner sparql.Op) sparql.Op { op.Left = inner; return op })
	case sparql.Join:
		left, keys := orderBelow(op.Left)
		if keys != nil {
			return sparql.Join{Left: left, Right: op.Right}, keys
		}
		return below(op.Right, func(inner sparql.Op) sparql.Op { op.Right = inner; return op })
	case sparql.Distinct:
		return distinctBelow(op)
	}
	return op, nil
}

// distinctBelow is orderBelow below DISTINCT. Hidden variables would make equal solutions different, so the sort keys
// must be variables of the solutions themselves.
func distinctBelow(op sparql.Distinct) (sparql.Op, []sparql.OrderKey) {
	project, ok := op.Op.(sparql.Project)
	if !ok {
		return op, nil
	}
	sorted, ok := project.Op.(sparql.OrderBy)
	if !ok || slices.ContainsFunc(sorted.Keys, func(k sparql.OrderKey) bool {
		v, isVar := k.Expr.(sparql.VarExpr)
		return !isVar || !slices.Contains(project.Vars, v.Var)
	}) {
		return op, nil
	}
	return op, sorted.Keys
}
