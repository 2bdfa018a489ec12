package sparql

// Remote returns the name of a SERVICE in the query, and whether there is one.
func (q *Query) Remote() (name Operand, ok bool) {
	var visit func(Op) Op
	inside := func(e Expr) Expr { return eachPattern(e, visit) }
	visit = func(op Op) Op {
		EachOperand(op, visit, inside)
		if s, is := op.(Service); is && !ok {
			name, ok = s.Name, true
		}
		return op
	}
	visit(q.Op)
	return name, ok
}
