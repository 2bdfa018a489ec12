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
	switch op := op.(type) {
	case BGP:
		return r.bgp(op)
	case PathPattern:
		return PathPattern{r.operand(op.Subject), op.Path, r.operand(op.Object)}
	case Join:
		left := r.op(op.Left)
		return Join{left, r.op(op.Right)}
	case LeftJoin:
		left := r.op(op.Left)
		right := r.op(op.Right)
		return LeftJoin{left, right, r.expr(op.Expr)}
	case Filter:
		inner := r.op(op.Op)
		return Filter{r.expr(op.Expr), inner}
	case Union:
		left := r.op(op.Left)
		return Union{left, r.op(op.Right)}
	case Minus:
		left := r.op(op.Left)
		return Minus{left, r.op(op.Right)}
	case Graph:
		return Graph{op.Name, r.op(op.Op)}
	case Extend:
		inner := r.op(op.Op)
		return Extend{inner, op.Var, r.expr(op.Expr)}
	case Service:
		op.Op = r.op(op.Op)
		return op
	default:
		return r.modifier(op)
	}
}

func (r *renumbering) modifier(op Op) Op {
	switch op := op.(type) {
	case Group:
		return r.group(op)
	case OrderBy:
		inner := r.op(op.Op)
		keys := make([]OrderKey, len(op.Keys))
		for i, k := range op.Keys {
			keys[i] = OrderKey{r.expr(k.Expr), k.Descending}
		}
		return OrderBy{inner, keys}
	case Project:
		return Project{r.op(op.Op), op.Vars}
	case Distinct:
		return Distinct{r.op(op.Op)}
	case Reduced:
		return Reduced{r.op(op.Op)}
	case Slice:
		return Slice{r.op(op.Op), op.Offset, op.Limit}
	default:
		return op
	}
}

func (r *renumbering) bgp(op BGP) Op {
	if op.Patterns == nil {
		return op
	}
	patterns := make([]TriplePattern, len(op.Patterns))
	for i, t := range op.Patterns {
		patterns[i] = TriplePattern{r.operand(t.Subject), t.Predicate, r.operand(t.Object)}
	}
	return BGP{patterns}
}

func (r *renumbering) group(op Group) Op {
	out := Group{Op: r.op(op.Op)}
	for _, k := range op.Keys {
		out.Keys = append(out.Keys, GroupKey{r.expr(k.Expr), k.Var})
	}
	for _, a := range op.Aggregates {
		a.Aggregate.Expr = r.expr(a.Aggregate.Expr)
		out.Aggregates = append(out.Aggregates, Aggregation{r.name(a.Var), a.Aggregate})
	}
	return out
}

func (r *renumbering) expr(e Expr) Expr {
	if e == nil {
		return nil
	}
	return mapLeaves(e, func(leaf Expr) Expr {
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
