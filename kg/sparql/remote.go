package sparql

// Remote returns the name of a SERVICE in the query, and whether there is one.
func (q *Query) Remote() (Operand, bool) { return remoteIn(q.Op) }

// Remote returns the name of a SERVICE in the update, and whether there is one.
func (u *Update) Remote() (Operand, bool) {
	for _, o := range u.Operations {
		if m, ok := o.(Modify); ok {
			if name, found := remoteIn(m.Where); found {
				return name, true
			}
		}
	}
	return Operand{}, false
}

// remoteIn looks through a pattern and the patterns of its expressions.
func remoteIn(op Op) (Operand, bool) {
	var found *Operand
	b := newBinder(nil)
	b.service = func(name Operand) {
		if found == nil {
			found = &name
		}
	}
	b.op(op)
	if found == nil {
		return Operand{}, false
	}
	return *found, true
}
