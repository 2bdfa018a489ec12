package scan

import "math/bits"

// Match joins the solutions of the steps with those of a program that shares no slot with them, where the values of two
// expressions are equal.
type Match struct {
	Of *Program
	// Slots are the slots that get the values of the keys of Of, in their order. Of conditions, Differ can be on them.
	Slots []int
	// Left is an expression of slots of the steps, Right one of keys of Of.
	Left, Right Keyed
	// Equal is the number of the expression that Left and Right are equal. It is true or false of the values of
	// Left.Of and Right.Of, see [Env.Holds].
	Equal int
}

// Keyed is an expression of some slots, see [Env.Compute], whose values are compared by their keys, see [Env.Key].
type Keyed struct {
	Expr int
	Of   []int
}

// LooseKey is the key of a value that may be equal to values with other keys.
const LooseKey = -1 << 63

// values computes the values of an expression. Those of one slot are kept for the ids that came last.
type values struct {
	Keyed
	env  *Env
	ids  []int64
	kept []keptValue
}

// of returns the value for a row, and sets ids.
func (v *values) of(b *batch, i int) (int64, error) {
	v.ids = v.ids[:0]
	for _, slot := range v.Of {
		v.ids = append(v.ids, b.slots[slot][i])
	}
	if len(v.ids) != 1 {
		return v.env.Compute(v.Expr, v.ids...)
	}
	return remembered(&v.kept, v.ids[0], v.env.Grow, func() (int64, error) { return v.env.Compute(v.Expr, v.ids[0]) })
}

// partners are the solutions of the program of a Match, in memory. Where their slots are not asked for, one stands for
// all with its value. Their numbers begin with 1.
type partners struct {
	values []int64
	rows   []int64       // for each the ids of Right.Of, and then those that are asked for
	cards  []Cardinality // how many solutions it stands for
	last   map[int64]int32
	before []int32 // the number of another one with the same key, or 0
}

// match joins a source with the solutions of the program's Match.
func (b *builder) match(in source) (source, error) {
	m := b.program.Match
	out := &matching{Match: m, builder: b, in: in, left: values{Keyed: m.Left, env: b.env}, out: batch{slots: make([][]int64, b.program.Slots)}}
	for slot, bound := range b.bound {
		if bound {
			out.copied = append(out.copied, slot)
		}
	}
	asked := make([]bool, b.program.Slots)
	for _, slot := range b.program.answered() {
		asked[slot] = true
	}
	of := *m.Of
	of.Keys = m.Right.Of
	for i, slot := range m.Slots {
		if asked[slot] {
			out.given, b.bound[slot] = append(out.given, slot), true
			of.Keys = append(of.Keys[:len(of.Keys):len(of.Keys)], m.Of.Keys[i])
		}
	}
	out.width = len(of.Keys)
	if err := out.hold(&of); err != nil {
		return nil, err
	}
	if len(out.of.values) == 0 {
		return none{}, nil
	}
	return out, nil
}

// matching yields a row for each pair of a row and a partner.
type matching struct {
	*Match
	builder *builder
	in      source
	left    values
	of      partners
	width   int   // number of ids of a partner
	copied  []int // slots that were bound before
	given   []int // slots that get the last ids of a partner
	from    *batch
	at      int     // the current row of from
	found   []int32 // its partners
	tests   int
	out     batch
}

// hold reads the partners.
func (m *matching) hold(of *Program) error {
	b, p := m.builder, &m.of
	run, err := open(of, b.env, merging{alike: b.alike}, make([][]test, of.Slots))
	if err != nil {
		return err
	}
	p.last = map[int64]int32{}
	right := values{Keyed: m.Right, env: b.env}
	merges := len(m.given) == 0 && (b.alike || b.counts)
	return each(run.source, func(rows *batch, i int) error {
		value, err := right.of(rows, i)
		if err != nil || value == 0 {
			return err
		}
		key := b.env.Key(value)
		last := p.last[key]
		for n := last; merges && n != 0; n = p.before[n-1] {
			if p.values[n-1] != value {
				continue
			}
			if p.cards[n-1]++; p.cards[n-1] > maxCardinality {
				return ErrCount
			}
			return nil
		}
		for _, slot := range of.Keys {
			p.rows = append(p.rows, rows.slots[slot][i])
		}
		p.values, p.cards, p.before = append(p.values, value), append(p.cards, 1), append(p.before, last)
		p.last[key] = int32(len(p.values))
		return b.env.Grow(mapBytes + 24 + 8*int64(m.width))
	})
}

// find sets found to the partners of the current row. Of those that make no difference it takes one.
func (m *matching) find() error {
	m.found = m.found[:0]
	value, err := m.left.of(m.from, m.at)
	if err != nil || value == 0 {
		return err
	}
	key := m.builder.env.Key(value)
	if key == LooseKey {
		for n := range m.of.values {
			if err := m.test(int32(n) + 1); err != nil {
				return err
			}
		}
		return nil
	}
	for n := m.of.last[key]; n != 0; n = m.of.before[n-1] {
		m.found = append(m.found, n)
	}
	for n := m.of.last[LooseKey]; n != 0; n = m.of.before[n-1] {
		if err := m.test(n); err != nil {
			return err
		}
	}
	return nil
}

// test finds a partner if its value is equal to that of the current row.
func (m *matching) test(n int32) error {
	env := m.builder.env
	if m.tests++; m.tests%batchRows == 0 {
		if err := env.Ended(); err != nil {
			return err
		}
	}
	at := (int(n) - 1) * m.width
	yes, err := env.Holds(m.Equal, append(m.left.ids, m.of.rows[at:at+len(m.Right.Of)]...)...)
	if yes {
		m.found = append(m.found, n)
	}
	return err
}

func (m *matching) next() (*batch, error) {
	b := m.builder
	if err := b.env.Ended(); err != nil {
		return nil, err
	}
	for i := range m.out.slots {
		m.out.slots[i] = m.out.slots[i][:0]
	}
	m.out.n, m.out.cards = 0, m.out.cards[:0]
	for m.out.n < batchRows {
		if len(m.found) > 0 {
			n := m.found[len(m.found)-1]
			if m.found = m.found[:len(m.found)-1]; b.alike && len(m.given) == 0 {
				m.found = m.found[:0]
			}
			if err := m.add(int(n) - 1); err != nil {
				return nil, err
			}
			continue
		}
		if m.at++; m.from == nil || m.at >= m.from.n {
			batch, err := m.in.next()
			if err != nil {
				return nil, err
			}
			if m.from, m.at = batch, 0; batch == nil {
				break
			}
		}
		if err := m.find(); err != nil {
			return nil, err
		}
	}
	if m.out.n == 0 {
		return nil, nil
	}
	return &m.out, nil
}

// add adds the current row with a partner.
func (m *matching) add(partner int) error {
	for _, slot := range m.copied {
		m.out.slots[slot] = append(m.out.slots[slot], m.from.slots[slot][m.at])
	}
	ids := m.of.rows[(partner+1)*m.width-len(m.given) : (partner+1)*m.width]
	for i, slot := range m.given {
		m.out.slots[slot] = append(m.out.slots[slot], ids[i])
	}
	m.out.n++
	if !m.builder.counts {
		return nil
	}
	high, low := bits.Mul64(uint64(m.from.card(m.at)), uint64(m.of.cards[partner]))
	if high != 0 || low > maxCardinality {
		return ErrCount
	}
	m.out.cards = append(m.out.cards, Cardinality(low))
	return nil
}
