package sparql

import "strconv"

// finished renames the variables of blank nodes to .0, .1, … in the order of the algebra. Two texts that differ in
// blank node labels only then have the same algebra.
func (p *parser) finished(op Op) Op {
	if p.blocks.fresh == 0 && p.blocks.labels == nil {
		return op
	}
	if p.numbers.names == nil {
		p.numbers.names = map[Var]Var{}
	}
	return p.numbers.op(op)
}

// renumbering continues its numbers through the operations of an update, because their patterns cannot share a blank
// node.
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
