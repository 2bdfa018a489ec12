package lower

import (
	"fmt"
	"math"
	"strings"

	"trails/db/plan"
	"trails/rdf"
	"trails/sparql"
)

// maxFormula is the length of a computed column's text from which it is put into a subquery, because each use of the
// column repeats it.
const maxFormula = 1000

// extend is BIND.
func (l *lowerer) extend(op sparql.Extend, s scope) *block {
	b := l.flatten(l.before(op.Op, s))
	if labels(op.Expr) {
		b = l.numbered(b)
	}
	if t, ok := op.Expr.(sparql.TermExpr); ok {
		out := &block{from: b.from, where: b.where, cols: b.cols.clone(), node: l.node(plan.Extend, op, b.node)}
		out.cols.set(op.Var, column{sql: l.term(l.lifted(sparql.Operand{Term: t.Term}).Term), computed: true, node: isIRI(t.Term)})
		return out
	}
	out := b.growing()
	c := l.valueColumn("t_eval", op.Expr, out, s)
	out.grown()
	if v, ok := op.Expr.(sparql.VarExpr); !ok || !strings.HasPrefix(string(v.Var), ".") { // an aggregate is in its group
		out.node = l.node(plan.Extend, op, b.node)
	}
	c.maybe, c.computed = true, true
	if v, ok := op.Expr.(sparql.VarExpr); ok {
		if source, ok := b.cols.get(v.Var); ok {
			c.maybe, c.computed, c.listed = source.maybe, source.computed, source.listed
		}
	}
	out.cols.set(op.Var, c)
	if sparql.IsVolatile(op.Expr) || lengthOf(c.sql) > maxFormula {
		out.materialized = true
		return l.wrap(out)
	}
	return out
}

// rowVar holds a different number for each solution: within one solution BNODE gives the same node for a label in all
// expressions.
const rowVar sparql.Var = "..row"

func (l *lowerer) numbered(b *block) *block {
	if _, ok := b.cols.get(rowVar); ok {
		return b
	}
	out := &block{from: b.from, where: b.where, cols: b.cols.clone(), node: b.node, materialized: true}
	out.cols.set(rowVar, column{sql: "t_row()"})
	return l.wrap(out)
}

// table is VALUES.
func (l *lowerer) table(op sparql.Table, s scope) *block {
	t, also := l.alias(), ""
	if l.opts.Explain {
		also = ", key AS " + countedColumn
	}
	b := &block{from: []item{{table: "(" + l.rows(op.Rows, len(op.Vars), also) + ")", alias: t, inline: true, fanOut: func() float64 { return float64(len(op.Rows)) }}}}
	for i, v := range op.Vars {
		c := field{t, fmt.Sprintf("column%d", i+1)}.column()
		c.tied = true
		for _, row := range op.Rows {
			c.maybe = c.maybe || row[i] == nil
		}
		if outer, ok := s.outer.get(v); ok {
			b.where = append(b.where, same(c, outer))
		}
		b.cols.set(v, c)
	}
	kind := plan.Values
	if op.Of != nil {
		kind = plan.Search
	}
	if n := l.node(kind, op); n != nil {
		l.fanOuts[n] = b.from[0].fanOut
		b.node = n
		b.countDerived()
	}
	if s.graph.any != "" {
		return l.merge(b, l.graphsOnly(s))
	}
	return b
}

// rows is a table of inline data, passed as one argument whatever its size: SQLite needs quadratic time for a VALUES
// of placeholders. The LIMIT keeps it a subquery, of which SQLite can make an index.
func (l *lowerer) rows(rows [][]rdf.Term, width int, also string) string {
	fields := []string{"1"}
	if width == 1 {
		fields[0] = "CAST(value AS INTEGER) AS column1"
	}
	for i := 0; width > 1 && i < width; i++ {
		fields = append(fields[:i], fmt.Sprintf("CAST(value ->> %d AS INTEGER) AS column%d", i, i+1))
	}
	if rows == nil {
		rows = [][]rdf.Term{}
	}
	return "SELECT " + strings.Join(fields, ", ") + also + " FROM json_each(" + l.arg(Arg{Rows: rows}) + ") LIMIT -1"
}

// limited in scope.wanted marks that a LIMIT is above, until the ORDER BY below it.
const limited sparql.Var = "..limited"

// project drops the columns that are out of scope, but keeps that of the active graph.
func (l *lowerer) project(op sparql.Project, s scope) *block {
	inner := s
	if s.outer != nil {
		inner.outer = &columns{}
		for _, v := range op.Vars {
			if c, ok := s.outer.get(v); ok {
				inner.outer.set(v, c)
			}
		}
	}
	inner.ranges, inner.spans, inner.bound = nil, nil, nil
	b := l.lower(op.Op, inner)
	if b.distinct || b.limit != "" {
		b = l.wrap(b)
	}
	out := *b
	out.cols = columns{}
	vars := op.Vars
	if s.graph.any != "" {
		vars = append(vars[:len(vars):len(vars)], s.graph.any)
	}
	for _, v := range vars {
		if c, ok := b.cols.get(v); ok {
			out.cols.set(v, c)
		}
	}
	return &out
}

func (l *lowerer) distinct(op sparql.Op, s scope) *block {
	if b := l.jump(op, s); b != nil {
		return b
	}
	s.bound, s.ranges, s.spans, s.wanted = nil, nil, nil, ""
	if b := l.scanDistinct(op, s); b != nil {
		return b
	}
	b := l.scannedSides(op, s)
	if b == nil {
		b = l.lower(op, s)
	}
	if b.limit != "" {
		b = l.wrap(b)
	}
	if sides := l.sidesOf(b); sides != nil {
		out := l.derived(strings.Join(sides, " UNION "), &b.cols, b.rows)
		out.from[0].sides, out.from[0].width, out.from[0].distinct = sides, len(b.cols.vars), true
		out.node = l.node(plan.Distinct, nil, b.node)
		return out
	}
	out := *b
	out.distinct = true
	out.node = l.node(plan.Distinct, nil, b.node)
	return &out
}

// scannedSides lowers DISTINCT of a union with sides that are scans: each of these gets its own DISTINCT. It returns
// nil for other operators.
func (l *lowerer) scannedSides(op sparql.Op, s scope) *block {
	project, _ := op.(sparql.Project)
	union, ok := project.Op.(sparql.Union)
	if !ok {
		return nil
	}
	list, found := unitedBy(union, nil), false
	sides := make([]*block, len(list))
	for i, side := range list {
		sides[i] = l.scanDistinct(sparql.Project{Op: side, Vars: project.Vars}, s)
		found = found || sides[i] != nil
	}
	if !found {
		return nil
	}
	for i, side := range list {
		if sides[i] == nil {
			sides[i] = l.flatten(l.lower(sparql.Project{Op: side, Vars: project.Vars}, s))
		}
	}
	return l.unite(sides...)
}

// slice is LIMIT and OFFSET.
func (l *lowerer) slice(op sparql.Slice, s scope) *block {
	if s.graph.any != "" {
		return l.sliceEach(op, s)
	}
	s.bound, s.ranges, s.spans, s.wanted, s.all, s.first = nil, nil, nil, "", false, 0
	if op.Limit >= 0 {
		s.wanted, s.first = limited, math.Ldexp(1, magnitude(sparql.Rows(op.Limit)))+math.Ldexp(1, magnitude(sparql.Rows(op.Offset)))
	}
	s.top = nil
	below := op.Op
	if p, ok := below.(sparql.Project); ok {
		below = p.Op
	}
	if _, ok := below.(sparql.OrderBy); ok && op.Limit >= 0 {
		s.top = &op
	}
	b := l.lower(op.Op, s)
	if b.limit != "" {
		b = l.wrap(b)
	}
	out := *b
	out.node = l.node(plan.Slice, op, b.node)
	out.limit = " LIMIT " + l.count(max(op.Limit, -1)) + " + 0"
	if op.Offset > 0 {
		out.limit += " OFFSET " + l.count(op.Offset)
	}
	return &out
}

// count is the argument of LIMIT or OFFSET; queries of one shape may have different ones.
func (l *lowerer) count(n int64) string {
	if slot, ok := l.slots[sparql.Rows(n)]; ok {
		return l.term(slot)
	}
	return l.number(n)
}
