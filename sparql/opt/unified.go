package opt

import (
	"slices"

	"trails/rdf"
	"trails/sparql"
)

// unified merges two variables that a condition makes equal. Patterns that only a condition connects, as in ?a :name
// ?n . ?b :name ?m FILTER(?n = ?m), then become a join; otherwise each pair would be tested. Behind the pattern BIND
// gives the second variable the value of the first.
//
// If one of the two is never a literal, because it is the subject or predicate of a triple, = means the same term
// (section 17.4.1.7), as sameTerm always does. Two different literals may also be equal, such as 1 and 1.0, but not
// if one of them is a string without a language. So the pattern becomes a union: the solutions with one term that
// equals itself (NaN does not), and those with two terms neither of which is such a string.
//
// On the right of OPTIONAL this is sound if the left side binds the first variable and does not mention the second.
// Inside EXISTS, where the outer solution may bind either, conditions stay.
func unified(op sparql.Op) sparql.Op {
	if !sparql.Has(op, func(op sparql.Op) bool { return isFilter(op) || isLeftJoin(op) }) {
		return op
	}
	left := maxUnified
	var in func(sparql.Op) sparql.Op
	in = func(op sparql.Op) sparql.Op {
		op = eachPlain(op, in)
		switch x := op.(type) {
		case sparql.Filter:
			if b, ok := x.Op.(sparql.BGP); ok && len(b.Patterns) <= maxAlong {
				return unifiedIn(b, Conjuncts(x.Expr), &left)
			}
		case sparql.LeftJoin:
			if b, ok := x.Right.(sparql.BGP); ok && x.Expr != nil {
				return unifiedRight(x, b)
			}
		}
		return op
	}
	return in(op)
}

// maxUnified bounds how often a pattern is doubled.
const maxUnified = 2

func isLeftJoin(op sparql.Op) bool { _, ok := op.(sparql.LeftJoin); return ok }

// eachPlain is eachOperand without the patterns of EXISTS.
func eachPlain(op sparql.Op, f func(sparql.Op) sparql.Op) sparql.Op {
	return sparql.EachOperand(op, f, func(e sparql.Expr) sparql.Expr { return e })
}

// unifiedIn applies the rewriting to a pattern and its conditions.
func unifiedIn(b sparql.BGP, list []sparql.Expr, left *int) sparql.Op {
	for i, e := range list {
		x, y, same := twoVariables(e)
		if y == "" || !binds(b, x) || !binds(b, y) {
			continue
		}
		same = same || isNode(b, x) || isNode(b, y)
		if !same && (*left == 0 || leadsTo(b, x, y)) {
			continue
		}
		rest := slices.Delete(slices.Clone(list), i, i+1)
		one := sparql.Op(sparql.Extend{Op: once(renamed(b, y, x)), Var: y, Expr: sparql.VarExpr{Var: x}})
		if same {
			return filtered(one, rest...)
		}
		*left--
		itself := sparql.Call{Func: sparql.Equal, Args: []sparql.Expr{sparql.VarExpr{Var: x}, sparql.VarExpr{Var: x}}}
		differ := sparql.Call{Func: sparql.Not, Args: []sparql.Expr{sparql.Call{Func: "SAMETERM", Args: []sparql.Expr{sparql.VarExpr{Var: x}, sparql.VarExpr{Var: y}}}}}
		return sparql.Union{
			Left:  filtered(one, append(slices.Clone(rest), itself)...),
			Right: filtered(b, append(slices.Clone(list), noString(x), noString(y), differ)...),
		}
	}
	return filtered(b, list...)
}

// unifiedRight applies the rewriting to the pattern and the condition of OPTIONAL.
func unifiedRight(op sparql.LeftJoin, b sparql.BGP) sparql.Op {
	list := Conjuncts(op.Expr)
	for i, e := range list {
		x, y, same := twoVariables(e)
		if !binds(op.Left, x) {
			x, y = y, x
		}
		if y == "" || x == "" || !binds(op.Left, x) || Mentions(op.Left, y) || Mentions(b, x) || !binds(b, y) || !same && !isNode(op.Left, x) && !isNode(b, y) {
			continue
		}
		op.Right = sparql.Extend{Op: renamed(b, y, x), Var: y, Expr: sparql.VarExpr{Var: x}}
		op.Expr = all(slices.Delete(slices.Clone(list), i, i+1))
		return op
	}
	return op
}

// twoVariables returns two variables that a condition makes equal or the same term.
func twoVariables(e sparql.Expr) (x, y sparql.Var, same bool) {
	c, ok := e.(sparql.Call)
	if !ok || len(c.Args) != 2 || c.Func != sparql.Equal && c.Func != "SAMETERM" {
		return "", "", false
	}
	a, _ := c.Args[0].(sparql.VarExpr)
	b, _ := c.Args[1].(sparql.VarExpr)
	if a.Var == "" || b.Var == "" || a.Var == b.Var {
		return "", "", false
	}
	return a.Var, b.Var, c.Func == "SAMETERM"
}

// isNode reports whether a variable is a literal in no solution.
func isNode(op sparql.Op, v sparql.Var) bool {
	left, right := sparql.Operands(op)
	switch op := op.(type) {
	case sparql.BGP:
		return slices.ContainsFunc(op.Patterns, func(p sparql.TriplePattern) bool { return p.Subject.Var == v || p.Predicate.Var == v })
	case sparql.Join:
		return isNode(left, v) || isNode(right, v)
	case sparql.LeftJoin, sparql.Minus, sparql.Filter:
		return isNode(left, v)
	}
	return false
}

// renamed returns the operator with one variable replaced by another.
func renamed(b sparql.BGP, from, to sparql.Var) sparql.BGP {
	return eachPart(b, func(o sparql.Operand) sparql.Operand {
		if o.Var == from {
			o.Var = to
		}
		return o
	})
}

// eachPart returns a pattern with f applied to each subject, predicate and object.
func eachPart(b sparql.BGP, f func(sparql.Operand) sparql.Operand) sparql.BGP {
	patterns := make([]sparql.TriplePattern, len(b.Patterns))
	for i, p := range b.Patterns {
		patterns[i] = sparql.TriplePattern{Subject: f(p.Subject), Predicate: f(p.Predicate), Object: f(p.Object)}
	}
	return sparql.BGP{Patterns: patterns}
}

// leadsTo reports whether triple patterns connect two variables.
func leadsTo(b sparql.BGP, x, y sparql.Var) bool {
	reached := map[sparql.Var]bool{x: true}
	for range b.Patterns {
		for _, p := range b.Patterns {
			vars := []sparql.Var{p.Subject.Var, p.Predicate.Var, p.Object.Var}
			if !slices.ContainsFunc(vars, func(v sparql.Var) bool { return v != "" && reached[v] }) {
				continue
			}
			for _, v := range vars {
				reached[v] = true
			}
		}
	}
	return reached[y]
}

// noString returns the condition that a term is not a string literal without a language.
func noString(v sparql.Var) sparql.Expr {
	datatype := sparql.Call{Func: "DATATYPE", Args: []sparql.Expr{sparql.VarExpr{Var: v}}}
	return sparql.Call{Func: sparql.NotEqual, Args: []sparql.Expr{datatype, sparql.TermExpr{Term: rdf.XSDString}}}
}
