package lower

import (
	"slices"

	"trails/db/scan"
	"trails/sparql"
)

// maxSides is how many sides a union has at most that a scan reads.
const maxSides = 16

// sidesOver returns the sides of a union, and what stands around it in each of them: {A} UNION {B} MINUS {C} has the
// sides A MINUS C and B MINUS C. These operators treat each solution of the union by itself (SPARQL 1.1, section 18.5).
// An OPTIONAL for which a scan has no step has two sides: the join, and the left solutions without a partner. In these
// a path without a step would match a term that is no node. The only side of another pattern is itself.
func sidesOver(op sparql.Op) (list []sparql.Op) {
	around := func(below sparql.Op, of func(side sparql.Op) sparql.Op) {
		for _, side := range sidesOver(below) {
			list = append(list, of(side))
		}
	}
	switch op := op.(type) {
	case sparql.Union:
		return append(sidesOver(op.Left), sidesOver(op.Right)...)
	case sparql.Filter:
		around(op.Op, func(side sparql.Op) sparql.Op { return sparql.Filter{Op: side, Expr: op.Expr} })
	case sparql.Extend:
		around(op.Op, func(side sparql.Op) sparql.Op { return sparql.Extend{Op: side, Var: op.Var, Expr: op.Expr} })
	case sparql.Minus:
		around(op.Left, func(side sparql.Op) sparql.Op { return sparql.Minus{Left: side, Right: op.Right} })
	case sparql.LeftJoin:
		sides := sidesOver(op.Left)
		for _, side := range sides {
			one := sparql.LeftJoin{Left: side, Right: op.Right, Expr: op.Expr}
			both, rest, ok := sidesOfOptional(one)
			if ok && len(sides) <= maxSides && !isStep(one) && !sparql.Has(op.Right, isPath) {
				list = append(list, both, rest)
			} else {
				list = append(list, one)
			}
		}
	default:
		return []sparql.Op{op}
	}
	return list
}

func isPath(op sparql.Op) bool { _, ok := op.(sparql.PathPattern); return ok }

// unite collects the sides of a union, of which only the answer is asked for.
func (c *scanner) unite(sides []sparql.Op) bool {
	for _, op := range sides {
		side := &scanner{l: c.l, s: c.s, own: c.own, answer: c.answer, whole: true}
		if !side.collect(op) || !side.close(c.answer...) {
			return false
		}
		one := scan.Side{Of: &side.program}
		for slot, v := range side.vars {
			if slices.Contains(c.answer, v) {
				side.program.Keys = append(side.program.Keys, slot)
				one.Slots = append(one.Slots, c.end(sparql.Operand{Var: v}).Slot)
			}
		}
		c.sides, c.program.Sides, c.walks = append(c.sides, side), append(c.program.Sides, one), c.walks || side.walks
	}
	for slot, v := range c.vars {
		c.known[slot] = c.knownOfSides(v, sides)
	}
	return true
}

// knownOfSides returns what the sides of a union know of the values of a variable.
func (c *scanner) knownOfSides(v sparql.Var, sides []sparql.Op) slotFacts {
	out := slotFacts{node: true, computed: true}
	var of []computedRegion
	for i, side := range c.sides {
		slot := slices.Index(side.vars, v)
		if slot < 0 {
			out.node, out.maybe = false, true
			continue
		}
		known := side.known[slot]
		out.node, out.maybe = out.node && known.node, out.maybe || known.maybe
		of = append(of, side.regionOf(sparql.VarExpr{Var: v}, sides[i]))
	}
	out.computedRegion = ofEither(of)
	out.total = !out.maybe && !slices.ContainsFunc(of, func(r computedRegion) bool { return !r.total })
	return out
}
