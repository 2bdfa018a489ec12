package sparql

// Remote returns the name of a SERVICE in the query, and whether there is one.
func (q *Query) Remote() (Operand, bool) {
	var found *Operand
	b := newBinder(nil)
	b.service = func(name Operand) {
		if found == nil {
			found = &name
		}
	}
	b.op(q.Op)
	if found == nil {
		return Operand{}, false
	}
	return *found, true
}
