package lower

import (
	"math"
	"slices"
	"sort"
	"strings"
	"sync"

	"trails/db/leaf"
	"trails/db/plan"
	"trails/rdf"
	"trails/sparql"
)

// graph is the active graph: the default graph, a named one, or any named graph, whose name is then a variable.
type graph struct {
	// in lists the placeholders of the graphs; nil without a variable means no graph at all. arg is the number of the
	// argument, if there is one graph and it has one.
	in  []string
	arg int
	// merged means that a triple may be in several of the graphs and counts once.
	merged bool
	named  bool
	any    sparql.Var
	// virtual are the graphs that are not stored.
	virtual []rdf.IRI
	// name is that of GRAPH, zero for the default graph.
	name sparql.Operand
}

const storedDefault = "0"

func (l *lowerer) defaultGraph() graph {
	if l.opts.Dataset.IsZero() {
		return graph{in: []string{storedDefault}}
	}
	names := l.opts.Dataset.Default
	g := graph{in: l.graphs(names), merged: len(names) > 1, named: true, virtual: virtualOf(names)}
	if len(names) == 1 {
		g.arg = len(l.args)
	}
	return g
}

func (l *lowerer) graphs(names []rdf.IRI) []string {
	in := make([]string, len(names))
	for i, name := range names {
		in[i] = l.term(name)
	}
	return in
}

// inGraph is GRAPH. Inside another GRAPH with a variable it is evaluated for each graph.
func (l *lowerer) inGraph(op sparql.Graph, s scope) *block {
	b := l.inItsGraph(op, s)
	if s.graph.any != "" {
		return l.merge(l.flatten(b), l.graphsOnly(s))
	}
	return b
}

func (l *lowerer) inItsGraph(op sparql.Graph, s scope) *block {
	dataset := l.opts.Dataset
	if op.Name.Var == "" {
		s.graph = graph{in: []string{l.term(op.Name.Term)}, arg: len(l.args), named: true, virtual: virtualNamed(op.Name.Term), name: op.Name}
		if name, _ := op.Name.Term.(rdf.IRI); !dataset.IsZero() && !slices.Contains(dataset.Named, name) {
			s.graph.in, s.graph.virtual = nil, nil
		}
		return l.ifThere(op.Op, l.flatten(l.lower(op.Op, s)), s.graph)
	}
	if c, ok := s.outer.get(op.Name.Var); ok && !c.maybe && dataset.IsZero() {
		// The name is that of the outer solution. The default graph has none.
		s.graph = graph{in: []string{c.sql}, named: true, name: op.Name}
		b := l.ifThere(op.Op, l.flatten(l.lower(op.Op, s)), s.graph)
		if _, inside := b.cols.get(op.Name.Var); !inside {
			b.cols.set(op.Name.Var, column{sql: c.sql, field: c.field, computed: true, tied: true})
		}
		return b
	}
	s.graph = graph{any: l.fresh(), named: true, name: op.Name}
	if !dataset.IsZero() {
		s.graph.in, s.graph.virtual = l.graphs(dataset.Named), virtualOf(dataset.Named)
	}
	return l.nameGraph(l.flatten(l.lower(op.Op, s)), s.graph.any, op.Name.Var, s)
}

// ifThere restricts solutions that do not depend on triples to graphs that have triples.
func (l *lowerer) ifThere(op sparql.Op, b *block, g graph) *block {
	if p, ok := op.(sparql.BGP); ok && len(p.Patterns) > 0 {
		return b
	}
	there := l.never()
	if len(g.in) > 0 {
		// The plus keeps SQLite from making it a join behind the tables, whose rows would be counted before it is asked.
		there = "+EXISTS (SELECT 1 FROM " + l.stored(g, "", leaf.GPOS) + " WHERE g" + among(g.in) + " AND g <> 0)"
	}
	out := &block{from: b.from, cols: b.cols, node: b.node}
	out.where = append(b.where[:len(b.where):len(b.where)], there)
	return out
}

// nameGraph binds the variable of GRAPH to the hidden variable of the graph.
func (l *lowerer) nameGraph(b *block, hidden, v sparql.Var, s scope) *block {
	c, ok := b.cols.get(hidden)
	if !ok {
		return b
	}
	out := without(b, hidden)
	l.meet(out, v, c, s)
	return out
}

// graphsOnly is the table of existing graphs, for patterns without triples.
func (l *lowerer) graphsOnly(s scope) *block {
	b := &block{node: l.node(plan.Unit, nil)}
	if s.graph.any == "" {
		return b
	}
	t := l.alias()
	b.from = []item{{table: l.graphsThere(s.graph), alias: t}}
	b.cols.set(s.graph.any, field{t, "g"}.column())
	return b
}

func (l *lowerer) graphsThere(g graph) string {
	switch {
	case len(g.virtual) > 0:
		return g.those()
	case l.opts.Dataset.IsZero():
		return "(SELECT DISTINCT g FROM " + l.stored(g, "", leaf.GPOS) + " WHERE g <> 0)"
	case len(g.in) == 0: // SQLite finds no index for an empty list
		return "(SELECT 0 AS g WHERE " + l.never() + ")"
	}
	return "(SELECT DISTINCT g FROM " + l.stored(g, "", leaf.GPOS) + " WHERE g <> 0 AND g" + among(g.in) + ")"
}

func among(in []string) string {
	if len(in) == 1 {
		return " = " + in[0]
	}
	return " IN (" + strings.Join(in, ", ") + ")"
}

// bgp joins one table for each pattern, the most selective first. If only the first solutions in the order of a
// pattern's object are needed, it may begin with that pattern, read until there are enough, and does not sort.
func (l *lowerer) bgp(op sparql.BGP, s scope) *block {
	if len(op.Patterns) == 0 {
		return l.graphsOnly(s)
	}
	patterns := slices.Clone(op.Patterns)
	for i, p := range patterns {
		patterns[i].Subject, patterns[i].Object = l.lifted(p.Subject), l.lifted(p.Object)
	}
	if l.compared += len(patterns) * len(patterns); l.compared > maxCompared {
		l.fail("the query has too many triple patterns: 1,000 in one group are too many, and of smaller groups more")
		return &block{}
	}
	start := l.made.apart()
	b := l.from(-1, patterns, s)
	first := slices.IndexFunc(patterns, func(p sparql.TriplePattern) bool {
		at, _ := l.given(p, nil, s)
		return s.wanted != "" && p.Object.Var == s.wanted && !at[0] && at[1]
	})
	if first < 0 || len(patterns) == 1 {
		return b
	}
	after := l.made
	part := min(1, s.first/b.rows())
	l.made = start
	inOrder := l.from(first, patterns, s)
	if inOrder.work()*part > clearly*(b.work()+b.rows()*insertCost) {
		l.made = after
		return b
	}
	return inOrder
}

// from joins one table for each pattern, the most selective first. If first is not negative, it begins with that
// pattern.
func (l *lowerer) from(first int, patterns []sparql.TriplePattern, s scope) *block {
	g := &group{scope: s, patterns: patterns, domains: map[sparql.Var]float64{}}
	b := &block{from: make([]item, 0, len(patterns)), where: make([]string, 0, 4*len(patterns)), cols: columnsFor(len(patterns) + 1)}
	var nodes []*plan.Node
	for rest := slices.Clone(patterns); len(rest) > 0; {
		i := first
		if first < 0 || len(rest) < len(patterns) {
			i = l.next(rest, g, b, s)
		}
		p := rest[i]
		rest = append(rest[:i], rest[i+1:]...)
		b = l.narrow(b)
		nodes = append(nodes, l.place(b, p, g, s))
	}
	b.node = nodes[0]
	if len(nodes) > 1 {
		b.node = l.joinNode(nodes...)
		b.countJoin(b.node)
	}
	return b
}

// next chooses the next pattern of a group: the one with the fewest rows for each solution before it. Statistics are
// only read if no pattern is connected with what is known, until one has few rows, or if many solutions come before.
func (l *lowerer) next(rest []sparql.TriplePattern, g *group, b *block, s scope) int {
	if len(rest) == 1 {
		return 0
	}
	hanging, last := 0, 0
	for i, p := range rest {
		if at, joined := l.given(p, b, s); joined || at[0] || l.spanned(p, at, b, s) > 0 {
			hanging, last = hanging+1, i
		}
	}
	if hanging == 1 {
		return last
	}
	g.few = g.few || hanging > 0 && (s.outer != nil || solutionsBefore(b, s) <= fewRows)
	asked := hanging == 0 || !g.few
	order := make([]int, len(rest))
	for i := range rest {
		order[i] = i
	}
	if hanging == 0 { // in order of guessed size: a small one may suffice
		looks := func(i int) float64 { at, _ := l.given(rest[i], b, s); return guess(at) }
		sort.SliceStable(order, func(i, j int) bool { return looks(order[i]) < looks(order[j]) })
	}
	best, least := 0, math.Inf(1)
	for _, i := range order {
		if cost := l.cost(rest[i], g, b, s, asked); cost < least {
			best, least = i, cost
		}
		if hanging == 0 && least <= fewRows {
			break
		}
	}
	return best
}

// cost estimates the rows of a pattern for each solution before it.
func (l *lowerer) cost(p sparql.TriplePattern, g *group, b *block, s scope, asked bool) float64 {
	f := l.fanOut(p, b, s)
	cost := f.guessed(l, s)
	if asked {
		cost = f.rows(l, g)
	}
	if !f.joined && !f.at[0] && f.part == 1 && (len(b.from) > 0 || !asked) {
		return cost * unconnected
	}
	return cost
}

// given returns which positions of the pattern are bound now, and whether one of them is a variable.
func (l *lowerer) given(p sparql.TriplePattern, b *block, s scope) (at [3]bool, joined bool) {
	for i, o := range [3]sparql.Operand{p.Subject, p.Predicate, p.Object} {
		if o.Var == "" {
			at[i] = true
			continue
		}
		if b.isBound(o.Var) || s.binds(o.Var) {
			at[i], joined = true, true
		}
	}
	return at, joined
}

// place adds the table of a pattern to the block. It returns the node of the pattern.
func (l *lowerer) place(b *block, p sparql.TriplePattern, g *group, s scope) *plan.Node {
	at, _ := l.given(p, b, s)
	t := l.alias()
	l.placeRange(b, p, at, t, s)
	n := l.patternNode(plan.Pattern, sparql.BGP{Patterns: []sparql.TriplePattern{p}}, s.graph)
	of := l.fanOut(p, b, s)
	by := s.rangedOrder(p, at)
	table := l.triples(s.graph, t, by)
	table.fanOut = sync.OnceValue(func() float64 { return of.rows(l, g) })
	table.key = t + ".added"
	if len(s.graph.virtual) > 0 {
		table.key = t + ".rowid"
	}
	table.seen = seen(n, table.key)
	b.from = append(b.from, table)
	l.inActive(b, t, s)
	for i, o := range [3]sparql.Operand{p.Subject, p.Predicate, p.Object} {
		c := field{t, positions[i]}.column()
		if o.Var == "" {
			b.where = append(b.where, c.sql+" = "+l.term(o.Term))
			continue
		}
		_, again := b.cols.get(o.Var)
		l.meet(b, o.Var, c, s)
		b.mark(o.Var, i)
		if c = b.cols.of[o.Var]; !again && c.domain == nil {
			v := o.Var
			c.domain = func() float64 { return l.domain(v, g) }
			b.cols.set(o.Var, c)
		}
	}
	if at[1] && (!at[0] || !at[2]) && s.graph.isOneStored() {
		b.from[len(b.from)-1].sorted = "o"
		if at[2] {
			b.from[len(b.from)-1].sorted = "s"
		}
	}
	if len(b.from) == 1 && s.bound == nil && s.graph.isOneStored() {
		b.from[0].alone = slices.Clone(b.where)
		b.from[0].single = p.Predicate.Var == "" && (p.Subject.Var == "") != (p.Object.Var == "")
	}
	l.placeOrder(b, p, t, s)
	if n != nil {
		if s.graph.merged { // a condition leaves one of equal triples
			b.from[len(b.from)-1].seen = seen(n, "(SELECT "+table.key+")")
		}
		l.fanOuts[n] = table.fanOut
		if n.Way = by.String(); len(s.graph.virtual) > 0 {
			n.Way = "virtual"
		}
		switch b.from[len(b.from)-1].sorted {
		case "s":
			n.Sorted = p.Subject.Var
		case "o":
			n.Sorted = p.Object.Var
		}
	}
	return n
}

var positions = [3]string{"s", "p", "o"}

// meet binds a variable to a column that is never NULL, or compares it with the column that it has.
func (l *lowerer) meet(b *block, v sparql.Var, c column, s scope) {
	c = column{sql: c.sql, field: c.field, tied: true}
	if known, ok := b.cols.get(v); ok {
		if !known.maybe { // the order is given: with + SQLite does not weigh other equal columns, for each table all of them
			b.where = append(b.where, c.sql+" = +"+known.sql)
			return
		}
		b.where = append(b.where, "("+c.sql+" = "+known.sql+" OR "+known.sql+" IS NULL)")
	}
	if outer, ok := s.outer.get(v); ok {
		b.where = append(b.where, same(c, outer))
	}
	b.cols.set(v, c)
}

// same compares two columns as compatible solutions do.
func same(a, b column) string {
	equal := a.sql + " = " + b.sql
	switch {
	case a.maybe && b.maybe:
		return "(" + equal + " OR " + a.sql + " IS NULL OR " + b.sql + " IS NULL)"
	case a.maybe:
		return sameIfBound(b, a)
	case b.maybe:
		return sameIfBound(a, b)
	}
	return equal
}

// sameIfBound compares a column with one that may be NULL, by a range, for which SQLite can use an index: it contains
// one id, or all.
func sameIfBound(c, maybe column) string {
	return c.sql + " BETWEEN COALESCE(" + maybe.sql + ", -9223372036854775808) AND COALESCE(" + maybe.sql + ", 9223372036854775807)"
}

// inActive restricts a table to the active graph.
func (l *lowerer) inActive(b *block, t string, s scope) {
	g := s.graph
	if g.any != "" {
		l.meet(b, g.any, field{t, "g"}.column(), scope{})
		b.where = append(b.where, t+".g <> 0")
	}
	switch {
	case g.any != "" && l.opts.Dataset.IsZero():
	case len(g.in) == 0:
		b.where = append(b.where, l.never())
	default:
		b.where = append(b.where, t+".g"+among(g.in))
		if g.named && g.any == "" {
			b.where = append(b.where, t+".g <> 0")
		}
	}
	if g.merged {
		d := l.alias()
		b.where = append(b.where, "NOT EXISTS (SELECT 1 FROM "+l.stored(g, d, leaf.SPO)+" WHERE "+
			d+".s = "+t+".s AND "+d+".p = "+t+".p AND "+d+".o = "+t+".o AND "+d+".g < "+t+".g AND "+d+".g"+among(g.in)+")")
	}
}
