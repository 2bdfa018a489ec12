package db

import (
	"context"
	"math"
	"sync"

	"trails/db/history"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/lower"
	"trails/rdf"
	"trails/sparql"
)

// lowering returns the facts about this state of the file that package lower may use. Plans made with them are valid
// for this state only. After an error a fact is unknown.
func (r *Reader) lowering(ctx context.Context) lower.Options {
	a := r.statistics(ctx, nil)
	return lower.Options{View: r.conn.showsViews(), Stats: a.rows, Subjects: a.subjects, Linked: a.linked, Region: a.region, Within: a.within, RowsInVirtual: rowsInVirtual, OrderInVirtual: orderInVirtual, Scans: r.scans()}
}

// facts caches facts about a file for package lower. It is safe for concurrent use.
type facts struct {
	mu       sync.Mutex
	regions  map[rdf.IRI]regionFact
	counts   map[[3]inline.TermID]countFact
	within   map[[3]inline.TermID]countFact // by predicate, and the ends of a range of objects
	subjects map[inline.TermID]countFact    // by predicate
	linked   map[[3]inline.TermID]countFact // by subject, its predicate, and the predicate of the statements with the same objects
	exact    keptCounts
}

// regionFact is valid for one commit: the next one may add an object of another region.
type regionFact struct {
	of     history.CommitID
	region lower.Region
}

// countFact is an estimate, with the size of the file when it was made.
type countFact struct {
	rows  float64
	quads int64
	seq   history.Seq
}

// maxFacts bounds each kind of facts. When there are more, all are dropped.
const maxFacts = 4096

func newFacts() *facts {
	return &facts{regions: map[rdf.IRI]regionFact{}, counts: map[[3]inline.TermID]countFact{}, within: map[[3]inline.TermID]countFact{}, subjects: map[inline.TermID]countFact{}, linked: map[[3]inline.TermID]countFact{}}
}

// statistics answers the questions of one lowering about the file.
type statistics struct {
	reader *Reader
	ctx    context.Context
	facts  *facts
	plan   Plan // for the slots of patterns
}

// statistics returns the statistics for one lowering of a query with these constants. Estimates within an open write
// are not shared, because others do not see its changes.
func (r *Reader) statistics(ctx context.Context, constants []rdf.Term) *statistics {
	known := r.caches.facts
	if r.before != nil {
		known = newFacts()
	}
	return &statistics{r, ctx, known, Plan{constants: constants}}
}

// rows estimates the rows of a pattern, rounded to a power of the square root of two, so that constants with similar
// estimates share a plan. An outdated estimate makes a plan slow, not wrong.
func (a *statistics) rows(p sparql.TriplePattern) float64 {
	if a.reader.ready(a.ctx) != nil {
		return manyRows
	}
	var b bound
	var ids [3]inline.TermID
	for i, o := range [...]sparql.Operand{p.Subject, p.Predicate, p.Object} {
		if o.Var != "" {
			continue
		}
		id, ok, err := a.id(o.Term)
		if err == nil && !ok {
			return 0
		}
		b.at[i], ids[i] = true, id
	}
	if b.at == [4]bool{} && a.reader.conn.sight == nil {
		return rounded(float64(a.reader.head.Quads))
	}
	return rounded(a.estimate(b, ids))
}

// id returns the id of a constant of a pattern.
func (a *statistics) id(t rdf.Term) (id inline.TermID, ok bool, err error) {
	t = a.plan.constant(t)
	if id, ok := t.(idTerm); ok {
		return inline.TermID(id), true, nil
	}
	return a.reader.dict.Lookup(t)
}

func rounded(n float64) float64 {
	if n <= 1 {
		return n
	}
	return math.Exp2(math.Round(2*math.Log2(n)) / 2)
}

// manyRows is the answer if there is no estimate.
const manyRows = 1e5

// estimate estimates rows, or returns a recent estimate. An id of 0 matches nothing.
func (a *statistics) estimate(b bound, ids [3]inline.TermID) float64 {
	return remembered(a, a.facts.counts, ids, func() (float64, error) {
		order := b.orderInAnyGraph()
		var prefix []int64
		for _, column := range order.Columns() {
			if column < posG && b.at[column] {
				prefix = append(prefix, int64(ids[column]))
			}
		}
		return a.reader.conn.estimateRows(order, prefix, prefix)
	})
}

// within estimates the statements of a predicate whose objects are in a region and meet all bounds.
func (a *statistics) within(predicate rdf.IRI, r lower.Region, bounds []lower.Bound) float64 {
	low, high := idRange(r, bounds)
	return a.between(predicate, low, high)
}

// between estimates the statements of a predicate with an object in a range of ids, rounded like [statistics.rows].
func (a *statistics) between(predicate rdf.IRI, low, high inline.TermID) float64 {
	if a.reader.ready(a.ctx) != nil {
		return manyRows
	}
	id, ok, err := a.reader.dict.Lookup(predicate)
	if err != nil || !ok || low > high {
		return 0
	}
	return rounded(remembered(a, a.facts.within, [3]inline.TermID{id, low, high}, func() (float64, error) {
		return a.reader.conn.estimateRows(leaf.POS, []int64{int64(id), int64(low)}, []int64{int64(id), int64(high)})
	}))
}

// subjects estimates the number of subjects of a predicate in all graphs, rounded like [statistics.rows].
func (a *statistics) subjects(predicate rdf.IRI) float64 {
	if a.reader.ready(a.ctx) != nil {
		return manyRows
	}
	id, ok, err := a.reader.dict.Lookup(predicate)
	if err != nil || !ok {
		return 0
	}
	return rounded(remembered(a, a.facts.subjects, id, func() (float64, error) { return a.reader.conn.estimateSubjects(id) }))
}

// linked estimates the number of statements with a predicate whose object is also an object of the pattern, rounded
// like [statistics.rows].
func (a *statistics) linked(of sparql.TriplePattern, predicate rdf.IRI) float64 {
	if a.reader.ready(a.ctx) != nil {
		return manyRows
	}
	var ids [3]inline.TermID
	for i, t := range [...]rdf.Term{of.Subject.Term, of.Predicate.Term, predicate} {
		id, ok, err := a.id(t)
		if err != nil || !ok {
			return 0
		}
		ids[i] = id
	}
	return rounded(remembered(a, a.facts.linked, ids, func() (float64, error) { return a.reader.conn.estimateLinked(ids[0], ids[1], ids[2]) }))
}

// remembered returns a recent estimate, or makes one.
func remembered[K comparable](a *statistics, known map[K]countFact, key K, estimate func() (float64, error)) float64 {
	head := a.reader.head
	a.facts.mu.Lock()
	fact, ok := known[key]
	a.facts.mu.Unlock()
	if ok && fact.stillGood(head) {
		return fact.rows
	}
	rows, err := estimate()
	if err != nil {
		return manyRows
	}
	a.facts.mu.Lock()
	defer a.facts.mu.Unlock()
	if len(known) >= maxFacts {
		clear(known)
	}
	known[key] = countFact{rows, head.Quads, head.Seq}
	return rows
}

// orderInAnyGraph returns the order whose first columns are the given positions, in any graph.
func (b bound) orderInAnyGraph() leaf.Order {
	s, p, o := b.at[posS], b.at[posP], b.at[posO]
	switch {
	case o && !p:
		return leaf.OSP
	case s:
		return leaf.SPO
	}
	return leaf.POS
}

// stillGood reports whether little can have changed since the estimate: few commits, and about the same number of
// statements.
func (f countFact) stillGood(head history.Commit) bool {
	if f.seq == head.Seq {
		return true
	}
	commits, quads := head.Seq-f.seq, head.Quads-f.quads
	return max(commits, -commits) <= 100 && max(quads, -quads) <= f.quads/16
}

// region returns the region of all objects of a predicate, if there is one. A plan with the wrong region is wrong, so
// this is computed for each commit.
func (a *statistics) region(predicate rdf.IRI) lower.Region {
	head := a.reader.head.ID
	a.facts.mu.Lock()
	known, ok := a.facts.regions[predicate]
	a.facts.mu.Unlock()
	if ok && known.of == head {
		return known.region
	}
	region, err := a.reader.regionOf(a.ctx, predicate)
	if err != nil {
		return ""
	}
	a.facts.mu.Lock()
	defer a.facts.mu.Unlock()
	if len(a.facts.regions) >= maxFacts {
		clear(a.facts.regions)
	}
	a.facts.regions[predicate] = regionFact{head, region}
	return region
}

// Datatype returns the datatype of all objects of a predicate if these are numbers, dates or booleans in canonical form,
// or else "".
func (r *Reader) Datatype(ctx context.Context, predicate rdf.IRI) rdf.IRI {
	return rdf.IRI(r.statistics(ctx, nil).region(predicate))
}

// regionOf computes the region of all objects of a predicate from the least and the greatest, because regions are
// intervals of ids.
func (r *Reader) regionOf(ctx context.Context, predicate rdf.IRI) (lower.Region, error) {
	if err := r.ready(ctx); err != nil {
		return "", err
	}
	p, ok, err := r.dict.Lookup(predicate)
	if err != nil || !ok {
		return "", err
	}
	low, errLow := r.conn.ID(r.conn.text(leaf.LeastObject), p)
	high, errHigh := r.conn.ID(r.conn.text(leaf.GreatestObject), p)
	if err := firstError(errLow, errHigh); err != nil || low >= 0 {
		return "", err
	}
	if region := inline.RegionAt(low); region != nil && region == inline.RegionAt(high) {
		return lower.Region(region.Datatype), nil
	}
	return "", nil
}
