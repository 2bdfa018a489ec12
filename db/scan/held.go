package scan

import (
	"math/bits"
	"slices"
)

// set is a set of ids. Those above zero, which are dense, are bits.
type set struct {
	grow  func(int64) error
	parts [][]uint64
	below map[int64]struct{} // zero and less
	n     int64
}

// Ids with the same bits above these are in one part.
const (
	setBits  = 13
	setWords = 1 << setBits / 64
	// mapBytes is about what a map takes for an entry.
	mapBytes = 40
)

func (s *set) add(id int64) error {
	if id <= 0 {
		if _, ok := s.below[id]; ok {
			return nil
		}
		if s.below == nil {
			s.below = map[int64]struct{}{}
		}
		s.below[id] = struct{}{}
		s.n++
		return s.grow(mapBytes)
	}
	part := int(id >> setBits)
	for part >= len(s.parts) || s.parts[part] == nil {
		if err := s.widen(part); err != nil {
			return err
		}
	}
	word, bit := &s.parts[part][id>>6&(setWords-1)], uint64(1)<<(id&63)
	if *word&bit == 0 {
		*word |= bit
		s.n++
	}
	return nil
}

func (s *set) widen(part int) error {
	parts, err := widened(s.parts, part, s.grow)
	if err != nil {
		return err
	}
	s.parts = parts
	s.parts[part] = make([]uint64, setWords)
	return s.grow(8 * setWords)
}

// widened is a list of parts in which one has its place.
func widened[T any](parts [][]T, part int, grow func(int64) error) ([][]T, error) {
	if part < len(parts) {
		return parts, nil
	}
	was := cap(parts)
	parts = slices.Grow(parts, part+1-len(parts))[:part+1]
	return parts, grow(24 * int64(cap(parts)-was))
}

func (s *set) has(id int64) bool {
	if id <= 0 {
		_, ok := s.below[id]
		return ok
	}
	part := int(id >> setBits)
	return part < len(s.parts) && s.parts[part] != nil && s.parts[part][id>>6&(setWords-1)]>>(id&63)&1 != 0
}

// table has the values of keys, both ids: a key may have many.
type table struct {
	grow   func(int64) error
	parts  [][]int32       // by key, the place of its last value and 1
	below  map[int64]int32 // the same for zero and less
	values []int64
	// before has for each value the place, and 1, of one that the same key has, too; nil
	// while no key has two.
	before []int32
}

const tableBits = 10

// last is the place of a key's last value and 1; 0 when it has none.
func (t *table) last(key int64) int32 {
	if key <= 0 {
		return t.below[key]
	}
	part := int(key >> tableBits)
	if part >= len(t.parts) || t.parts[part] == nil {
		return 0
	}
	return t.parts[part][key&(1<<tableBits-1)]
}

func (t *table) add(key, value int64) (err error) {
	if len(t.values) == cap(t.values) {
		if err := t.enlarge(); err != nil {
			return err
		}
	}
	last := t.last(key)
	t.values = append(t.values, value)
	if last != 0 && t.before == nil {
		if err := t.grow(4 * int64(cap(t.values))); err != nil {
			return err
		}
		t.before = make([]int32, len(t.values)-1, cap(t.values))
	}
	if t.before != nil {
		t.before = append(t.before, last)
	}
	place := int32(len(t.values))
	if key <= 0 {
		if t.below == nil {
			t.below = map[int64]int32{}
		}
		t.below[key] = place
		if last == 0 {
			err = t.grow(mapBytes)
		}
		return err
	}
	part := int(key >> tableBits)
	if part >= len(t.parts) || t.parts[part] == nil {
		if t.parts, err = widened(t.parts, part, t.grow); err != nil {
			return err
		}
		t.parts[part] = make([]int32, 1<<tableBits)
		err = t.grow(4 << tableBits)
	}
	t.parts[part][key&(1<<tableBits-1)] = place
	return err
}

// enlarge makes room for half as many values again.
func (t *table) enlarge() error {
	more := max(1024, len(t.values)/2)
	width := int64(8)
	if t.before != nil {
		width += 4
	}
	if err := t.grow(width * int64(more)); err != nil {
		return err
	}
	t.values = slices.Grow(t.values, more)
	if t.before != nil {
		t.before = slices.Grow(t.before, cap(t.values)-len(t.before))
	}
	return nil
}

// tuples are rows of ids, each once, numbered in the order in which they came.
type tuples struct {
	grow  func(int64) error
	width int
	rows  []int64
	n     int
	// places are numbers of rows and 1, by their hash; 0 is free. A power of two of them.
	places []int32
	shift  uint
	seed   uint64
}

func newTuples(width int, env *Env) *tuples {
	return &tuples{grow: env.Grow, width: width, seed: env.Seed}
}

// number returns the number of a row, which is added if it is new.
func (t *tuples) number(row []int64) (n int, isNew bool, err error) {
	if 4*(t.n+1) > 3*len(t.places) {
		if err := t.rehash(); err != nil {
			return 0, false, err
		}
	}
	at := t.hash(row)
	for t.places[at] != 0 {
		n = int(t.places[at]) - 1
		if slices.Equal(t.rows[n*t.width:(n+1)*t.width], row) {
			return n, false, nil
		}
		at = (at + 1) & (len(t.places) - 1)
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
	t.places[at] = int32(t.n)
	return t.n - 1, true, nil
}

// has reports whether a row is there.
func (t *tuples) has(row []int64) bool {
	if t.n == 0 {
		return false
	}
	for at := t.hash(row); t.places[at] != 0; at = (at + 1) & (len(t.places) - 1) {
		n := int(t.places[at]) - 1
		if slices.Equal(t.rows[n*t.width:(n+1)*t.width], row) {
			return true
		}
	}
	return false
}

func (t *tuples) hash(row []int64) int {
	h := t.seed
	for _, id := range row {
		high, low := bits.Mul64(h^uint64(id), 0x9e3779b97f4a7c15)
		h = high ^ low
	}
	return int(h * 0xd6e8feb86659fd93 >> t.shift)
}

func (t *tuples) rehash() error {
	size := max(256, 2*len(t.places))
	if err := t.grow(4 * int64(size-len(t.places))); err != nil {
		return err
	}
	t.places, t.shift = make([]int32, size), uint(64-bits.TrailingZeros(uint(size)))
	for n := range t.n {
		at := t.hash(t.rows[n*t.width : (n+1)*t.width])
		for t.places[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		t.places[at] = int32(n + 1)
	}
	return nil
}
