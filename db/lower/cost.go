package lower

import (
	"math"
	"sync"

	"trails/rdf"
	"trails/sparql"
)

// What a plan costs is judged here, by one model, for three choices: in which order
// patterns are joined, behind which table an EXISTS or an expression is asked, and
// whether a negation is asked for each solution or its solutions are collected once.
// docs/decisions/0035-join-order.md says where the figures were measured.
//
// The rows of a pattern with its constants come from [Options.Stats]. A value of a
// variable is taken to be any of its domain: the subjects of the least frequent property
// that the patterns around give it. So ?w, with ex:status "lent" and ex:pages ?n, is one
// of those that have an ex:status, and of ex:cites ?w there are for each ?w as many as
// there are ex:cites by those. What links to the objects of one node is asked of some of
// them, since they may be hubs. A pattern whose domain is unknown is guessed by which of
// its positions are given.
const (
	rowsOfSubject         = 20
	rowsOfSubjectProperty = 2
	rowsOfObject          = 60
	rowsOfObjectProperty  = 30
	rowsOfProperty        = 1e5
	rowsOfAll             = 1e7
	rowsOfClosure         = 30

	// A range is a part.
	rangeGain = 10.0
	// A pattern that shares no variable with those before it multiplies them.
	unconnected = 1e3

	// fewRows is up to when asking for statistics takes longer than what a better order
	// of the patterns that follow spares.
	fewRows = 64

	// manyAsked is from when it is worth thinking about whether a negation is collected.
	manyAsked = 1000
	// clearly is the part of the cost of asking that collecting may take: the estimates
	// are rough, and what asks gives its first rows at once.
	clearly = 0.7

	// What SQLite needs, in microseconds: to find the first row in an index, to read the
	// next, to put a row into a set or sort it, to look for one in a set, and to compare
	// the next of two sorted lists.
	seekCost   = 0.6
	rowCost    = 0.08
	insertCost = 0.2
	memberCost = 0.15
	mergeCost  = 0.05
)

// guess is about how many rows a pattern has by which of its positions are given.
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

// guess is the same for the graph of a scope, which may be virtual.
func (l *lowerer) guess(p sparql.TriplePattern, at [3]bool, s scope) float64 {
	if name := s.graph.one(); name != "" && l.opts.RowsInVirtual != nil {
		return l.opts.RowsInVirtual(name, p, at)
	}
	return guess(at)
}

// matches is how many rows a pattern has with nothing but its constants given.
func (l *lowerer) matches(p sparql.TriplePattern, s scope) float64 {
	if len(s.graph.virtual) > 0 || l.opts.Stats == nil {
		at, _ := l.given(p, nil, scope{})
		return l.guess(p, at, s)
	}
	// Variables are alike: a question is asked once.
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

// group is the patterns of a basic graph pattern, with the domains that are known so far.
type group struct {
	patterns []sparql.TriplePattern
	domains  map[sparql.Var]float64
	// few is set when few solutions were found to come before a pattern: nothing is asked
	// about those that follow.
	few bool
}

// domain is about how many terms the values of a variable are among, by the patterns of
// a group, 0 when nothing is known.
func (l *lowerer) domain(v sparql.Var, g *group, s scope) float64 {
	if known, ok := g.domains[v]; ok {
		return known
	}
	least := math.Inf(1)
	for _, p := range g.patterns {
		if p.Subject.Var == v && p.Predicate.Var == "" {
			least = min(least, l.subjectsOf(p, s))
		}
	}
	if math.IsInf(least, 1) {
		least = 0
	}
	g.domains[v] = least
	return least
}

// manySubjects is from how many statements of a predicate its subjects are estimated: that
// takes some 0.1 ms, once.
const manySubjects = 1000

// subjectsOf is about how many subjects the predicate of a pattern has.
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

// perSubject is about how many statements of the predicate of a pattern a subject has that
// has any.
func (l *lowerer) perSubject(p sparql.TriplePattern, s scope) float64 {
	p.Subject, p.Object = sparql.Operand{Var: "s"}, sparql.Operand{Var: "o"}
	return l.matches(p, s) / max(l.subjectsOf(p, s), 1)
}

// fanOut is about how many rows a pattern of a group has for each solution before it, as
// a function: to say it may take questions to the file.
func (l *lowerer) fanOut(p sparql.TriplePattern, g *group, b *block, s scope) func() float64 {
	at, joined := l.given(p, b, s)
	if at[1] && p.Predicate.Var != "" || len(s.graph.virtual) > 0 || l.opts.Stats == nil {
		return func() float64 { return l.guess(p, at, s) * inRange(p, at, s) }
	}
	if !joined {
		return func() float64 { return l.matches(p, s) * inRange(p, at, s) }
	}
	var before [3]column
	for i, o := range [3]sparql.Operand{0: p.Subject, 2: p.Object} {
		if o.Var != "" && at[i] {
			before[i] = l.columnBefore(o.Var, b, s)
		}
	}
	return sync.OnceValue(func() float64 {
		if predicate, ok := p.Predicate.Term.(rdf.IRI); ok && at == [3]bool{false, true, true} && l.opts.Linked != nil {
			for _, of := range g.patterns {
				if of.Subject.Var == "" && of.Predicate.Var == "" && of.Object.Var == p.Object.Var {
					return l.opts.Linked(of, predicate)
				}
			}
		}
		rows := l.matches(p, s)
		for i, o := range [3]sparql.Operand{0: p.Subject, 2: p.Object} {
			if o.Var == "" || !at[i] {
				continue
			}
			size := l.domain(o.Var, g, s)
			if before[i].domain != nil {
				if known := before[i].domain(); known > 0 && (size == 0 || known < size) {
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
			return min(rows, max(guess(at), l.perSubject(p, s)))
		}
		return rows
	})
}

// inRange is the part of a pattern's rows that filters let pass by the range of the object.
func inRange(p sparql.TriplePattern, at [3]bool, s scope) float64 {
	if p.Object.Var != "" && s.ranges[p.Object.Var] != nil && at == [3]bool{false, true, false} {
		return 1 / rangeGain
	}
	return 1
}

// columnBefore is where a variable got its value.
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

// solutionsBefore is about how many solutions there are when the next pattern is chosen.
func solutionsBefore(b *block, s scope) float64 {
	rows := b.rows()
	for k := s.bound; k != nil; k = k.more {
		rows *= k.block.rows()
	}
	return rows
}

// rowsThrough is about how many solutions there are behind each of a block's tables.
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

// rows is about how many solutions a block has.
func (b *block) rows() float64 {
	if len(b.from) == 0 {
		return 1
	}
	return b.rowsThrough()[len(b.from)-1]
}

// work is about what it takes to find all solutions of a block, in microseconds.
func (b *block) work() (cost float64) {
	before := 1.0
	for _, rows := range b.rowsThrough() {
		cost += before*seekCost + rows*rowCost
		before = rows
	}
	return cost
}

// cheapest is the place, at one table or behind it, where the fewest solutions are left:
// whatever takes long is asked there. What spares less than half is not worth waiting for.
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
