package lower

import (
	"math"
	"slices"
	"strings"

	"trails/db/plan"
	"trails/sparql"
	"trails/sparql/opt"
)

// exists is EXISTS as 1 or 0. It is evaluated for each solution or, if there are many, all are needed and it is
// cheaper, the solutions of its pattern are computed once.
func (l *lowerer) exists(e sparql.Exists, b *block, s scope) string {
	sql, each := l.member(e, b, s)
	if sql != "" {
		return sql
	}
	inner := each.block
	if inner == nil {
		inner = l.correlated(e, b, s)
	} else {
		l.made = each.made
	}
	l.testNode(e, inner)
	sql = inner.exists()
	if e.Not {
		return "(NOT " + sql + ")"
	}
	return sql
}

// testNode adds the node of an EXISTS for the operator in which it stands.
func (l *lowerer) testNode(e sparql.Exists, pattern *block) {
	kind := plan.Exists
	if e.Not {
		kind = plan.NotExists
	}
	if n := l.node(kind, nil, pattern.node); n != nil {
		l.tests = append(l.tests, n)
	}
}

// tested puts the node of the last EXISTS over that of the block that it restricts.
func (l *lowerer) tested(b *block) *block {
	if b.node != nil {
		last := len(l.tests) - 1
		n := l.tests[last]
		l.tests = l.tests[:last]
		n.Children = append([]*plan.Node{b.node}, n.Children...)
		b.node = n
	}
	return b
}

// correlated is the pattern of an EXISTS for one solution, with the columns of that solution where section 18.6
// substitutes values.
func (l *lowerer) correlated(e sparql.Exists, b *block, s scope) *block {
	outer := b.cols.clone()
	if s.outer != nil {
		for _, v := range s.outer.vars {
			if c, ok := l.column(v, b, s); ok {
				outer.set(v, c)
			}
		}
	}
	for v, c := range outer.of {
		c.tied = false
		outer.of[v] = c
	}
	inner := l.flatten(l.lower(e.Op, scope{graph: l.outerGraph(s.graph, b), outer: &outer}))
	where := inner.where[:len(inner.where):len(inner.where)]
	for _, v := range inner.cols.vars {
		c := inner.cols.of[v]
		if o, ok := outer.get(v); ok && !c.tied {
			where = append(where, same(c, o))
		}
	}
	return &block{from: inner.from, where: append(where, b.after(l.firstAsked(e.Op, b))...), node: inner.node}
}

// outerGraph returns the graph of an EXISTS: inside GRAPH ?g it is the graph of the solution.
func (l *lowerer) outerGraph(g graph, b *block) graph {
	if c, ok := b.cols.get(g.any); ok && g.any != "" {
		return graph{in: []string{c.sql}, named: true, virtual: g.virtual, name: g.name}
	}
	return g
}

// firstAsked returns the first table of a block behind which the variables of a pattern are bound; SQLite would
// evaluate it there.
func (l *lowerer) firstAsked(op sparql.Op, b *block) (place int) {
	for _, v := range b.cols.vars {
		if opt.Mentions(op, v) {
			place = max(place, b.behind(b.cols.of[v])-1)
		}
	}
	return place
}

// after returns conditions that delay others, which need only one table, to the position with the fewest solutions:
// they mention a column of the table there.
func (b *block) after(needed int) []string {
	place := b.cheapest(needed)
	if place == needed || !b.from[place].triples {
		return nil
	}
	g := b.from[place].alias + ".g"
	return []string{g + " IS " + g}
}

// collectable reports whether the solutions of a pattern are the same whatever is substituted, except for the keys:
// the variables that it shares with the solutions of a block. Both sides must bind all keys.
func (l *lowerer) collectable(op sparql.Op, b *block, s scope) (keys []sparql.Var, ok bool) {
	if l.opts.Stats == nil || s.outer != nil || s.graph.any != "" || len(s.graph.virtual) > 0 {
		return nil, false
	}
	pattern := op
	if f, ok := op.(sparql.Filter); ok {
		pattern = f.Op
		if !opt.IsClosed(f) {
			return nil, false
		}
	}
	group, ok := pattern.(sparql.BGP)
	if !ok {
		return nil, false
	}
	for _, p := range group.Patterns {
		for _, o := range [3]sparql.Operand{p.Subject, p.Predicate, p.Object} {
			c, shared := b.cols.get(o.Var)
			if o.Var == "" || !shared || slices.Contains(keys, o.Var) {
				continue
			}
			if c.maybe || c.computed {
				return nil, false
			}
			keys = append(keys, o.Var)
		}
	}
	return keys, len(keys) > 0
}

// lowered is a block that may be chosen, with what the lowering has made when it is.
type lowered struct {
	block *block
	made  made
}

// existsWays are the ways to evaluate an EXISTS: for each solution of a block, or by finding all solutions of its pattern
// once. The blocks are nil if the solutions are too few for a choice.
type existsWays struct {
	solutions float64 // number of solutions of the block where it is evaluated
	each, all lowered
	sorted    bool // all solutions are sorted by the key
}

// weigh lowers the pattern of an EXISTS in both ways, neither of which is chosen yet.
func (l *lowerer) weigh(e sparql.Exists, keys []sparql.Var, b *block, s scope) (a existsWays) {
	place := b.cheapest(l.firstAsked(e.Op, b))
	if place >= len(b.from) {
		return existsWays{}
	}
	a.solutions = b.rowsThrough()[place]
	if a.solutions < manyAsked {
		return a
	}
	start := l.made.apart()
	a.each = lowered{l.correlated(e, b, s), l.made}
	l.made = start
	alone := l.flatten(l.lower(e.Op, scope{graph: s.graph}))
	a.all = lowered{alone, l.made}
	l.made = start
	a.sorted = len(alone.from) == 1 && alone.cols.of[keys[0]].field == field{alone.from[0].alias, alone.from[0].sorted}
	return a
}

// asked, collected and subtracted return the costs of the three ways.
func (a existsWays) asked() float64 { return a.solutions * a.each.block.work() }
func (a existsWays) collected() float64 {
	return a.all.block.work() + a.all.block.rows()*insertCost + a.solutions*memberCost
}
func (a existsWays) subtracted() float64 {
	rows := a.all.block.rows()
	cost := a.all.block.work() + (rows+a.solutions)*mergeCost
	if !a.sorted {
		cost += rows * insertCost
	}
	return cost
}

// member is EXISTS as membership in the set of the pattern's keys, if that is cheaper; otherwise it is "", and the
// pattern for each solution, if it was lowered. The unary plus signs keep SQLite from looking up each member of the set
// in an index.
func (l *lowerer) member(e sparql.Exists, b *block, s scope) (sql string, each lowered) {
	keys, ok := l.collectable(e.Op, b, s)
	if !ok || !s.all {
		return "", lowered{}
	}
	a := l.weigh(e, keys, b, s)
	if a.solutions < manyAsked || a.collected() > clearly*a.asked() {
		return "", a.each
	}
	set := a.all.block
	l.made = a.all.made
	left, right := make([]string, len(keys)), make([]string, len(keys))
	for i, v := range keys {
		left[i], right[i] = "+"+b.cols.of[v].sql, set.cols.of[v].sql
	}
	in := " IN ("
	if e.Not {
		in = " NOT IN ("
	}
	l.testNode(e, set)
	return "((" + strings.Join(left, ", ") + ")" + in + set.render(strings.Join(right, ", ")) + "))", lowered{}
}

// subtract removes the solutions of a NOT EXISTS from the first table of a block, if that contains only the key,
// sorted: SQLite then compares two sorted lists. It reports whether it did.
func (l *lowerer) subtract(e sparql.Exists, b *block, s scope) bool {
	keys, ok := l.collectable(e.Op, b, s)
	if !ok || !s.all || !e.Not || len(keys) != 1 || len(b.from) == 0 || !b.from[0].single {
		return false
	}
	first, c := b.from[0], b.cols.of[keys[0]]
	if c.field.table != first.alias || b.cheapest(0) != 0 {
		return false
	}
	a := l.weigh(e, keys, b, s)
	if a.solutions < manyAsked || a.subtracted() > min(clearly*a.asked(), a.collected()) {
		return false
	}
	set := a.all.block
	l.made = a.all.made
	from := &block{from: []item{{table: first.table, alias: first.alias, hint: first.hint, seen: first.seen}}, where: first.alone}
	b.from[0].table = "(" + from.render(c.sql+" AS "+c.field.name) + " EXCEPT " + set.render(set.cols.of[keys[0]].sql) + " ORDER BY 1)"
	b.from[0].hint, b.from[0].alone, b.from[0].single, b.from[0].seen = "", nil, false, ""
	l.testNode(e, set)
	b.where = slices.DeleteFunc(b.where, func(c string) bool { return slices.Contains(first.alone, c) })
	return true
}

// led returns a filter as a join that begins with the solutions of one of its EXISTS, if these are so few that it is
// cheaper than evaluating that EXISTS for the solutions of the filtered basic graph pattern, b. Otherwise it returns nil.
// start is what had been made before b.
func (l *lowerer) led(op sparql.Filter, b *block, start made, s scope) *block {
	if s.bound != nil || s.behind || s.free || turn(op.Op) != turnOfPatterns {
		return nil
	}
	var first sparql.Op
	var rest []sparql.Expr
	least, all := math.Inf(1), opt.Conjuncts(op.Expr)
	for i, e := range all {
		x, ok := e.(sparql.Exists)
		if !ok || x.Not {
			continue
		}
		keys, ok := l.collectable(x.Op, b, s)
		if !ok || b.rows() < manyAsked {
			continue
		}
		after := l.made
		l.made = start.apart()
		alone := l.flatten(l.lower(x.Op, scope{graph: s.graph}))
		l.made = after
		each := float64(len(b.from)) * (seekCost + rowCost)
		asked := b.work() + b.rows()*(seekCost+rowCost)
		if s.first > 0 {
			asked *= min(1, s.first/max(1, min(alone.rows(), b.rows())))
		}
		if cost := alone.work() + alone.rows()*(insertCost+each); cost < least && cost < clearly*asked {
			least, rest = cost, slices.Concat(all[:i], all[i+1:])
			first = sparql.Distinct{Op: sparql.Project{Op: x.Op, Vars: keys}}
		}
	}
	if first == nil {
		return nil
	}
	l.made = start
	s.wanted, s.first = "", 0
	others := op.Op
	for _, e := range rest {
		others = sparql.Filter{Op: others, Expr: e}
	}
	return l.before(sparql.Join{Left: first, Right: others}, s)
}
