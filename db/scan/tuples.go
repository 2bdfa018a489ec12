package scan

import (
	"math/bits"
	"slices"
)

// tuples is a set of rows of ids, numbered in the order in which they were added.
type tuples struct {
	grow  func(int64) error
	width int
	rows  []int64
	n     int
	// ones are, for rows of one dense id, the number of the row plus 1, indexed by the id; 0 for none.
	ones [][]int32
	// marks is a hash table of the other rows: the mark of a row, 0 for none, and its number. Its size is a power of
	// two.
	marks   []uint64
	numbers []int32
	hashed  int
	shift   uint
	seed    uint64
}

func newTuples(width int, env *Env) *tuples {
	return &tuples{grow: env.Grow, width: width, seed: env.Seed}
}

// number returns the number of a row, and adds it if it is new.
func (t *tuples) number(row []int64) (n int, isNew bool, err error) {
	var place *int32
	if t.width == 1 && isDense(row[0]) {
		part := int(row[0] >> tableBits)
		if part >= len(t.ones) || t.ones[part] == nil {
			if t.ones, err = withPart(t.ones, part, 1<<tableBits, 4, t.grow); err != nil {
				return 0, false, err
			}
		}
		if place = &t.ones[part][row[0]&(1<<tableBits-1)]; *place != 0 {
			return int(*place) - 1, false, nil
		}
	} else {
		if 4*(t.hashed+1) > 3*len(t.marks) {
			if err := t.rehash(); err != nil {
				return 0, false, err
			}
		}
		mark := t.mark(row)
		at := t.find(row, mark)
		if place = &t.numbers[at]; t.marks[at] != 0 {
			return int(*place) - 1, false, nil
		}
		t.marks[at] = mark
		t.hashed++
	}
	if len(t.rows)+t.width > cap(t.rows) {
		more := max(1024, len(t.rows)/2)
		if err := t.grow(8 * int64(more)); err != nil {
			return 0, false, err
		}
		t.rows = slices.Grow(t.rows, more)
	}
	t.rows = append(t.rows, row...)
	t.n++
	*place = int32(t.n)
	return t.n - 1, true, nil
}

// all returns the numbers of n rows given by columns, and adds the new ones.
func (t *tuples) all(columns [][]int64, n int, numbers []int32) (of []int32, err error) {
	of = slices.Grow(numbers[:0], n)[:n]
	if t.width == 1 {
		return of, t.allOfOne(columns[0][:n], of)
	}
	row, number := make([]int64, t.width), 0
	for i := range of {
		same := i > 0 // neighbouring rows are often equal
		for k, ids := range columns {
			same = same && ids[i] == row[k]
			row[k] = ids[i]
		}
		if !same {
			if number, _, err = t.number(row); err != nil {
				return nil, err
			}
		}
		of[i] = int32(number)
	}
	return of, nil
}

func (t *tuples) allOfOne(ids []int64, numbers []int32) (err error) {
	last, number := int64(0), 0
	for i, id := range ids {
		if id != last || i == 0 {
			last, number = id, -1
			if part := uint64(id) >> tableBits; isDense(id) && part < uint64(len(t.ones)) && t.ones[part] != nil {
				number = int(t.ones[part][id&(1<<tableBits-1)]) - 1
			}
			if number < 0 {
				if number, _, err = t.number(ids[i : i+1]); err != nil {
					return err
				}
			}
		}
		numbers[i] = int32(number)
	}
	return nil
}

// has reports whether a row of several ids is in the set.
func (t *tuples) has(row []int64) bool { return t.n > 0 && t.marks[t.find(row, t.mark(row))] != 0 }

// exact is greater than any mark that different rows may share.
const exact = 1 << 32

// mark returns the mark of a row, which is not 0: for two ids of 32 bits it is unique, for others a hash less than
// exact.
func (t *tuples) mark(row []int64) uint64 {
	if t.width == 2 && uint64(row[0]-1) < exact-1 && uint64(row[1]) < exact {
		return uint64(row[0])<<32 | uint64(row[1])
	}
	h := t.seed
	for _, id := range row {
		high, low := bits.Mul64(h^uint64(id), 0x9e3779b97f4a7c15)
		h = high ^ low
	}
	return h>>32 | 1
}

// find returns the slot of a row, or the free one where it would be.
func (t *tuples) find(row []int64, mark uint64) int {
	for at := t.place(mark); ; at = (at + 1) & (len(t.marks) - 1) {
		switch known := t.marks[at]; {
		case known == 0:
			return at
		case known != mark:
		case mark >= exact:
			return at
		default:
			n := int(t.numbers[at]) - 1
			if slices.Equal(t.rows[n*t.width:(n+1)*t.width], row) {
				return at
			}
		}
	}
}

// place returns the first slot for a mark.
func (t *tuples) place(mark uint64) int {
	high, low := bits.Mul64(mark^t.seed, 0x9e3779b97f4a7c15)
	return int((high ^ low) * 0xd6e8feb86659fd93 >> t.shift)
}

func (t *tuples) rehash() error {
	size := max(256, 4*len(t.marks))
	if err := t.grow(12 * int64(size-len(t.marks))); err != nil {
		return err
	}
	marks, numbers := t.marks, t.numbers
	t.marks, t.numbers, t.shift = make([]uint64, size), make([]int32, size), uint(64-bits.TrailingZeros(uint(size)))
	for i, mark := range marks {
		if mark == 0 {
			continue
		}
		at := t.place(mark)
		for t.marks[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		t.marks[at], t.numbers[at] = mark, numbers[i]
	}
	return nil
}
