package opt

import "trails/sparql"

// units drops operands that have no effect: the empty pattern in a join, and operators without solutions in UNION,
// OPTIONAL and MINUS. Nested groups, parameters and answers of services leave them behind. An empty pattern between
// two patterns would keep these from being merged.
//
// The empty pattern has one solution without bindings, the identity of Join (section 18.5); it is compatible with
// every solution, so that OPTIONAL {} adds nothing whatever its condition is, and shares no variable with any, so
// that MINUS {} removes none. No solutions are the zero of Join and Filter and the identity of Union. A GROUP BY of
// nothing may have a group, and GRAPH of the empty pattern asks whether the graph exists: these stay.
func units(op sparql.Op) sparql.Op {
	if !sparql.Has(op, func(op sparql.Op) bool { return isUnit(op) || isNothing(op) }) {
		return op
	}
	return bottomUp(op, unit)
}

// nothing has no solution.
var nothing sparql.Op = sparql.Table{}

func isNothing(op sparql.Op) bool {
	t, ok := op.(sparql.Table)
	return ok && len(t.Rows) == 0
}

func isUnit(op sparql.Op) bool {
	switch op := op.(type) {
	case sparql.BGP:
		return len(op.Patterns) == 0
	case sparql.Table:
		return len(op.Vars) == 0 && len(op.Rows) == 1
	}
	return false
}

func unit(op sparql.Op) sparql.Op {
	left, right := sparql.Operands(op)
	switch op.(type) {
	case sparql.Join:
		switch {
		case isNothing(left) || isNothing(right):
			return nothing
		case isUnit(left):
			return right
		case isUnit(right):
			return left
		}
	case sparql.Union:
		switch {
		case isNothing(left):
			return right
		case isNothing(right):
			return left
		}
	case sparql.LeftJoin, sparql.Minus:
		if isNothing(left) || isNothing(right) || isUnit(right) {
			return left
		}
	case sparql.Filter, sparql.Extend, sparql.Graph:
		if isNothing(left) {
			return nothing
		}
	}
	return op
}
