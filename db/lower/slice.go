package lower

import (
	"slices"
	"strings"

	"trails/db/plan"
	"trails/sparql"
)

// numberVar counts the solutions of a graph.
const numberVar sparql.Var = "..number"

// sliceEach is LIMIT and OFFSET inside GRAPH with a variable, where they count in each graph.
func (l *lowerer) sliceEach(op sparql.Slice, s scope) *block {
	s.bound, s.ranges, s.spans, s.wanted = nil, nil, nil, ""
	b := l.lower(op.Op, s)
	if b.limit != "" {
		b = l.wrap(b)
	}
	numbered := l.rowNumbers(b, b.order, s)
	if b.distinct {
		first := l.firsts(numbered, b.cols.vars)
		numbered = l.rowNumbers(first, []string{first.cols.of[numberVar].sql}, s)
	}
	number := numbered.cols.of[numberVar].sql
	out := without(numbered, numberVar)
	out.where = []string{number + " > " + l.number(op.Offset)}
	out.node = l.node(plan.Slice, op, b.node)
	if op.Limit >= 0 {
		out.where = append(out.where, number+" <= "+l.number(op.Offset)+" + "+l.number(op.Limit))
	}
	return out
}

// rowNumbers is a table of the block's solutions, numbered in each graph.
func (l *lowerer) rowNumbers(b *block, order []string, s scope) *block {
	over := "PARTITION BY " + b.cols.of[s.graph.any].sql
	if len(order) > 0 {
		over += " ORDER BY " + strings.Join(order, ", ")
	}
	out := &block{from: b.from, where: b.where, cols: b.cols.clone()}
	out.cols.set(numberVar, column{sql: "row_number() OVER (" + over + ")"})
	return l.derived(out.render(l.fields(out, out.cols.vars)), &out.cols, b.rows)
}

// firsts is DISTINCT of numbered solutions: the first of equal ones.
func (l *lowerer) firsts(b *block, vars []sparql.Var) *block {
	by := make([]string, len(vars))
	for i, v := range vars {
		by[i] = b.cols.of[v].sql
	}
	out := &block{from: b.from, where: slices.Clone(b.where), cols: b.cols.clone()}
	out.cols.set(numberVar, column{sql: "min(" + b.cols.of[numberVar].sql + ")"})
	return l.derived(out.render(l.fields(out, out.cols.vars))+" GROUP BY "+strings.Join(by, ", "), &out.cols, b.rows)
}
