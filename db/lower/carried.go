package lower

import "trails/sparql"

// withoutTerm says of columns that no row of a table has their terms: they are
// formulas, or their ids carry the values.
func (l *lowerer) withoutTerm(op sparql.Op, b *block, vars []sparql.Var) []bool {
	list := b.computedOf(vars)
	if !l.opts.Dataset.IsZero() {
		return list
	}
	pattern, s := unmodified(op), scope{graph: graph{in: []string{storedDefault}}}
	for i, v := range vars {
		list[i] = list[i] || l.regionOf(pattern, v, s) != ""
	}
	return list
}

// unmodified is what solution modifiers stand around, which change no value.
func unmodified(op sparql.Op) sparql.Op {
	switch op := op.(type) {
	case sparql.Slice:
		return unmodified(op.Op)
	case sparql.Project:
		return unmodified(op.Op)
	case sparql.Distinct:
		return unmodified(op.Op)
	case sparql.Reduced:
		return unmodified(op.Op)
	case sparql.OrderBy:
		return unmodified(op.Op)
	}
	return op
}
