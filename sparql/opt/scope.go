package opt

import (
	"slices"

	"trails/sparql"
)

// binds reports whether an operator binds a variable in each of its solutions.
func binds(op sparql.Op, v sparql.Var) bool {
	switch op := op.(type) {
	case sparql.BGP:
		return slices.ContainsFunc(op.Patterns, func(p sparql.TriplePattern) bool {
			return p.Subject.Var == v || p.Predicate.Var == v || p.Object.Var == v
		})
	case sparql.PathPattern:
		return op.Subject.Var == v || op.Object.Var == v
	case sparql.Join:
		return binds(op.Left, v) || binds(op.Right, v)
	case sparql.LeftJoin:
		return binds(op.Left, v)
	case sparql.Filter:
		return binds(op.Op, v)
	case sparql.Union:
		return binds(op.Left, v) && binds(op.Right, v)
	case sparql.Minus:
		return binds(op.Left, v)
	case sparql.Graph:
		return op.Name.Var == v || binds(op.Op, v)
	case sparql.Extend:
		if op.Var == v {
			_, constant := op.Expr.(sparql.TermExpr)
			return constant
		}
		return binds(op.Op, v)
	case sparql.Table:
		return tableBinds(op, v)
	}
	return modifierBinds(op, v)
}

func modifierBinds(op sparql.Op, v sparql.Var) bool {
	switch op := op.(type) {
	case sparql.Group:
		return isKey(op, v) && binds(op.Op, v)
	case sparql.OrderBy:
		return binds(op.Op, v)
	case sparql.Project:
		return slices.Contains(op.Vars, v) && binds(op.Op, v)
	case sparql.Distinct:
		return binds(op.Op, v)
	case sparql.Reduced:
		return binds(op.Op, v)
	case sparql.Slice:
		return binds(op.Op, v)
	}
	return false
}

func bindsAll(op sparql.Op, vars []sparql.Var) bool {
	return !slices.ContainsFunc(vars, func(v sparql.Var) bool { return !binds(op, v) })
}

func tableBinds(t sparql.Table, v sparql.Var) bool {
	column := slices.Index(t.Vars, v)
	for _, row := range t.Rows {
		if column < 0 || row[column] == nil {
			return false
		}
	}
	return column >= 0
}

// isKey reports whether a group is of solutions that have one value of v, and binds it.
func isKey(op sparql.Group, v sparql.Var) bool {
	return slices.ContainsFunc(op.Keys, func(k sparql.GroupKey) bool {
		source, ok := k.Expr.(sparql.VarExpr)
		return ok && k.Var == v && source.Var == v
	})
}

// naming calls f for each variable that is named.
type naming struct {
	f func(sparql.Var)
	// hidden includes what only a subquery knows.
	hidden bool
}

// inOp goes through an operator and those below it.
func (n naming) inOp(op sparql.Op) {
	switch op := op.(type) {
	case sparql.BGP:
		for _, p := range op.Patterns {
			n.f(p.Subject.Var)
			n.f(p.Predicate.Var)
			n.f(p.Object.Var)
		}
	case sparql.PathPattern:
		n.f(op.Subject.Var)
		n.f(op.Object.Var)
	case sparql.Graph:
		n.f(op.Name.Var)
	case sparql.Service:
		n.f(op.Name.Var)
		n.inOp(op.Op)
	case sparql.Extend:
		n.f(op.Var)
		n.inExpr(op.Expr)
	case sparql.Filter:
		n.inExpr(op.Expr)
	case sparql.LeftJoin:
		n.inExpr(op.Expr)
	case sparql.Table:
		n.each(op.Vars)
	case sparql.Group:
		n.inGroup(op)
	case sparql.OrderBy:
		for _, k := range op.Keys {
			n.inExpr(k.Expr)
		}
	case sparql.Project:
		n.each(op.Vars)
		if !n.hidden {
			return
		}
	}
	below(op, n.inOp)
}

func (n naming) each(vars []sparql.Var) {
	for _, v := range vars {
		n.f(v)
	}
}

func (n naming) inGroup(op sparql.Group) {
	for _, k := range op.Keys {
		n.f(k.Var)
		n.inExpr(k.Expr)
	}
	for _, a := range op.Aggregates {
		n.f(a.Var)
		n.inExpr(a.Aggregate.Expr)
	}
}

func (n naming) inExpr(e sparql.Expr) {
	some(e, func(e sparql.Expr) bool {
		switch e := e.(type) {
		case sparql.VarExpr:
			n.f(e.Var)
		case sparql.Exists:
			n.inOp(e.Op)
		}
		return false
	})
}

// Mentions reports whether an operator names a variable where those around it, or a
// solution outside of EXISTS, can mean the same one; a subquery hides the others.
func Mentions(op sparql.Op, v sparql.Var) (found bool) {
	naming{f: func(other sparql.Var) { found = found || other == v }}.inOp(op)
	return found
}

func exprMentions(e sparql.Expr, v sparql.Var) (found bool) {
	naming{f: func(other sparql.Var) { found = found || other == v }}.inExpr(e)
	return found
}

// IsClosed reports whether a filter has the same solutions whatever EXISTS substitutes,
// but for those variables that its pattern binds, and each time that it is asked.
func IsClosed(f sparql.Filter) bool { return isPure(f.Expr) && bindsAll(f.Op, varsOf(f.Expr)) }

// below calls f for each operator directly below one.
func below(op sparql.Op, f func(sparql.Op)) {
	switch op := op.(type) {
	case sparql.Join:
		f(op.Left)
		f(op.Right)
	case sparql.LeftJoin:
		f(op.Left)
		f(op.Right)
	case sparql.Union:
		f(op.Left)
		f(op.Right)
	case sparql.Minus:
		f(op.Left)
		f(op.Right)
	case sparql.Filter:
		f(op.Op)
	case sparql.Graph:
		f(op.Op)
	case sparql.Extend:
		f(op.Op)
	case sparql.Group:
		f(op.Op)
	case sparql.OrderBy:
		f(op.Op)
	case sparql.Project:
		f(op.Op)
	case sparql.Distinct:
		f(op.Op)
	case sparql.Reduced:
		f(op.Op)
	case sparql.Slice:
		f(op.Op)
	}
}

// has reports whether an operator or one below it is such, or may be: patterns in
// expressions are not looked at. Most queries have little to rewrite, and should not
// pay for what others have.
func has(op sparql.Op, such func(sparql.Op) bool) bool {
	found := such(op)
	switch op := op.(type) {
	case sparql.Filter:
		found = found || hasPattern(op.Expr)
	case sparql.LeftJoin:
		found = found || hasPattern(op.Expr)
	case sparql.Extend:
		found = found || hasPattern(op.Expr)
	case sparql.Group:
		found = true
	case sparql.OrderBy:
		found = found || slices.ContainsFunc(op.Keys, func(k sparql.OrderKey) bool { return hasPattern(k.Expr) })
	}
	if !found {
		below(op, func(inner sparql.Op) { found = found || has(inner, such) })
	}
	return found
}

func isFilter(op sparql.Op) bool { _, ok := op.(sparql.Filter); return ok }
