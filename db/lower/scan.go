package lower

import (
	"slices"
	"strconv"
	"sync"

	"trails/db/plan"
	"trails/db/scan"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/opt"
)

// A pattern that reads many rows becomes a scan, if [Options.Scans] allows: the virtual table t_scan(k, c0, c1…) has
// the rows of the program Plan.Programs[k]. A scan handles basic graph patterns with constant predicates in one
// stored graph, transitive paths from a constant or from few nodes, OPTIONAL with one pattern, ranges of inlined
// values, EXISTS, NOT EXISTS and MINUS that share variables with these, and grouping and DISTINCT. See
// docs/decisions/0066-scans.md.

// Scans says when whole ranges of an index are scanned instead of using SQL.
type Scans uint8

const (
	// ScansChosen scans where that is estimated to be faster.
	ScansChosen Scans = iota
	// ScansNever always uses SQL.
	ScansNever
	// ScansAlways scans wherever a pattern allows it.
	ScansAlways
)

// ScanColumns is the number of columns of t_scan besides k.
const ScanColumns = 16

// scanner builds the program of a pattern.
type scanner struct {
	l *lowerer
	s scope
	// own is what the lowering has made so far, and what the program adds; that of the lowering does not change before
	// [scanner.choose]. The scanners of nested patterns share it.
	own     *made
	program scan.Program
	vars    []sparql.Var // variable of each slot
	known   []slotFacts  // what is known of the values of each slot
	nested  bool         // patterns of EXISTS and MINUS
	inner   []*scanner   // scanners of these
	partner *scanner     // scanner of a pattern that an equality connects, see [scanner.matched]
	sides   []*scanner   // scanners of the sides of a union, see [scanner.unite]
	edges   []scanned    // steps with two slots
	ends    []scanned    // steps with one slot or none
	options []scanned    // optional steps
	// open are patterns with a variable predicate, see [scanner.close].
	open []sparql.TriplePattern
	// answer are the variables of the answer, nil if all are. whole says that the next part is the whole pattern.
	answer []sparql.Var
	whole  bool
	walks  bool         // some step is a transitive path
	before float64      // time that nested programs need first, in microseconds
	asks   float64      // estimated number of terms on which expressions are evaluated
	choice *plan.Choice // nil unless it was compared with SQL
	// taken are the steps in the order of the program, and conditions what else it computes, for an explanation.
	taken      []scanned
	conditions []sparql.Op
}

// slotFacts is what a scanner knows of the values of a slot: whether it is a subject somewhere, whether it may be
// unbound, by an optional step or by an expression, and whether an expression computes them.
type slotFacts struct {
	node, maybe, computed bool
	computedRegion
}

// scanned is a step with its estimated rows: a pattern or, if path is not nil, a transitive path.
type scanned struct {
	pattern sparql.TriplePattern
	path    sparql.Op
	step    scan.Step
	rows    float64
	reads   float64 // cost of reading it, in sequentially read rows
	passing float64 // rows that pass the conditions of its slots
}

// scans reports whether a scan may be used here: nothing is bound yet, and all solutions are needed.
func (l *lowerer) scans(s scope) bool {
	return (l.opts.Scans == ScansAlways || l.opts.Scans == ScansChosen && l.opts.Stats != nil) && !s.sql && s.outer == nil && s.bound == nil && !s.behind && !s.free && s.first == 0 && s.graph.isOneStored()
}

// atOnce returns the scope for what is evaluated once, whatever is before it.
func (s scope) atOnce() scope {
	s.bound, s.behind, s.free = nil, false, false
	return s
}

// scanner returns a scanner for a pattern, nil if a scan cannot handle it. answer are the variables that are asked for,
// nil for all.
func (l *lowerer) scanner(op sparql.Op, s scope, answer []sparql.Var, fits func(*scanner) bool) *scanner {
	own := l.made.apart()
	c := &scanner{l: l, s: s, own: &own, answer: answer, whole: true}
	var collected bool
	if sides := sidesOver(op); answer != nil && len(sides) > 1 && len(sides) <= maxSides {
		collected = c.unite(sides)
	} else {
		collected = c.collect(op)
	}
	if !collected || !fits(c) {
		return nil
	}
	return c
}

// better returns the pattern lowered to a scan, if that is faster than SQL, and the block by SQL, if it had to be
// lowered for the comparison. perRow is the cost of one row of the answer in microseconds, besides finding it.
func (l *lowerer) better(op sparql.Op, s scope, answer []sparql.Var, fits func(*scanner) bool, scanRow, sqlRow float64) (*scanner, *block) {
	if !l.scans(s) {
		return nil, nil
	}
	c := l.scanner(op, s, answer, fits)
	if c == nil {
		return nil, nil
	}
	always, arranged := l.opts.Scans == ScansAlways, sync.OnceValue(c.arrange)
	switch {
	case always && !arranged():
		return nil, nil
	case always:
		return c.choose(), nil
	case c.walks && arranged() && (s.all && c.waits() < worthScanning || c.readsClosure()):
		return c.choose(), nil // nobody knows what a path will find, and a scan decides during the walk
	}
	if !s.all && slices.ContainsFunc(c.ends, func(e scanned) bool { return e.step.Subject.Arg != 0 && e.step.Object.Arg == 0 }) {
		return nil, nil // the first rows are those of one subject, which are few
	}
	bySQL := s
	bySQL.sql = true
	b := l.flatten(l.lower(op, bySQL))
	if l.err != nil || !s.all && b.few() || b.work()+b.rows()*sqlRow < worthThinking || !arranged() {
		return nil, b
	}
	choice, chosen := c.compare(b, scanRow, sqlRow)
	if chosen {
		c.choice = &choice
		return c.choose(), b
	}
	if b.node != nil {
		b.node.Choice = &choice
	}
	return nil, b
}

// choose makes the program of a scanner a part of the plan, instead of what was made since the scanner was.
func (c *scanner) choose() *scanner {
	c.l.made, c.own = *c.own, &c.l.made
	return c
}

// everything is a pattern without constants.
var everything = sparql.TriplePattern{Subject: sparql.Operand{Var: "s"}, Predicate: sparql.Operand{Var: "p"}, Object: sparql.Operand{Var: "o"}}

// few reports whether the first pattern has few rows. If the first solutions are needed soon, no further statistics
// are read then.
func (b *block) few() bool {
	for _, it := range b.from {
		if it.fanOut != nil {
			return it.fanOut() <= fewRows
		}
	}
	return true
}

// collect adds the parts of a pattern, and reports whether it could.
func (c *scanner) collect(op sparql.Op) bool {
	whole := c.whole
	c.whole = false
	switch op := op.(type) {
	case sparql.BGP:
		if c.edges == nil {
			c.edges = make([]scanned, 0, len(op.Patterns))
		}
		for _, p := range op.Patterns {
			if !c.pattern(p) {
				return false
			}
		}
		return true
	case sparql.Join:
		return c.collect(op.Left) && c.collect(op.Right) && c.partner == nil
	case sparql.Filter:
		if m, ok := c.l.matchOf(op, c.s); ok {
			return c.matched(op, m, whole)
		}
		if !c.collect(op.Op) {
			return false
		}
		if len(c.open) > 0 && (!whole || c.answer == nil || sparql.HasPattern(op.Expr) || !c.close(slices.Concat(c.answer, partsOf(op.Expr).vars)...)) {
			return false
		}
		for _, e := range opt.Conjuncts(op.Expr) {
			if !c.condition(e, op.Op) {
				return false
			}
			if _, ok := e.(sparql.Exists); !ok {
				c.conditions = append(c.conditions, sparql.Filter{Expr: e})
			}
		}
		return true
	case sparql.PathPattern:
		return c.path(op)
	case sparql.Extend:
		if c.nested || slices.Contains(c.vars, op.Var) || !c.collect(op.Op) || len(c.open) > 0 {
			return false
		}
		_, ok := c.computed(op.Expr, op.Var, op.Op)
		c.conditions = append(c.conditions, op)
		return ok
	case sparql.LeftJoin:
		return !c.nested && c.collect(op.Left) && len(c.open) == 0 && c.partner == nil && c.optional(op)
	case sparql.Minus:
		return c.collect(op.Left) && len(c.open) == 0 && c.partner == nil && c.member(op.Right, true, op.Left)
	}
	return false
}

// optional adds an OPTIONAL of one pattern, from a bound variable to a new one.
func (c *scanner) optional(op sparql.LeftJoin) bool {
	if !isStep(op) {
		return false
	}
	p := op.Right.(sparql.BGP).Patterns[0]
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
	c.known[len(c.vars)-1].maybe = true
	return true
}

// isStep reports whether an OPTIONAL is one pattern, which may be an optional step.
func isStep(op sparql.LeftJoin) bool {
	right, ok := op.Right.(sparql.BGP)
	return ok && len(right.Patterns) == 1 && op.Expr == nil && right.Patterns[0].Predicate.Var == ""
}

// path adds a transitive path. If both ends are variables, another step must bind one of them, or the whole relation is
// read, see [scanner.estimate].
func (c *scanner) path(op sparql.PathPattern) bool {
	op.Subject, op.Object = c.l.lifted(op.Subject), c.l.lifted(op.Object)
	steps := opt.Steps(op, c.l.fresh)
	op, ok := steps.(sparql.PathPattern)
	if !ok {
		return c.collect(steps)
	}
	of, inner, ok := closureOf(op.Path)
	if !ok || op.Subject.Var == "" && op.Object.Var == "" {
		return false
	}
	links, ok := linksOf(inner)
	if !ok {
		return false
	}
	c.walks = true
	c.own.walks = append(c.own.walks, walkOf(op, links, of, c.s))
	s := scan.Step{Walk: len(c.own.walks), Subject: c.end(op.Subject), Object: c.end(op.Object)}
	// The term that an EXISTS gives to an end of a path without a step need be no node of the graph.
	if of.many && op.Subject.Var != "" && op.Object.Var != "" && !(c.nested && of.zero) {
		s.Closure = &scan.Closure{Zero: of.zero}
	}
	if !c.step(sparql.TriplePattern{}, op, s) {
		return false
	}
	if s.Subject.Arg == 0 && !of.zero && !slices.ContainsFunc(links, func(link Link) bool { return link.Inverse }) {
		c.known[s.Subject.Slot].node = true
	}
	return true
}

// hasClosure reports whether the pattern has the whole relation of a transitive path or, before it is arranged, may
// have it.
func (c *scanner) hasClosure() bool {
	return slices.ContainsFunc(c.edges, func(e scanned) bool { return e.step.Closure != nil }) || slices.ContainsFunc(c.sides, (*scanner).hasClosure)
}

func (c *scanner) pattern(p sparql.TriplePattern) bool {
	p.Subject, p.Object = c.l.lifted(p.Subject), c.l.lifted(p.Object)
	if p.Predicate.Var != "" {
		c.open = append(c.open, p)
		return true
	}
	if _, ok := p.Predicate.Term.(rdf.IRI); !ok || p.Subject.Var != "" && p.Subject.Var == p.Object.Var {
		return false
	}
	return c.step(p, nil, scan.Step{Predicate: c.arg(p.Predicate.Term), Subject: c.end(p.Subject), Object: c.end(p.Object)})
}

// close adds the patterns with a variable predicate, once all that uses them is known: the other parts, the answer, and
// filters. Subject and object must be different variables, one of which nothing else uses.
func (c *scanner) close(answer ...sparql.Var) bool {
	for i, p := range c.open {
		known := slices.Concat(c.vars, answer)
		for k, other := range c.open {
			if k != i {
				known = append(known, other.Subject.Var, other.Predicate.Var, other.Object.Var)
			}
		}
		subject, object := slices.Contains(known, p.Subject.Var), slices.Contains(known, p.Object.Var)
		s := scan.Step{Columns: scan.PredicateObject}
		switch {
		case p.Subject.Var == "" || p.Object.Var == "", c.s.graph.named, subject && object,
			p.Subject.Var == p.Object.Var, p.Predicate.Var == p.Subject.Var, p.Predicate.Var == p.Object.Var, slices.Contains(c.vars, p.Predicate.Var):
			return false
		case subject:
			s = scan.Step{Columns: scan.SubjectPredicate, Subject: c.end(p.Subject), Object: c.end(p.Predicate)}
		default:
			s.Subject, s.Object = c.end(p.Predicate), c.end(p.Object)
		}
		if !c.step(p, nil, s) {
			return false
		}
	}
	c.open = nil
	return true
}

// step adds a step: a pattern or, if path is not nil, a transitive path.
func (c *scanner) step(p sparql.TriplePattern, path sparql.Op, s scan.Step) bool {
	if g := c.s.graph; g.named {
		if g.arg == 0 || s.Walk == 0 && s.Subject.Arg != 0 && s.Object.Arg == 0 { // no index begins with graph and subject
			return false
		}
		s.Graph = g.arg
	}
	for _, e := range [...]scan.End{s.Subject, s.Object} {
		if e.Arg == 0 && c.known[e.Slot].maybe {
			return false
		}
	}
	one := scanned{pattern: p, path: path, step: s}
	if s.Subject.Arg == 0 && s.Object.Arg == 0 {
		c.edges = append(c.edges, one)
	} else {
		c.ends = append(c.ends, one)
	}
	if s.Subject.Arg == 0 && s.Walk == 0 {
		c.known[s.Subject.Slot].node = true
	}
	return true
}

func (c *scanner) arg(t rdf.Term) int {
	c.own.arg(Arg{Term: t})
	return len(c.own.args)
}

func (c *scanner) end(o sparql.Operand) scan.End {
	if o.Var == "" {
		return scan.End{Arg: c.arg(o.Term)}
	}
	slot := slices.Index(c.vars, o.Var)
	if slot < 0 {
		slot = len(c.vars)
		c.vars, c.known = append(c.vars, o.Var), append(c.known, slotFacts{})
	}
	return scan.End{Slot: slot}
}

// condition adds a condition of a filter around below.
func (c *scanner) condition(e sparql.Expr, below sparql.Op) bool {
	if c.partner != nil {
		return c.filtered(e, below)
	}
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
	for _, w := range c.program.Within { // one range of a slot can be a range of the index
		low, high := &c.own.args[w.Low-1], &c.own.args[w.High-1]
		if w.Slot == slot && !w.Not && !not && low.Region == r {
			low.Bounds, high.Bounds = append(slices.Clip(low.Bounds), bound), append(slices.Clip(high.Bounds), bound)
			return true
		}
	}
	w := scan.Within{Slot: slot, Not: not, Low: len(c.own.args) + 1, High: len(c.own.args) + 2}
	c.own.arg(Arg{Region: r, Bounds: []Bound{bound}})
	c.own.arg(Arg{Region: r, Bounds: []Bound{bound}, High: true})
	c.program.Within = append(c.program.Within, w)
	return true
}

// asked adds an expression with one variable that is the object of a pattern: then its terms are read in the order of
// the file.
func (c *scanner) asked(e sparql.Expr, below sparql.Op) bool {
	vars := partsOf(e).vars
	if len(vars) == 2 && c.differ(e, below) {
		return true
	}
	if len(vars) != 1 || slices.ContainsFunc(vars, func(v sparql.Var) bool { return c.isComputed(v) }) {
		return !c.nested && c.filtered(e, below)
	}
	if !gives(below, vars[0]) || sparql.IsVolatile(e) || sparql.HasPattern(e) {
		return false
	}
	slot := slices.Index(c.vars, vars[0])
	isObject := func(s scanned) bool { return s.step.Object == scan.End{Slot: slot} }
	if !slices.ContainsFunc(c.edges, isObject) && !slices.ContainsFunc(c.ends, isObject) {
		return false
	}
	c.program.Asked = append(c.program.Asked, scan.Asked{Slot: slot, Expr: len(c.own.exprs)})
	c.own.exprs = append(c.own.exprs, Expr{Expr: e, Vars: vars, Pass: []Pass{PassTerm}})
	return true
}

// differ adds the condition that two variables are not equal.
func (c *scanner) differ(e sparql.Expr, below sparql.Op) bool {
	call, ok := e.(sparql.Call)
	if !ok || call.Func != sparql.NotEqual {
		return false
	}
	d := scan.Differ{Expr: len(c.own.exprs)}
	vars := make([]sparql.Var, len(d.Slots))
	for i, arg := range call.Args {
		v, ok := arg.(sparql.VarExpr)
		if !ok || !gives(below, v.Var) {
			return false
		}
		d.Slots[i], vars[i] = slices.Index(c.vars, v.Var), v.Var
	}
	c.program.Differ = append(c.program.Differ, d)
	c.own.exprs = append(c.own.exprs, Expr{Expr: e, Vars: vars, Pass: []Pass{PassTerm, PassTerm}})
	return true
}

// member adds the pattern of an EXISTS or MINUS, whose solutions do not depend on what is substituted, and which
// shares variables with below.
func (c *scanner) member(op sparql.Op, not bool, below sparql.Op) bool {
	inner := &scanner{l: c.l, s: scope{graph: c.s.graph}, own: c.own, nested: true}
	if c.nested || !inner.collect(op) || len(inner.open) > 0 {
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

// scan returns a pattern lowered to a scan, or by SQL if that is as fast; nil if a scan cannot handle it. A single
// pattern is as fast by SQL.
func (l *lowerer) scan(op sparql.Op, s scope) *block {
	if _, ok := l.matchOf(op, s); ok {
		s.first = 0 // the first partners may be found late
	}
	c, b := l.better(op, s, nil, func(c *scanner) bool {
		parts := len(c.edges) + len(c.ends) + len(c.options) + len(c.inner) + len(c.program.Asked) + len(c.program.Computed)
		return len(c.open) == 0 && len(c.vars) > 0 && len(c.vars) <= ScanColumns && (c.partner != nil || c.listsNumbers() && (parts > 1 || c.hasClosure()))
	}, handCost, 0)
	if c != nil {
		return c.table(b)
	}
	return b
}

// table returns the block with the rows of a scan; b is the same by SQL, if it is known.
func (c *scanner) table(b *block) *block {
	for slot := range c.vars {
		c.program.Keys = append(c.program.Keys, slot)
	}
	rows := c.passing
	if b != nil {
		rows = b.rows
	}
	out, t := c.l.scanned(c.program, rows, c.tree(plan.Join, nil, rows))
	for slot, v := range c.vars {
		col := c.column(t, slot, slot)
		if known, ok := b.column(v); ok {
			col.domain = known.domain
		}
		out.cols.set(v, col)
	}
	return out
}

// column returns the column of t_scan with a slot.
func (c *scanner) column(t string, place, slot int) column {
	col := field{t, "c" + strconv.Itoa(place)}.column()
	col.node, col.maybe, col.tied, col.listed = c.known[slot].node, c.known[slot].maybe, true, Listed{Place: place + 1}
	return col
}

func (b *block) column(v sparql.Var) (column, bool) {
	if b == nil {
		return column{}, false
	}
	return b.cols.get(v)
}

// scanned returns a block with the table of a program, and its alias.
func (l *lowerer) scanned(p scan.Program, rows func() float64, n *plan.Node) (*block, string) {
	t := l.alias()
	l.programs = append(l.programs, p)
	key := t + ".rowid"
	return &block{
		from:  []item{{table: "t_scan", alias: t, fanOut: rows, program: len(l.programs), own: 1, seen: seen(n, key), key: key}},
		where: []string{t + ".k = " + strconv.Itoa(len(l.programs)-1)},
		node:  n,
	}, t
}
