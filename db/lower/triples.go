package lower

import (
	"trails/db/leaf"
	"trails/sparql"
)

// triples is the table of the graph's triples under an alias, which may be "". The order is that of a stored graph.
func (l *lowerer) triples(g graph, alias string, by leaf.Order) item {
	if len(g.virtual) > 0 {
		return item{table: virtualTable, alias: alias, triples: true}
	}
	it := item{table: leaf.Table, alias: alias, triples: true}
	if !l.opts.View {
		it.hint = by.Hint()
	}
	return it
}

// stored is the same as it stands in FROM.
func (l *lowerer) stored(g graph, alias string, by leaf.Order) string {
	it := l.triples(g, alias, by)
	return it.text()
}

// order chooses the order whose leading columns a pattern has:
//
//	s, sp        SPO
//	o, so, spo   OSP: what has one object lies together
//	p, po        POS; in a named graph GPOS
//	nothing      in a named graph GPOS, else SPO: SQLite would read OSP from its start, where all
//	             values are that no subject is
func (s scope) order(at [3]bool) leaf.Order {
	subject, predicate, object := at[0], at[1], at[2]
	switch {
	case s.free:
		return leaf.Any
	case object && (subject || !predicate):
		return leaf.OSP
	case subject:
		return leaf.SPO
	case s.graph.named && s.graph.any == "" && !s.graph.merged && len(s.graph.in) == 1:
		return leaf.GPOS
	case predicate:
		return leaf.POS
	case s.graph.any != "":
		return leaf.GPOS
	}
	return leaf.SPO
}

// rangedOrder is the order of a pattern one end of which may be bound: the order by that end is better if it is,
// although all rows are read if it is not.
func (s scope) rangedOrder(p sparql.TriplePattern, at [3]bool) leaf.Order {
	switch {
	case at[0] || s.free:
	case s.bound.has(p.Subject.Var) && !at[2]:
		return leaf.SPO
	case s.bound.has(p.Subject.Var):
		at[0] = true
	case !at[1] && s.bound.has(p.Object.Var):
		at[2] = true
	}
	return s.order(at)
}
