package db

import (
	"container/list"
	"context"
	"slices"
	"sync"

	"trails/db/inline"
	"trails/db/lower"
	"trails/db/scan"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/expr"
	"trails/sparql/opt"
)

// Plan is a query that is ready to be run. It is valid in the transaction in which it was made.
type Plan struct {
	*prepared
	constants []rdf.Term // the values of its slots
	// withoutScans makes the same plan with SQL only.
	withoutScans func(context.Context) (Plan, error)
	// counting makes the same plan with the counts of an explanation.
	counting func(context.Context) (Plan, error)
	counts   *counts // nil unless the plan counts
	// known is the set of the programs that need one, see [scan.Program].
	known *scan.Set
}

// constant returns the term itself, or the constant of a slot.
func (p Plan) constant(t rdf.Term) rdf.Term {
	if slot, ok := t.(lower.Slot); ok {
		return p.constants[slot]
	}
	return t
}

// prepared is the part of a plan that all queries of one shape share. It is immutable.
type prepared struct {
	lower.Plan
	// programs are nil if they are too large to be cached.
	programs []expr.Program
}

func prepare(p lower.Plan) *prepared {
	out := &prepared{Plan: p}
	isLarge := func(e sparql.Expr) bool { // an expression with a regular expression is large
		c, ok := e.(sparql.Call)
		return ok && (c.Func == "REGEX" || c.Func == "REPLACE")
	}
	if !slices.ContainsFunc(p.Exprs, func(e lower.Expr) bool { return sparql.Some(e.Expr, isLarge) }) {
		out.programs = compileAll(p.Exprs)
	}
	return out
}

func compileAll(list []lower.Expr) []expr.Program {
	programs := make([]expr.Program, len(list))
	for i, e := range list {
		programs[i] = expr.Compile(e.Expr)
	}
	return programs
}

// size returns the approximate size in bytes.
func (p *prepared) size() int {
	return len(p.SQL) + 100*len(p.Args) + 500*(len(p.Exprs)+len(p.Aggregates)+len(p.Walks)) + 1000*len(p.Programs) + 500
}

// Plan prepares a query: a pattern, the columns of its solutions, the graphs of FROM and FROM NAMED, and the base for
// IRI(…). Queries of one shape share a plan while the file gives the same answers to the questions of the lowering;
// see docs/decisions/0014-plans-by-shape.md.
func (r *Reader) Plan(ctx context.Context, op sparql.Op, vars []sparql.Var, d sparql.Dataset, base string) (Plan, error) {
	if err := r.ready(ctx); err != nil {
		return Plan{}, r.fail(ctx, "plan", err)
	}
	op = opt.Rewrite(op, vars)
	shape := lower.ShapeOf(op, vars, d, base)
	if shape.Key == "" {
		var lowered func(context.Context, Scans, bool) (Plan, error)
		lowered = func(ctx context.Context, scans Scans, explain bool) (Plan, error) {
			o := r.lowering(ctx)
			o.Dataset, o.Base, o.Scans, o.Explain = d, base, scans, explain
			p, err := lower.Lower(op, vars, o)
			return Plan{prepared: prepare(p), counting: func(ctx context.Context) (Plan, error) { return lowered(ctx, scans, true) }}, err
		}
		p, err := lowered(ctx, r.scans(), false)
		p.withoutScans = func(ctx context.Context) (Plan, error) { return lowered(ctx, ScansNever, false) }
		return p, err
	}
	if r.conn.showsViews() {
		shape.Key += ofView
	}
	key, scans := shape.Key, r.scans()
	out := Plan{constants: shape.Constants, withoutScans: func(ctx context.Context) (Plan, error) {
		r.caches.plans.leaveToSQL(shape.Key)
		return r.Plan(ctx, op, vars, d, base)
	}}
	if r.caches.plans.isLeftToSQL(key) {
		key, scans = key+leftToSQL, ScansNever
	}
	lowered := func(a lower.Options) (*prepared, error) {
		a.Dataset, a.Base, a.Lift, a.Scans, a.View = d, base, shape.Constants, scans, r.conn.showsViews()
		p, err := lower.Lower(op, slices.Clone(vars), a)
		return prepare(p), err
	}
	out.counting = func(ctx context.Context) (p Plan, err error) {
		a := r.statistics(ctx, shape.Constants)
		p.constants = shape.Constants
		p.prepared, err = lowered(lower.Options{Stats: a.rows, Subjects: a.subjects, Linked: a.linked, Region: a.region, Within: a.within, Explain: true})
		return p, err
	}
	a := r.statistics(ctx, shape.Constants)
	if out.prepared = r.caches.plans.find(key, a); out.prepared != nil {
		return out, nil
	}
	t := &recorder{statistics: a}
	p, err := lowered(lower.Options{Stats: t.rows, Subjects: t.subjects, Linked: t.linked, Region: t.region, Within: t.within})
	if err != nil {
		return Plan{}, err
	}
	out.prepared = p
	r.caches.plans.keep(key, t.steps, out.prepared)
	return out, nil
}

// factKey is a question of a lowering about the file: the rows of a pattern, the linked rows of a predicate, the
// region of a predicate, the number of its subjects, or that of its objects in a range of ids.
type factKey struct {
	pattern          sparql.TriplePattern
	predicate        rdf.IRI
	low, high        inline.TermID
	linked, subjects bool
}

// fact is the answer to a factKey.
type fact struct {
	rows   float64
	region lower.Region
}

func (a *statistics) fact(k factKey) fact {
	switch {
	case k.low != 0:
		return fact{rows: a.between(k.predicate, k.low, k.high)}
	case k.linked:
		return fact{rows: a.linked(k.pattern, k.predicate)}
	case k.subjects:
		return fact{rows: a.subjects(k.predicate)}
	case k.predicate != "":
		return fact{region: a.region(k.predicate)}
	}
	return fact{rows: a.rows(k.pattern)}
}

// recorder answers the questions of a lowering and records the answers.
type recorder struct {
	*statistics
	steps []factStep
}

type factStep struct {
	key  factKey
	fact fact
}

func (t *recorder) record(k factKey) fact {
	f := t.fact(k)
	t.steps = append(t.steps, factStep{k, f})
	return f
}

func (t *recorder) rows(p sparql.TriplePattern) float64 {
	return t.record(factKey{pattern: p}).rows
}

func (t *recorder) linked(of sparql.TriplePattern, predicate rdf.IRI) float64 {
	return t.record(factKey{pattern: of, predicate: predicate, linked: true}).rows
}

func (t *recorder) subjects(predicate rdf.IRI) float64 {
	return t.record(factKey{predicate: predicate, subjects: true}).rows
}

func (t *recorder) region(predicate rdf.IRI) lower.Region {
	return t.record(factKey{predicate: predicate}).region
}

func (t *recorder) within(predicate rdf.IRI, r lower.Region, bounds []lower.Bound) float64 {
	low, high := idRange(r, bounds)
	return t.record(factKey{predicate: predicate, low: low, high: high}).rows
}

// plans caches recently used plans by shape. A lowering is a function of its shape and of the answers that it gets:
// its first question depends on the shape alone, each further one on the answers so far. So the plans of one shape
// are the leaves of a tree of questions, and finding a plan means to ask the file these questions again. Thus a
// cached plan is always the one that would be made now. It is safe for concurrent use.
type plans struct {
	mu     sync.Mutex
	shapes map[string]*list.Element
	recent list.List // of *shapePlans, most recently used first
	bytes  int
	// bySQL are the shapes of which a scan has failed; the keys of their plans have a suffix.
	bySQL map[string]bool
}

// These are added to the key of a shape.
const (
	leftToSQL = "\nby SQL"
	ofView    = "\nof a view"
)

type shapePlans struct {
	key   string
	root  *planNode
	bytes int
}

// planNode is a question with a child for each answer, or a plan.
type planNode struct {
	key  factKey
	then map[fact]*planNode
	plan *prepared
}

const (
	maxShapes     = 512
	maxPlanBytes  = 8 << 20
	maxShapeBytes = 256 << 10 // of the plans of one shape
)

func newPlans() *plans {
	return &plans{shapes: map[string]*list.Element{}, bySQL: map[string]bool{}}
}

func (p *plans) leaveToSQL(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.bySQL) < maxShapes {
		p.bySQL[key] = true
	}
}

func (p *plans) isLeftToSQL(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bySQL[key]
}

// find returns the plan of a shape for the current answers, nil if there is none.
func (p *plans) find(key string, a *statistics) *prepared {
	at := p.root(key)
	for at != nil && at.plan == nil {
		at = p.after(at, a.fact(at.key))
	}
	if at == nil {
		return nil
	}
	return at.plan
}

func (p *plans) root(key string) *planNode {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, ok := p.shapes[key]
	if !ok {
		return nil
	}
	p.recent.MoveToFront(e)
	return e.Value.(*shapePlans).root
}

func (p *plans) after(b *planNode, answer fact) *planNode {
	p.mu.Lock()
	defer p.mu.Unlock()
	return b.then[answer]
}

// keep caches a plan under the answers that led to it.
func (p *plans) keep(key string, steps []factStep, made *prepared) {
	size := len(key) + made.size() + 300*len(steps)
	if size > maxShapeBytes {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if e, ok := p.shapes[key]; ok {
		s := e.Value.(*shapePlans)
		if s.bytes+size <= maxShapeBytes && s.root.grow(steps, made) {
			s.bytes += size
			p.bytes += size
			p.shrink()
			return
		}
		p.drop(e)
	}
	root := &planNode{}
	root.grow(steps, made)
	p.shapes[key] = p.recent.PushFront(&shapePlans{key, root, size})
	p.bytes += size
	p.shrink()
}

func (p *plans) shrink() {
	for len(p.shapes) > maxShapes || p.bytes > maxPlanBytes {
		p.drop(p.recent.Back())
	}
}

func (p *plans) drop(e *list.Element) {
	s := p.recent.Remove(e).(*shapePlans)
	delete(p.shapes, s.key)
	p.bytes -= s.bytes
}

// grow adds a plan. It returns false if the tree has another question on the way.
func (b *planNode) grow(steps []factStep, made *prepared) bool {
	for _, s := range steps {
		if b.plan != nil || b.then != nil && b.key != s.key {
			return false
		}
		if b.then == nil {
			b.key, b.then = s.key, map[fact]*planNode{}
		}
		next := b.then[s.fact]
		if next == nil {
			next = &planNode{}
			b.then[s.fact] = next
		}
		b = next
	}
	if b.then != nil {
		return false
	}
	if b.plan == nil { // nobody else added it meanwhile
		b.plan = made
	}
	return true
}
