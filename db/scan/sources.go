package scan

import (
	"errors"
	"slices"
)

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
