package scan

import (
	"encoding/binary"
	"math"
	"slices"
)

// test is a condition on the values of a slot: inside or outside a range or a set, one of some ids, or an expression
// that must be true.
type test struct {
	low, high int64
	in        *Set
	among     []int64 // sorted
	asked     *asked
	not       bool
	seen      bool // the reader may see all of in: each stands in a statement that it read
}

// isRange reports whether the test is a range.
func (t *test) isRange() bool { return t.in == nil && t.among == nil && t.asked == nil && !t.not }

// rank orders tests by their cost for one id.
func (t *test) rank() int {
	switch {
	case t.asked != nil:
		return 2
	case t.in != nil || t.among != nil:
		return 1
	}
	return 0
}

// keep moves the ids that pass to the front, with their companions, and returns their number. It avoids a branch on
// the result, which could not be predicted.
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

// leave moves the offsets of rows of a page whose column passes a set to the front.
func (t *test) leave(c *column, page []byte, at []uint16) []uint16 {
	if c.bits == 0 { // all rows have this value
		if t.in.Has(c.constant) {
			return at
		}
		return nil
	}
	n, bytes, shift := 0, page[c.at:], c.shift&63
	for _, offset := range at {
		at[n] = offset
		if t.in.Has(int64(binary.BigEndian.Uint64(bytes[offset:])) >> shift) {
			n++
		}
	}
	return at[:n]
}

// fewest returns the smallest set of ids that the slot of an end must be in, and its size. Without such a set it
// returns none, and infinity.
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

// asked caches the results of an expression by id: all of dense ids, and those of the others that came last.
type asked struct {
	builder  *builder
	of       func(id int64) (bool, error)
	yes, any *Set
	far      []keptValue // 1 is true
}

func (b *builder) asked(of func(id int64) (bool, error)) *asked {
	return &asked{builder: b, of: of, yes: NewSet(b.env.Grow), any: NewSet(b.env.Grow)}
}

// holds returns the result for an id. An error ends the run, see [builder.failed].
func (a *asked) holds(id int64) bool {
	if !isDense(id) {
		return a.farHolds(id)
	}
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

// farHolds is holds for an id that is not dense.
func (a *asked) farHolds(id int64) bool {
	value, err := remembered(&a.far, id, a.builder.env.Grow, func() (int64, error) {
		yes, err := a.of(id)
		if yes && err == nil {
			return 1, nil
		}
		return 0, err
	})
	if err != nil && a.builder.failed == nil {
		a.builder.failed = err
	}
	return value != 0
}
