package sparql

import "slices"

// Unbound returns the variables that the query uses in an expression, in SELECT or in its template but that no
// pattern binds: they have a value only if the caller gives one. Variables that only BOUND or COALESCE tests are left
// out. The order is that of first use.
func (q *Query) Unbound() []Var {
	u := uses{bound: map[Var]bool{}}
	u.op(q.Op)
	u.all(q.Vars)
	for _, t := range q.Template {
		u.all([]Var{t.Subject.Var, t.Predicate.Var, t.Object.Var})
	}
	return u.unbound()
}

// Unbound is [Query.Unbound] for updates. Each operation is checked by itself.
func (u *Update) Unbound() []Var {
	var all []Var
	for _, o := range u.Operations {
		m, ok := o.(Modify)
		if !ok {
			continue
		}
		one := uses{bound: map[Var]bool{}}
		one.op(m.Where)
		for _, p := range slices.Concat(m.Delete, m.Insert) {
			one.all([]Var{p.Graph.Var, p.Subject.Var, p.Predicate.Var, p.Object.Var})
		}
		for _, v := range one.unbound() {
			if !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
	}
	return all
}

// uses collects the variables that patterns bind and those that are used.
type uses struct {
	bound map[Var]bool
	used  []Var
}

func (u *uses) unbound() []Var {
	var out []Var
	for _, v := range u.used {
		if !u.bound[v] && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// all records variables as used, except those of blank nodes.
func (u *uses) all(vars []Var) {
	for _, v := range vars {
		if v != "" && v[0] != '.' {
			u.used = append(u.used, v)
		}
	}
}

func (u *uses) op(op Op) Op {
	if op == nil {
		return nil
	}
	eachEnd(op, func(o Operand) Operand { u.bound[o.Var] = true; return o })
	switch op := op.(type) {
	case Table:
		for _, v := range op.Vars {
			u.bound[v] = true
		}
	case Extend:
		u.bound[op.Var] = true
	case Group:
		for _, k := range op.Keys {
			u.bound[k.Var] = true
		}
		for _, a := range op.Aggregates {
			u.expr(a.Aggregate.Expr)
		}
	case Project:
		u.all(op.Vars)
	}
	return EachOperand(op, u.op, u.expr)
}

func (u *uses) expr(e Expr) Expr {
	Some(e, func(part Expr) bool {
		if c, ok := part.(Call); ok && (c.Func == Bound || c.Func == Coalesce) {
			for _, arg := range c.Args {
				if v, ok := arg.(VarExpr); ok {
					u.bound[v.Var] = true
				}
			}
		}
		return false
	})
	return EachLeaf(e, func(leaf Expr) Expr {
		switch leaf := leaf.(type) {
		case VarExpr:
			u.all([]Var{leaf.Var})
		case Exists:
			u.op(leaf.Op)
		}
		return leaf
	})
}
