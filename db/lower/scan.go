package lower

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"trails/db/scan"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/opt"
)

// A pattern that looks at many rows is a scan, where [Options.Scans] allows: the table
// t_scan(k, c0, c1…) has the rows of the program Plan.Scans[k]. It takes basic graph patterns
// with constant predicates in one stored graph, closures that begin at a constant or at few
// nodes, an OPTIONAL of one pattern, ranges of values
// whose ids carry them, and what shares variables with an EXISTS, a NOT EXISTS or a MINUS.
// Grouping and DISTINCT of these are part of it. See docs/decisions/0066-scans.md.

// Scans says when whole ranges of an index are read in the place of SQL.
type Scans uint8

const (
	// ScansChosen reads ranges where that is estimated to be faster.
	ScansChosen Scans = iota
	// ScansNever leaves everything to SQL.
	ScansNever
	// ScansAlways reads them wherever a pattern allows it.
	ScansAlways
)

// ScanColumns is how many columns the table t_scan has beside k.
const ScanColumns = 16

// scanner makes the program of a pattern.
type scanner struct {
	l       *lowerer
	s       scope
	program scan.Program
	vars    []sparql.Var // of the slots
	nodes   []bool       // the slot is a subject somewhere
	nested  bool         // inside an EXISTS or a MINUS
	inner   []*scanner   // of these
	edges   []scanned    // the steps with two slots
	ends    []scanned    // those with one or none
	options []scanned    // those that are optional
	maybe   []bool       // the slot is of one
	walks   bool         // some step is a walk
	before  float64      // what it takes to have what others read first, in microseconds
	asks    float64      // about how many terms expressions are asked of
}

// scanned is a step and about how many rows it has. A walk has no pattern.
type scanned struct {
	pattern sparql.TriplePattern
	step    scan.Step
	rows    float64
	reads   float64 // rows that take as long as what is read of them
	passing float64 // those that pass the conditions of its slots
}

// What a scan takes, in microseconds: to begin it, and for a row that is read, held in a
// table or a set, passes through a step, is grouped, or is handed to SQLite.
const (
	scanCost   = 30
	readCost   = 0.008
	holdCost   = 0.01
	passCost   = 0.006
	groupCost  = 0.012
	handCost   = 0.25
	sortedCost = 0.25 // of a row that SQLite groups or compares with those it had
	askCost    = 0.2  // of a term that is read in the pages, and an expression asked of it
	askedBySQL = 1.0  // the same by SQL
	pageCost   = 1.2  // of a page that SQLite goes to for a row in it, and about the rows that it has
	rowsOfPage = 100
	// passGain is which part of the terms an expression is taken to be true of.
	passGain = 10.0

	// maxScanWait bounds what is read before the first row of an answer, where it is waited
	// for: a hundredth of a second. For DISTINCT, whose rows are fewer than are looked at for
	// them, it may be a part of what all take by SQL.
	maxScanWait = 10_000
	partWaited  = 0.1
	// maxHeld bounds the rows that a scan holds: they take 4 to 30 bytes each, of the 256 MB
	// that a query has.
	maxHeld = 4e6
	// maxStarts bounds the nodes that walks between two variables begin at.
	maxStarts = 64
	// worthScanning is what SQL must take for a scan to be better, worthThinking what its
	// joins must for that to be found out.
	worthScanning = 200
	worthThinking = 100
)

// scans reports whether what is lowered here may be read by a scan: nothing has a value yet,
// and all solutions are wanted.
func (l *lowerer) scans(s scope) bool {
	return (l.opts.Scans == ScansAlways || l.opts.Scans == ScansChosen && l.opts.Stats != nil) && !s.sql && s.outer == nil && s.bound == nil && !s.behind && !s.free && s.first == 0 && s.graph.isOneStored()
}

// atOnce is the scope of what is read once, whatever stands before it.
func (s scope) atOnce() scope {
	s.bound, s.behind, s.free = nil, false, false
	return s
}

// scanner returns what makes the program of a pattern; nil when it is none for a scan.
func (l *lowerer) scanner(op sparql.Op, s scope, fits func(*scanner) bool) *scanner {
	c := &scanner{l: l, s: s}
	if !c.collect(op) || !fits(c) {
		return nil
	}
	return c
}

// better returns what reads a pattern by a scan, where that is faster than by SQL, and a
// block that does it by SQL, where that was lowered: to compare them it has to be. A row of
// the answer takes so long, in microseconds, beside what finding it takes.
func (l *lowerer) better(op sparql.Op, s scope, fits func(*scanner) bool, scanRow, sqlRow float64) (*scanner, *block) {
	if !l.scans(s) {
		return nil, nil
	}
	start := l.mark()
	c := l.scanner(op, s, fits)
	always := l.opts.Scans == ScansAlways
	switch {
	case c == nil || always && !c.arrange():
		l.reset(start)
		return nil, nil
	case always:
		return c, nil
	case c.walks && s.all && c.arrange() && c.waits() < worthScanning:
		return c, nil // what a walk finds nobody knows, and a scan looks when it has it
	}
	l.reset(start) // its arguments
	if !s.all && slices.ContainsFunc(c.ends, func(e scanned) bool { return e.step.Subject.Arg != 0 && e.step.Object.Arg == 0 }) {
		return nil, nil // the first rows are those of one subject, which are few
	}
	bySQL := s
	bySQL.sql = true
	b := l.flatten(l.lower(op, bySQL))
	if l.err != nil || !s.all && b.few() || b.work()+b.rows()*sqlRow < worthThinking {
		return nil, b
	}
	after := l.mark()
	c = l.scanner(op, s, fits)
	if !c.arrange() || !c.isFaster(b, scanRow, sqlRow) {
		l.reset(after)
		return nil, b
	}
	l.reset(start) // the arguments of SQL, and then its own again
	c = l.scanner(op, s, fits)
	c.arrange()
	return c, b
}

// everything is a pattern without constants.
var everything = sparql.TriplePattern{Subject: sparql.Operand{Var: "s"}, Predicate: sparql.Operand{Var: "p"}, Object: sparql.Operand{Var: "o"}}

// isFaster compares a scan with a block by SQL, with the time that a row of the answer takes
// of each.
func (c *scanner) isFaster(b *block, scanRow, sqlRow float64) bool {
	rows := b.rows() / math.Pow(passGain, float64(len(c.program.Asked)))
	pages := c.l.matches(everything, c.s) / rowsOfPage
	sql := b.work() + rows*sqlRow + min(b.rows(), c.asks)*askedBySQL
	before := 0.0
	for _, rows := range b.rowsThrough() {
		sql += min(before, pages) * pageCost
		before = rows
	}
	for _, inner := range c.inner { // asked for each solution, or, where all are wanted, read and compared once
		asked := b.rows()*(seekCost+rowCost)*float64(len(inner.edges)+len(inner.ends)) + min(b.rows(), pages)*pageCost
		if c.s.all {
			asked = min(asked, inner.read()*(rowCost+mergeCost))
		}
		sql += asked
	}
	wait := float64(maxScanWait)
	switch {
	case c.s.all:
		wait = math.Inf(1)
	case c.program.Distinct:
		wait = max(wait, sql*partWaited)
	}
	return sql > worthScanning && c.work()+rows*scanRow < clearly*sql && c.waits() < wait && c.held() < maxHeld
}

// few reports whether the first pattern has few rows: where the first solutions are waited
// for, no more is asked then.
func (b *block) few() bool {
	for _, it := range b.from {
		if it.fanOut != nil {
			return it.fanOut() <= fewRows
		}
	}
	return true
}

// collect takes the parts of a pattern, and reports whether it could.
func (c *scanner) collect(op sparql.Op) bool {
	switch op := op.(type) {
	case sparql.BGP:
		for _, p := range op.Patterns {
			if !c.pattern(p) {
				return false
			}
		}
		return true
	case sparql.Join:
		return c.collect(op.Left) && c.collect(op.Right)
	case sparql.Filter:
		if !c.collect(op.Op) {
			return false
		}
		for _, e := range opt.Conjuncts(op.Expr) {
			if !c.condition(e, op.Op) {
				return false
			}
		}
		return true
	case sparql.PathPattern:
		return c.path(op)
	case sparql.LeftJoin:
		return !c.nested && c.collect(op.Left) && c.optional(op)
	case sparql.Minus:
		return c.collect(op.Left) && c.member(op.Right, true, op.Left)
	}
	return false
}

// optional takes an OPTIONAL of one pattern, from a variable that has a value to a new one.
func (c *scanner) optional(op sparql.LeftJoin) bool {
	right, ok := op.Right.(sparql.BGP)
	if !ok || len(right.Patterns) != 1 || op.Expr != nil {
		return false
	}
	p := right.Patterns[0]
	known, added := p.Subject.Var, p.Object.Var
	if !gives(op.Left, known) {
		known, added = added, known
	}
	if known == "" || added == "" || !gives(op.Left, known) || slices.Contains(c.vars, added) || !c.pattern(p) {
		return false
	}
	last := len(c.edges) - 1
	one := c.edges[last]
	one.step.Optional = true
	c.edges, c.options = c.edges[:last], append(c.options, one)
	c.maybe[len(c.vars)-1] = true
	return true
}

// path takes a closure that begins or ends at a constant, or both of whose ends are variables:
// then another step has to say where it begins.
func (c *scanner) path(op sparql.PathPattern) bool {
	op.Subject, op.Object = c.l.lifted(op.Subject), c.l.lifted(op.Object)
	steps := opt.Steps(op, c.l.fresh)
	op, ok := steps.(sparql.PathPattern)
	if !ok {
		return c.collect(steps)
	}
	of, inner, ok := closureOf(op.Path)
	if !ok || op.Subject.Var == op.Object.Var { // also two constants
		return false
	}
	links, ok := linksOf(inner)
	if !ok {
		return false
	}
	c.walks = true
	c.l.walks = append(c.l.walks, walkOf(op, links, of, c.s))
	return c.step(sparql.TriplePattern{}, scan.Step{Walk: len(c.l.walks), Subject: c.end(op.Subject), Object: c.end(op.Object)})
}

func (c *scanner) pattern(p sparql.TriplePattern) bool {
	if _, ok := p.Predicate.Term.(rdf.IRI); !ok || p.Predicate.Var != "" || p.Subject.Var != "" && p.Subject.Var == p.Object.Var {
		return false
	}
	p.Subject, p.Object = c.l.lifted(p.Subject), c.l.lifted(p.Object)
	return c.step(p, scan.Step{Predicate: c.arg(p.Predicate.Term), Subject: c.end(p.Subject), Object: c.end(p.Object)})
}

// step takes a step, which is that of a pattern if it is no walk.
func (c *scanner) step(p sparql.TriplePattern, s scan.Step) bool {
	if c.s.graph.in[0] != storedDefault {
		graph, err := strconv.Atoi(strings.TrimPrefix(c.s.graph.in[0], "?"))
		if err != nil || s.Walk == 0 && s.Subject.Arg != 0 && s.Object.Arg == 0 { // no index begins with graph and subject
			return false
		}
		s.Graph = graph
	}
	for _, e := range [...]scan.End{s.Subject, s.Object} {
		if e.Arg == 0 && c.maybe[e.Slot] {
			return false
		}
	}
	one := scanned{pattern: p, step: s}
	if s.Subject.Arg == 0 && s.Object.Arg == 0 {
		c.edges = append(c.edges, one)
	} else {
		c.ends = append(c.ends, one)
	}
	if s.Subject.Arg == 0 {
		c.nodes[s.Subject.Slot] = true
	}
	return true
}

func (c *scanner) arg(t rdf.Term) int {
	c.l.term(t)
	return len(c.l.args)
}

func (c *scanner) end(o sparql.Operand) scan.End {
	if o.Var == "" {
		return scan.End{Arg: c.arg(o.Term)}
	}
	slot := slices.Index(c.vars, o.Var)
	if slot < 0 {
		slot = len(c.vars)
		c.vars, c.nodes, c.maybe = append(c.vars, o.Var), append(c.nodes, false), append(c.maybe, false)
	}
	return scan.End{Slot: slot}
}

// condition takes a condition of a filter around below.
func (c *scanner) condition(e sparql.Expr, below sparql.Op) bool {
	if x, ok := e.(sparql.Exists); ok {
		return c.member(x.Op, x.Not, below)
	}
	if v, t, ok := textEquality(e); ok && gives(below, v) {
		id := c.arg(t)
		c.program.Within = append(c.program.Within, scan.Within{Slot: slices.Index(c.vars, v), Low: id, High: id})
		return true
	}
	if v, terms, ok := members(e); ok && gives(below, v) {
		among := scan.Among{Slot: slices.Index(c.vars, v)}
		for _, t := range terms {
			among.Args = append(among.Args, c.arg(t))
		}
		c.program.Among = append(c.program.Among, among)
		return true
	}
	compared, ok := comparisonOf(e)
	slot := slices.Index(c.vars, compared.Var)
	if !ok || slot < 0 {
		return c.asked(e, below)
	}
	r := c.l.regionOf(below, compared.Var, c.s)
	if r == "" || !slices.Contains(compared.regions, r) {
		return c.asked(e, below)
	}
	bound, not := Bound{compared.Func, compared.Term}, compared.Func == sparql.NotEqual
	if not {
		bound.Func = sparql.Equal
	}
	for _, w := range c.program.Within { // one range of a slot is one of the index
		low, high := &c.l.args[w.Low-1], &c.l.args[w.High-1]
		if w.Slot == slot && !w.Not && !not && low.Region == r {
			low.Bounds, high.Bounds = append(slices.Clip(low.Bounds), bound), append(slices.Clip(high.Bounds), bound)
			return true
		}
	}
	w := scan.Within{Slot: slot, Not: not, Low: len(c.l.args) + 1, High: len(c.l.args) + 2}
	c.l.arg(Arg{Region: r, Bounds: []Bound{bound}})
	c.l.arg(Arg{Region: r, Bounds: []Bound{bound}, High: true})
	c.program.Within = append(c.program.Within, w)
	return true
}

// asked takes an expression of one variable that is an object somewhere: the terms of those
// are read in the order in which they stand in the file.
func (c *scanner) asked(e sparql.Expr, below sparql.Op) bool {
	vars := partsOf(e).vars
	if len(vars) == 2 {
		return c.differ(e, below)
	}
	if len(vars) != 1 || !gives(below, vars[0]) || opt.IsVolatile(e) || sparql.HasPattern(e) {
		return false
	}
	slot := slices.Index(c.vars, vars[0])
	isObject := func(s scanned) bool { return s.step.Object == scan.End{Slot: slot} }
	if !slices.ContainsFunc(c.edges, isObject) && !slices.ContainsFunc(c.ends, isObject) {
		return false
	}
	c.program.Asked = append(c.program.Asked, scan.Asked{Slot: slot, Expr: len(c.l.exprs)})
	c.l.exprs = append(c.l.exprs, Expr{Expr: e, Vars: vars, Pass: []Pass{PassTerm}})
	return true
}

// differ takes the condition that two variables are not equal.
func (c *scanner) differ(e sparql.Expr, below sparql.Op) bool {
	call, ok := e.(sparql.Call)
	if !ok || call.Func != sparql.NotEqual {
		return false
	}
	d := scan.Differ{Expr: len(c.l.exprs)}
	vars := make([]sparql.Var, len(d.Slots))
	for i, arg := range call.Args {
		v, ok := arg.(sparql.VarExpr)
		if !ok || !gives(below, v.Var) {
			return false
		}
		d.Slots[i], vars[i] = slices.Index(c.vars, v.Var), v.Var
	}
	c.program.Differ = append(c.program.Differ, d)
	c.l.exprs = append(c.l.exprs, Expr{Expr: e, Vars: vars, Pass: []Pass{PassTerm, PassTerm}})
	return true
}

// member takes the pattern of an EXISTS or a MINUS, whose solutions are the same whatever is
// substituted and share variables with those of below.
func (c *scanner) member(op sparql.Op, not bool, below sparql.Op) bool {
	inner := &scanner{l: c.l, s: scope{graph: c.s.graph}, nested: true}
	if c.nested || !inner.collect(op) {
		return false
	}
	var slots []int
	for slot, v := range inner.vars {
		outer := slices.Index(c.vars, v)
		if outer < 0 {
			continue
		}
		if !gives(below, v) {
			return false
		}
		slots = append(slots, outer)
		inner.program.Keys = append(inner.program.Keys, slot)
	}
	if len(slots) == 0 {
		return false
	}
	c.inner = append(c.inner, inner)
	c.program.Members = append(c.program.Members, scan.Member{Slots: slots, Of: &inner.program, Not: not})
	return true
}

// gives reports whether the patterns of what was collected give a variable its value.
func gives(op sparql.Op, v sparql.Var) bool {
	left, right := sparql.Operands(op)
	switch op := op.(type) {
	case sparql.BGP:
		return slices.ContainsFunc(op.Patterns, func(p sparql.TriplePattern) bool { return p.Subject.Var == v || p.Object.Var == v })
	case sparql.PathPattern:
		return op.Subject.Var == v || op.Object.Var == v
	case sparql.Join:
		return gives(left, v) || gives(right, v)
	case sparql.Filter, sparql.LeftJoin, sparql.Minus:
		return gives(left, v)
	}
	return false
}

// arrange puts the steps in their order: first the one of which most rows pass, which are not
// held, then those that hang on what is known, what tests before what multiplies.
func (c *scanner) arrange() bool {
	for _, inner := range c.inner {
		if !inner.arrange() {
			return false
		}
		c.before += inner.work() + inner.first().passing*holdCost
	}
	if !c.estimate() {
		return false
	}
	for _, a := range c.program.Asked {
		c.asks += c.leastRows(a.Slot)
	}
	for i := range c.program.Differ {
		d := &c.program.Differ[i]
		if d.Nodes = c.nodes[d.Slots[0]] || c.nodes[d.Slots[1]]; !d.Nodes {
			c.asks += c.leastRows(d.Slots[0])
		}
	}
	c.program.Slots = len(c.vars)
	larger := func(a, b scanned) int { return cmp.Compare(b.rows, a.rows) }
	slices.SortStableFunc(c.ends, larger)
	slices.SortStableFunc(c.edges, func(a, b scanned) int { return cmp.Or(cmp.Compare(b.passing, a.passing), larger(a, b)) })
	bound := make([]bool, len(c.vars))
	take := func(s scan.Step) {
		for _, e := range [...]scan.End{s.Subject, s.Object} {
			if e.Arg == 0 {
				bound[e.Slot] = true
			}
		}
		c.program.Steps = append(c.program.Steps, s)
	}
	ends := c.ends
	switch {
	case len(c.edges) > 0:
		take(c.edges[0].step)
	case len(c.vars)-len(c.options) == 1:
		for i, e := range c.ends {
			if e.step.Subject.Arg == 0 || e.step.Object.Arg == 0 {
				take(e.step)
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
		take(rest[best].step)
		rest = slices.Delete(rest, best, best+1)
	}
	for slot, is := range bound {
		if !is && !c.maybe[slot] {
			return false
		}
	}
	for i := range c.program.Differ { // terms are read fastest in the order of the first step
		if d := &c.program.Differ[i]; c.program.Steps[0].Object == (scan.End{Slot: d.Slots[1]}) {
			d.Slots[0], d.Slots[1] = d.Slots[1], d.Slots[0]
		}
	}
	for _, o := range c.options {
		take(o.step)
	}
	return true
}

// leastRows is about how many rows the smallest step has whose object a slot is.
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

// estimate says about how many rows each step reads, and how many of them pass the ranges and
// the sets of its slots. A set lets pass the part of a slot's terms that are in it, and rows may
// be looked up by these. It reports whether walks know where to begin: at nodes that a pattern
// with a constant gives.
func (c *scanner) estimate() bool {
	group := &group{domains: map[sparql.Var]float64{}}
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
			if !list[i].step.Optional { // which says nothing of those before it
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
			part[w.Slot] /= rangeGain
		}
	}
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
				if e.step.Walk != 0 {
					if begin > maxStarts && c.l.opts.Scans != ScansAlways || math.IsInf(begin, 1) {
						return false
					}
					e.rows *= begin
				}
				e.passing = e.rows * part[e.step.Subject.Slot] * part[e.step.Object.Slot]
			}
			e.step.Rows, e.reads = e.rows, min(e.rows, looked+e.passing)
		}
	}
	return true
}

// lists are all steps.
func (c *scanner) lists() [3][]scanned { return [...][]scanned{c.edges, c.ends, c.options} }

// domain is about how many terms a slot may be, 0 for no slot and when nothing is known.
func (c *scanner) domain(e scan.End, g *group) float64 {
	if e.Arg != 0 {
		return 0
	}
	return c.l.domain(c.vars[e.Slot], g, c.s)
}

// first is the step whose rows are read one after another.
func (c *scanner) first() scanned {
	if len(c.edges) > 0 {
		return c.edges[0]
	}
	return c.ends[0]
}

// read is about how many rows all steps read, held how many the others than the first hold.
func (c *scanner) read() (sum float64) {
	for _, list := range c.lists() {
		for _, e := range list {
			sum += e.reads
		}
	}
	return sum
}

func (c *scanner) held() (sum float64) {
	for _, list := range c.lists() {
		for _, e := range list {
			sum += e.passing
		}
	}
	return sum - c.first().passing
}

// waits is what it takes before the first row is read, and work what all takes but the rows
// of the answer.
func (c *scanner) waits() float64 {
	return scanCost + c.before + (c.read()-c.first().reads)*readCost + c.held()*holdCost
}

func (c *scanner) work() float64 {
	first := c.first()
	return c.waits() + first.reads*readCost + first.passing*passCost*float64(len(c.program.Steps)) + c.asks*askCost
}

// scan returns a pattern as the rows of a scan, or by SQL where that is as fast; nil when it
// is none for a scan. One pattern alone is as fast by SQL.
func (l *lowerer) scan(op sparql.Op, s scope) *block {
	c, b := l.better(op, s, func(c *scanner) bool {
		return len(c.vars) > 0 && len(c.vars) <= ScanColumns && len(c.edges)+len(c.ends)+len(c.options)+len(c.inner)+len(c.program.Asked) > 1
	}, handCost, 0)
	if c != nil {
		return c.table(b)
	}
	return b
}

// table is the block of a scan's rows; b is the same by SQL, where it is known.
func (c *scanner) table(b *block) *block {
	for slot := range c.vars {
		c.program.Keys = append(c.program.Keys, slot)
	}
	rows := func() float64 { return c.first().passing }
	if b != nil {
		rows = b.rows
	}
	out, t := c.l.scanned(c.program, rows)
	for slot, v := range c.vars {
		col := c.column(t, slot, slot)
		if known, ok := b.column(v); ok {
			col.domain = known.domain
		}
		out.cols.set(v, col)
	}
	return out
}

// column is a column of t_scan that has a slot.
func (c *scanner) column(t string, place, slot int) column {
	return column{sql: t + ".c" + strconv.Itoa(place), node: c.nodes[slot], maybe: c.maybe[slot], tied: true, listed: Listed{Place: place + 1}}
}

func (b *block) column(v sparql.Var) (column, bool) {
	if b == nil {
		return column{}, false
	}
	return b.cols.get(v)
}

// scanned is a block with the table of a program, and its alias.
func (l *lowerer) scanned(p scan.Program, rows func() float64) (*block, string) {
	t := l.alias()
	l.programs = append(l.programs, p)
	return &block{
		from:  []item{{table: "t_scan " + t, fanOut: rows, program: len(l.programs), own: 1}},
		where: []string{t + ".k = " + strconv.Itoa(len(l.programs)-1)},
	}, t
}

// grouped is a GROUP BY of a scan. Of the groups, only those are handed to SQLite whose counts
// may be what is wanted; it tests them again.
func (c *scanner) grouped(op sparql.Group, having map[sparql.Var]*rangeHint) *block {
	l := c.l
	behind := len(op.Keys)
	for i, a := range op.Aggregates {
		of := c.program.Aggregates[i]
		if h := having[a.Var]; h != nil && (of.Func == scan.Count || of.Func == scan.CountBound || of.Func == scan.CountDistinct) {
			integers := Arg{Region: Region(rdf.XSDInteger), Bounds: h.bounds}
			last := integers
			last.High = true
			w := scan.Within{Slot: behind, Low: len(l.args) + 1, High: len(l.args) + 2}
			l.arg(integers)
			l.arg(last)
			c.program.Having = append(c.program.Having, scan.Having{Within: w, Zero: c.arg(zeroTerm)})
		}
		behind += of.Width()
	}
	out, t := l.scanned(c.program, nil)
	place := len(op.Keys)
	next := func() string {
		place++
		return t + ".c" + strconv.Itoa(place-1)
	}
	for i, k := range op.Keys {
		out.cols.set(k.Var, c.column(t, i, c.program.Keys[i]))
	}
	for i, a := range op.Aggregates {
		switch of := c.program.Aggregates[i]; of.Func {
		case scan.Count, scan.CountBound, scan.CountDistinct:
			zero := l.term(zeroTerm)
			out.cols.set(a.Var, column{sql: zero + " + " + next(), computed: true, listed: Listed{place, len(l.args)}})
		case scan.Min, scan.Max:
			out.cols.set(a.Var, column{sql: "NULLIF(" + next() + ", 0)", maybe: true, computed: true, listed: Listed{Place: place}})
		case scan.Sum:
			scale := 0
			if of.Shift > 0 {
				scale = 6
			}
			sum := sums[a.Aggregate.Func] + "(" + strconv.Itoa(scale) + ", " + next() + ", " + next() + ", " + next() + ")"
			out.cols.set(a.Var, column{sql: sum, computed: true})
		}
	}
	return l.wrap(out.apart())
}

// group takes the keys and the aggregates, and reports whether it could.
func (c *scanner) group(op sparql.Group) bool {
	c.program.Grouped = true
	width := len(op.Keys)
	for _, k := range op.Keys {
		v, ok := k.Expr.(sparql.VarExpr)
		slot := slices.Index(c.vars, v.Var)
		if !ok || slot < 0 || k.Var == "" {
			return false
		}
		c.program.Keys = append(c.program.Keys, slot)
	}
	for _, a := range op.Aggregates {
		one, ok := c.aggregate(a.Aggregate, op.Op)
		if !ok {
			return false
		}
		c.program.Aggregates = append(c.program.Aggregates, one)
		width += one.Width()
	}
	return width <= ScanColumns
}

// aggregate is done by ids, as in SQL: see [lowerer.aggregate].
func (c *scanner) aggregate(a sparql.Aggregate, below sparql.Op) (scan.Aggregate, bool) {
	if a.Expr == nil {
		return scan.Aggregate{Func: scan.Count}, !a.Distinct
	}
	v, ok := a.Expr.(sparql.VarExpr)
	slot := slices.Index(c.vars, v.Var)
	if !ok || slot < 0 {
		return scan.Aggregate{}, false
	}
	region := c.l.regionOf(below, v.Var, c.s)
	switch {
	case a.Func == sparql.Count && a.Distinct:
		return scan.Aggregate{Func: scan.CountDistinct, Slot: slot}, true
	case a.Func == sparql.Count && c.maybe[slot]:
		return scan.Aggregate{Func: scan.CountBound, Slot: slot}, true
	case a.Func == sparql.Count:
		return scan.Aggregate{Func: scan.Count}, true
	case c.maybe[slot]:
		return scan.Aggregate{}, false
	case a.Func == sparql.Sample, a.Func == sparql.Min && region != "":
		return scan.Aggregate{Func: scan.Min, Slot: slot}, true
	case a.Func == sparql.Max && region != "":
		return scan.Aggregate{Func: scan.Max, Slot: slot}, true
	case sums[a.Func] != "" && zeros[region] != nil && !a.Distinct:
		one := scan.Aggregate{Func: scan.Sum, Slot: slot, Zero: c.arg(zeros[region])}
		if region == Region(rdf.XSDDecimal) {
			one.Shift = 1
		}
		return one, true
	}
	return scan.Aggregate{}, false
}

// scanDistinct is DISTINCT of a scan's columns; nil where SQL is as fast, or has to do it.
func (l *lowerer) scanDistinct(op sparql.Op, s scope) *block {
	project, ok := op.(sparql.Project)
	if !ok {
		return nil
	}
	start := l.mark()
	c, b := l.better(project.Op, s.atOnce(), func(c *scanner) bool {
		c.program.Distinct = true
		for _, v := range project.Vars {
			slot := slices.Index(c.vars, v)
			if slot < 0 {
				return false
			}
			c.program.Keys = append(c.program.Keys, slot)
		}
		return len(project.Vars) <= ScanColumns
	}, groupCost, sortedCost)
	if c == nil {
		l.reset(start)
		return nil
	}
	rows := func() float64 { return c.first().passing }
	if b != nil {
		rows = b.rows
	}
	out, t := l.scanned(c.program, rows)
	for i, v := range project.Vars {
		out.cols.set(v, c.column(t, i, c.program.Keys[i]))
	}
	return l.wrap(out.apart())
}
