package lower

import "trails/sparql"

// liveTable is the table of the stored triples: live(s, p, o, g, added).
const liveTable = "live"

// index is the index by which the rows of liveTable are found; the zero index leaves the choice to SQLite.
type index uint8

const (
	anyIndex index = iota
	bySubject
	// throughSubjects reads all rows in the order of bySubject.
	throughSubjects
	byPredicate
	byObject
	byGraph
)

// indexes have the text behind the table, and the order of the columns for people.
var indexes = [...]struct{ text, order string }{
	bySubject:       {" NOT INDEXED", "SPO"},
	throughSubjects: {" INDEXED BY sqlite_autoindex_live_1", "SPO"},
	byPredicate:     {" INDEXED BY live_pos", "POS"},
	byObject:        {" INDEXED BY live_osp", "OSP"},
	byGraph:         {" INDEXED BY live_g", "GPOS"},
}

// triples is the table of the graph's triples under an alias, which may be "". The index is that of a stored graph.
func (g graph) triples(alias string, by index) item {
	if len(g.virtual) > 0 {
		return item{table: virtualTable, alias: alias, triples: true}
	}
	return item{table: liveTable, alias: alias, index: by, triples: true}
}

// from is the same as it stands in FROM.
func (g graph) from(alias string, by index) string {
	it := g.triples(alias, by)
	return it.text()
}

// index chooses the index whose leading columns a pattern has:
//
//	s, sp        bySubject
//	o, so, spo   byObject: what has one object lies together
//	p, po        byPredicate; in a named graph byGraph
//	nothing      in a named graph byGraph, else throughSubjects: SQLite would read byObject from its start, where all
//	             values are that no subject is
func (s scope) index(at [3]bool) index {
	subject, predicate, object := at[0], at[1], at[2]
	switch {
	case s.free:
		return anyIndex
	case object && (subject || !predicate):
		return byObject
	case subject:
		return bySubject
	case s.graph.named && s.graph.any == "" && !s.graph.merged && len(s.graph.in) == 1:
		return byGraph
	case predicate:
		return byPredicate
	case s.graph.any != "":
		return byGraph
	}
	return throughSubjects
}

// rangedIndex is the index of a pattern one end of which may be bound: the index by that end is better if it is,
// although all rows are read if it is not.
func (s scope) rangedIndex(p sparql.TriplePattern, at [3]bool) index {
	switch {
	case at[0] || s.free:
	case s.bound.has(p.Subject.Var) && !at[2]:
		return throughSubjects
	case s.bound.has(p.Subject.Var):
		at[0] = true
	case !at[1] && s.bound.has(p.Object.Var):
		at[2] = true
	}
	return s.index(at)
}
