package opt

import (
	"slices"

	"trails/sparql"
)

// filters moves conditions down to where their variables get their values: to the left of OPTIONAL and MINUS, to both
// sides of a union, below BIND, DISTINCT, ORDER BY and the projection of a subquery, below GROUP BY if they only use
// its keys, into GRAPH, and to the operand of a join that is more than patterns. What does not pass is then not
// joined, grouped and compared first, and a range of values becomes a range of an index. Beside patterns a condition
// stays: it is tested at each table there anyway.
//
// A condition moves only to an operator that binds all its variables in every solution: there they have the values
// that they have above, since a join merges compatible solutions (section 18.5) and the solution that EXISTS
// substitutes is compatible, too. So the condition is true for the same solutions, and one that is false or an error
// passes in neither place. It never goes to the right of OPTIONAL, which would keep the left side, below LIMIT, which
// would cut others, or into a group whose count it would change. A condition with EXISTS sees all variables around it
// and stays. So does a volatile condition, and one without variables.
func filters(op sparql.Op) sparql.Op {
	if !sparql.Has(op, isFilter) {
		return op
	}
	p := pushing{copies: maxCopies, moves: maxMoves}
	return p.all(op)
}

// maxCopies bounds the copies of a condition that unions of unions make. maxMoves bounds how often conditions move
// one level down, since that work grows with both conditions and levels.
const (
	maxCopies = 200
	maxMoves  = 2000
)

type pushing struct{ copies, moves int }

func (p *pushing) all(op sparql.Op) sparql.Op {
	f, ok := op.(sparql.Filter)
	if !ok {
		return eachOperand(op, p.all)
	}
	inner := f.Op
	var rest []sparql.Expr
	for _, e := range Conjuncts(f.Expr) {
		moved, ok := p.into(inner, e)
		if !ok {
			rest = append(rest, sparql.EachPattern(e, p.all))
			continue
		}
		inner = moved
	}
	return filtered(p.all(inner), rest...)
}

// into returns op with a condition moved inside. ok is false if the condition must stay outside.
func (p *pushing) into(op sparql.Op, e sparql.Expr) (sparql.Op, bool) {
	vars := varsOf(e)
	if p.moves--; p.moves < 0 || len(vars) == 0 || !isPure(e) || !bindsAll(op, vars) {
		return op, false
	}
	return p.below(op, e, vars)
}

func (p *pushing) below(op sparql.Op, e sparql.Expr, vars []sparql.Var) (sparql.Op, bool) {
	left, right := sparql.Operands(op)
	switch x := op.(type) {
	case sparql.Join:
		return p.belowJoin(x, e, vars)
	case sparql.Union:
		if p.copies--; p.copies < 0 {
			return op, false
		}
		return sparql.Union{Left: p.behind(left, e), Right: p.behind(right, e)}, true
	case sparql.Extend:
		if slices.Contains(vars, x.Var) {
			return op, false
		}
	case sparql.Graph:
		if !bindsAll(left, vars) || isFlat(left) {
			return op, false
		}
	case sparql.Filter:
		inner, ok := p.into(left, e)
		return sparql.WithOperands(op, inner, nil), ok
	case sparql.LeftJoin, sparql.Minus, sparql.Project, sparql.Group, sparql.OrderBy, sparql.Distinct, sparql.Reduced:
	default:
		return op, false
	}
	return sparql.WithOperands(op, p.behind(left, e), right), true
}

// behind returns op filtered by a condition, moved down as far as possible.
func (p *pushing) behind(op sparql.Op, e sparql.Expr) sparql.Op {
	if moved, ok := p.into(op, e); ok {
		return moved
	}
	return filtered(op, e)
}

func (p *pushing) belowJoin(op sparql.Join, e sparql.Expr, vars []sparql.Var) (sparql.Op, bool) {
	list := Joined(op)
	whole := func(operand sparql.Op) bool { return bindsAll(operand, vars) }
	if slices.ContainsFunc(list, func(operand sparql.Op) bool { return isFlat(operand) && whole(operand) }) {
		return op, false
	}
	at := slices.IndexFunc(list, whole)
	if at < 0 {
		return op, false
	}
	list[at] = p.behind(list[at], e)
	return joinOf(list), true
}

// isFlat reports whether an operator only reads tables.
func isFlat(op sparql.Op) bool {
	switch op.(type) {
	case sparql.BGP, sparql.PathPattern, sparql.Table:
		return true
	}
	return false
}
