package opt

import "trails/sparql"

// constants simplifies conditions with the constants true and false: FILTER(true) is removed, FILTER(false) has no
// solutions, &&, || and ! are simplified where one side decides, and OPTIONAL { … FILTER(false) } is its left side.
// Generated queries contain such conditions, and patterns without solutions need not be read.
//
// A condition is its effective boolean value (section 17.2.2). By the tables of section 17.2, false && error is false
// and true || error is true, and true && e and false || e are the value of e, including an error: no error is lost.
// The arguments of a function are values and not effective boolean values, so they are left alone.
func constants(op sparql.Op) sparql.Op {
	if !sparql.Has(op, isCondition) {
		return op
	}
	return bottomUp(op, func(op sparql.Op) sparql.Op {
		switch op := op.(type) {
		case sparql.Filter:
			return filterDecided(op)
		case sparql.LeftJoin:
			return optionalDecided(op)
		}
		return op
	})
}

func isCondition(op sparql.Op) bool {
	j, ok := op.(sparql.LeftJoin)
	return ok && j.Expr != nil || isFilter(op)
}

func filterDecided(op sparql.Filter) sparql.Op {
	e := decided(op.Expr)
	switch e {
	case yes:
		return op.Op
	case no:
		return nothing
	}
	return sparql.Filter{Expr: e, Op: op.Op}
}

func optionalDecided(op sparql.LeftJoin) sparql.Op {
	if op.Expr == nil {
		return op
	}
	op.Expr = decided(op.Expr)
	switch op.Expr {
	case yes:
		op.Expr = nil
	case no:
		return op.Left
	}
	return op
}

// decided simplifies a condition. The result is a smaller condition, or true, or false.
func decided(e sparql.Expr) sparql.Expr {
	c, ok := e.(sparql.Call)
	switch {
	case !ok:
		return e
	case c.Func == sparql.Not && len(c.Args) == 1:
		return negated(c, decided(c.Args[0]))
	case c.Func == sparql.And && len(c.Args) == 2:
		return connected(c, decided(c.Args[0]), decided(c.Args[1]), no, yes)
	case c.Func == sparql.Or && len(c.Args) == 2:
		return connected(c, decided(c.Args[0]), decided(c.Args[1]), yes, no)
	}
	return e
}

// negated returns ! of a condition.
func negated(c sparql.Call, of sparql.Expr) sparql.Expr {
	switch of {
	case yes:
		return no
	case no:
		return yes
	}
	return sparql.Call{Func: c.Func, Args: []sparql.Expr{of}}
}

// connected returns && or || of two conditions. One constant side either decides the result or leaves it to the other
// side.
func connected(c sparql.Call, left, right, end, rest sparql.Expr) sparql.Expr {
	switch {
	case left == end || right == end:
		return end
	case left == rest:
		return right
	case right == rest:
		return left
	}
	return sparql.Call{Func: c.Func, Args: []sparql.Expr{left, right}}
}

var yes, no sparql.Expr = sparql.TermExpr{Term: trueTerm}, sparql.TermExpr{Term: falseTerm}
