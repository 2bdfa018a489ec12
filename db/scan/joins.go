package scan

import "math/bits"

// join is a step whose rows are looked up by a bound slot, key, and bind another one. If both are bound the rows are
// pairs to check.
type join struct {
	step       *Step
	key, value int
	of         *table
	pairs      *pairSet
}

// joins returns the joins of the steps, nil for steps that are none.
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

// hold reads the rows of a join into memory, and reports whether there are any.
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

// joined joins rows with the rows of a join.
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
	if j.of.n == 0 { // every key has one value
		return &extended{in: in, of: j.of, key: j.key, value: j.value, optional: j.step.Optional}
	}
	return &expanded{in: in, ended: b.env.Ended, of: j.of, key: j.key, value: j.value, optional: j.step.Optional, copied: copied, out: batch{slots: make([][]int64, b.program.Slots)}}
}

// shared keeps the rows in which a tuple of slots is in a set, or is not in it.
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

// different keeps the rows in which two slots have different values.
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

// weighed multiplies the cardinality of a row by a weight from a table. Rows without one are dropped.
type weighed struct {
	in    source
	by    weight
	found []int64
	cards []Cardinality
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
		cards := w.cards[:0]
		for i, n := range w.found {
			high, low := bits.Mul64(uint64(batch.card(i)), uint64(n))
			if high != 0 || low > maxCardinality {
				return nil, ErrCount
			}
			cards = append(cards, Cardinality(low))
		}
		batch.cards, w.cards = cards, batch.cards
		if !all {
			batch.keep(func(i int) bool { return w.found[i] != 0 })
		}
		if batch.n > 0 {
			return batch, nil
		}
	}
}

// extended binds a slot to the only value that a table has for another slot.
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

// expanded yields a row for each value that a table has for a slot.
type expanded struct {
	in         source
	ended      func() error
	of         *table
	key, value int
	optional   bool
	copied     []int
	from       *batch
	at         int   // the current row of from
	place      int64 // its next value, 0 for none
	out        batch
}

func (e *expanded) next() (*batch, error) {
	if err := e.ended(); err != nil {
		return nil, err
	}
	for i := range e.out.slots {
		e.out.slots[i] = e.out.slots[i][:0]
	}
	e.out.n, e.out.cards = 0, e.out.cards[:0]
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
	if len(e.from.cards) > 0 {
		e.out.cards = append(e.out.cards, e.from.cards[e.at])
	}
	e.out.n++
}
