package lower

import "trails/sparql"

// withoutTerm reports for each column whether no row of the dictionary is read beside its
// ids: it is computed, its ids carry the values, or the same few repeat and are remembered.
func (l *lowerer) withoutTerm(op sparql.Op, b *block, vars []sparql.Var) []bool {
	list := make([]bool, len(vars))
	for i, v := range vars {
		c, ok := b.cols.get(v)
		list[i] = c.computed || c.few || !ok
	}
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
