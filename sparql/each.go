package sparql

// EachOperand returns the operator with op of each of its operands and expr of each of
// its expressions, which may be nil: operands first, both in the order of the fields.
// Nothing of the operator that is given changes.
func EachOperand(o Op, op func(Op) Op, expr func(Expr) Expr) Op {
	switch o := o.(type) {
	case Join:
		left := op(o.Left)
		return Join{left, op(o.Right)}
	case LeftJoin:
		left := op(o.Left)
		right := op(o.Right)
		return LeftJoin{left, right, expr(o.Expr)}
	case Filter:
		inner := op(o.Op)
		return Filter{expr(o.Expr), inner}
	case Union:
		left := op(o.Left)
		return Union{left, op(o.Right)}
	case Minus:
		left := op(o.Left)
		return Minus{left, op(o.Right)}
	case Graph:
		return Graph{o.Name, op(o.Op)}
	case Extend:
		inner := op(o.Op)
		return Extend{inner, o.Var, expr(o.Expr)}
	case Service:
		o.Op = op(o.Op)
		return o
	case Group:
		out := Group{Op: op(o.Op)}
		for _, k := range o.Keys {
			out.Keys = append(out.Keys, GroupKey{expr(k.Expr), k.Var})
		}
		for _, a := range o.Aggregates {
			a.Aggregate.Expr = expr(a.Aggregate.Expr)
			out.Aggregates = append(out.Aggregates, a)
		}
		return out
	case OrderBy:
		inner := op(o.Op)
		keys := make([]OrderKey, len(o.Keys))
		for i, k := range o.Keys {
			keys[i] = OrderKey{expr(k.Expr), k.Descending, k.Stored}
		}
		return OrderBy{inner, keys}
	case Project:
		return Project{op(o.Op), o.Vars}
	case Distinct:
		return Distinct{op(o.Op)}
	case Reduced:
		return Reduced{op(o.Op)}
	case Slice:
		return Slice{op(o.Op), o.Offset, o.Limit}
	}
	return o
}

// eachEnd returns the operator with f of what stands in the positions of its own
// patterns: subjects, predicates, objects, and the names of GRAPH and SERVICE.
func eachEnd(o Op, f func(Operand) Operand) Op {
	switch o := o.(type) {
	case BGP:
		return BGP{eachTriple(o.Patterns, f)}
	case PathPattern:
		return PathPattern{f(o.Subject), o.Path, f(o.Object)}
	case Graph:
		return Graph{f(o.Name), o.Op}
	case Service:
		o.Name = f(o.Name)
		return o
	}
	return o
}

func eachTriple(patterns []TriplePattern, f func(Operand) Operand) []TriplePattern {
	if patterns == nil {
		return nil
	}
	out := make([]TriplePattern, len(patterns))
	for i, t := range patterns {
		out[i] = t.each(f)
	}
	return out
}

func (t TriplePattern) each(f func(Operand) Operand) TriplePattern {
	return TriplePattern{f(t.Subject), f(t.Predicate), f(t.Object)}
}

// eachPattern replaces the patterns of EXISTS in an expression.
func eachPattern(e Expr, f func(Op) Op) Expr {
	return EachLeaf(e, func(leaf Expr) Expr {
		if x, ok := leaf.(Exists); ok {
			return Exists{x.Not, f(x.Op)}
		}
		return leaf
	})
}

// EachLeaf replaces what stands at the ends of an expression: variables, constants,
// aggregates and patterns. A nil expression stays nil.
func EachLeaf(e Expr, f func(Expr) Expr) Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case Call:
		return Call{e.Func, eachArg(e.Args, f)}
	case Cast:
		return Cast{e.IRI, eachArg(e.Args, f)}
	default:
		return f(e)
	}
}

func eachArg(args []Expr, f func(Expr) Expr) []Expr {
	if args == nil {
		return nil
	}
	out := make([]Expr, len(args))
	for i, a := range args {
		out[i] = EachLeaf(a, f)
	}
	return out
}
