package opt

import (
	"slices"

	"trails/sparql"
)

// outward takes OPTIONAL, MINUS, BIND and FILTER out of a join: they come behind it, and
// the patterns before and after them can become one. In { ?s :p ?o OPTIONAL { … } ?s :q
// :a } the pattern that selects would otherwise have to be chosen apart from the first.
//
// Join(LeftJoin(A, B, F), C) is LeftJoin(Join(A, C), B, F) when A surely binds each
// variable that C shares with B or F: then a solution of B fits one of A when it fits the
// two of A and C, and F is true of both. The same holds for Minus, whose solutions share
// with B what those of A share; for Extend, when C does not name its variable; and for
// Filter. An expression that has another value each time, or a pattern, which sees every
// variable (section 18.6), stays. So does a join with more than patterns and inline data:
// what is optional would be asked about more of them.
func outward(op sparql.Op) sparql.Op {
	if !sparql.Has(op, func(op sparql.Op) bool { _, ok := op.(sparql.Join); return ok }) {
		return op
	}
	return joinsOpened(op)
}

func joinsOpened(op sparql.Op) sparql.Op {
	if _, ok := op.(sparql.Join); !ok {
		return eachOperand(op, joinsOpened)
	}
	list := Joined(op)
	var around []func(sparql.Op) sparql.Op
	for i := 0; i < len(list) && len(around) < maxOutward; {
		inner, wrap, ok := opened(list, i)
		if !ok {
			i++
			continue
		}
		around = append(around, wrap)
		list = slices.Concat(list[:i], Joined(inner), list[i+1:])
	}
	for i := range list {
		list[i] = joinsOpened(list[i])
	}
	out := joinOf(list)
	for _, wrap := range slices.Backward(around) {
		out = wrap(out)
	}
	return out
}

// maxOutward bounds what is taken out of one join: each is held against all others.
const maxOutward = 20

// opened is the operand that is joined in the place of one, and what stands around the
// join then.
func opened(list []sparql.Op, i int) (inner sparql.Op, wrap func(sparql.Op) sparql.Op, ok bool) {
	op := list[i]
	inner, right := sparql.Operands(op)
	behind := right
	var e sparql.Expr
	switch op := op.(type) {
	case sparql.LeftJoin, sparql.Minus, sparql.Filter:
	case sparql.Extend:
		behind = sparql.Table{Vars: []sparql.Var{op.Var}}
	default:
		return nil, nil, false
	}
	sparql.Exprs(op, func(of sparql.Expr) { e = of })
	wrap = func(join sparql.Op) sparql.Op {
		if right != nil {
			right = joinsOpened(right)
		}
		return sparql.WithOperands(op, join, right)
	}
	return inner, wrap, (e == nil || isPure(e)) && isPlain(inner) && mayBeJoined(list, i, inner, behind, e)
}

// mayBeJoined reports whether all that others name of what is left behind is bound.
func mayBeJoined(list []sparql.Op, i int, inner, right sparql.Op, e sparql.Expr) bool {
	behind := map[sparql.Var]bool{}
	note := naming{f: func(v sparql.Var) { behind[v] = true }}
	if right != nil {
		note.inOp(right)
	}
	if e != nil {
		note.inExpr(e)
	}
	delete(behind, "")
	fits := true
	for j, other := range list {
		if j == i {
			continue
		}
		naming{f: func(v sparql.Var) { fits = fits && (!behind[v] || binds(inner, v)) }}.inOp(other)
		if !fits || !isPlain(other) {
			return false
		}
	}
	return true
}

// isPlain reports whether an operator is patterns and inline data, and what stands
// around them.
func isPlain(op sparql.Op) bool {
	left, right := sparql.Operands(op)
	switch op.(type) {
	case sparql.BGP, sparql.Table:
		return true
	case sparql.Join:
		return isPlain(left) && isPlain(right)
	case sparql.LeftJoin, sparql.Minus, sparql.Extend, sparql.Filter:
		return isPlain(left)
	}
	return false
}
