package scan

import (
	"errors"
	"math"
	"math/bits"
	"slices"
)

// Run is a program that runs. It serves one goroutine.
type Run struct {
	source source
	keys   []int
	batch  *batch
	at     int
	row    []int64
}

// Open begins a run: it reads and holds what the steps behind the first have.
func Open(p *Program, env *Env) (*Run, error) { return open(p, env, false, make([][]test, p.Slots)) }

// open is as [Open] for rows whose slots pass tests. With asSet it does not matter how often a
// row is in the answer.
func open(p *Program, env *Env, asSet bool, tests [][]test) (*Run, error) {
	b := &builder{program: p, env: env, tests: tests, keys: make([][]ids, p.Slots), bound: make([]bool, p.Slots+1), weight: p.Slots}
	s, err := b.source(p.uses(asSet))
	if err != nil {
		return nil, err
	}
	r := &Run{source: s, keys: p.Keys}
	switch {
	case p.Grouped:
		g := &groups{program: p, env: env, in: s}
		if b.bound[b.weight] {
			g.weight = b.weight
		}
		r.source, r.keys = g, nil
		for i := range g.width() {
			r.keys = append(r.keys, i)
		}
	case p.Distinct:
		r.source = &distinct{in: s, keys: p.Keys, seen: newTuples(len(p.Keys), env)}
	}
	r.row = make([]int64, len(r.keys))
	return r, nil
}

// Next returns the next row of the answer, nil at the end. It is good until the next call.
func (r *Run) Next() ([]int64, error) {
	for r.batch == nil || r.at >= r.batch.n {
		batch, err := r.source.next()
		if err != nil || batch == nil {
			return nil, err
		}
		r.batch, r.at = batch, 0
	}
	for i, slot := range r.keys {
		r.row[i] = r.batch.slots[slot][r.at]
	}
	r.at++
	return r.row, nil
}

// batch is some rows: n ids for each slot that has a value.
type batch struct {
	n     int
	slots [][]int64
}

// keep keeps the rows for which of holds.
func (b *batch) keep(of func(i int) bool) {
	n := 0
	for i := range b.n {
		if !of(i) {
			continue
		}
		if n != i {
			for _, ids := range b.slots {
				if i < len(ids) {
					ids[n] = ids[i]
				}
			}
		}
		n++
	}
	b.n = n
}

// columns are the ids of some slots.
func (b *batch) columns(slots []int, list [][]int64) [][]int64 {
	list = list[:0]
	for _, slot := range slots {
		list = append(list, b.slots[slot])
	}
	return list
}

// source gives rows until there are none: a nil batch. A batch may be changed by who asked
// for it, and is good until the next call.
type source interface{ next() (*batch, error) }

// none has no rows.
type none struct{}

func (none) next() (*batch, error) { return nil, nil }

// test is what the values of a slot have to be: in a range or a set, or not; among some; or
// what makes an expression true.
type test struct {
	low, high int64
	in        *Set
	among     []int64 // in order
	asked     *asked
	not       bool
}

// isRange reports whether it is one.
func (t *test) isRange() bool { return t.in == nil && t.among == nil && t.asked == nil && !t.not }

// rank orders tests by what they take for an id.
func (t *test) rank() int {
	switch {
	case t.asked != nil:
		return 2
	case t.in != nil || t.among != nil:
		return 1
	}
	return 0
}

// keep moves the ids that pass to the front, and what stands beside them. It returns how many
// there are. Where it cannot be foretold which pass, nothing hangs on it but a number.
func (t *test) keep(ids, beside []int64) (n int) {
	beside = beside[:len(ids)]
	switch {
	case t.asked != nil:
		for i, id := range ids {
			if t.asked.holds(id) {
				ids[n], beside[n] = id, beside[i]
				n++
			}
		}
	case t.in != nil:
		for i, id := range ids {
			ids[n], beside[n] = id, beside[i]
			if t.in.Has(id) != t.not {
				n++
			}
		}
	case t.among != nil:
		for i, id := range ids {
			if _, is := slices.BinarySearch(t.among, id); is {
				ids[n], beside[n] = id, beside[i]
				n++
			}
		}
	default:
		for i, id := range ids {
			ids[n], beside[n] = id, beside[i]
			if (t.low <= id && id <= t.high) != t.not {
				n++
			}
		}
	}
	return n
}

// fewest are the least ids that the slot of an end is known to be among, and how many these are:
// none, and more than any, where nothing is known.
func (b *builder) fewest(e End) (least ids, n float64) {
	n = math.Inf(1)
	if e.Arg != 0 {
		return nil, n
	}
	consider := func(of ids) {
		if size := float64(of.size()); size < n {
			least, n = of, size
		}
	}
	for _, t := range b.tests[e.Slot] {
		switch {
		case t.among != nil:
			consider(list(t.among))
		case t.in != nil && !t.not:
			consider(t.in)
		}
	}
	for _, of := range b.keys[e.Slot] {
		consider(of)
	}
	return least, n
}

// asked remembers what was said of ids.
type asked struct {
	builder  *builder
	of       func(id int64) (bool, error)
	yes, any *Set
}

func (b *builder) asked(of func(id int64) (bool, error)) *asked {
	return &asked{builder: b, of: of, yes: NewSet(b.env.Grow), any: NewSet(b.env.Grow)}
}

// holds reports whether it holds of an id. Its error ends the run, see [builder.failed].
func (a *asked) holds(id int64) bool {
	if a.any.Has(id) {
		return a.yes.Has(id)
	}
	yes, err := a.of(id)
	if err == nil {
		err = a.any.Add(id)
	}
	if err == nil && yes {
		err = a.yes.Add(id)
	}
	if err != nil && a.builder.failed == nil {
		a.builder.failed = err
	}
	return yes && err == nil
}

// builder makes the sources of a program.
type builder struct {
	program *Program
	env     *Env
	tests   [][]test // of each slot
	keys    [][]ids  // what each slot is among in rows of the answer, by what is held
	bound   []bool   // the slots that have a value
	// weights are those of steps that are counted and not yet looked at. A row stands for as many
	// as the slot weight says, which is behind the others; it is bound when there is one.
	weights []weight
	weight  int
	// nodes are the ids that are of no literals, strings those of xsd:string.
	nodes, strings *asked
	failed         error // of an expression
}

// source is the program without its last step, which groups rows or lets them differ.
//
// What is small is held first, since it says which rows of others are wanted: the ends that
// constants give, then the members of sets, then the other steps from the last to the second,
// each of which hangs on one before it.
func (b *builder) source(uses []use) (source, error) {
	for _, w := range b.program.Within {
		b.tests[w.Slot] = append(b.tests[w.Slot], test{low: b.env.arg(w.Low), high: b.env.arg(w.High), not: w.Not})
	}
	for _, a := range b.program.Among {
		among := make([]int64, len(a.Args)) // no set: a term that there is not has any id
		for i, arg := range a.Args {
			among[i] = b.env.arg(arg)
		}
		slices.Sort(among)
		b.tests[a.Slot] = append(b.tests[a.Slot], test{among: among})
	}
	steps := b.program.Steps
	var first *Set // the values of the first step, which members are to know
	for i := range slices.Backward(steps) {
		s := &steps[i]
		key := uses[i].key
		switch {
		case !s.constant():
			continue
		case i == 0 && !b.program.narrows():
			continue
		case i == 0:
			key = s.Subject.Slot + s.Object.Slot // of a constant it is 0
		}
		ids, err := b.known(s, key)
		if err != nil || ids.n == 0 {
			return none{}, err
		}
		if i == 0 {
			first = ids
		}
	}
	var several []sharing
	for _, m := range b.program.Members {
		if len(m.Slots) > 1 {
			members, err := b.tuples(m)
			if err != nil {
				return nil, err
			}
			several = append(several, sharing{members, m.Slots, m.Not})
			continue
		}
		members, err := b.members(m)
		if err != nil {
			return nil, err
		}
		b.tests[m.Slots[0]] = append(b.tests[m.Slots[0]], test{in: members, not: m.Not})
		if members.n == 0 && !m.Not {
			return none{}, nil
		}
	}
	for _, a := range b.program.Asked { // behind the others, which take less
		one := b.asked(func(id int64) (bool, error) { return b.env.Holds(a.Expr, id) })
		b.tests[a.Slot] = append(b.tests[a.Slot], test{asked: one})
	}
	joins := b.joins(uses)
	for i := range slices.Backward(steps) {
		s := &steps[i]
		some := true
		var err error
		switch {
		case s.constant():
		case uses[i].way == intoSet:
			var ids *Set
			ids, err = b.known(s, uses[i].key)
			some = ids.n > 0
		case uses[i].way == counted:
			some, err = b.count(s, uses[i].key)
		case uses[i].way == intoTable:
			some, err = b.hold(joins[i])
		}
		if err != nil || !some && !s.Optional {
			return none{}, err
		}
	}
	asked := b.asks(joins)
	rows := b.read(&steps[0], asked...)
	if first != nil {
		delete(b.env.Passed, &steps[0]) // they pass once more
		if err := b.env.Grow(8 * first.n); err != nil {
			return nil, err
		}
		rest := first.ordered()
		rows.fill = func() (more bool, err error) {
			n := min(batchRows, len(rest))
			for i := range rows.ids {
				if rows.asked[i] {
					rows.ids[i] = append(rows.ids[i], rest[:n]...)
				}
			}
			rows.n, rest = rows.n+n, rest[n:]
			return len(rest) > 0, nil
		}
	}
	for _, e := range steps[0].Ends() {
		if e.Arg == 0 {
			b.bound[e.Slot] = slices.Contains(asked, e.Slot)
		}
	}
	out := b.weigh(rows)
	differ := b.program.Differ
	out, several = b.share(out, several)
	out, differ = b.compare(out, differ)
	for _, j := range joins {
		if j == nil {
			continue
		}
		out = b.weigh(b.joined(out, j))
		out, several = b.share(out, several)
		out, differ = b.compare(out, differ)
	}
	return out, nil
}

// asks are the slots whose values are asked for behind the first step: by the answer, by joins and
// weights, and by conditions of several slots.
func (b *builder) asks(joins []*join) []int {
	p := b.program
	slots := slices.Clone(p.Keys)
	for _, a := range p.Aggregates {
		if a.Func != Count {
			slots = append(slots, a.Slot)
		}
	}
	for _, m := range p.Members {
		if len(m.Slots) > 1 {
			slots = append(slots, m.Slots...)
		}
	}
	for _, d := range p.Differ {
		slots = append(slots, d.Slots[:]...)
	}
	for _, j := range joins {
		if j != nil {
			slots = append(slots, j.step.Subject.Slot, j.step.Object.Slot)
		}
	}
	for _, w := range b.weights {
		slots = append(slots, w.slot)
	}
	return slots
}

// narrows reports whether the first step, which has one slot, says so much of what members may
// be that it is read before them.
func (p *Program) narrows() bool {
	first := &p.Steps[0]
	return slices.ContainsFunc(p.Members, func(m Member) bool {
		return slices.ContainsFunc(m.Of.Steps, func(s Step) bool { return first.Walk != 0 || s.Rows > RowsOfSubject*first.Rows })
	})
}

// sharing is what several slots together are among, or not.
type sharing struct {
	of    interface{ has(row []int64) bool }
	slots []int
	not   bool
}

// ErrCount is the error of a query that has more solutions than can be counted.
var ErrCount = errors.New("scan: more solutions than can be counted")

// maxCount is how many rows one may stand for, and all of an answer. Ids carry such a count.
const maxCount = 1 << 44

// weight says how many rows a step, and those behind it, have for the value of a slot.
type weight struct {
	slot     int
	of       *table
	optional bool
}

// count makes the weight of a step for one of its slots, and reports whether it has rows.
func (b *builder) count(s *Step, key int) (some bool, err error) {
	was := b.bound
	b.bound = make([]bool, len(was))
	b.bound[s.Subject.Slot+s.Object.Slot-key] = true // the other one
	slots := []int{key}
	for _, w := range b.weights {
		slots = append(slots, w.slot)
	}
	in := b.weigh(b.read(s, slots...))
	weighed := b.bound[b.weight]
	b.bound = was
	w := weight{slot: key, of: &table{grow: b.env.Grow}, optional: s.Optional}
	most := int64(1)
	err = each(in, func(batch *batch, i int) error {
		n := int64(1)
		if weighed {
			n = batch.slots[b.weight][i]
		}
		known := w.of.of(batch.slots[key][i])
		if known == 0 {
			w.of.keys++
		}
		n += known
		if most = max(most, n); most > maxCount {
			return ErrCount
		}
		return w.of.set(batch.slots[key][i], n)
	})
	if !s.Optional {
		b.keys[key] = append(b.keys[key], w.of)
	}
	if !s.Optional || most > 1 {
		b.weights = append(b.weights, w)
	}
	return w.of.keys > 0, err
}

// weigh weighs rows by what is known of the slots that are bound.
func (b *builder) weigh(in source) source {
	b.weights = slices.DeleteFunc(b.weights, func(w weight) bool {
		if !b.bound[w.slot] {
			return false
		}
		in = &weighed{in: in, by: w, weight: b.weight, again: b.bound[b.weight]}
		b.bound[b.weight] = true
		return true
	})
	return in
}

// share asks what can be asked by now, and returns the rest.
func (b *builder) share(in source, list []sharing) (out source, rest []sharing) {
	for _, s := range list {
		if slices.ContainsFunc(s.slots, func(slot int) bool { return !b.bound[slot] }) {
			rest = append(rest, s)
			continue
		}
		in = &shared{sharing: s, in: in, row: make([]int64, len(s.slots))}
	}
	return in, rest
}

// compare compares what has a value by now, and returns the rest.
func (b *builder) compare(in source, list []Differ) (out source, rest []Differ) {
	for _, d := range list {
		if !b.bound[d.Slots[0]] || !b.bound[d.Slots[1]] {
			rest = append(rest, d)
			continue
		}
		if b.nodes == nil {
			b.nodes, b.strings = b.asked(b.env.Node), b.asked(b.env.String)
		}
		in = &different{Differ: d, builder: b, in: in}
	}
	return in, rest
}

// within are the tests of another program, so that it has nothing that would be no use.
func (b *builder) within(m Member) [][]test {
	out := make([][]test, m.Of.Slots)
	for i, slot := range m.Slots {
		out[m.Of.Keys[i]] = slices.Clip(b.tests[slot])
	}
	return out
}

// members are the keys of another program.
func (b *builder) members(m Member) (*Set, error) {
	run, err := open(m.Of, b.env, true, b.within(m))
	if err != nil {
		return nil, err
	}
	out := NewSet(b.env.Grow)
	return out, batches(run.source, func(batch *batch) error { return out.addAll(batch.slots[run.keys[0]][:batch.n]) })
}

// tuples are the keys of another program that has several.
func (b *builder) tuples(m Member) (interface{ has(row []int64) bool }, error) {
	run, err := open(m.Of, b.env, true, b.within(m))
	if err != nil {
		return nil, err
	}
	if len(run.keys) == 2 {
		out := newPairSet(b.env)
		err := each(run.source, func(batch *batch, i int) error {
			return out.add(batch.slots[run.keys[0]][i], batch.slots[run.keys[1]][i])
		})
		if err == nil {
			_, err = out.end()
		}
		return out, err
	}
	out := newTuples(len(run.keys), b.env)
	for {
		row, err := run.Next()
		if err != nil || row == nil {
			return out, err
		}
		if _, _, err := out.number(row); err != nil {
			return nil, err
		}
	}
}

// known makes what a step lets a slot be a test of that. Where both ends are constants there is
// no slot, -1, and the set is not empty when there is the triple.
func (b *builder) known(s *Step, slot int) (*Set, error) {
	ids := NewSet(b.env.Grow)
	err := batches(b.read(s, slot), func(batch *batch) error {
		if slot < 0 {
			return ids.Add(1)
		}
		return ids.addAll(batch.slots[slot])
	})
	if slot >= 0 {
		b.tests[slot] = slices.Insert(b.tests[slot], 0, test{in: ids})
	}
	return ids, err
}

// join is a step whose rows are found by a slot that has a value, key, and give another one.
// Where both have a value they are pairs.
type join struct {
	step       *Step
	key, value int
	of         *table
	pairs      *pairSet
}

// joins are those of the steps, nil for others.
func (b *builder) joins(uses []use) []*join {
	bound := make([]bool, b.program.Slots)
	out := make([]*join, len(uses))
	for i := range b.program.Steps {
		s := &b.program.Steps[i]
		subject, object := s.Subject.Slot, s.Object.Slot
		switch {
		case uses[i].way == intoTable && bound[subject] && bound[object]:
			out[i] = &join{step: s, pairs: newPairSet(b.env)}
		case uses[i].way == intoTable && bound[object]:
			out[i] = &join{step: s, key: object, value: subject, of: &table{grow: b.env.Grow}}
		case uses[i].way == intoTable:
			out[i] = &join{step: s, key: subject, value: object, of: &table{grow: b.env.Grow}}
		case uses[i].way != eachRow:
			continue
		}
		for _, e := range s.Ends() {
			if e.Arg == 0 {
				bound[e.Slot] = true
			}
		}
	}
	return out
}

// hold holds the rows of a join, and reports whether there are any.
func (b *builder) hold(j *join) (some bool, err error) {
	rows := b.read(j.step, j.step.Subject.Slot, j.step.Object.Slot)
	if j.pairs != nil {
		err := each(rows, func(batch *batch, i int) error {
			return j.pairs.add(batch.slots[j.step.Subject.Slot][i], batch.slots[j.step.Object.Slot][i])
		})
		if err != nil {
			return false, err
		}
		return j.pairs.end()
	}
	err = batches(rows, func(batch *batch) error { return j.of.addAll(batch.slots[j.key], batch.slots[j.value]) })
	if !j.step.Optional {
		b.keys[j.key] = append(b.keys[j.key], j.of)
	}
	return j.of.keys > 0, err
}

// joined joins rows with those of a join.
func (b *builder) joined(in source, j *join) source {
	if j.pairs != nil {
		return &shared{sharing: sharing{of: j.pairs, slots: []int{j.step.Subject.Slot, j.step.Object.Slot}}, in: in, row: make([]int64, 2)}
	}
	var copied []int
	for slot, bound := range b.bound {
		if bound {
			copied = append(copied, slot)
		}
	}
	b.bound[j.value] = true
	if j.of.n == 0 { // no key has several
		return &extended{in: in, of: j.of, key: j.key, value: j.value, optional: j.step.Optional}
	}
	return &expanded{in: in, ended: b.env.Ended, of: j.of, key: j.key, value: j.value, optional: j.step.Optional, copied: copied, out: batch{slots: make([][]int64, b.weight+1)}}
}

func batches(in source, of func(*batch) error) error {
	for {
		batch, err := in.next()
		if err != nil || batch == nil {
			return err
		}
		if err := of(batch); err != nil {
			return err
		}
	}
}

func each(in source, row func(*batch, int) error) error {
	return batches(in, func(batch *batch) error {
		for i := range batch.n {
			if err := row(batch, i); err != nil {
				return err
			}
		}
		return nil
	})
}

// shared keeps the rows some of whose slots are among others, or not.
type shared struct {
	sharing
	in  source
	row []int64
}

func (s *shared) next() (*batch, error) {
	for {
		batch, err := s.in.next()
		if err != nil || batch == nil {
			return nil, err
		}
		batch.keep(func(i int) bool {
			for k, slot := range s.slots {
				s.row[k] = batch.slots[slot][i]
			}
			return s.of.has(s.row) != s.not
		})
		if batch.n > 0 {
			return batch, nil
		}
	}
}

// different keeps the rows in which two slots differ.
type different struct {
	Differ
	builder *builder
	in      source
}

func (d *different) next() (*batch, error) {
	b := d.builder
	for {
		batch, err := d.in.next()
		if err != nil || batch == nil {
			return nil, err
		}
		one, other := batch.slots[d.Slots[0]], batch.slots[d.Slots[1]]
		batch.keep(func(i int) bool {
			x, y := one[i], other[i]
			if d.Nodes || b.nodes.holds(x) || b.nodes.holds(y) || b.strings.holds(x) && b.strings.holds(y) {
				return x != y
			}
			yes, err := b.env.Holds(d.Expr, x, y)
			if err != nil && b.failed == nil {
				b.failed = err
			}
			return yes
		})
		if b.failed != nil {
			return nil, b.failed
		}
		if batch.n > 0 {
			return batch, nil
		}
	}
}

// weighed multiplies what rows stand for by a weight. Rows for which there is nothing end.
type weighed struct {
	in     source
	by     weight
	weight int
	again  bool // set when the rows have weights
	found  []int64
}

func (w *weighed) next() (*batch, error) {
	for {
		batch, err := w.in.next()
		if err != nil || batch == nil {
			return nil, err
		}
		var all bool
		if w.found, all = w.by.of.all(batch.slots[w.by.slot][:batch.n], w.found); !all && w.by.optional {
			for i, n := range w.found {
				w.found[i] = max(n, 1)
			}
			all = true
		}
		if w.again {
			for i, n := range batch.slots[w.weight][:batch.n] {
				high, low := bits.Mul64(uint64(n), uint64(w.found[i]))
				if high != 0 || low > maxCount {
					return nil, ErrCount
				}
				w.found[i] = int64(low)
			}
		}
		batch.slots[w.weight] = append(batch.slots[w.weight][:0], w.found...)
		if !all {
			batch.keep(func(i int) bool { return w.found[i] != 0 })
		}
		if batch.n > 0 {
			return batch, nil
		}
	}
}

// extended gives a slot the one value that a table has for another.
type extended struct {
	in         source
	of         *table
	key, value int
	optional   bool
}

func (e *extended) next() (*batch, error) {
	for {
		batch, err := e.in.next()
		if err != nil || batch == nil {
			return nil, err
		}
		values, all := e.of.all(batch.slots[e.key][:batch.n], batch.slots[e.value])
		batch.slots[e.value] = values
		if !all && !e.optional {
			batch.keep(func(i int) bool { return values[i] != 0 })
		}
		if batch.n > 0 {
			return batch, nil
		}
	}
}

// expanded gives a row for each value that a table has for a slot.
type expanded struct {
	in         source
	ended      func() error
	of         *table
	key, value int
	optional   bool
	copied     []int
	from       *batch
	at         int   // the row of from
	place      int64 // that of its next value, 0 for none
	out        batch
}

// batchRows is about how many rows a batch has.
const batchRows = 1024

func (e *expanded) next() (*batch, error) {
	if err := e.ended(); err != nil {
		return nil, err
	}
	for i := range e.out.slots {
		e.out.slots[i] = e.out.slots[i][:0]
	}
	e.out.n = 0
	for e.out.n < batchRows {
		if e.place == 0 {
			if e.at++; e.from == nil || e.at >= e.from.n {
				batch, err := e.in.next()
				if err != nil {
					return nil, err
				}
				if batch == nil {
					break
				}
				e.from, e.at = batch, 0
			}
			e.place = e.of.of(e.from.slots[e.key][e.at])
			if e.place == 0 && e.optional {
				e.add(0)
			}
			continue
		}
		value, next := e.of.at(e.place)
		e.add(value)
		e.place = next
	}
	if e.out.n == 0 {
		return nil, nil
	}
	return &e.out, nil
}

func (e *expanded) add(value int64) {
	for _, slot := range e.copied {
		e.out.slots[slot] = append(e.out.slots[slot], e.from.slots[slot][e.at])
	}
	e.out.slots[e.value] = append(e.out.slots[e.value], value)
	e.out.n++
}
