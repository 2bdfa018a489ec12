package sparql

// NewJoin joins two patterns; the empty basic graph pattern is the unit
// (section 18.2.2.8).
func NewJoin(left, right Op) Op {
	switch {
	case isUnit(left):
		return right
	case isUnit(right):
		return left
	}
	return Join{left, right}
}

// isUnit reports whether op has one solution, without bindings.
func isUnit(op Op) bool {
	bgp, ok := op.(BGP)
	return ok && len(bgp.Patterns) == 0
}

// NewSlice returns op itself when offset and limit leave nothing out.
func NewSlice(op Op, offset, limit int64) Op {
	if offset <= 0 && limit < 0 {
		return op
	}
	return Slice{op, offset, limit}
}
