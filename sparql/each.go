package sparql

import "slices"

// Operands returns the operands of an operator, nil for those that it does not have.
func Operands(o Op) (left, right Op) {
	switch o := o.(type) {
	case Join:
		return o.Left, o.Right
	case LeftJoin:
		return o.Left, o.Right
	case Union:
		return o.Left, o.Right
	case Minus:
		return o.Left, o.Right
	case Filter:
		return o.Op, nil
	case Graph:
		return o.Op, nil
	case Extend:
		return o.Op, nil
	case Service:
		return o.Op, nil
	case Group:
		return o.Op, nil
	case OrderBy:
		return o.Op, nil
	case Project:
		return o.Op, nil
	case Distinct:
		return o.Op, nil
	case Reduced:
		return o.Op, nil
	case Slice:
		return o.Op, nil
	}
	return nil, nil
}

// EachOperand returns a copy of the operator: op is applied to each operand, and then expr, unless it is nil, to each
// expression, in the order of the fields.
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

// WithOperands returns the operator with other operands, as [Operands] lists them.
func WithOperands(o Op, left, right Op) Op {
	next := left
	operand := func(Op) Op { op := next; next = right; return op }
	return EachOperand(o, operand, func(e Expr) Expr { return e })
}

// Exprs calls f with each expression of an operator, except for nil ones.
func Exprs(o Op, f func(Expr)) {
	switch o := o.(type) {
	case LeftJoin:
		f(o.Expr)
	case Filter:
		f(o.Expr)
	case Extend:
		f(o.Expr)
	case Group:
		for _, k := range o.Keys {
			f(k.Expr)
		}
		for _, a := range o.Aggregates {
			f(a.Aggregate.Expr)
		}
	case OrderBy:
		for _, k := range o.Keys {
			f(k.Expr)
		}
	}
}

// Has reports whether match holds for an operator or one below it, including those in patterns of EXISTS. Outer
// operators are asked first.
func Has(o Op, match func(Op) bool) bool {
	if o == nil || match(o) {
		return o != nil
	}
	left, right := Operands(o)
	found := Has(left, match) || Has(right, match)
	Exprs(o, func(e Expr) {
		found = found || Some(e, func(e Expr) bool { x, ok := e.(Exists); return ok && Has(x.Op, match) })
	})
	return found
}

// HasPattern reports whether an expression contains EXISTS.
func HasPattern(e Expr) bool {
	return Some(e, func(e Expr) bool { _, ok := e.(Exists); return ok })
}

// IsVolatile reports whether an expression can have another value each time that it is evaluated.
func IsVolatile(e Expr) bool {
	return Some(e, func(e Expr) bool {
		c, ok := e.(Call)
		return ok && (c.Func == "RAND" || c.Func == "UUID" || c.Func == "STRUUID" || c.Func == "BNODE")
	})
}

// Some reports whether match holds for an expression or a part of it. It does not look into patterns of EXISTS.
func Some(e Expr, match func(Expr) bool) bool {
	if e == nil || match(e) {
		return e != nil
	}
	part := func(e Expr) bool { return Some(e, match) }
	switch e := e.(type) {
	case Call:
		return slices.ContainsFunc(e.Args, part)
	case Cast:
		return slices.ContainsFunc(e.Args, part)
	case Aggregate:
		return part(e.Expr)
	}
	return false
}

// eachEnd returns a copy of the operator with f applied to the subjects, predicates and objects of its patterns, to the
// names of GRAPH and SERVICE, and to both sides of a search.
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
	case Search:
		return Search{eachOperand(o.Found, f), eachOperand(o.Given, f)}
	}
	return o
}

func eachOperand(list []Operand, f func(Operand) Operand) []Operand {
	out := make([]Operand, len(list))
	for i, o := range list {
		out[i] = f(o)
	}
	return out
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

// EachPattern returns a copy of the expression with f applied to each pattern of EXISTS.
func EachPattern(e Expr, f func(Op) Op) Expr {
	if !HasPattern(e) {
		return e
	}
	return EachLeaf(e, func(leaf Expr) Expr {
		if x, ok := leaf.(Exists); ok {
			return Exists{x.Not, f(x.Op)}
		}
		return leaf
	})
}

// EachLeaf returns a copy of the expression with f applied to each leaf: variables, constants, aggregates and
// patterns. A nil expression stays nil.
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
