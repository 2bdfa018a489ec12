package lower

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"trails/db/plan"
	"trails/sparql"
)

// The tree of an explanation, see [Options.Explain]. Each block has the node of what it answers, and each table of a
// block a condition that counts its rows. These conditions are always true; they stand behind the conditions that the
// statement has without them, so that they see what these let through.

// node returns a new node over those of operands, nil unless the plan is explained.
func (l *lowerer) node(kind plan.Kind, of sparql.Op, operands ...*plan.Node) *plan.Node {
	if !l.opts.Explain {
		return nil
	}
	l.nodes++
	return &plan.Node{ID: l.nodes, Kind: kind, Of: of, Emitter: plan.SQL, Rows: -1, Children: operands}
}

// patternNode returns the node of a triple pattern or a path, with the constants in the place of slots.
func (l *lowerer) patternNode(kind plan.Kind, op sparql.Op, g graph) *plan.Node {
	n := l.node(kind, nil)
	if n == nil {
		return nil
	}
	switch op := op.(type) {
	case sparql.BGP:
		p := op.Patterns[0]
		n.Of = sparql.BGP{Patterns: []sparql.TriplePattern{{Subject: l.constant(p.Subject), Predicate: p.Predicate, Object: l.constant(p.Object)}}}
	case sparql.PathPattern:
		op.Subject, op.Object = l.constant(op.Subject), l.constant(op.Object)
		n.Of = op
	}
	n.Graph = g.name
	return n
}

// constant is the reverse of [lowerer.lifted].
func (l *lowerer) constant(o sparql.Operand) sparql.Operand {
	if slot, ok := o.Term.(Slot); ok {
		o.Term = l.opts.Lift[slot]
	}
	return o
}

// joinNode returns the node of a join; joins among its operands become one with it.
func (l *lowerer) joinNode(operands ...*plan.Node) *plan.Node {
	var list []*plan.Node
	for _, n := range operands {
		switch {
		case n == nil || n.Kind == plan.Unit:
		case n.Kind == plan.Join && n.Emitter == plan.SQL:
			list = append(list, n.Children...)
		default:
			list = append(list, n)
		}
	}
	if len(list) == 1 {
		return list[0]
	}
	return l.node(plan.Join, nil, list...)
}

// seen is the condition that counts a row at a node. SQLite tests it once it has the columns. It is "" without any.
func seen(n *plan.Node, columns ...string) string {
	if n == nil || len(columns) == 0 {
		return ""
	}
	n.Counted = true
	// Without the likelihood SQLite would take the condition to let fewer rows pass, and might plan differently.
	return fmt.Sprintf("likelihood(t_seen(%d, %s), 1.0)", n.ID, strings.Join(columns, ", "))
}

// lengthOf returns the length of a text without what counts, so that a plan that counts is like one that does not.
func lengthOf(sql string) int {
	length := len(sql)
	for {
		at := strings.Index(sql, " AND likelihood(t_seen(")
		if at < 0 {
			return length
		}
		const end = ", 1.0)"
		size := strings.Index(sql[at:], end) + len(end)
		length -= size
		sql = sql[at+size:]
	}
}

// and joins conditions that are not "".
func and(conditions ...string) string {
	return strings.Join(slices.DeleteFunc(conditions, func(c string) bool { return c == "" }), " AND ")
}

// takeSeen removes the counting conditions from the tables of a block, which may be changed, and returns them, for a
// place before conditions that follow.
func (b *block) takeSeen() string {
	var list []string
	b.from = slices.Clone(b.from)
	for i := range b.from {
		if it := &b.from[i]; !it.left {
			list = append(list, it.seen)
			it.seen = ""
		}
		list = append(list, b.from[i].joined)
		b.from[i].joined = ""
	}
	return and(list...)
}

// uncounted is a block whose rows are read again, or are no operator's: they do not count.
func (b *block) uncounted() *block {
	out := *b
	out.from = slices.Clone(b.from)
	for i := range out.from {
		out.from[i].seen, out.from[i].joined = "", ""
	}
	return &out
}

// last returns a column of the last table of a block, "" if none will do. A condition with it is tested for each row of
// the block, behind the conditions before it. It is "" also for a node n above an EXISTS, which SQLite may make a join
// behind all other tables.
func (b *block) last(n *plan.Node) string {
	if len(b.from) == 0 || n == nil || hasExists(n) {
		return ""
	}
	it := b.from[len(b.from)-1]
	if it.words != "" {
		return it.alias + ".kind"
	}
	return it.key
}

// hasExists reports whether an EXISTS is in a tree.
func hasExists(n *plan.Node) bool {
	return n != nil && (n.Kind == plan.Exists || slices.ContainsFunc(n.Children, hasExists))
}

// countJoin counts the rows of a join at its last table.
func (b *block) countJoin(n *plan.Node) {
	if key := b.last(n); key != "" && !n.Counted {
		b.from = slices.Clone(b.from)
		it := &b.from[len(b.from)-1]
		it.joined = and(it.joined, seen(n, key))
	}
}

// countTested counts the rows that are left by an EXISTS before it. SQLite tests conditions with subqueries last, so
// the condition has one, too.
func (b *block) countTested(n *plan.Node) string {
	if key := b.last(n); key != "" {
		return seen(n, "(SELECT "+key+")")
	}
	return ""
}

// countedColumn is a column of subqueries that SQLite does not merge into the statement around them, by which their
// rows are counted. The key of a table of triples is a column that no condition mentions, either: where one is equal to
// a constant, SQLite puts the constant in its place, and tests the condition without the table.
const countedColumn = "t_n"

// countDerived counts the rows of a block that is a subquery with a countedColumn.
func (b *block) countDerived() {
	it := &b.from[0]
	it.key = it.alias + "." + countedColumn
	it.seen = seen(b.node, it.key)
}

// explainFilter makes the node of a filter over that of a block, and adds to its conditions those that count what it
// lets through. EXISTS and NOT EXISTS that are conditions of their own have nodes of their own; tests is the number of
// nodes in l.tests before the filter.
func (l *lowerer) explainFilter(all []sparql.Expr, conditions []string, tests int, b *block) []string {
	var plain []sparql.Expr
	nested := false
	for _, e := range all {
		if _, ok := e.(sparql.Exists); !ok {
			plain = append(plain, e)
			nested = nested || sparql.HasPattern(e)
		}
	}
	list := append([]string{b.takeSeen()}, conditions...)
	if len(plain) > 0 {
		b.node = l.node(plan.Filter, sparql.Filter{Expr: conjunctionOf(plain)}, b.node)
		switch key := b.last(b.node); {
		case nested:
			list = append(list, b.countTested(b.node))
		case key != "":
			list = append(list, seen(b.node, key))
		}
	}
	for !nested && len(l.tests) > tests {
		list = append(list, b.countTested(l.tested(b).node))
	}
	return slices.DeleteFunc(list, func(c string) bool { return c == "" })
}

// conjunctionOf is the reverse of [opt.Conjuncts].
func conjunctionOf(list []sparql.Expr) sparql.Expr {
	all := list[0]
	for _, e := range list[1:] {
		all = sparql.Call{Func: sparql.And, Args: []sparql.Expr{all, e}}
	}
	return all
}

// estimate fills in the estimates of a tree. before is the number of rows for each of which it is evaluated.
func (l *lowerer) estimate(n *plan.Node, before float64) float64 {
	rows, fanOut := before, l.fanOuts[n]
	switch {
	case fanOut != nil && before >= 0:
		rows = before * fanOut()
	case n.Kind == plan.Pattern || n.Kind == plan.Path || n.Kind == plan.Values || n.Emitter == plan.Scan:
		rows = -1
	case n.Kind == plan.Join:
		for _, child := range n.Children {
			rows = l.estimate(child, rows)
		}
	case n.Kind == plan.Union:
		rows = 0
		for _, child := range n.Children {
			if of := l.estimate(child, before); of < 0 || rows < 0 {
				rows = -1
			} else {
				rows += of
			}
		}
	default:
		for i, child := range n.Children {
			if i == 0 {
				rows = l.estimate(child, before)
				continue
			}
			of := l.estimate(child, max(rows, 1))
			if n.Kind == plan.LeftJoin && rows >= 0 {
				rows = max(rows, of)
			}
		}
	}
	if s, ok := n.Of.(sparql.Slice); ok && n.Kind == plan.Slice && s.Limit >= 0 && rows >= 0 {
		rows = min(rows, float64(s.Limit))
	}
	if n.Kind == plan.Group || n.Kind == plan.Distinct {
		rows = -1 // nothing estimates how many rows are equal
	}
	if rows >= 0 && !math.IsInf(rows, 1) {
		n.Rows = rows
	}
	return rows
}

// boundBy notes the variables that the rows of a block bind.
func (b *block) boundBy() {
	if b.node == nil || b.node.Binds != nil {
		return
	}
	for _, v := range b.cols.vars {
		if !strings.HasPrefix(string(v), "..") {
			b.node.Binds = append(b.node.Binds, v)
		}
	}
}

// tree returns the node of a program over those of its steps and conditions. rows estimates its rows.
func (c *scanner) tree(kind plan.Kind, of sparql.Op, rows func() float64) *plan.Node {
	n := c.l.node(kind, of)
	if n == nil {
		return nil
	}
	n.Emitter, n.Choice = plan.Scan, c.choice
	if rows != nil {
		c.l.fanOuts[n] = rows
	}
	for i, s := range c.taken {
		kind, of := plan.Path, s.path
		if of == nil {
			kind, of = plan.Pattern, sparql.BGP{Patterns: []sparql.TriplePattern{s.pattern}}
		}
		step := c.l.patternNode(kind, of, c.s.graph)
		step.Emitter, step.Rows = plan.Scan, s.rows
		switch {
		case s.step.Optional:
			step.Kind = plan.LeftJoin
		case s.step.Closure != nil:
			step.Way = "whole relation"
		case i == 0:
			step.Way = "streamed"
		default:
			step.Way = "held"
		}
		c.l.steps[step.ID] = &c.program.Steps[i]
		n.Children = append(n.Children, step)
	}
	for _, of := range c.conditions {
		kind := plan.Filter
		if _, ok := of.(sparql.Extend); ok {
			kind = plan.Extend
		}
		condition := c.l.node(kind, of)
		condition.Emitter = plan.Scan
		n.Children = append(n.Children, condition)
	}
	for i, inner := range c.inner {
		kind := plan.Exists
		if c.program.Members[i].Not {
			kind = plan.NotExists
		}
		member := inner.tree(kind, nil, nil)
		n.Children = append(n.Children, member)
	}
	if c.partner != nil {
		n.Children = append(n.Children, c.partner.tree(plan.Join, nil, nil))
	}
	if len(c.sides) > 0 {
		union := c.l.node(plan.Union, nil)
		union.Emitter = plan.Scan
		for _, side := range c.sides {
			union.Children = append(union.Children, side.tree(plan.Join, nil, side.passing))
		}
		n.Children = append(n.Children, union)
	}
	return n
}
