package lower

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trails/db/plan"
	"trails/rdf"
	"trails/sparql"
)

// group is GROUP BY with its aggregates, as a subquery.
func (l *lowerer) group(op sparql.Group, s scope) *block {
	having := s.ranges
	var order []sparql.OrderKey
	if slices.ContainsFunc(op.Aggregates, func(a sparql.Aggregation) bool { return a.Aggregate.Func == sparql.GroupConcat }) {
		op.Op, order = orderBelow(op.Op)
	}
	s.bound, s.ranges, s.spans, s.wanted, s.all, s.first = nil, nil, nil, "", true, 0
	c, b := l.better(op.Op, s.atOnce(), usedBy(op), func(c *scanner) bool { return c.group(op) }, groupCost, sortedCost)
	var choice *plan.Choice
	switch {
	case c != nil:
		return c.grouped(op, having)
	case b == nil:
		b = l.flatten(l.lower(op.Op, s))
	case b.node != nil: // it was made for the group
		choice, b.node.Choice = b.node.Choice, nil
	}
	l.work = b.work()
	b = l.withOuter(b, s).growing()
	out := &block{where: b.where}
	var by []string
	for _, k := range op.Keys {
		sql := l.value(k.Expr, b, s)
		by = append(by, sql)
		v := k.Var
		if v == "" {
			continue
		}
		c := column{sql: sql, maybe: true}
		if key, ok := k.Expr.(sparql.VarExpr); ok {
			if source, ok := b.cols.get(key.Var); ok {
				c.maybe = source.maybe
			}
		}
		out.cols.set(v, c)
	}
	if g := s.graph.any; g != "" {
		c, _ := b.cols.get(g)
		by = append(by, c.sql)
		out.cols.set(g, c)
	}
	for _, a := range op.Aggregates {
		c := l.aggregate(a.Aggregate, op.Op, order, b, s)
		if empty := ofEmptyGroup[a.Aggregate.Func]; len(by) == 0 && empty != nil {
			c.sql = "COALESCE(" + c.sql + ", CASE count(*) WHEN 0 THEN " + l.term(empty) + " END)"
		}
		out.cols.set(a.Var, c)
	}
	out.from = b.grown().from
	fields := l.fields(out, out.cols.vars)
	counts := l.opts.Explain && s.graph.any == ""
	if counts {
		fields += ", 1 AS " + countedColumn
	}
	sql := out.render(fields)
	if len(by) > 0 {
		sql += " GROUP BY " + strings.Join(by, ", ")
	}
	if s.graph.any != "" && len(op.Keys) == 0 {
		sql += " UNION ALL " + l.emptyGraphs(op, out, b, s)
	}
	cols := out.cols.clone()
	for v, c := range cols.of {
		c.tied = false
		cols.of[v] = c
	}
	grouped := l.derived(sql, &cols, nil)
	if grouped.node = l.node(plan.Group, op, b.node); grouped.node != nil {
		grouped.node.Choice = choice
	}
	if counts {
		grouped.countDerived()
	}
	return grouped
}

// withOuter copies columns of the outer solution into the block, because SQL assigns an aggregate with only outer
// columns to the outer statement.
func (l *lowerer) withOuter(b *block, s scope) *block {
	if s.outer == nil {
		return b
	}
	out := &block{from: b.from, where: b.where, cols: b.cols.clone(), node: b.node}
	for _, v := range s.outer.vars {
		if _, inside := b.cols.get(v); !inside {
			out.cols.set(v, s.outer.of[v])
		}
	}
	return l.wrap(out)
}

// emptyGraphs adds the group without solutions for each graph that has none.
func (l *lowerer) emptyGraphs(op sparql.Group, out, b *block, s scope) string {
	empty := l.graphsOnly(s)
	g := empty.cols.of[s.graph.any]
	probe := &block{from: b.uncounted().from, where: append(b.where[:len(b.where):len(b.where)], b.cols.of[s.graph.any].sql+" = "+g.sql)}
	empty.where = append(empty.where, "NOT EXISTS ("+probe.render("1")+")")
	for _, a := range op.Aggregates {
		if t := ofEmptyGroup[a.Aggregate.Func]; t != nil {
			empty.cols.set(a.Var, column{sql: l.term(t)})
		}
	}
	return empty.render(l.fields(empty, out.cols.vars))
}

// ofEmptyGroup is the value of each aggregate over an empty group (section 18.5.1), where it
// has one. SQLite does not call a function of aggregates for an empty group.
var ofEmptyGroup = map[sparql.AggregateFunc]rdf.Term{
	sparql.Count: zeroTerm, sparql.Sum: zeroTerm, sparql.Avg: zeroTerm,
	sparql.GroupConcat: rdf.Literal("", rdf.XSDString),
}

// aggregate uses SQL where ids suffice: for counts, and for MIN and MAX in one region. GROUP_CONCAT takes its values
// in order, if there is one.
func (l *lowerer) aggregate(a sparql.Aggregate, below sparql.Op, order []sparql.OrderKey, b *block, s scope) column {
	if a.Expr == nil && !a.Distinct {
		return column{sql: l.term(zeroTerm) + " + count(*)"}
	}
	if a.Expr == nil {
		return l.aggregateInGo(a, l.rowOf(b, s))
	}
	ids := func() string { return l.value(a.Expr, b, s) }
	v, _ := a.Expr.(sparql.VarExpr)
	region := Region("")
	if v.Var != "" {
		region = l.regionOf(below, v.Var, s)
	}
	switch {
	case a.Func == sparql.Count && a.Distinct:
		return column{sql: l.term(zeroTerm) + " + count(DISTINCT " + ids() + ")"}
	case a.Func == sparql.Count:
		return column{sql: l.term(zeroTerm) + " + count(" + ids() + ")"}
	case a.Func == sparql.Min && region != "":
		return column{sql: "min(" + ids() + ")", maybe: true}
	case a.Func == sparql.Max && region != "":
		return column{sql: "max(" + ids() + ")", maybe: true}
	case a.Func == sparql.Sample:
		return column{sql: "min(" + ids() + ")", maybe: true}
	case sums[a.Func] != "" && zeros[region] != nil && !a.Distinct:
		return column{sql: l.sum(a.Func, region, ids())}
	}
	value := l.valueBy("t_show", a.Expr, b, s)
	if c, ok := l.column(v.Var, b, s); ok && v.Var != "" && region == "" {
		value, _ = l.asTerm(c, b)
	}
	if a.Func == sparql.GroupConcat {
		value += l.inOrder(order, b, s)
	}
	return l.aggregateInGo(a, []string{value})
}

// sums are the functions that make a number from a sum and a count.
var sums = map[sparql.AggregateFunc]string{sparql.Sum: "t_sum", sparql.Avg: "t_avg"}

// zeros are the first ids of the value 0, in the regions in which the distance from it is proportional to the value.
var zeros = map[Region]rdf.Term{
	Region(rdf.XSDInteger): zeroTerm, Region(rdf.XSDDecimal): rdf.Literal("0.0", rdf.XSDDecimal),
}

// sum adds ids in two halves, which cannot overflow, and counts them.
func (l *lowerer) sum(f sparql.AggregateFunc, r Region, value string) string {
	scale, distance := 0, "("+value+" - "+l.term(zeros[r])+")"
	if r == Region(rdf.XSDDecimal) {
		scale, distance = 6, "("+distance+" >> 1)"
	}
	return fmt.Sprintf("%s(%d, sum(%s >> 24), sum(%s & 16777215), count(*))", sums[f], scale, distance, distance)
}

// rowOf lists the columns of a solution, for COUNT(DISTINCT *).
func (l *lowerer) rowOf(b *block, s scope) (list []string) {
	for _, v := range b.cols.vars {
		if v != s.graph.any && !strings.HasPrefix(string(v), ".") {
			list = append(list, b.cols.of[v].sql)
		}
	}
	return list
}

// inOrder is the ORDER BY of an aggregate's arguments for the order of a subquery, see [orderBelow]; "" if there is
// none.
func (l *lowerer) inOrder(order []sparql.OrderKey, b *block, s scope) string {
	var by []string
	for _, k := range order {
		for _, sql := range l.sortKeys(k.Expr, k.Stored, b, s) {
			by = append(by, sql+direction(k))
		}
	}
	if by == nil {
		return ""
	}
	return " ORDER BY " + strings.Join(by, ", ")
}

func (l *lowerer) aggregateInGo(a sparql.Aggregate, values []string) column {
	if len(values) > maxCallVars {
		l.fail("an aggregate has more than %d variables", maxCallVars)
	}
	l.aggregates = append(l.aggregates, a)
	args := slices.Concat([]string{strconv.Itoa(len(l.aggregates) - 1)}, values)
	return column{sql: "t_agg(" + strings.Join(args, ", ") + ")", maybe: true}
}
