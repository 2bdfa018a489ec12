package scan

// lists has for each of some ids the list of ids that it is paired with.
type lists struct {
	grow   func(int64) error
	places [][]uint32 // for each id the index of its list, 0 for none
	others []uint32   // at that index the length of the list, followed by its ids
}

// packed packs a pair of dense ids into one number, which sorts like the pair.
func packed(one, other int64) uint64 { return uint64(one)<<32 | uint64(other) }

// newLists makes lists of packed pairs. Each list keeps the order of its pairs. It is fastest if the pairs are sorted
// by the first id.
func newLists(came []uint64, grow func(int64) error) (*lists, error) {
	l := &lists{grow: grow}
	ordered, keys := true, 0
	for i, pair := range came {
		if i == 0 || pair>>32 != came[i-1]>>32 {
			ordered = ordered && (i == 0 || pair>>32 > came[i-1]>>32)
			keys++
		}
	}
	if !ordered {
		var err error
		if keys, err = l.count(came); err != nil {
			return nil, err
		}
	}
	size := 1 + len(came) + keys // index 0 means none
	if err := grow(4 * int64(size)); err != nil {
		return nil, err
	}
	l.others = make([]uint32, size)
	next := uint32(1)
	if !ordered {
		for _, places := range l.places {
			for i, n := range places {
				if n != 0 {
					places[i] = next
					next += 1 + n
				}
			}
		}
	}
	var list []uint32
	for i, pair := range came {
		if i == 0 || pair>>32 != came[i-1]>>32 {
			place, err := l.place(pair >> 32)
			if err != nil {
				return nil, err
			}
			if *place == 0 { // in sorted order each list begins where the previous one ends
				*place = next
			}
			list = l.others[*place:]
			next++
		}
		list[0]++
		list[list[0]] = uint32(pair)
		next++
	}
	return l, nil
}

// count counts the pairs of each id in places, and returns the number of ids.
func (l *lists) count(came []uint64) (keys int, err error) {
	for _, pair := range came {
		n, err := l.place(pair >> 32)
		if err != nil {
			return 0, err
		}
		if *n == 0 {
			keys++
		}
		*n++
	}
	return keys, nil
}

// place returns a pointer to the index for an id.
func (l *lists) place(id uint64) (place *uint32, err error) {
	part := int(id >> tableBits)
	if part >= len(l.places) || l.places[part] == nil {
		if l.places, err = withPart(l.places, part, 1<<tableBits, 4, l.grow); err != nil {
			return nil, err
		}
	}
	return &l.places[part][id&(1<<tableBits-1)], nil
}

// of returns the ids that an id is paired with.
func (l *lists) of(id int64) []uint32 {
	part := int(id >> tableBits)
	if !isDense(id) || part >= len(l.places) || l.places[part] == nil {
		return nil
	}
	list := l.others[l.places[part][id&(1<<tableBits-1)]:]
	return list[1 : 1+list[0]]
}
