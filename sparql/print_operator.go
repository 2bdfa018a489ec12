package sparql

import "strconv"

// OperatorText writes an operator without its operands as SPARQL: a pattern, the expression of a filter, the keys of a
// group. Terms are abbreviated with prefixes, which may be nil. groups are those whose aggregates it may use.
func OperatorText(op Op, groups []Group, prefixes map[string]string) string {
	p := newPrinter(prefixes)
	for i := range groups {
		p.know(&groups[i])
	}
	switch op := op.(type) {
	case BGP:
		for _, t := range op.Patterns {
			p.write(p.operand(t.Subject), " ", p.verb(t.Predicate), " ", p.operand(t.Object), " ")
		}
	case PathPattern:
		p.write(p.operand(op.Subject), " ")
		p.path(op.Path, alternatives)
		p.write(" ", p.operand(op.Object))
	case LeftJoin:
		if op.Expr != nil {
			p.expr(op.Expr, lowest)
		}
	case Filter:
		p.expr(op.Expr, lowest)
	case Extend:
		p.expr(op.Expr, lowest)
		p.write(" AS ", p.operand(Operand{Var: op.Var}))
	case Table:
		if op.Of != nil {
			p.search(*op.Of)
			break
		}
		writeList(p, op.Vars, false, func(v Var) { p.write("?", string(v)) })
	case Group:
		p.grouped(op)
	case OrderBy:
		p.orderBy(op.Keys)
		return p.String()[len("\nORDER BY"):]
	case Slice:
		if op.Limit >= 0 {
			p.write("LIMIT ", strconv.FormatInt(op.Limit, 10), " ")
		}
		if op.Offset > 0 {
			p.write("OFFSET ", strconv.FormatInt(op.Offset, 10))
		}
	case Graph:
		p.write("GRAPH ", p.operand(op.Name))
	}
	return p.String()
}

// grouped writes the keys and the aggregates of a group.
func (p *printer) grouped(op Group) {
	for _, k := range op.Keys {
		p.groupKey(k)
	}
	for _, a := range op.Aggregates {
		p.write(" ")
		p.aggregate(a.Aggregate)
	}
}
