package sparql

// Remote returns the name of the first SERVICE in the query, and whether there is one.
func (q *Query) Remote() (name Operand, ok bool) {
	ok = Has(q.Op, func(op Op) bool {
		s, is := op.(Service)
		if is {
			name = s.Name
		}
		return is
	})
	return name, ok
}
