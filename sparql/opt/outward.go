package opt

import (
	"slices"

	"trails/sparql"
)

// outward moves OPTIONAL, MINUS, BIND and FILTER behind a join, so that the patterns before and after them can be
// merged. In { ?s :p ?o OPTIONAL { … } ?s :q :a } the last pattern, which selects most, could otherwise not be read
// first.
//
// Join(LeftJoin(A, B, F), C) is LeftJoin(Join(A, C), B, F) when A surely binds each variable that C shares with B or
// F: then a solution of B is compatible with one of A exactly if it is compatible with the merged solution of A and
// C, and F has the same value for both. The same holds for Minus, because the merged solution shares the same
// variables with B; for Extend, when C does not name its variable; and for Filter. A volatile expression stays, and
// so does one with EXISTS, which sees every variable (section 18.6). A join with other operators than patterns and
// inline data stays, because OPTIONAL would be evaluated for more solutions.
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

// maxOutward bounds the operators that are moved out of one join, because each is compared with all others.
const maxOutward = 20

// opened splits an operand of a join into what remains in the join and a function that puts the rest around the join.
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

// mayBeJoined reports whether the operator always binds each variable that the other operands share with the part
// that is moved out.
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

// isPlain reports whether an operator is patterns and inline data, possibly below operators that can be moved out.
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
