package scan

import (
	"errors"
	"slices"
)

// builder builds the sources of a program.
type builder struct {
	program *Program
	env     *Env
	tests   [][]test // tests of each slot
	keys    [][]ids  // for each slot the set of its values in the rows held so far
	bound   []bool   // the bound slots
	weights []weight // of counted steps, not applied yet
	merging
	// nodes caches ids that are not literals, strings those of xsd:string.
	nodes, strings *asked
	failed         error // error of an expression
}

// solutions builds the program without its last step, grouping or DISTINCT.
func (b *builder) solutions() (out source, err error) {
	if len(b.program.Sides) > 0 {
		out = &united{builder: b, rest: b.program.Sides, out: batch{slots: make([][]int64, b.program.Slots)}}
	} else if out, err = b.joinedSteps(b.program.uses(b.merging)); err != nil {
		return nil, err
	}
	for _, c := range b.program.Computed {
		out = &computing{Computed: c, in: out, env: b.env, tests: b.tests[c.Slot]}
	}
	return out, nil
}

// joinedSteps joins the steps and applies the conditions.
//
// Small sets are read first, because they restrict the rows of others: ends given by constants, then the keys of
// Members, then the other steps from the last to the second, each of which depends on an earlier one.
func (b *builder) joinedSteps(uses []use) (source, error) {
	for _, w := range b.program.Within {
		b.tests[w.Slot] = append(b.tests[w.Slot], test{low: b.env.arg(w.Low), high: b.env.arg(w.High), not: w.Not})
	}
	for _, a := range b.program.Among {
		among := make([]int64, len(a.Args)) // not as a set: a term that does not exist may have any id
		for i, arg := range a.Args {
			among[i] = b.env.arg(arg)
		}
		slices.Sort(among)
		b.tests[a.Slot] = append(b.tests[a.Slot], test{among: among})
	}
	if b.program.Known {
		b.tests[0] = append(b.tests[0], test{in: b.env.Known})
	}
	steps := b.program.Steps
	var first *Set // the values of the first step, which restrict the members
	for i := range slices.Backward(steps) {
		s := &steps[i]
		key := uses[i].key
		switch {
		case !s.constant():
			continue
		case i == 0 && !b.program.narrows():
			continue
		case i == 0:
			key = s.Subject.Slot + s.Object.Slot // the other end is a constant
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
	for _, a := range b.program.Asked { // last, because these tests are the slowest
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
		delete(b.env.Passed, &steps[0]) // they are tested again
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
	var out source = rows
	if steps[0].Closure != nil {
		out = b.closed(&steps[0], asked)
	}
	out = b.weigh(out)
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
	if b.program.Match != nil {
		var err error
		if out, err = b.match(out); err != nil {
			return nil, err
		}
		out, _ = b.compare(out, differ)
	}
	return out, nil
}

// answered returns the slots whose values are needed behind all steps: by the answer, by conditions on several slots,
// and by what is computed.
func (p *Program) answered() []int {
	slots := slices.Clone(p.Keys)
	for i := range p.Aggregates {
		slots = append(slots, p.Aggregates[i].slots()...)
	}
	for _, m := range p.Members {
		if len(m.Slots) > 1 {
			slots = append(slots, m.Slots...)
		}
	}
	for _, d := range p.Differ {
		slots = append(slots, d.Slots[:]...)
	}
	for _, c := range p.Computed {
		slots = append(slots, c.Of...)
	}
	return slots
}

// asks returns the slots whose values are needed behind the first step: those needed behind all, and those of a match,
// of joins and of weights.
func (b *builder) asks(joins []*join) []int {
	slots := b.program.answered()
	if b.program.Match != nil {
		slots = append(slots, b.program.Match.Left.Of...)
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

// narrows reports whether the first step, which has one slot, restricts Members so much that it is read before them.
func (p *Program) narrows() bool {
	first := &p.Steps[0]
	return slices.ContainsFunc(p.Members, func(m Member) bool {
		return slices.ContainsFunc(m.Of.Steps, func(s Step) bool { return first.Walk != 0 || s.Rows > RowsOfSubject*first.Rows })
	})
}

// sharing says that a tuple of slots is in a set, or is not.
type sharing struct {
	of    interface{ has(row []int64) bool }
	slots []int
	not   bool
}

// ErrCount is the error of a query with more solutions than can be counted.
var ErrCount = errors.New("scan: more solutions than can be counted")

// maxCardinality also bounds the rows of an answer. It still fits into an id.
const maxCardinality = 1 << 44

// weight is the number of rows that a step, and the steps behind it, have for each value of a slot. The table holds
// these cardinalities as it holds ids.
type weight struct {
	slot     int
	of       *table
	optional bool
}

// count computes the weight of a step by one of its slots, and reports whether it has rows.
func (b *builder) count(s *Step, key int) (some bool, err error) {
	was := b.bound
	b.bound = make([]bool, len(was))
	b.bound[s.Subject.Slot+s.Object.Slot-key] = true // the other slot
	slots := []int{key}
	for _, w := range b.weights {
		slots = append(slots, w.slot)
	}
	in := b.weigh(b.read(s, slots...))
	b.bound = was
	w := weight{slot: key, of: &table{grow: b.env.Grow}, optional: s.Optional}
	most := Cardinality(1)
	err = each(in, func(batch *batch, i int) error {
		known := Cardinality(w.of.of(batch.slots[key][i]))
		if known == 0 {
			w.of.keys++
		}
		n := known + batch.card(i)
		if most = max(most, n); most > maxCardinality {
			return ErrCount
		}
		return w.of.set(batch.slots[key][i], int64(n))
	})
	if !s.Optional {
		b.keys[key] = append(b.keys[key], w.of)
	}
	if !s.Optional || most > 1 {
		b.weights = append(b.weights, w)
	}
	return w.of.keys > 0, err
}

// weigh applies the weights of bound slots to rows.
func (b *builder) weigh(in source) source {
	b.weights = slices.DeleteFunc(b.weights, func(w weight) bool {
		if !b.bound[w.slot] {
			return false
		}
		in = &weighed{in: in, by: w}
		return true
	})
	return in
}

// share applies the conditions whose slots are bound, and returns the others.
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

// compare applies the comparisons whose slots are bound, and returns the others.
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

// within returns the tests for another program, so that it does not read values that cannot match.
func (b *builder) within(m Member) [][]test {
	out := make([][]test, m.Of.Slots)
	for i, slot := range m.Slots {
		out[m.Of.Keys[i]] = slices.Clip(b.tests[slot])
	}
	return out
}

// members returns the set of the keys of another program.
func (b *builder) members(m Member) (*Set, error) {
	run, err := open(m.Of, b.env, merging{alike: true}, b.within(m))
	if err != nil {
		return nil, err
	}
	out := NewSet(b.env.Grow)
	return out, batches(run.source, func(batch *batch) error { return out.addAll(batch.slots[run.keys[0]][:batch.n]) })
}

// tuples returns the set of the keys of another program with several keys.
func (b *builder) tuples(m Member) (interface{ has(row []int64) bool }, error) {
	run, err := open(m.Of, b.env, merging{alike: true}, b.within(m))
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

// known makes the values that a step allows for a slot a test of that slot. If both ends are constants, slot is -1,
// and the set is not empty if the triple exists.
func (b *builder) known(s *Step, slot int) (*Set, error) {
	ids := NewSet(b.env.Grow)
	err := batches(b.read(s, slot), func(batch *batch) error {
		if slot < 0 {
			return ids.Add(1)
		}
		return ids.addAll(batch.slots[slot])
	})
	if slot >= 0 {
		seen := s.Walk == 0 && s.Columns == SubjectObject // a walk may begin at a hidden node, and a predicate be one
		b.tests[slot] = slices.Insert(b.tests[slot], 0, test{in: ids, seen: seen})
	}
	return ids, err
}
