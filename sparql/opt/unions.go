package opt

import (
	"slices"

	"trails/sparql"
)

// unions takes the patterns that stand beside a UNION into its sides: { A { B } UNION { C } } becomes { A B } UNION {
// A C }. Each side can then begin with its most selective pattern, which may be in A. Otherwise the whole union is
// computed before it is joined.
//
// Join distributes over Union on multisets (section 18.5): a solution of the union comes from one side, and joins the
// same solutions there. Only patterns and inline data are moved, which have the same solutions each time, and only
// those that share a variable with the union.
func unions(op sparql.Op) sparql.Op {
	if !sparql.Has(op, isUnion) {
		return op
	}
	return (&opening{left: maxOpened}).in(op)
}

const (
	// maxSides bounds the sides that one join of unions becomes, each with a copy of all patterns. maxOpened bounds
	// the sides of a whole query, because unions inside a side are copied with it.
	maxSides  = 8
	maxOpened = 64
	// maxAlong bounds the triple patterns or rows of an operand that is copied into the sides.
	maxAlong = 20
)

// opening counts the sides that may still be made.
type opening struct{ left int }

func (o *opening) in(op sparql.Op) sparql.Op {
	if _, ok := op.(sparql.Join); !ok {
		return eachOperand(op, o.in)
	}
	list := merged(Joined(op))
	at := slices.IndexFunc(list, isUnion)
	if at < 0 {
		return eachOperand(op, o.in)
	}
	sides := sidesOf(list[at], nil)
	most := min(maxSides, o.left)
	var along, joined []sparql.Op // the operands that move into the sides, and those that are joined with the union
	for i, other := range list {
		near := i != at && len(sides) <= most && shareVariable(other, list[at])
		switch {
		case near && goesAlong(other):
			along = append(along, other)
		case near && isUnion(other) && len(sides)*len(sidesOf(other, nil)) <= most:
			sides = eachWithEach(sides, sidesOf(other, nil))
		default:
			joined = append(joined, other)
		}
	}
	if len(joined) < len(list) {
		o.left -= len(sides)
	}
	for i, side := range sides {
		sides[i] = joinOf(append(slices.Clone(along), side))
	}
	joined[slices.IndexFunc(joined, isUnion)] = unionOf(sides)
	for i := range joined {
		joined[i] = o.in(joined[i])
	}
	return joinOf(joined)
}

func isUnion(op sparql.Op) bool { _, ok := op.(sparql.Union); return ok }

// sidesOf lists the sides of nested unions.
func sidesOf(op sparql.Op, list []sparql.Op) []sparql.Op {
	if u, ok := op.(sparql.Union); ok {
		return sidesOf(u.Right, sidesOf(u.Left, list))
	}
	return append(list, op)
}

func unionOf(sides []sparql.Op) sparql.Op {
	op := sides[0]
	for _, next := range sides[1:] {
		op = sparql.Union{Left: op, Right: next}
	}
	return op
}

// eachWithEach joins each side of one union with each side of another.
func eachWithEach(a, b []sparql.Op) (list []sparql.Op) {
	for _, left := range a {
		for _, right := range b {
			list = append(list, sparql.Join{Left: left, Right: right})
		}
	}
	return list
}

// goesAlong reports whether an operand of a join is small enough to be copied into each side.
func goesAlong(op sparql.Op) bool {
	switch op := op.(type) {
	case sparql.BGP:
		return len(op.Patterns) <= maxAlong
	case sparql.PathPattern:
		return true
	case sparql.Table:
		return len(op.Rows) <= maxAlong
	}
	return false
}

func shareVariable(a, b sparql.Op) (shared bool) {
	naming{f: func(v sparql.Var) { shared = shared || v != "" && Mentions(b, v) }}.inOp(a)
	return shared
}
