package lower

import (
	"math"
	"slices"
	"sort"
	"strings"

	"trails/db/plan"
	"trails/sparql"
	"trails/sparql/opt"
)

// join joins all operands of nested joins, in an order of its own choice.
func (l *lowerer) join(op sparql.Join, s scope) *block {
	operands := opt.Joined(op)
	sort.SliceStable(operands, func(i, j int) bool { return turn(operands[i]) < turn(operands[j]) })
	operands = aloneLast(l.between(operands, s))
	var b *block
	for _, operand := range operands {
		inner := s
		if b != nil {
			inner.bound = &known{block: b, more: s.bound}
			inner.wanted, inner.behind = "", true
		}
		next := l.flatten(l.lower(operand, inner))
		if b == nil {
			b = next
		} else {
			b = l.merge(b, next)
		}
	}
	if len(operands) > 1 {
		b.countJoin(b.node)
	}
	return b
}

// The ranks of subqueries, of basic graph patterns, and of paths without a given end.
const (
	turnOfSubqueries = 2
	turnOfPatterns   = 3
	turnOfPaths      = 5
)

// turn ranks the operands of a join: first those with few solutions and those that cannot use the values of others,
// then patterns, which can, then paths without a given end.
func turn(op sparql.Op) int {
	switch op := op.(type) {
	case sparql.Table:
		return 0
	case sparql.PathPattern:
		if op.Subject.Var != "" && op.Object.Var != "" {
			return turnOfPaths
		}
		return 1
	case sparql.Group, sparql.Slice, sparql.Distinct:
		return turnOfSubqueries
	case sparql.BGP:
		return turnOfPatterns
	case sparql.Filter, sparql.Extend:
		left, _ := sparql.Operands(op)
		return turn(left)
	}
	return 4
}

// aloneLast places subqueries that share no variable with another operand behind all others. Each of their solutions goes
// with each one of the others, which would be found again for each of them; a subquery that comes later is kept.
func aloneLast(operands []sparql.Op) []sparql.Op {
	var first, last []sparql.Op
	for i, op := range operands {
		alone := turn(op) == turnOfSubqueries
		if alone {
			opt.EachVar(op, func(v sparql.Var) {
				for k, other := range operands {
					alone = alone && (k == i || v == "" || !opt.Mentions(other, v))
				}
			})
		}
		if alone {
			last = append(last, op)
		} else {
			first = append(first, op)
		}
	}
	return append(first, last...)
}

// between places operands that connect two parts of a basic graph pattern (which share no variable) between these
// parts. ?p ex:livesIn ?city . ?c a ex:Continent, with ?city ex:partOf+ ?c, begins with the smaller part and follows
// the path to the other one. Behind both, the path would be tested for each pair. And ?a ex:name ?n . ?g ex:source
// ?s, with GRAPH ?g { ?a ex:knows ?b }, goes from the graphs to the names, not through all pairs. Operands are sorted
// by turn.
func (l *lowerer) between(operands []sparql.Op, s scope) []sparql.Op {
	at := slices.IndexFunc(operands, func(op sparql.Op) bool { return turn(op) == turnOfPatterns })
	if at < 0 || at == len(operands)-1 {
		return operands
	}
	patterns, ok := operands[at].(sparql.BGP)
	if !ok {
		return operands
	}
	parts := l.parts(patterns, s)
	if len(parts) == 1 && turn(operands[at+1]) != turnOfPaths {
		return operands
	}
	out, rest := slices.Clone(operands[:at]), append(parts, operands[at+1:]...)
	vars := map[sparql.Var]bool{}
	learn := func(v sparql.Var) { vars[v] = true }
	for _, op := range out {
		opt.EachVar(op, learn)
	}
	known := func(o sparql.Operand) bool {
		return o.Var != "" && (vars[o.Var] || s.binds(o.Var))
	}
	hangs := func(p sparql.TriplePattern) bool { return known(p.Subject) || known(p.Predicate) || known(p.Object) }
	for len(rest) > 0 {
		next, first := 0, 5
		for i, op := range rest {
			place := 4 // a path without a given end, or one that nothing leads to
			switch op := op.(type) {
			case sparql.BGP:
				if place = 3; slices.ContainsFunc(op.Patterns, hangs) {
					place = 1
				}
			case sparql.PathPattern:
				if from, to := known(op.Subject), known(op.Object); from && to {
					place = 0 // only a test
				} else if from || to {
					place = 2
				}
			default:
				opt.EachVar(op, func(v sparql.Var) {
					if known(sparql.Operand{Var: v}) {
						place = 2
					}
				})
			}
			if place < first {
				next, first = i, place
			}
		}
		opt.EachVar(rest[next], learn)
		out, rest = append(out, rest[next]), slices.Delete(rest, next, next+1)
	}
	return out
}

// parts splits a basic graph pattern into parts that are connected by variables, the smallest first.
func (l *lowerer) parts(op sparql.BGP, s scope) (list []sparql.Op) {
	part := make([]int, len(op.Patterns)) // a number shared by the patterns of one part
	first := map[sparql.Var]int{}
	for i, p := range op.Patterns {
		part[i] = i
		for _, o := range [...]sparql.Operand{p.Subject, p.Predicate, p.Object} {
			j, seen := first[o.Var]
			switch {
			case o.Var == "":
			case !seen:
				first[o.Var] = i
			default:
				for k, other := range part[:i+1] {
					if other == part[i] {
						part[k] = part[j]
					}
				}
			}
		}
	}
	for i := range part {
		var of sparql.BGP
		for k, p := range op.Patterns {
			if part[k] == i {
				of.Patterns = append(of.Patterns, p)
			}
		}
		if len(of.Patterns) > 0 {
			list = append(list, of)
		}
	}
	if len(list) == 1 {
		return list
	}
	rows := func(part sparql.Op) float64 {
		least := math.Inf(1)
		for _, p := range part.(sparql.BGP).Patterns {
			p.Subject, p.Object = l.lifted(p.Subject), l.lifted(p.Object)
			least = min(least, l.matches(p, s))
		}
		return least
	}
	sort.SliceStable(list, func(i, j int) bool { return rows(list[i]) < rows(list[j]) })
	return list
}

// merge joins two blocks.
func (l *lowerer) merge(a, b *block) *block {
	if a.tables()+b.tables() > maxTables {
		a, b = l.wrap(a.apart()), l.wrap(b.apart())
	}
	out := &block{from: slices.Concat(a.from, b.from), where: slices.Concat(a.where, b.where), cols: a.cols.clone(), node: l.joinNode(a.node, b.node)}
	out.where = append(out.where, shared(a, b)...)
	for _, v := range b.cols.vars {
		out.cols.set(v, joined(a, b, v))
	}
	return out
}

// shared lists the conditions for compatible solutions of two blocks.
func shared(a, b *block) (list []string) {
	for _, v := range b.cols.vars {
		if c, ok := a.cols.get(v); ok && v != rowVar {
			list = append(list, same(c, b.cols.of[v]))
		}
	}
	return list
}

// joined is the column of a variable of b in the join with a.
func joined(a, b *block, v sparql.Var) column {
	right := b.cols.of[v]
	left, ok := a.cols.get(v)
	switch {
	case !ok:
		return right
	case !left.maybe:
		return left
	case !right.maybe:
		return right
	}
	return column{sql: "COALESCE(" + left.sql + ", " + right.sql + ")", maybe: true, computed: true, tied: left.tied && right.tied}
}

// maxLateral bounds how many optional joins repeat their left side. maxRetries bounds how many right sides are
// lowered twice, because each nested one doubles the work.
const (
	maxLateral = 2
	maxRetries = 200
)

// leftJoin is OPTIONAL. With one table it is a LEFT JOIN. SQLite would evaluate a right side of several tables
// without using the left side first; so that becomes the union of the join and of the left solutions without a
// partner.
func (l *lowerer) leftJoin(op sparql.LeftJoin, s scope) *block {
	if b := l.scannedOptional(op, s); b != nil {
		return b
	}
	a := l.narrow(l.flatten(l.before(op.Left, s)))
	inner := s
	inner.bound, inner.wanted, inner.ranges, inner.spans, inner.behind = &known{block: a, more: s.bound, beside: true}, "", nil, nil, true
	if l.retries < maxRetries {
		mark := l.made
		b := l.lower(op.Right, inner)
		if b.flat() && len(b.from) == 1 && !b.computed() {
			return l.outerJoin(a, b, op.Expr, s)
		}
		if b.flat() && len(b.from) > 0 && l.laterals < maxLateral && a.tables()+b.tables() < maxTables {
			l.laterals++
			return l.lateral(a, b, op.Expr, s)
		}
		l.retries++
		l.made = mark
	}
	inner.bound, inner.free = nil, false
	return l.outerJoin(a, l.wrap(l.lower(op.Right, inner)), op.Expr, s)
}

// scannedOptional lowers an OPTIONAL for which a scan has no step as the union of the join and of the left solutions
// without a partner, if a scan can do one of these; otherwise it returns nil.
func (l *lowerer) scannedOptional(op sparql.LeftJoin, s scope) *block {
	both, rest, ok := sidesOfOptional(op)
	// In an EXISTS a path without a step matches the substituted term itself, in a join only nodes of the graph.
	fits := ok && l.scans(s) && l.scanner(both, s, nil, func(c *scanner) bool { return !c.walks }) != nil
	if !fits {
		return nil
	}
	start := l.made
	sides := []*block{l.flatten(l.lower(both, s)), l.flatten(l.lower(rest, s))}
	if len(l.programs) == len(start.programs) {
		l.made = start
		return nil
	}
	return l.unite(sides...)
}

// sidesOfOptional returns the join of an OPTIONAL and the left solutions without a partner, the union of which it is if
// its condition has only variables of the right side.
func sidesOfOptional(op sparql.LeftJoin) (both, rest sparql.Op, ok bool) {
	right := op.Right
	if op.Expr != nil {
		f := sparql.Filter{Expr: op.Expr, Op: right}
		if !opt.IsClosed(f) {
			return nil, nil, false
		}
		right = f
	}
	return sparql.Join{Left: op.Left, Right: right}, sparql.Filter{Expr: sparql.Exists{Not: true, Op: right}, Op: op.Left}, true
}

func (b *block) computed() bool {
	for _, c := range b.cols.of {
		if c.computed {
			return true
		}
	}
	return false
}

// outerJoin adds to a a LEFT JOIN with a block of one table.
func (l *lowerer) outerJoin(a, b *block, e sparql.Expr, s scope) *block {
	if len(a.from) == 0 {
		a.from = []item{{table: "(SELECT 1)", alias: l.alias()}}
	}
	on := append(shared(a, b), b.where...)
	joins := make([]column, len(b.cols.vars))
	for i, v := range b.cols.vars {
		c := b.cols.of[v]
		left, ok := a.cols.get(v)
		switch {
		case !ok:
			c.maybe = true
		case left.maybe:
			c = column{sql: "COALESCE(" + left.sql + ", " + c.sql + ")", maybe: true, computed: true}
		default:
			c = left
		}
		joins[i] = c
	}
	if e != nil {
		for _, v := range b.cols.vars {
			a.cols.set(v, joined(a, b, v))
		}
		on = append(on, l.conditions(opt.Conjuncts(e), nil, &block{cols: a.cols}, s)...)
	}
	for i, v := range b.cols.vars {
		a.cols.set(v, joins[i])
	}
	right := b.from[0]
	a.node = l.node(plan.LeftJoin, sparql.LeftJoin{Expr: e}, a.node, b.node)
	added := item{table: right.table, alias: right.alias, hint: right.hint, left: true, on: on, fanOut: right.fanOut, seen: and(right.seen, right.joined), key: right.key}
	if right.key != "" && !hasExists(a.node) {
		added.joined = seen(a.node, right.key)
	}
	a.from = append(a.from, added)
	return a
}

// lateral is a left join as a union of the join and the rest.
func (l *lowerer) lateral(a, b *block, e sparql.Expr, s scope) *block {
	both := l.merge(a, b)
	var conditions []string
	if e != nil {
		conditions = l.conditions(opt.Conjuncts(e), nil, both, s)
	}
	both.where = append(both.where, conditions...)
	rest := &block{from: a.from, where: slices.Clone(a.where), cols: a.cols}
	probe := &block{from: b.from, where: slices.Concat(shared(a, b), b.where, conditions)}
	n := l.node(plan.LeftJoin, sparql.LeftJoin{Expr: e}, a.node, b.node)
	rest.where = append(rest.where, "NOT "+probe.exists())
	if n != nil && both.last(n) != "" && rest.last(n) != "" {
		both.countJoin(n)
		rest.where = append(rest.where, rest.countTested(n))
	}
	out := l.unite(both, rest)
	if out.node = n; n != nil {
		n.Way = "the left side is read twice"
	}
	return out
}

// maxBranches bounds the joins that SQLite makes from unions within one join: it plans one for each combination of
// their sides.
const maxBranches = 64

// apart finishes a union of n sides; with a limit it stays a subquery.
func (l *lowerer) apart(sides int) string {
	if l.branches > 1 && l.branches*sides > maxBranches {
		return " LIMIT -1"
	}
	l.branches = max(1, l.branches) * sides
	return ""
}

// maxUnited is how many SELECTs a UNION has at most; SQLite allows 500.
const maxUnited = 400

// union is UNION; nested unions become one.
func (l *lowerer) union(op sparql.Union, s scope) *block {
	s.free = s.free || s.bound != nil
	s.wanted = ""
	var sides []*block
	for _, side := range unitedBy(op, nil) {
		sides = append(sides, l.flatten(l.lower(side, s)))
	}
	return l.unite(sides...)
}

func unitedBy(op sparql.Op, list []sparql.Op) []sparql.Op {
	if u, ok := op.(sparql.Union); ok {
		return unitedBy(u.Right, unitedBy(u.Left, list))
	}
	return append(list, op)
}

func (l *lowerer) unite(sides ...*block) *block {
	switch {
	case len(sides) == 1:
		return sides[0]
	case len(sides) > maxUnited:
		return l.unite(append([]*block{l.unite(sides[:maxUnited]...)}, sides[maxUnited:]...)...)
	}
	var cols columns
	for _, side := range sides {
		for _, v := range side.cols.vars {
			if _, ok := cols.get(v); !ok {
				cols.set(v, united(sides, v))
			}
		}
	}
	// The first side names the columns. The others have only what is needed; if each named all variables, the text
	// would grow with the product of sides and variables.
	selects := make([]string, len(sides))
	selects[0] = sides[0].render(l.fields(sides[0], cols.vars))
	for i, side := range sides[1:] {
		fields := make([]string, max(1, len(cols.vars)))
		fields[0] = "1"
		for j, v := range cols.vars {
			c, ok := side.cols.get(v)
			switch {
			case ok:
				fields[j] = c.sql
			case len(sides) > maxBranches:
				fields[j] = "NULL"
			default:
				fields[j] = unbound
			}
		}
		selects[i+1] = side.render(strings.Join(fields, ", "))
	}
	rows := func() (sum float64) {
		for _, side := range sides {
			sum += side.rows()
		}
		return sum
	}
	apart := l.apart(len(sides))
	out := l.derived(strings.Join(selects, " UNION ALL ")+apart, &cols, rows)
	if apart == "" {
		out.from[0].sides, out.from[0].width = selects, len(cols.vars)
	}
	if l.opts.Explain {
		nodes := make([]*plan.Node, len(sides))
		for i, side := range sides {
			nodes[i] = side.node
		}
		out.node = l.node(plan.Union, nil, nodes...)
	}
	return out
}

// sidesOf returns the sides of the union that the block is, with all its columns and no others; nil if it is not a
// union.
func (l *lowerer) sidesOf(b *block) []string {
	if len(b.from) != 1 || len(b.where) > 0 || len(b.order) > 0 || !b.flat() || len(b.cols.vars) != b.from[0].width {
		return nil
	}
	for _, v := range b.cols.vars {
		if b.cols.of[v].field.name != l.name(v) {
			return nil
		}
	}
	return b.from[0].sides
}

// united is the column of a variable in a union: what holds in all sides.
func united(sides []*block, v sparql.Var) column {
	all := column{tied: true, node: true}
	for _, side := range sides {
		c, ok := side.cols.get(v)
		all.maybe = all.maybe || !ok || c.maybe
		all.tied = all.tied && (!ok || c.tied)
		all.node = all.node && (!ok || c.node)
	}
	return all
}

// minus is MINUS (section 18.5): solutions that share no variable stay.
func (l *lowerer) minus(op sparql.Minus, s scope) *block {
	a := l.flatten(l.before(op.Left, s))
	// If all shared variables are bound on both sides, MINUS is the same as NOT EXISTS.
	x := sparql.Exists{Not: true, Op: op.Right}
	if l.subtract(x, a, s) {
		return l.subtracted(a)
	}
	if sql, _ := l.member(x, a, s); sql != "" {
		a.where = append(a.where, sql)
		return l.subtracted(a)
	}
	inner := s
	inner.bound, inner.wanted, inner.ranges, inner.spans = &known{block: a, more: s.bound, beside: true}, "", nil, nil
	b := l.flatten(l.lower(op.Right, inner))
	overlap, sure := "", false
	for _, v := range b.cols.vars {
		left, ok := a.cols.get(v)
		if !ok || strings.HasPrefix(string(v), "..") {
			continue
		}
		right := b.cols.of[v]
		sure = sure || !left.maybe && !right.maybe
		if overlap != "" {
			overlap += " OR "
		}
		overlap += left.sql + " = " + right.sql
	}
	if overlap == "" {
		return a
	}
	a.node = l.node(plan.Minus, nil, a.node, b.node)
	if sql, ok := notAmong(a, b); ok {
		a.where = append(a.where, sql)
		return a.tested()
	}
	probe := &block{from: b.from, where: slices.Concat(shared(a, b), b.where)}
	if !sure {
		probe.where = append(probe.where, "("+overlap+")")
	}
	a.where = append(a.where, "NOT "+probe.exists())
	return a.tested()
}

// tested counts the rows that a MINUS leaves.
func (b *block) tested() *block {
	if b.node != nil {
		if counted := and(b.takeSeen(), b.countTested(b.node)); counted != "" {
			b.where = append(b.where, counted)
		}
	}
	return b
}

// subtracted is [lowerer.tested] for a MINUS.
func (l *lowerer) subtracted(b *block) *block {
	if l.tested(b); b.node != nil {
		b.node.Kind = plan.Minus
	}
	return b.tested()
}

// notAmong is MINUS with inline data, as NOT IN: SQLite builds an index of the set, and would otherwise read all rows
// for each solution.
func notAmong(a, b *block) (string, bool) {
	if len(b.from) != 1 || !b.from[0].inline {
		return "", false
	}
	var left, right []string
	for _, v := range b.cols.vars {
		if c, ok := a.cols.get(v); ok {
			if c.maybe || b.cols.of[v].maybe {
				return "", false
			}
			left, right = append(left, c.sql), append(right, b.cols.of[v].sql)
		}
	}
	return "(" + strings.Join(left, ", ") + ") NOT IN (" + b.render(strings.Join(right, ", ")) + ")", true
}
