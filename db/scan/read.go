package scan

import (
	"slices"
	"sort"
)

// ids is a buffer of ids of which n are used.
type ids interface {
	size() int64
	// ordered yields the ids sorted, without duplicates.
	ordered() []int64
}

// list is a sorted list of ids.
type list []int64

func (l list) size() int64      { return int64(len(l)) }
func (l list) ordered() []int64 { return slices.Compact(slices.Clone(l)) }

// pairs yields the subjects and objects of a step that pass the tests of its slots, or only one of the two if the
// other is not needed.
type pairs struct {
	builder *builder
	step    *Step
	// fill appends rows to ids, and reports whether there are more.
	fill  func() (more bool, err error)
	tests []testOfEnd
	asked [2]bool    // whether the ids of each end are needed, by a test or by the reader
	ids   [2][]int64 // the subjects and the objects, empty if they are not needed
	n     int        // number of rows
	ended bool
	out   batch
}

// testOfEnd is a test of subjects (0) or of objects (1).
type testOfEnd struct {
	test
	end int
}

// pairs returns the pairs of a step with the tests known so far, except for fill. asked are the slots whose values
// are needed.
func (b *builder) pairs(s *Step, slots ...int) *pairs {
	p := &pairs{builder: b, step: s, out: batch{slots: make([][]int64, b.program.Slots)}}
	for i, e := range s.Ends() {
		if e.Arg != 0 {
			continue
		}
		for _, t := range b.tests[e.Slot] {
			p.tests = append(p.tests, testOfEnd{t, i})
		}
		p.asked[i] = len(b.tests[e.Slot]) > 0 || slices.Contains(slots, e.Slot)
	}
	sort.SliceStable(p.tests, func(i, j int) bool { return p.tests[i].rank() < p.tests[j].rank() })
	return p
}

func (p *pairs) next() (*batch, error) {
	for !p.ended {
		p.ids[0], p.ids[1], p.n = p.ids[0][:0], p.ids[1][:0], 0
		for !p.ended && p.n < batchRows {
			if err := p.builder.env.Ended(); err != nil {
				return nil, err
			}
			more, err := p.fill()
			if err != nil {
				return nil, err
			}
			p.ended = !more
		}
		for _, t := range p.tests {
			beside := p.ids[1-t.end]
			if !p.asked[1-t.end] {
				beside = p.ids[t.end]
			}
			p.n = t.keep(p.ids[t.end], beside)
			for i := range p.ids {
				p.ids[i] = p.ids[i][:min(p.n, len(p.ids[i]))]
			}
		}
		if p.builder.failed != nil {
			return nil, p.builder.failed
		}
		p.out.n, p.out.cards = p.n, p.out.cards[:0]
		for i, e := range p.step.Ends() {
			if p.asked[i] {
				p.out.slots[e.Slot] = p.ids[i]
			}
		}
		if passed := p.builder.env.Passed; passed != nil {
			of := passed[p.step]
			of.Rows += int64(p.out.n)
			passed[p.step] = of
		}
		if p.out.n > 0 {
			return &p.out, nil
		}
	}
	return nil, nil
}

// add adds a row.
func (p *pairs) add(ids [2]int64) {
	for i := range ids {
		if p.asked[i] {
			p.ids[i] = append(p.ids[i], ids[i])
		}
	}
	p.n++
}

// read starts reading the rows of a step; asked are the slots whose values are needed.
func (b *builder) read(s *Step, slots ...int) *pairs {
	p := b.pairs(s, slots...)
	p.fill = (&reading{pairs: p}).fill
	if s.Walk != 0 {
		p.fill = (&walking{pairs: p}).fill
	}
	return p
}

// reading reads the rows of a step: all rows with a prefix or, if an end is one of few ids, the rows of each of
// these.
type reading struct {
	*pairs
	began   bool
	rows    rows
	trust   trust
	columns [3]int // the positions of subject, object and graph in the index
	graph   int64
	prefix  []int64
	// few are the remaining values to look up. Each is put into the key at a position.
	few   []int64
	key   []int64
	place int
	// The layouts of present, of retired and of removed statements.
	present, retired, removed layouts
	padded                    []byte
	places                    []uint16
}

// RowsOfValue is the cost of looking up a value, in sequentially read rows: for a value close to the previous one in
// the index, and for a subject, whose statements with the predicate are as far from the last ones as each subject has
// other rows.
const (
	RowsOfValue   = 20
	RowsOfSubject = 100
)

func (r *reading) begin() error {
	s, env := r.step, r.builder.env
	r.began = true
	near, each := 1, float64(RowsOfValue) // the end that is the next column of the index, and the cost of looking it up
	var leaf Leaf
	switch {
	case s.Columns == SubjectPredicate:
		leaf, r.columns, near, each = env.SPO, [3]int{0, 1, 3}, 0, RowsOfSubject
	case s.Columns == PredicateObject:
		leaf, r.columns, near, each = env.POS, [3]int{0, 1, 3}, 0, RowsOfSubject
	case s.Graph != 0:
		r.graph = env.arg(s.Graph)
		leaf, r.columns = env.GPOS, [3]int{3, 2, 0}
		if r.prefix = []int64{r.graph}; s.Predicate != 0 {
			r.prefix = append(r.prefix, env.arg(s.Predicate))
		}
	case s.Predicate == 0:
		leaf, r.columns, near, each = env.SPO, [3]int{0, 2, 3}, 0, RowsOfSubject
	case s.Subject.Arg != 0:
		leaf, r.columns = env.SPO, [3]int{0, 2, 3}
		r.prefix = []int64{env.arg(s.Subject.Arg), env.arg(s.Predicate)}
	default:
		leaf, r.columns = env.POS, [3]int{2, 1, 3}
		r.prefix = []int64{env.arg(s.Predicate)}
	}
	if s.Object.Arg != 0 {
		near, r.prefix = 0, append(r.prefix, env.arg(s.Object.Arg))
		if s.Graph != 0 && s.Subject.Arg != 0 {
			r.prefix = append(r.prefix, env.arg(s.Subject.Arg))
		}
	}
	r.in(leaf)
	low, high := r.prefix, r.prefix
	for _, t := range r.tests {
		if t.end == 1 && near == 1 && t.isRange() && len(low) == len(r.prefix) { // a range of the index
			low, high = append(slices.Clone(r.prefix), t.low), append(slices.Clone(r.prefix), t.high)
		}
	}
	if err := r.to(low, high); err != nil {
		return err
	}
	if s.Subject.Arg != 0 && s.Object.Arg != 0 {
		return nil
	}
	values, takes := r.builder.fewest(s.Ends()[near])
	takes *= each
	bySubject := false
	if near == 1 && s.Subject.Arg == 0 {
		if subjects, n := r.builder.fewest(s.Subject); n*RowsOfSubject < takes {
			values, takes, bySubject = subjects, n*RowsOfSubject, true
		}
	}
	if values == nil || takes == 0 {
		return nil
	}
	if all, err := leaf.Estimate(low, high); err != nil || all < takes {
		return err
	}
	if err := env.Grow(8 * values.size()); err != nil {
		return err
	}
	return r.lookUp(values.ordered(), bySubject)
}

// lookUp reads the rows of some sorted values of the end that is the next column of the index, or of the subject.
func (r *reading) lookUp(values []int64, bySubject bool) error {
	if bySubject {
		r.columns = [3]int{0, 2, 3}
		r.in(r.builder.env.SPO)
		r.place, r.key = 0, append(r.key[:0], 0, r.builder.env.arg(r.step.Predicate))
	} else {
		r.place, r.key = len(r.prefix), append(append(r.key[:0], r.prefix...), 0)
	}
	r.few, r.ended = values, false
	r.rows.restart()
	if r.builder.env.Passed != nil {
		r.builder.env.Passed[r.step] = Passed{Values: int64(len(values))}
	}
	return r.further()
}

// each calls f with the remaining rows: subjects and objects.
func (r *reading) each(to func(ids [2]int64) error) error {
	return each(r.pairs, func(_ *batch, i int) error { return to([2]int64{r.ids[0][i], r.ids[1][i]}) })
}

// further moves to the rows of the next value of few.
func (r *reading) further() error {
	r.key[r.place], r.few = r.few[0], r.few[1:]
	return r.to(r.key, r.key)
}

// in begins with a leaf.
func (r *reading) in(l Leaf) {
	r.rows.in(l)
	r.trust.in(&r.rows.leaf, slices.ContainsFunc(r.tests, func(t testOfEnd) bool { return t.seen }))
}

// to continues with another range.
func (r *reading) to(low, high []int64) error {
	r.trust.to(low, high)
	return r.rows.to(low, high)
}

// fill reads some cells of a page.
func (r *reading) fill() (more bool, err error) {
	if !r.began {
		if err := r.begin(); err != nil {
			return false, err
		}
	}
	some, err := r.some()
	switch {
	case err != nil:
		return false, err
	case some:
		return true, nil
	case len(r.few) > 0:
		return true, r.further()
	}
	r.rows.end()
	return false, nil
}

// some reads some rows of the current range, and reports whether there were any.
func (r *reading) some() (bool, error) {
	if r.rows.merged != nil {
		return r.merged()
	}
	cells, of, err := r.rows.next()
	if err != nil {
		return false, err
	}
	if cells.page == nil {
		r.trust.end()
		return false, nil
	}
	if err := r.trust.begin(cells); err != nil {
		return false, err
	}
	n := r.n
	if err := r.decode(cells, of); err != nil {
		return false, err
	}
	r.trust.passed(r.n-n, cells.last-cells.first)
	return true, nil
}

// merged reads some rows of a view with many branches.
func (r *reading) merged() (some bool, err error) {
	for range batchRows {
		row, ok, err := r.rows.merged.Next()
		if err != nil || !ok {
			return some, err
		}
		if some = true; row.Columns[r.columns[2]] == r.graph {
			r.add([2]int64{row.Columns[r.columns[0]], row.Columns[r.columns[1]]})
		}
	}
	return true, nil
}

// decode decodes the ids of some cells. Consecutive cells with the same layout are decoded column by column.
func (r *reading) decode(cells run, of *part) error {
	page, layouts := cells.page, &r.present
	if of.line != 0 {
		layouts = &r.retired
	}
	for i := cells.first; i < cells.last; i += len(r.places) {
		record := page.record(i)
		l := layouts.of(record, of.line != 0)
		if l == nil {
			return ErrPage
		}
		bytes := []byte(page)
		if len(record) < l.needs { // the cell is at the end of the page
			r.padded = append(append(r.padded[:0], record...), make([]byte, 9)...)
			bytes, r.places = r.padded, append(r.places[:0], 0)
		} else {
			r.places = l.alike(page, i, cells.last, r.places)
		}
		if err := r.take(l, bytes, r.places, of); err != nil {
			return err
		}
	}
	return nil
}

// take decodes the rows of one layout at these offsets of a page.
func (r *reading) take(l *layout, page []byte, at []uint16, of *part) error {
	subject, object, graph := &l.key[r.columns[0]], &l.key[r.columns[1]], &l.key[r.columns[2]]
	if graph.bits == 0 && graph.constant != r.graph {
		return nil
	}
	if graph.bits != 0 {
		at = keep(at, func(row []byte) bool { return graph.of(row) == r.graph }, page)
	}
	if of.until != 0 {
		at = keep(at, func(row []byte) bool {
			return l.added.of(row) <= of.until && (of.line == 0 || l.removed.of(row) > of.until)
		}, page)
	}
	for i := range of.removed {
		var err error
		if at, err = of.removed[i].leave(r, l, page, at); err != nil {
			return err
		}
	}
	if hidden := r.rows.leaf.Hidden; hidden != nil && !r.trust.all {
		var seen [4]bool
		if r.trust.rest > 0 {
			at, seen = r.passing(l, page, at)
		}
		var err error
		if at, err = hidden.leave(l, page, at, r.rows.leaf.Predicate, r.rows.given, seen); err != nil {
			return err
		}
	}
	for i, c := range [...]*column{subject, object} {
		if r.asked[i] {
			r.ids[i] = c.appendTo(r.ids[i], page, at)
		}
	}
	r.n += len(at)
	return nil
}

// passing moves the offsets of rows to the front that pass the sets of which the reader may see all, and reports which columns
// of nodes these are of. What is left is tested again, with the other tests.
func (r *reading) passing(l *layout, page []byte, at []uint16) (rest []uint16, seen [4]bool) {
	for i := range r.tests {
		if t := &r.tests[i]; t.seen {
			of := r.columns[t.end]
			at, seen[of] = t.leave(&l.key[of], page, at), of != r.rows.leaf.Predicate
		}
	}
	return at, seen
}

// keep moves the offsets of rows that pass to the front.
func keep(at []uint16, passes func(row []byte) bool, page []byte) []uint16 {
	n := 0
	for _, offset := range at {
		if passes(page[offset:]) {
			at[n] = offset
			n++
		}
	}
	return at[:n]
}

// walking continues the walks of a step, from the known end.
type walking struct {
	*pairs
	began  bool
	from   int     // the known end: 0 for the subject
	starts []int64 // nodes at which walks have not begun yet
	start  int64
	reach  func() (id int64, more bool, err error)
}

// fill continues a walk.
func (w *walking) fill() (more bool, err error) {
	s, env := w.step, w.builder.env
	if !w.began {
		w.began = true
		var known [2]ids
		var n [2]float64
		for i, e := range s.Ends() {
			if known[i], n[i] = w.builder.fewest(e); e.Arg != 0 {
				known[i], n[i] = list{env.arg(e.Arg)}, 0
			}
		}
		if n[1] < n[0] {
			w.from = 1
		}
		w.starts = known[w.from].ordered()
	}
	if w.reach == nil {
		if len(w.starts) == 0 {
			return false, nil
		}
		w.start, w.starts = w.starts[0], w.starts[1:]
		graph := int64(0)
		if s.Graph != 0 {
			graph = env.arg(s.Graph)
		}
		if w.reach, err = env.Reach(s.Walk, graph, w.start, w.from == 1); err != nil {
			return false, err
		}
	}
	for range batchRows {
		id, more, err := w.reach()
		if err != nil {
			return false, err
		}
		if !more {
			w.reach = nil
			break
		}
		if w.from == 0 {
			w.add([2]int64{w.start, id})
		} else {
			w.add([2]int64{id, w.start})
		}
	}
	return true, nil
}
