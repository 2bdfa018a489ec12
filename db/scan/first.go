package scan

import (
	"cmp"
	"sort"
)

// Order is a slot by which rows are sorted; unbound values come first.
type Order struct {
	Slot       int
	Descending bool
	// ByID sorts by ids; otherwise [Env.Order] compares.
	ByID bool
}

// mostFirst is the number of first rows up to which a program finds them itself.
const mostFirst = 1 << 14

// firstsOf yields the first rows of a source in the order of the program, or all if more than mostFirst are asked for.
func firstsOf(p *Program, env *Env, in source) source {
	n := int64(0)
	for _, arg := range p.First {
		if n += env.arg(arg); n < 0 || n > mostFirst {
			return in
		}
	}
	return &firsts{program: p, env: env, in: in, n: int(n)}
}

// firsts holds up to twice as many rows as are asked for. It sorts them when there is no room for more, and keeps the
// first ones. Of equal rows the earlier ones come first.
type firsts struct {
	program *Program
	env     *Env
	in      source
	n       int
	rows    [][]int64
	cut     bool // the first n rows are sorted, and no later row that does not precede the last of them is needed
	done    bool
	err     error
}

func (f *firsts) next() (*batch, error) {
	if f.done || f.n == 0 {
		return nil, nil
	}
	f.done = true
	const room = 64
	row := make([]int64, f.program.Slots)
	err := each(f.in, func(b *batch, i int) error {
		for _, slot := range f.program.Keys {
			row[slot] = b.slots[slot][i]
		}
		if f.cut && !f.less(row, f.rows[f.n-1]) {
			return f.err
		}
		f.rows = append(f.rows, row)
		if row = f.spare(); row == nil {
			row = make([]int64, f.program.Slots)
			if err := f.env.Grow(8*int64(len(row)) + 24); err != nil {
				return err
			}
		}
		if len(f.rows) >= 2*f.n+room {
			return f.sort()
		}
		return f.err
	})
	if err == nil {
		err = f.sort()
	}
	if err != nil {
		return nil, err
	}
	out := &batch{n: len(f.rows), slots: make([][]int64, f.program.Slots)}
	for _, slot := range f.program.Keys {
		ids := make([]int64, len(f.rows))
		for i, row := range f.rows {
			ids[i] = row[slot]
		}
		out.slots[slot] = ids
	}
	return out, nil
}

// spare returns a row behind those that are held, whose memory is used again; nil if there is none.
func (f *firsts) spare() []int64 {
	if len(f.rows) == cap(f.rows) {
		return nil
	}
	return f.rows[:len(f.rows)+1][len(f.rows)]
}

// sort keeps the first rows.
func (f *firsts) sort() error {
	sort.SliceStable(f.rows, func(i, k int) bool { return f.less(f.rows[i], f.rows[k]) })
	f.cut = len(f.rows) >= f.n
	f.rows = f.rows[:min(len(f.rows), f.n)]
	if f.err != nil {
		return f.err
	}
	return f.env.Ended()
}

// less compares rows. After an error, which it keeps, no order matters.
func (f *firsts) less(a, b []int64) bool {
	for _, o := range f.program.Order {
		one, other := a[o.Slot], b[o.Slot]
		order := 0
		switch {
		case one == other || f.err != nil:
			continue
		case one == 0:
			order = -1
		case other == 0:
			order = 1
		case o.ByID:
			order = cmp.Compare(one, other)
		default:
			order, f.err = f.env.Order(one, other)
		}
		if order != 0 {
			return (order < 0) != o.Descending
		}
	}
	return false
}
