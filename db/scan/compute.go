package scan

import (
	"errors"
	"slices"
)

// ErrLeft is the error of a run that met a value which its aggregates cannot take. SQL can answer instead.
var ErrLeft = errors.New("scan: a sum has a value that no id holds")

// Computed says that a slot has the value of an expression of other slots; 0 if it is an error or unbound. See
// [Env.Compute]. Of the conditions on slots, Within can be on such a one.
type Computed struct {
	Slot, Expr int
	Of         []int
}

// computing computes the values of a slot, for all rows of a batch, and keeps the rows that pass its tests. The values
// of an expression of one slot are kept for the ids that came last.
type computing struct {
	Computed
	in     source
	env    *Env
	tests  []test
	ids    []int64
	values []int64
	kept   []keptValue
}

func (c *computing) next() (*batch, error) {
	for {
		batch, err := c.in.next()
		if err != nil || batch == nil {
			return nil, err
		}
		if err := c.compute(batch); err != nil {
			return nil, err
		}
		if len(c.tests) > 0 {
			batch.keep(func(i int) bool {
				return !slices.ContainsFunc(c.tests, func(t test) bool { return (t.low <= c.values[i] && c.values[i] <= t.high) == t.not })
			})
		}
		if batch.n > 0 {
			return batch, nil
		}
	}
}

// compute sets the slot of a batch.
func (c *computing) compute(batch *batch) error {
	if err := c.env.Ended(); err != nil {
		return err
	}
	c.values = c.values[:0]
	for i := range batch.n {
		c.ids = c.ids[:0]
		for _, slot := range c.Of {
			c.ids = append(c.ids, batch.slots[slot][i])
		}
		value, err := c.value()
		if err != nil {
			return err
		}
		c.values = append(c.values, value)
	}
	batch.slots[c.Slot] = c.values
	return nil
}

// value returns the value for the ids of a row.
func (c *computing) value() (int64, error) {
	if len(c.ids) != 1 {
		return c.env.Compute(c.Expr, c.ids...)
	}
	return remembered(&c.kept, c.ids[0], c.env.Grow, func() (int64, error) { return c.env.Compute(c.Expr, c.ids[0]) })
}

// keptValue is the value of an expression for an id.
type keptValue struct {
	id, value int64
	is        bool
}

// keptValues is the number of values that are kept, a power of two.
const keptValues = 1 << 12

// remembered returns the value for an id, which is computed unless it is kept.
func remembered(kept *[]keptValue, id int64, grow func(int64) error, compute func() (int64, error)) (int64, error) {
	if *kept == nil {
		if err := grow(keptValues * 24); err != nil {
			return 0, err
		}
		*kept = make([]keptValue, keptValues)
	}
	place := &(*kept)[id&(keptValues-1)]
	if !place.is || place.id != id {
		value, err := compute()
		if err != nil {
			return 0, err
		}
		*place = keptValue{id, value, true}
	}
	return place.value, nil
}
