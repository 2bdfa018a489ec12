package sparql

// WithValues returns a copy of the query with a table joined to its pattern, as VALUES at the beginning of WHERE
// would do.
func (q *Query) WithValues(t Table) *Query {
	out := *q
	out.Op = withValues(q.Op, t)
	return &out
}

// WithValues is [Query.WithValues] for the WHERE of every operation that has one.
func (u *Update) WithValues(t Table) *Update {
	out := *u
	out.Operations = make([]Operation, len(u.Operations))
	for i, o := range u.Operations {
		if m, ok := o.(Modify); ok && m.Where != nil {
			m.Where = withValues(m.Where, t)
			o = m
		}
		out.Operations[i] = o
	}
	return &out
}

// withValues descends to the first pattern of the outermost group: below the solution modifiers, and into the left
// side of joins.
func withValues(op Op, t Table) Op {
	switch op.(type) {
	case Slice, Distinct, Reduced, Project, OrderBy, Group, Filter, Extend, LeftJoin, Minus:
		left, right := Operands(op)
		return WithOperands(op, withValues(left, t), right)
	}
	return NewJoin(t, op)
}
