package scan

import (
	"maps"
	"math/bits"
	"slices"
)

// isDense reports whether an id is a dictionary id, which are consecutive. Other ids have an inlined value, or belong
// to computed terms; a damaged page may have any.
func isDense(id int64) bool { return uint64(id-1) < exact-1 }

// Set is a set of ids. Dense ids are stored as bits. It must be used by one goroutine.
type Set struct {
	grow  func(int64) error
	parts [][]uint64
	far   map[int64]struct{} // ids that are not dense
	n     int64
}

// Ids that are equal above these bits are stored in one part.
const (
	setBits  = 13
	setWords = 1 << setBits / 64
	// mapBytes is the approximate memory of a map entry.
	mapBytes = 40
)

// NewSet returns an empty set. grow counts its memory; an error of grow is returned by Add.
func NewSet(grow func(bytes int64) error) *Set { return &Set{grow: grow} }

// Add adds an id, if it is not in the set.
func (s *Set) Add(id int64) error {
	if !isDense(id) {
		if _, ok := s.far[id]; ok {
			return nil
		}
		if s.far == nil {
			s.far = map[int64]struct{}{}
		}
		s.far[id] = struct{}{}
		s.n++
		return s.grow(mapBytes)
	}
	part := int(id >> setBits)
	if part >= len(s.parts) || s.parts[part] == nil {
		var err error
		if s.parts, err = withPart(s.parts, part, setWords, 8, s.grow); err != nil {
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

// addAll adds ids that are not in the set; 0 is skipped.
func (s *Set) addAll(ids []int64) error {
	for _, id := range ids {
		part := uint64(id) >> setBits
		if isDense(id) && part < uint64(len(s.parts)) && s.parts[part] != nil {
			word := &s.parts[part][id>>6&(setWords-1)]
			s.n += int64(^*word >> (id & 63) & 1)
			*word |= 1 << (id & 63)
			continue
		}
		if id == 0 {
			continue
		}
		if err := s.Add(id); err != nil {
			return err
		}
	}
	return nil
}

// withPart makes sure that part i of a list of parts is allocated, with n elements of the given size.
func withPart[T any](parts [][]T, part, values int, bytes int64, grow func(int64) error) ([][]T, error) {
	if part >= len(parts) {
		was := max(cap(parts), part+1)
		if err := grow(24 * int64(was-cap(parts))); err != nil {
			return nil, err
		}
		parts = slices.Grow(parts, part+1-len(parts))[:part+1]
		if err := grow(24 * int64(cap(parts)-was)); err != nil {
			return nil, err
		}
	}
	parts[part] = make([]T, values)
	return parts, grow(int64(values) * bytes)
}

// ordered returns the ids sorted.
func (s *Set) ordered() []int64 {
	ids := make([]int64, 0, s.n)
	for part, words := range s.parts {
		for i, word := range words {
			for ; word != 0; word &= word - 1 {
				ids = append(ids, int64(part)<<setBits|int64(i)<<6|int64(bits.TrailingZeros64(word)))
			}
		}
	}
	return withFar(ids, s.far)
}

// withFar merges the ids that are not dense into sorted ids.
func withFar[V any](ids []int64, far map[int64]V) []int64 {
	if len(far) == 0 {
		return ids
	}
	ids = slices.AppendSeq(ids, maps.Keys(far))
	slices.Sort(ids)
	return ids
}

func (s *Set) size() int64 { return s.n }

// Has reports whether an id is there.
func (s *Set) Has(id int64) bool {
	if !isDense(id) {
		_, ok := s.far[id]
		return ok
	}
	part := int(id >> setBits)
	return part < len(s.parts) && s.parts[part] != nil && s.parts[part][id>>6&(setWords-1)]>>(id&63)&1 != 0
}

// table maps keys to values, both ids. A key may have several values.
type table struct {
	grow func(int64) error
	// narrow has for each key its value minus base, 0 for none. For several values it has many, and the index of the
	// last one. Values are mostly of one kind and close to each other; if one is too far from base, all entries move
	// to wide, in the form that [table.of] returns. Keys that are not dense are in far.
	base   int64
	narrow [][]uint32
	wide   [][]int64
	far    map[int64]int64
	keys   int64 // number of entries
	// chain has the linked lists of the values of keys with several values. Indexes begin with 1.
	chain [][]chainedValue
	n     int
}

// chainedValue is one of several values of a key, with the index of the next one, or 0.
type chainedValue struct {
	value  int64
	before int32
}

const (
	tableBits = 10
	chainBits = 12
	many      = 1 << 31
	// chained is greater than any id in a file.
	chained = 1 << 62
)

// of returns the value of a key, 0 for none. For several values it returns chained plus the index of the last one.
func (t *table) of(key int64) int64 {
	if !isDense(key) {
		return t.far[key]
	}
	part, at := int(key>>tableBits), key&(1<<tableBits-1)
	if t.wide != nil {
		if part >= len(t.wide) || t.wide[part] == nil {
			return 0
		}
		return t.wide[part][at]
	}
	if part >= len(t.narrow) || t.narrow[part] == nil {
		return 0
	}
	return t.widened(t.narrow[part][at])
}

// all is [table.of] for several keys. It reports whether all of them have a value.
func (t *table) all(keys, values []int64) (of []int64, all bool) {
	of, all = slices.Grow(values[:0], len(keys))[:len(keys)], true
	for i, key := range keys {
		value := int64(0)
		if part := uint64(key) >> tableBits; part < uint64(len(t.narrow)) && t.narrow[part] != nil {
			value = t.widened(t.narrow[part][key&(1<<tableBits-1)])
		} else {
			value = t.of(key)
		}
		of[i] = value
		all = all && value != 0
	}
	return of, all
}

// widened converts an entry of narrow to the form of wide.
func (t *table) widened(value uint32) int64 {
	switch {
	case value == 0:
		return 0
	case value >= many:
		return chained + int64(value-many)
	}
	return t.base + int64(value)
}

// at decodes a result of [table.of] that is not 0: an id, and the next entry of the list, 0 at its end.
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

// ordered returns the keys sorted.
func (t *table) ordered() []int64 {
	ids := appendKeys(make([]int64, 0, t.keys), t.narrow)
	return withFar(appendKeys(ids, t.wide), t.far)
}

func appendKeys[T uint32 | int64](ids []int64, parts [][]T) []int64 {
	for part, values := range parts {
		for i, value := range values {
			if value != 0 {
				ids = append(ids, int64(part)<<tableBits|int64(i))
			}
		}
	}
	return ids
}

func (t *table) size() int64 { return t.keys }

func (t *table) add(key, value int64) error {
	known := t.of(key)
	if known == 0 {
		t.keys++
		return t.set(key, value)
	}
	if known < chained {
		if err := t.link(known, 0); err != nil {
			return err
		}
		known = chained + int64(t.n)
	}
	if err := t.link(value, int32(known-chained)); err != nil {
		return err
	}
	return t.set(key, chained+int64(t.n))
}

// addAll adds the keys with their values.
func (t *table) addAll(keys, values []int64) error {
	for i, key := range keys {
		value := values[i]
		if part := uint64(key) >> tableBits; isDense(key) && part < uint64(len(t.narrow)) && t.narrow[part] != nil {
			if place := &t.narrow[part][key&(1<<tableBits-1)]; *place == 0 && value > t.base && value < t.base+many {
				*place = uint32(value - t.base)
				t.keys++
				continue
			}
		}
		if err := t.add(key, value); err != nil {
			return err
		}
	}
	return nil
}

// set sets what [table.of] returns for a key.
func (t *table) set(key, value int64) (err error) {
	if !isDense(key) {
		if t.far == nil {
			t.far = map[int64]int64{}
		}
		if _, ok := t.far[key]; !ok {
			err = t.grow(mapBytes)
		}
		t.far[key] = value
		return err
	}
	part, at := int(key>>tableBits), key&(1<<tableBits-1)
	if t.wide == nil {
		if t.base == 0 {
			t.base = value - many/2
		}
		if part >= len(t.narrow) || t.narrow[part] == nil {
			if t.narrow, err = withPart(t.narrow, part, 1<<tableBits, 4, t.grow); err != nil {
				return err
			}
		}
		switch {
		case value >= chained:
			t.narrow[part][at] = uint32(value-chained) + many
			return nil
		case value > t.base && value < t.base+many:
			t.narrow[part][at] = uint32(value - t.base)
			return nil
		}
		t.wide = make([][]int64, 0, len(t.narrow))
		for i, values := range t.narrow {
			if values == nil {
				continue
			}
			if t.wide, err = withPart(t.wide, i, 1<<tableBits, 8, t.grow); err != nil {
				return err
			}
			for k, value := range values {
				t.wide[i][k] = t.widened(value)
			}
		}
		t.narrow = nil
	}
	if part >= len(t.wide) || t.wide[part] == nil {
		if t.wide, err = withPart(t.wide, part, 1<<tableBits, 8, t.grow); err != nil {
			return err
		}
	}
	t.wide[part][at] = value
	return nil
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
