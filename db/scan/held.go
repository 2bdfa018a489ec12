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
	grow func(int64) error
	// parts and below have for each key its value, 0 for none; where it has several, chained
	// and the place of the last of them. Keys of zero and less are below.
	parts [][]int64
	below map[int64]int64
	// chain has the values of such keys, many to a list; places in it begin with 1.
	chain [][]chainedValue
	n     int
}

// chainedValue is one of several values of a key, and the place of another, 0 for none.
type chainedValue struct {
	value  int64
	before int32
}

const (
	tableBits = 10
	chainBits = 12
	// chained is more than any id of a file.
	chained = 1 << 62
)

// of is the value of a key, see parts.
func (t *table) of(key int64) int64 {
	if key <= 0 {
		return t.below[key]
	}
	part := int(key >> tableBits)
	if part >= len(t.parts) || t.parts[part] == nil {
		return 0
	}
	return t.parts[part][key&(1<<tableBits-1)]
}

// at is what stands at a value of [table.of] that is not 0: an id, and what is next, 0 for
// nothing.
func (t *table) at(value int64) (id, next int64) {
	if value < chained {
		return value, 0
	}
	place := value - chained - 1
	link := &t.chain[place>>chainBits][place&(1<<chainBits-1)]
	if next = int64(link.before); next != 0 {
		next += chained
	}
	return link.value, next
}

func (t *table) add(key, value int64) error {
	if key <= 0 {
		known := t.below[key]
		if known == 0 {
			if t.below == nil {
				t.below = map[int64]int64{}
			}
			if err := t.grow(mapBytes); err != nil {
				return err
			}
		}
		err := t.put(&known, value)
		t.below[key] = known
		return err
	}
	part := int(key >> tableBits)
	if part >= len(t.parts) || t.parts[part] == nil {
		if err := t.widen(part); err != nil {
			return err
		}
	}
	place := &t.parts[part][key&(1<<tableBits-1)]
	if *place == 0 {
		*place = value
		return nil
	}
	return t.put(place, value)
}

func (t *table) widen(part int) (err error) {
	if t.parts, err = widened(t.parts, part, t.grow); err != nil {
		return err
	}
	t.parts[part] = make([]int64, 1<<tableBits)
	return t.grow(8 << tableBits)
}

// put adds a value to those of a key.
func (t *table) put(of *int64, value int64) error {
	switch {
	case *of == 0:
		*of = value
		return nil
	case *of < chained:
		if err := t.link(*of, 0); err != nil {
			return err
		}
		*of = chained + int64(t.n)
	}
	err := t.link(value, int32(*of-chained))
	*of = chained + int64(t.n)
	return err
}

func (t *table) link(value int64, before int32) error {
	part := t.n >> chainBits
	if part == len(t.chain) {
		t.chain = append(t.chain, make([]chainedValue, 1<<chainBits))
		if err := t.grow(16 << chainBits); err != nil {
			return err
		}
	}
	t.chain[part][t.n&(1<<chainBits-1)] = chainedValue{value, before}
	t.n++
	return nil
}

// tuples are rows of ids, each once, numbered in the order in which they came.
type tuples struct {
	grow  func(int64) error
	width int
	rows  []int64
	n     int
	// ones are the numbers of rows, and 1, of one id above zero, by that; 0 for none.
	ones [][]int32
	// places are those of other rows, by their hash. A power of two of them.
	places []int32
	hashed int
	shift  uint
	seed   uint64
}

func newTuples(width int, env *Env) *tuples {
	return &tuples{grow: env.Grow, width: width, seed: env.Seed}
}

// number returns the number of a row, which is added if it is new.
func (t *tuples) number(row []int64) (n int, isNew bool, err error) {
	var place *int32
	if t.width == 1 && row[0] > 0 {
		part := int(row[0] >> tableBits)
		if part >= len(t.ones) || t.ones[part] == nil {
			if t.ones, err = widened(t.ones, part, t.grow); err != nil {
				return 0, false, err
			}
			if err := t.grow(4 << tableBits); err != nil {
				return 0, false, err
			}
			t.ones[part] = make([]int32, 1<<tableBits)
		}
		place = &t.ones[part][row[0]&(1<<tableBits-1)]
	} else {
		if 4*(t.hashed+1) > 3*len(t.places) {
			if err := t.rehash(); err != nil {
				return 0, false, err
			}
		}
		if place = t.find(row); *place == 0 {
			t.hashed++
		}
	}
	if *place != 0 {
		return int(*place) - 1, false, nil
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

// has reports whether a row is there, of several ids.
func (t *tuples) has(row []int64) bool { return t.n > 0 && *t.find(row) != 0 }

// find is the place of a row by its hash, or the free one where it would be.
func (t *tuples) find(row []int64) *int32 {
	for at := t.hash(row); ; at = (at + 1) & (len(t.places) - 1) {
		place := &t.places[at]
		if *place == 0 {
			return place
		}
		known := t.rows[(int(*place)-1)*t.width:]
		if known[0] == row[0] && (t.width == 1 || known[1] == row[1] && (t.width == 2 || slices.Equal(known[2:t.width], row[2:]))) {
			return place
		}
	}
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
	size := max(256, 4*len(t.places))
	if err := t.grow(4 * int64(size-len(t.places))); err != nil {
		return err
	}
	t.places, t.shift = make([]int32, size), uint(64-bits.TrailingZeros(uint(size)))
	for n := range t.n {
		row := t.rows[n*t.width : (n+1)*t.width]
		if t.width == 1 && row[0] > 0 {
			continue
		}
		at := t.hash(row)
		for t.places[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		t.places[at] = int32(n + 1)
	}
	return nil
}
