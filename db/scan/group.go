package scan

import "math"

// distinct keeps the first of the rows with equal keys.
type distinct struct {
	in      source
	keys    []int
	seen    *tuples
	columns [][]int64
	numbers []int32
}

func (d *distinct) next() (*batch, error) {
	for {
		batch, err := d.in.next()
		if err != nil || batch == nil {
			return nil, err
		}
		before := int32(d.seen.n)
		d.columns = batch.columns(d.keys, d.columns)
		if d.numbers, err = d.seen.all(d.columns, batch.n, d.numbers); err != nil {
			return nil, err
		}
		batch.keep(func(i int) bool { // a new row gets the next number
			if d.numbers[i] != before {
				return false
			}
			before++
			return true
		})
		if batch.n > 0 {
			return batch, nil
		}
	}
}

// groups yields a row for each group: its keys, and then the columns of the aggregates.
type groups struct {
	program *Program
	env     *Env
	in      source
	done    bool
}

func (g *groups) width() int {
	n := len(g.program.Keys)
	for _, a := range g.program.Aggregates {
		n += a.Width()
	}
	return n
}

func (g *groups) next() (*batch, error) {
	if g.done {
		return nil, nil
	}
	g.done = true
	keys := newTuples(len(g.program.Keys), g.env)
	sums := make([]accumulator, len(g.program.Aggregates))
	for i, a := range g.program.Aggregates {
		sums[i] = newAccumulator(a, keys.width, g.env)
	}
	if keys.width == 0 {
		keys.n = 1
		if err := enlarge(sums, 1, g.env.Grow); err != nil {
			return nil, err
		}
	}
	var columns [][]int64
	var numbers []int32
	total := Cardinality(0)
	for {
		batch, err := g.in.next()
		if err != nil {
			return nil, err
		}
		if batch == nil {
			return g.answer(keys, sums)
		}
		was := keys.n
		if columns = batch.columns(g.program.Keys, columns); len(columns) > 0 {
			if numbers, err = keys.all(columns, batch.n, numbers); err != nil {
				return nil, err
			}
		} else if len(numbers) < batch.n {
			numbers = make([]int32, batch.n)
		}
		if err := enlarge(sums, keys.n-was, g.env.Grow); err != nil {
			return nil, err
		}
		if total += batch.cardinality(); total > maxCardinality {
			return nil, ErrCount
		}
		for i := range sums {
			if err := sums[i].add(numbers[:batch.n], batch); err != nil {
				return nil, err
			}
		}
	}
}

func (g *groups) answer(keys *tuples, sums []accumulator) (*batch, error) {
	out := &batch{n: keys.n, slots: make([][]int64, g.width())}
	for k := range keys.width {
		ids := make([]int64, keys.n)
		for i := range ids {
			ids[i] = keys.rows[i*keys.width+k]
		}
		out.slots[k] = ids
	}
	at := keys.width
	for i := range sums {
		if sums[i].Func == Fold {
			for group := range sums[i].n {
				sums[i].n[group] = int64(group)
			}
		}
		at += copy(out.slots[at:], sums[i].columns())
	}
	for _, h := range g.program.Having {
		zero, low, high := g.env.arg(h.Zero), g.env.arg(h.Low), g.env.arg(h.High)
		column := out.slots[h.Slot]
		out.keep(func(i int) bool { return zero+column[i] >= low && zero+column[i] <= high })
	}
	for i := range sums { // of the groups that are left
		if err := sums[i].end(out.n); err != nil {
			return nil, err
		}
	}
	return out, g.env.Ended()
}

// accumulator holds the columns of an aggregate, with one element for each group.
type accumulator struct {
	Aggregate
	env       *Env
	zero      int64
	n         []int64 // number of rows or values, or the least or greatest value
	high, low []int64 // the two halves of a sum
	values    *tuples // pairs of group number plus 1 and value
	one       *Set    // the values, if there is a single group
}

func newAccumulator(a Aggregate, keys int, env *Env) accumulator {
	out := accumulator{Aggregate: a, env: env}
	switch a.Func {
	case Sum:
		out.zero = env.arg(a.Zero)
	case CountDistinct:
		if out.values = newTuples(2, env); keys == 0 {
			out.one = NewSet(env.Grow)
		}
	case Count, CountBound, Min, Max, Fold:
	}
	return out
}

// enlarge makes room for more groups.
func enlarge(list []accumulator, more int, grow func(int64) error) error {
	for i := range list {
		a := &list[i]
		for _, column := range []*[]int64{&a.n, &a.high, &a.low}[:a.Width()] {
			was := cap(*column)
			*column = append(*column, make([]int64, more)...)
			if err := grow(8 * int64(cap(*column)-was)); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds rows to the groups with the given numbers.
func (a *accumulator) add(numbers []int32, rows *batch) error {
	switch a.Func {
	case Count:
		for i, number := range numbers {
			a.n[number] += int64(rows.card(i))
		}
	case CountBound:
		for i, number := range numbers {
			if rows.slots[a.Slot][i] != 0 {
				a.n[number] += int64(rows.card(i))
			}
		}
	case CountDistinct:
		if a.one != nil {
			err := a.one.addAll(rows.slots[a.Slot][:rows.n])
			a.n[0] = a.one.n
			return err
		}
		var row [2]int64
		for i, number := range numbers {
			if row = [2]int64{int64(number) + 1, rows.slots[a.Slot][i]}; row[1] == 0 {
				continue
			}
			_, isNew, err := a.values.number(row[:])
			if err != nil {
				return err
			}
			if isNew {
				a.n[number]++
			}
		}
	case Sum:
		for i, number := range numbers {
			id := rows.slots[a.Slot][i]
			switch {
			case a.Maybe && id > 0:
				return ErrLeft
			case a.Maybe && id == 0:
				a.n[number] = math.MinInt64 / 2
				continue
			}
			value := (id - a.zero) >> a.Shift
			a.high[number] += value >> 24
			a.low[number] += value & (1<<24 - 1)
			a.n[number]++
		}
	case Min:
		for i, number := range numbers {
			if id := rows.slots[a.Slot][i]; a.n[number] == 0 || id < a.n[number] {
				a.n[number] = id
			}
		}
	case Max:
		for i, number := range numbers {
			if id := rows.slots[a.Slot][i]; a.n[number] == 0 || id > a.n[number] {
				a.n[number] = id
			}
		}
	case Fold:
		return a.fold(numbers, rows)
	}
	return nil
}

// fold passes rows to the environment. If equal rows do not count, neighbouring ones of a group are passed once.
func (a *accumulator) fold(numbers []int32, rows *batch) error {
	ids := make([]int64, len(a.Of))
	for i, number := range numbers {
		same := i > 0 && numbers[i-1] == number && !a.Each
		for k, slot := range a.Of {
			same = same && ids[k] == rows.slots[slot][i]
			ids[k] = rows.slots[slot][i]
		}
		if same {
			continue
		}
		if err := a.env.Fold(a.Number, int(number), a.Expr, ids...); err != nil {
			return err
		}
	}
	return a.env.Ended()
}

// end computes the values of a Fold for n groups, whose numbers are in its column.
func (a *accumulator) end(n int) (err error) {
	if a.Func != Fold {
		return nil
	}
	for i, group := range a.n[:n] {
		if a.n[i], err = a.env.Folded(a.Number, int(group)); err != nil {
			return err
		}
	}
	return nil
}

func (a *accumulator) columns() [][]int64 {
	if a.Func == Sum {
		return [][]int64{a.high, a.low, a.n}
	}
	return [][]int64{a.n}
}
