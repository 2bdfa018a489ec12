package lower

import (
	"math"
	"slices"
	"sort"
	"time"

	"trails/db/plan"
	"trails/db/scan"
	"trails/sparql"
)

// compare estimates the times of a scan and of a block by SQL, with that for the rows of the answer, and reports whether
// the scan is to be chosen.
func (c *scanner) compare(b *block, scanRow, sqlRow float64) (choice plan.Choice, chosen bool) {
	rows := b.rows() / math.Pow(passGain, float64(len(c.program.Asked)))
	pages := c.l.matches(everything, c.s) / rowsOfPage
	asks := c.asks
	for _, side := range c.sides {
		asks += side.asks
	}
	sql := b.work() + rows*sqlRow + min(b.rows(), asks)*askedBySQL
	before := 0.0
	for _, rows := range b.rowsThrough() {
		sql += min(before, pages) * pageCost
		before = rows
	}
	if c.l.opts.View {
		sql *= viewCost
	}
	wait := float64(maxScanWait)
	for _, stream := range c.streams() {
		for _, inner := range stream.inner { // evaluated for each solution or, if all are needed, read and compared once
			asked := b.rows()*(seekCost+rowCost)*float64(len(inner.edges)+len(inner.ends)) + min(b.rows(), pages)*pageCost
			if c.s.all {
				asked = min(asked, inner.read()*(rowCost+mergeCost))
			}
			sql += asked
		}
		if stream.partner != nil {
			wait = math.Inf(1)
		}
	}
	switch {
	case c.s.all:
		wait = math.Inf(1)
	case c.program.Distinct:
		wait = max(wait, sql*partWaited)
	}
	scan := c.work() + rows*scanRow
	choice = plan.Choice{SQL: microseconds(sql), Scan: microseconds(scan)}
	switch {
	case scan >= sql:
	case sql <= worthScanning || scan >= clearly*sql:
		choice.Against = "saves little"
	case c.waits() >= wait:
		choice.Against = "has its first row later"
	case c.held() >= maxHeld:
		choice.Against = "holds too many rows"
	default:
		return choice, true
	}
	return choice, false
}

func microseconds(n float64) time.Duration {
	return time.Duration(min(n*float64(time.Microsecond), math.MaxInt64/2))
}

// arrange orders the steps: first the one with the most remaining rows, which are not held, then those connected with
// what is known, tests before joins that multiply rows.
func (c *scanner) arrange() bool {
	if len(c.sides)+len(c.edges)+len(c.ends) == 0 {
		return false // there is nothing to read
	}
	for _, side := range c.sides {
		if !side.arrange() {
			return false
		}
	}
	for _, inner := range c.inner {
		if !inner.arrange() {
			return false
		}
		c.before += inner.work() + inner.passing()*holdCost
	}
	if c.partner != nil {
		if !c.partner.arrange() {
			return false
		}
		c.before += c.partner.work() + c.partner.passing()*holdCost
		c.asks += c.partner.rows()
	}
	if !c.estimate() {
		return false
	}
	if c.partner != nil {
		c.asks += c.rows()
	}
	for _, a := range c.program.Asked {
		c.asks += c.leastRows(a.Slot)
	}
	for i := range c.program.Differ {
		d := &c.program.Differ[i]
		if d.Nodes = c.known[d.Slots[0]].node || c.known[d.Slots[1]].node; !d.Nodes {
			c.asks += c.leastRows(d.Slots[0])
		}
	}
	c.asks += float64(len(c.program.Computed)) * c.rows()
	for _, a := range c.program.Aggregates {
		if a.Func == scan.Fold {
			c.asks += c.rows()
		}
	}
	if c.program.Slots = len(c.vars); len(c.sides) > 0 {
		return true
	}
	sort.SliceStable(c.ends, func(i, k int) bool { return c.ends[i].rows > c.ends[k].rows })
	sort.SliceStable(c.edges, func(i, k int) bool {
		a, b := &c.edges[i], &c.edges[k]
		if a.step.Closure != nil || b.step.Closure != nil {
			return b.step.Closure == nil
		}
		return a.passing > b.passing || a.passing == b.passing && a.rows > b.rows
	})
	steps := len(c.edges) + len(c.ends) + len(c.options)
	c.program.Steps, c.taken = make([]scan.Step, 0, steps), make([]scanned, 0, steps)
	bound := make([]bool, len(c.vars))
	given := 0 // the slots that the steps need not bind
	if c.partner != nil {
		for _, slot := range c.program.Match.Slots {
			bound[slot] = true
		}
		given = len(c.program.Match.Slots)
	}
	take := func(s scanned) {
		for _, e := range s.step.Ends() {
			if e.Arg == 0 {
				bound[e.Slot] = true
			}
		}
		c.program.Steps = append(c.program.Steps, s.step)
		c.taken = append(c.taken, s)
	}
	ends := c.ends
	switch {
	case len(c.edges) > 0:
		take(c.edges[0])
	case len(c.vars)-len(c.options)-given == 1:
		for i, e := range c.ends {
			if e.step.Subject.Arg == 0 || e.step.Object.Arg == 0 {
				take(e)
				ends = slices.Delete(slices.Clone(c.ends), i, i+1)
				break
			}
		}
	default:
		return false
	}
	for _, e := range ends {
		c.program.Steps = append(c.program.Steps, e.step)
	}
	c.taken = append(c.taken, ends...)
	for rest := slices.Clone(c.edges[min(1, len(c.edges)):]); len(rest) > 0; {
		best, most := -1, 0
		for i, e := range rest {
			known := 0
			for _, slot := range [...]int{e.step.Subject.Slot, e.step.Object.Slot} {
				if bound[slot] {
					known++
				}
			}
			if known > most {
				best, most = i, known
			}
		}
		if best < 0 {
			return false
		}
		take(rest[best])
		rest = slices.Delete(rest, best, best+1)
	}
	for slot, is := range bound {
		if !is && !c.known[slot].maybe {
			return false
		}
	}
	for i := range c.program.Differ { // terms are read fastest in the order of the first step
		if d := &c.program.Differ[i]; c.program.Steps[0].Object == (scan.End{Slot: d.Slots[1]}) {
			d.Slots[0], d.Slots[1] = d.Slots[1], d.Slots[0]
		}
	}
	for _, o := range c.options {
		take(o)
	}
	return true
}

// leastRows estimates the rows of the smallest step whose object is a slot.
func (c *scanner) leastRows(slot int) float64 {
	least := math.Inf(1)
	for _, list := range c.lists() {
		for _, s := range list {
			if (s.step.Object == scan.End{Slot: slot}) {
				least = min(least, s.rows)
			}
		}
	}
	return least
}

// estimate estimates how many rows each step reads, and how many pass the ranges and sets of its slots. A set lets
// the part of a slot's terms pass that it contains; rows may be looked up by its elements. It reports whether
// transitive paths have a start: a slot of a pattern with a constant. One of them may have none, or too many: then its
// whole relation is read, and it is the first step.
func (c *scanner) estimate() bool {
	group := &group{scope: c.s, domains: map[sparql.Var]float64{}}
	part, few, nodes := make([]float64, len(c.vars)), make([]float64, len(c.vars)), make([]float64, len(c.vars))
	for slot := range part {
		part[slot], few[slot], nodes[slot] = 1, math.Inf(1), math.Inf(1)
	}
	for _, list := range c.lists() {
		for i := range list {
			list[i].rows = rowsOfClosure
			if list[i].step.Walk != 0 {
				continue
			}
			list[i].rows = c.l.matches(list[i].pattern, c.s)
			if !list[i].step.Optional { // which does not restrict the steps before it
				group.patterns = append(group.patterns, list[i].pattern)
			}
		}
	}
	for _, e := range c.ends {
		for _, end := range e.step.Ends() {
			if end.Arg != 0 {
				continue
			}
			few[end.Slot] = min(few[end.Slot], e.rows)
			if e.step.Walk == 0 {
				nodes[end.Slot] = min(nodes[end.Slot], e.rows)
			}
			if domain := c.domain(end, group); domain > 0 {
				part[end.Slot] *= min(1, e.rows/domain)
			}
		}
	}
	for _, w := range c.program.Within {
		if !w.Not {
			part[w.Slot] *= c.share(w)
		}
	}
	whole := false
	for _, list := range c.lists() {
		for i := range list {
			e := &list[i]
			begin, least, looked := math.Inf(1), math.Inf(1), math.Inf(1)
			for k, end := range e.step.Ends() {
				if end.Arg != 0 {
					continue
				}
				begin, least = min(begin, nodes[end.Slot]), min(least, few[end.Slot])
				each := float64(scan.RowsOfValue)
				if k == 0 {
					each = scan.RowsOfSubject + pageCost/readCost
				}
				looked = min(looked, each*few[end.Slot])
			}
			e.passing = min(e.rows, least)
			if e.step.Subject.Arg == 0 && e.step.Object.Arg == 0 {
				switch {
				case e.step.Walk == 0:
				case !whole && e.step.Closure != nil && (begin > maxStarts || e.step.Subject == e.step.Object) && c.closes(e, begin):
					whole = true
				case e.step.Subject == e.step.Object || begin > maxStarts && c.l.opts.Scans != ScansAlways || math.IsInf(begin, 1):
					return false
				default:
					e.step.Closure = nil
					e.rows *= begin
				}
				e.passing = e.rows * part[e.step.Subject.Slot] * part[e.step.Object.Slot]
			}
			e.step.Rows, e.reads = e.rows, min(e.rows, looked+e.passing)
		}
	}
	return true
}

// share estimates the part of the values of a slot that are in a range.
func (c *scanner) share(w scan.Within) float64 {
	low := c.own.args[w.Low-1]
	for _, list := range c.lists() {
		for _, e := range list {
			if e.step.Walk != 0 || e.step.Object.Arg != 0 || e.step.Object.Slot != w.Slot {
				continue
			}
			if rows, ok := c.l.rowsWithin(e.pattern, low.Region, low.Bounds); ok {
				return min(1, rows/max(e.rows, 1))
			}
		}
	}
	return 1 / rangeGain
}

// closes decides whether the whole relation of a transitive path is read, which may begin at some nodes, and estimates
// it then.
func (c *scanner) closes(e *scanned, begin float64) bool {
	links, all := 0.0, 0.0
	steps := c.own.walks[e.step.Walk-1].Steps
	for _, link := range steps {
		p := everything
		p.Predicate = sparql.Operand{Term: link.Predicate}
		links += c.l.matches(p, c.s)
	}
	if e.step.Closure.Zero {
		all = c.l.matches(everything, c.s)
	}
	if c.l.opts.Scans == ScansChosen && (links+all > maxClosed || links*closeCost > begin*walkCost) {
		return false
	}
	for _, link := range steps {
		e.step.Closure.Links = append(e.step.Closure.Links, scan.Link{Predicate: c.arg(link.Predicate), Inverse: link.Inverse})
	}
	e.rows *= links
	c.before += links*closeCost + all*readCost
	return true
}

// readsClosure reports whether the whole relation of a transitive path is read, without a comparison with SQL: that
// walks from each node separately, so nobody knows how long it takes. If all solutions are shown as they are found, it
// is only for a small relation.
func (c *scanner) readsClosure() bool {
	return c.hasClosure() && c.held() < maxHeld && (c.s.all || c.program.Distinct || c.waits() < maxScanWait)
}

// lists are all lists of steps.
func (c *scanner) lists() [3][]scanned { return [...][]scanned{c.edges, c.ends, c.options} }

// domain estimates the number of different values of a slot, 0 if unknown or without a slot.
func (c *scanner) domain(e scan.End, g *group) float64 {
	if e.Arg != 0 {
		return 0
	}
	return c.l.domain(c.vars[e.Slot], g)
}

// streams are the scanners of the sides of a union, or only the scanner itself.
func (c *scanner) streams() []*scanner {
	if len(c.sides) > 0 {
		return c.sides
	}
	return []*scanner{c}
}

// first is the step whose rows are streamed, if there are no sides.
func (c *scanner) first() scanned {
	if len(c.edges) > 0 {
		return c.edges[0]
	}
	return c.ends[0]
}

// rows estimates the rows that are streamed, passing those of them that pass their conditions.
func (c *scanner) rows() (sum float64) {
	for _, stream := range c.streams() {
		sum += stream.first().rows
	}
	return sum
}

func (c *scanner) passing() (sum float64) {
	for _, stream := range c.streams() {
		sum += stream.first().passing
	}
	return sum
}

// read estimates the rows that all steps read, held those that are held.
func (c *scanner) read() (sum float64) {
	for _, list := range c.lists() {
		for _, e := range list {
			sum += e.reads
		}
	}
	return sum
}

func (c *scanner) held() (sum float64) {
	for _, stream := range c.streams() {
		for _, list := range stream.lists() {
			for _, e := range list {
				sum += e.passing
			}
		}
	}
	return sum - c.passing()
}

// waits estimates the time before the first row, and work the total time without the rows of the answer.
func (c *scanner) waits() float64 {
	if len(c.sides) > 0 {
		return c.sides[0].waits()
	}
	return scanCost + c.before + (c.read()-c.first().reads)*readCost + c.held()*holdCost
}

func (c *scanner) work() float64 {
	if len(c.sides) > 0 {
		sum := c.asks * askCost
		for _, side := range c.sides {
			sum += side.work()
		}
		return sum
	}
	first := c.first()
	return c.waits() + first.reads*readCost + first.passing*passCost*float64(len(c.program.Steps)) + c.asks*askCost
}
