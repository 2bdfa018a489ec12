package sparql

import "strconv"

// finished gives a pattern's own variables their last names, .0, .1, …, in the order
// in which they stand in the algebra, whatever the text called them: two texts that
// differ in nothing else have one algebra.
func (p *parser) finished(op Op) Op {
	if p.blocks.fresh == 0 && p.blocks.labels == nil {
		return op
	}
	if p.numbers.names == nil {
		p.numbers.names = map[Var]Var{}
	}
	return p.numbers.op(op)
}

// renumbering goes on from one operation of an update to the next: their patterns
// cannot share a blank node, and so not a name.
type renumbering struct{ names map[Var]Var }

func (r *renumbering) name(v Var) Var {
	if v == "" || v[0] != '.' {
		return v
	}
	name, ok := r.names[v]
	if !ok {
		name = Var("." + strconv.Itoa(len(r.names)))
		r.names[v] = name
	}
	return name
}

func (r *renumbering) operand(o Operand) Operand { return Operand{r.name(o.Var), o.Term} }

func (r *renumbering) op(op Op) Op {
	op = EachOperand(eachEnd(op, r.operand), r.op, r.expr)
	if g, ok := op.(Group); ok {
		for i := range g.Aggregates { // of the copy
			g.Aggregates[i].Var = r.name(g.Aggregates[i].Var)
		}
	}
	return op
}

func (r *renumbering) expr(e Expr) Expr {
	return EachLeaf(e, func(leaf Expr) Expr {
		switch leaf := leaf.(type) {
		case VarExpr:
			return VarExpr{r.name(leaf.Var)}
		case Exists:
			return Exists{leaf.Not, r.op(leaf.Op)}
		default:
			return leaf
		}
	})
}
