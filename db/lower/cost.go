package lower

import (
	"math"
	"slices"

	"trails/rdf"
	"trails/sparql"
)

// The cost model, for four decisions: the order in which patterns are joined, the table behind which an EXISTS or an
// expression is evaluated, whether a negation is evaluated for each solution or the solutions of its pattern are
// computed once, and whether a statement of SQLite or a scan runs a pattern, see [lowerer.better]. All costs are in
// microseconds. docs/decisions/0035-join-order.md and 0066-scans.md say where the figures were measured.
//
// The rows of a pattern with its constants come from [Options.Stats]. The values of a variable are taken to be evenly
// distributed over its domain: the subjects of its least frequent property in the surrounding patterns. So ?w with
// ex:status "lent" and ex:pages ?n is one of the subjects with an ex:status, and the number of statements ex:cites ?w
// for each ?w is that of all ex:cites divided by the number of these subjects. For the links to the objects of one
// node some of these are sampled, because they may be hubs. The rows of a pattern with an unknown domain are guessed
// from its given positions.
const (
	rowsOfSubject         = 20
	rowsOfSubjectProperty = 2
	rowsOfObject          = 60
	rowsOfObjectProperty  = 30
	rowsOfProperty        = 1e5
	rowsOfAll             = 1e7
	rowsOfClosure         = 30

	// The part of the rows that a range lets pass, if it is not estimated.
	rangeGain = 10.0
	// The factor of a pattern that shares no variable with those before it.
	unconnected = 1e3

	// fewRows is the number of rows up to which a better order of the following patterns saves less than asking for
	// statistics costs.
	fewRows = 64

	// manyAsked is the number of solutions from which it is worthwhile to consider computing a negation once.
	manyAsked = 1000
	// clearly is the factor by which computing once must be cheaper than evaluating for each solution: estimates are
	// rough, and the latter returns the first rows at once.
	clearly = 0.7

	// Costs of SQLite: finding the first row in an index, reading the next one, adding a row to a set or sorting it,
	// finding one in a set, and comparing the next elements of two sorted lists.
	seekCost   = 0.6
	rowCost    = 0.08
	insertCost = 0.2
	memberCost = 0.15
	mergeCost  = 0.05
	sortedCost = 0.25 // of a row that it groups or compares with earlier ones
	askedBySQL = 1.0  // of reading a term and evaluating an expression on it
	pageCost   = 1.2  // of a page that it opens for one row, and the approximate number of rows on it
	rowsOfPage = 100
	// viewCost is the factor of SQL over a view, whose rows come from a table of ours and not from an index of SQLite.
	viewCost = 2.5
	// walkCost is that of a node from which SQL walks a transitive path: that may reach few nodes, or all.
	walkCost = 100

	// Costs of a scan: starting it, and for each row reading it, holding it in a table or set, passing it through a
	// step, grouping it, and returning it to SQLite.
	scanCost  = 30
	readCost  = 0.008
	holdCost  = 0.01
	passCost  = 0.006
	groupCost = 0.012
	handCost  = 0.25
	askCost   = 0.2 // of reading a term from the pages and evaluating an expression on it
	// passGain is the assumed part of terms for which an expression is true.
	passGain = 10.0
	// closeCost is that of a link in a transitive path whose whole relation is read.
	closeCost = 0.25

	// maxScanWait bounds the time before the first row of an answer, if it is needed soon: a hundredth of a second.
	// For DISTINCT, which reads more rows than it returns, it may be a part of the time that SQL takes for all.
	maxScanWait = 10_000
	partWaited  = 0.1
	// maxHeld bounds the rows that a scan holds in memory: 4 to 30 bytes each, of the 256 MB of a query.
	maxHeld = 4e6
	// maxStarts bounds the nodes at which paths between two variables begin.
	maxStarts = 64
	// maxClosed bounds the rows from which the whole relation of a path is made: about 70 bytes each.
	maxClosed = 2e6
	// worthScanning is the time that SQL must take for a scan to be considered, and worthThinking the time that its
	// joins must take for the costs to be compared.
	worthScanning = 200
	worthThinking = 100
)

// guess estimates the rows of a pattern from its given positions.
func guess(at [3]bool) float64 {
	switch at {
	case [3]bool{true, true, true}:
		return 1
	case [3]bool{true, true, false}:
		return rowsOfSubjectProperty
	case [3]bool{true, false, true}:
		return rowsOfSubjectProperty
	case [3]bool{true, false, false}:
		return rowsOfSubject
	case [3]bool{false, true, true}:
		return rowsOfObjectProperty
	case [3]bool{false, false, true}:
		return rowsOfObject
	case [3]bool{false, true, false}:
		return rowsOfProperty
	}
	return rowsOfAll
}

// guess does the same in the graph of a scope, which may be virtual.
func (l *lowerer) guess(p sparql.TriplePattern, at [3]bool, s scope) float64 {
	if name := s.graph.one(); name != "" && l.opts.RowsInVirtual != nil {
		if rows, known := l.opts.RowsInVirtual(name, p, at); known {
			return rows
		}
	}
	return guess(at)
}

// matches estimates the rows of a pattern in which only its constants are given.
func (l *lowerer) matches(p sparql.TriplePattern, s scope) float64 {
	if len(s.graph.virtual) > 0 || l.opts.Stats == nil {
		at, _ := l.given(p, nil, scope{})
		return l.guess(p, at, s)
	}
	// Variables are equivalent here, so each question is asked only once.
	for i, o := range []*sparql.Operand{&p.Subject, &p.Predicate, &p.Object} {
		if o.Var != "" {
			*o = sparql.Operand{Var: sparql.Var(positions[i])}
		}
	}
	n, ok := l.counts[p]
	if !ok {
		n = l.opts.Stats(p)
		l.counts[p] = n
	}
	return n
}

// group is the patterns of a basic graph pattern in their scope, with the domains computed so far.
type group struct {
	scope    scope
	patterns []sparql.TriplePattern
	domains  map[sparql.Var]float64
	// few means that few solutions come before some pattern: no statistics are read for those that follow.
	few bool
}

// domain estimates the number of different values of a variable from the patterns of a group, 0 if unknown.
func (l *lowerer) domain(v sparql.Var, g *group) float64 {
	if known, ok := g.domains[v]; ok {
		return known
	}
	least := math.Inf(1)
	for _, p := range g.patterns {
		if p.Subject.Var == v && p.Predicate.Var == "" {
			least = min(least, l.subjectsOf(p, g.scope))
		}
	}
	if math.IsInf(least, 1) {
		least = 0
	}
	g.domains[v] = least
	return least
}

// manySubjects is the number of statements of a predicate from which the number of its subjects is estimated, which
// takes some 0.1 ms, once.
const manySubjects = 1000

// subjectsOf estimates the number of subjects of a pattern's predicate.
func (l *lowerer) subjectsOf(p sparql.TriplePattern, s scope) float64 {
	p.Object = sparql.Operand{Var: "o"}
	rows := l.matches(p, s)
	predicate, ok := p.Predicate.Term.(rdf.IRI)
	if !ok || l.opts.Subjects == nil || len(s.graph.virtual) > 0 || rows < manySubjects {
		return rows
	}
	n, ok := l.subjects[predicate]
	if !ok {
		n = l.opts.Subjects(predicate)
		l.subjects[predicate] = n
	}
	return min(n, rows)
}

// perSubject estimates the number of statements for each subject of a pattern's predicate.
func (l *lowerer) perSubject(p sparql.TriplePattern, s scope) float64 {
	p.Subject, p.Object = sparql.Operand{Var: "s"}, sparql.Operand{Var: "o"}
	return l.matches(p, s) / max(l.subjectsOf(p, s), 1)
}

// fanOut is what the rows of a pattern of a group, for each solution before it, are estimated from. The estimate itself
// may need statistics from the file.
type fanOut struct {
	p      sparql.TriplePattern
	at     [3]bool
	joined bool
	part   float64           // of the rows that filters with another variable let pass
	hint   *rangeHint        // what filters with constants require of the object, if its index begins with that
	before [3]func() float64 // domains of the columns with which subject and object are compared, nil if unknown
}

func (l *lowerer) fanOut(p sparql.TriplePattern, b *block, s scope) fanOut {
	f := fanOut{p: p}
	f.at, f.joined = l.given(p, b, s)
	f.part = math.Pow(rangeGain, -float64(min(l.spanned(p, f.at, b, s), 2)))
	if p.Object.Var != "" && f.at == [3]bool{false, true, false} {
		f.hint = s.ranges[p.Object.Var]
	}
	for i, o := range [3]sparql.Operand{0: p.Subject, 2: p.Object} {
		if o.Var != "" && f.at[i] {
			f.before[i] = l.columnBefore(o.Var, b, s).domain
		}
	}
	return f
}

// rows estimates the rows of the pattern.
func (f fanOut) rows(l *lowerer, g *group) float64 {
	p, at := f.p, f.at
	switch predicate, ok := p.Predicate.Term.(rdf.IRI); {
	case at[1] && p.Predicate.Var != "" || len(g.scope.graph.virtual) > 0 || l.opts.Stats == nil:
		return f.guessed(l, g.scope)
	case !f.joined:
		return l.required(p, f.hint, g.scope) * f.part
	case ok && at == [3]bool{false, true, true} && l.opts.Linked != nil:
		for _, of := range g.patterns {
			if of.Subject.Var == "" && of.Predicate.Var == "" && of.Object.Var == p.Object.Var {
				return l.opts.Linked(of, predicate)
			}
		}
	}
	rows := l.matches(p, g.scope)
	for i, o := range [3]sparql.Operand{0: p.Subject, 2: p.Object} {
		if o.Var == "" || !at[i] {
			continue
		}
		size := l.domain(o.Var, g)
		if f.before[i] != nil {
			if known := f.before[i](); known > 0 && (size == 0 || known < size) {
				size = known
			}
		}
		if size == 0 {
			return guess(at)
		}
		rows /= size
	}
	switch {
	case at[0] && at[2]:
		return min(rows, guess(at))
	case at[0]:
		return min(rows, max(guess(at), l.perSubject(p, g.scope)))
	}
	return rows
}

// guessed estimates the rows of the pattern without statistics.
func (f fanOut) guessed(l *lowerer, s scope) float64 {
	rows := l.guess(f.p, f.at, s) * f.part
	if f.hint != nil {
		rows /= rangeGain
	}
	return rows
}

// required estimates the rows of a pattern in which only its constants are given and whose object meets filters.
func (l *lowerer) required(p sparql.TriplePattern, h *rangeHint, s scope) (rows float64) {
	if h == nil {
		return l.matches(p, s)
	}
	for _, t := range h.terms {
		p.Object = sparql.Operand{Term: t}
		rows += l.matches(p, s)
	}
	if h.terms != nil {
		return rows
	}
	if r := l.patternRegion(p, s.graph); slices.Contains(h.regions, r) {
		if rows, ok := l.rowsWithin(p, r, h.bounds); ok {
			return rows
		}
	}
	return l.matches(p, s) / rangeGain
}

// rowsWithin estimates the rows of a pattern whose objects are in a region and meet all bounds.
func (l *lowerer) rowsWithin(p sparql.TriplePattern, r Region, bounds []Bound) (rows float64, ok bool) {
	predicate, ok := p.Predicate.Term.(rdf.IRI)
	if !ok || r == "" || l.opts.Within == nil {
		return 0, false
	}
	return l.opts.Within(predicate, r, bounds), true
}

// spanned counts the filters that make a range of a pattern's index from a variable that is bound before.
func (l *lowerer) spanned(p sparql.TriplePattern, at [3]bool, b *block, s scope) (n int) {
	if p.Object.Var == "" || at != [3]bool{false, true, false} {
		return 0
	}
	for _, v := range s.spans[p.Object.Var] {
		if b.isBound(v) || s.bound.isBound(v) {
			n++
		}
	}
	return n
}

// columnBefore returns the column of a variable that was bound before.
func (l *lowerer) columnBefore(v sparql.Var, b *block, s scope) column {
	c, ok := b.cols.get(v)
	for k := s.bound; !ok && k != nil; k = k.more {
		c, ok = k.block.cols.get(v)
	}
	if !ok {
		c, _ = s.outer.get(v)
	}
	return c
}

// solutionsBefore estimates the number of solutions before the next pattern.
func solutionsBefore(b *block, s scope) float64 {
	rows := b.rows()
	for k := s.bound; k != nil; k = k.more {
		rows *= k.block.rows()
	}
	return rows
}

// rowsThrough estimates the number of solutions behind each table of a block.
func (b *block) rowsThrough() []float64 {
	list := make([]float64, len(b.from))
	rows := 1.0
	for i, it := range b.from {
		if it.fanOut != nil {
			fan := it.fanOut()
			if it.left {
				fan = max(fan, 1)
			}
			rows *= fan
		}
		list[i] = rows
	}
	return list
}

// rows estimates the number of solutions of a block.
func (b *block) rows() float64 {
	if len(b.from) == 0 {
		return 1
	}
	return b.rowsThrough()[len(b.from)-1]
}

// work estimates the time to find all solutions of a block, in microseconds.
func (b *block) work() (cost float64) {
	before := 1.0
	for _, rows := range b.rowsThrough() {
		cost += before*seekCost + rows*rowCost
		before = rows
	}
	return cost
}

// cheapest returns the position, at or behind one table, with the fewest solutions: expensive conditions are
// evaluated there. It does not wait for a table that leaves more than half of the solutions.
func (b *block) cheapest(from int) int {
	if from >= len(b.from)-1 {
		return from
	}
	rows := b.rowsThrough()
	best := from
	for i := from + 1; i < len(rows); i++ {
		if rows[i] < rows[best] && rows[i] <= rows[from]/2 {
			best = i
		}
	}
	return best
}
