package opt

import (
	"slices"

	"trails/sparql"
)

// binds reports whether an operator binds a variable in each of its solutions.
func binds(op sparql.Op, v sparql.Var) bool {
	left, right := sparql.Operands(op)
	switch op := op.(type) {
	case sparql.BGP:
		return slices.ContainsFunc(op.Patterns, func(p sparql.TriplePattern) bool {
			return p.Subject.Var == v || p.Predicate.Var == v || p.Object.Var == v
		})
	case sparql.PathPattern:
		return op.Subject.Var == v || op.Object.Var == v
	case sparql.Table:
		return tableBinds(op, v)
	case sparql.Service, sparql.Search:
		return false
	case sparql.Join:
		return binds(left, v) || binds(right, v)
	case sparql.Union:
		return binds(left, v) && binds(right, v)
	case sparql.Graph:
		return op.Name.Var == v || binds(left, v)
	case sparql.Extend:
		if op.Var == v {
			switch e := op.Expr.(type) {
			case sparql.TermExpr:
				return true
			case sparql.VarExpr:
				return binds(left, e.Var)
			}
			return false
		}
	case sparql.Group:
		return isKey(op, v) && binds(left, v)
	case sparql.Project:
		return slices.Contains(op.Vars, v) && binds(left, v)
	}
	return left != nil && binds(left, v)
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

// isKey reports whether v is a key of the group that stands for itself: each group has one value of v, and binds it.
func isKey(op sparql.Group, v sparql.Var) bool {
	return slices.ContainsFunc(op.Keys, func(k sparql.GroupKey) bool {
		source, ok := k.Expr.(sparql.VarExpr)
		return ok && k.Var == v && source.Var == v
	})
}

// naming calls f for each occurrence of a variable.
type naming struct {
	f func(sparql.Var)
	// hidden includes the variables that a subquery does not return.
	hidden bool
}

// inOp visits an operator and those below it.
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
	case sparql.Search:
		for _, o := range slices.Concat(op.Found, op.Given) {
			n.f(o.Var)
		}
	case sparql.Extend:
		n.f(op.Var)
	case sparql.Table:
		n.each(op.Vars)
	case sparql.Group:
		for _, k := range op.Keys {
			n.f(k.Var)
		}
		for _, a := range op.Aggregates {
			n.f(a.Var)
		}
	case sparql.Project:
		n.each(op.Vars)
		if !n.hidden {
			return
		}
	}
	sparql.Exprs(op, n.inExpr)
	left, right := sparql.Operands(op)
	if left != nil {
		n.inOp(left)
	}
	if right != nil {
		n.inOp(right)
	}
}

func (n naming) each(vars []sparql.Var) {
	for _, v := range vars {
		n.f(v)
	}
}

func (n naming) inExpr(e sparql.Expr) {
	sparql.Some(e, func(e sparql.Expr) bool {
		switch e := e.(type) {
		case sparql.VarExpr:
			n.f(e.Var)
		case sparql.Exists:
			n.inOp(e.Op)
		}
		return false
	})
}

// Mentions reports whether an operator uses a variable in the scope of the operators around it or of the solution
// outside EXISTS. Variables that a subquery hides do not count.
func Mentions(op sparql.Op, v sparql.Var) (found bool) {
	naming{f: func(other sparql.Var) { found = found || other == v }}.inOp(op)
	return found
}

// EachVar calls f with each variable that an operator mentions, possibly more than once, and with "" for a constant.
func EachVar(op sparql.Op, f func(sparql.Var)) { naming{f: f}.inOp(op) }

func exprMentions(e sparql.Expr, v sparql.Var) (found bool) {
	naming{f: func(other sparql.Var) { found = found || other == v }}.inExpr(e)
	return found
}

// IsClosed reports whether a filter always has the same solutions, except for variables that its own pattern binds:
// neither a substitution by EXISTS nor evaluating it again changes them.
func IsClosed(f sparql.Filter) bool { return isPure(f.Expr) && bindsAll(f.Op, varsOf(f.Expr)) }

func isFilter(op sparql.Op) bool { _, ok := op.(sparql.Filter); return ok }
