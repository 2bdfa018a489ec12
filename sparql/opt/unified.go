package opt

import (
	"slices"

	"trails/rdf"
	"trails/sparql"
)

// unified puts one variable in the place of two that a condition holds to be equal: patterns
// that only a condition connects, as in ?a :name ?n . ?b :name ?m FILTER(?n = ?m), are joined
// then; each pair would be tested otherwise. The other variable is bound to the first behind
// the pattern.
//
// Where one of the two is no literal, because it is the subject or the predicate of a triple,
// = is that both are the same term (section 17.4.1.7), as sameTerm always is. Two literals that
// are different terms may be equal as well, as 1 and 1.0 are, but not when one is a string
// without a language: so the solutions are those with one term that equals itself, as NaN does
// not, and those of two terms that are no such strings.
//
// On the right of OPTIONAL that is sound where the left side binds the one and does not name
// the other. Inside EXISTS, where a solution outside may bind either, conditions stay.
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

// maxUnified bounds how often a pattern becomes two.
const maxUnified = 2

func isLeftJoin(op sparql.Op) bool { _, ok := op.(sparql.LeftJoin); return ok }

// eachPlain is eachOperand without the patterns in expressions.
func eachPlain(op sparql.Op, f func(sparql.Op) sparql.Op) sparql.Op {
	return sparql.EachOperand(op, f, func(e sparql.Expr) sparql.Expr { return e })
}

// unifiedIn is a pattern behind conditions.
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

// unifiedRight is OPTIONAL with a pattern and a condition.
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

// twoVariables recognizes that two variables are to be equal, or the same term.
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

// isNode reports whether a variable has no literal in any solution.
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

// renamed has another variable in the place of one.
func renamed(b sparql.BGP, from, to sparql.Var) sparql.BGP {
	return eachPart(b, func(o sparql.Operand) sparql.Operand {
		if o.Var == from {
			o.Var = to
		}
		return o
	})
}

// eachPart is a pattern with f of each subject, predicate and object.
func eachPart(b sparql.BGP, f func(sparql.Operand) sparql.Operand) sparql.BGP {
	patterns := make([]sparql.TriplePattern, len(b.Patterns))
	for i, p := range b.Patterns {
		patterns[i] = sparql.TriplePattern{Subject: f(p.Subject), Predicate: f(p.Predicate), Object: f(p.Object)}
	}
	return sparql.BGP{Patterns: patterns}
}

// leadsTo reports whether triple patterns lead from one variable to another.
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

// noString is true of literals but strings without a language.
func noString(v sparql.Var) sparql.Expr {
	datatype := sparql.Call{Func: "DATATYPE", Args: []sparql.Expr{sparql.VarExpr{Var: v}}}
	return sparql.Call{Func: sparql.NotEqual, Args: []sparql.Expr{datatype, sparql.TermExpr{Term: rdf.XSDString}}}
}
