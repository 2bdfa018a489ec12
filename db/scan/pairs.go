package scan

import "slices"

// pairSet is a set of pairs of ids. All are added before any is looked up. Pairs that are sorted by one id and then
// by the other, as from an index, are stored as lists. Unsorted pairs, and ids of more than 32 bits, are stored in a
// hash table.
type pairSet struct {
	env    *Env
	came   []uint64 // the pairs, until it is known how to store them
	sorted [2]bool  // the pairs are sorted by the first id, or by the second
	by     int      // the lists are by the first id, 0, or by the second, 1
	lists  *lists
	hashed *tuples
}

func newPairSet(env *Env) *pairSet { return &pairSet{env: env, sorted: [2]bool{true, true}} }

// add adds a pair, if it is not in the set.
func (s *pairSet) add(one, other int64) error {
	if s.hashed == nil {
		fits := isDense(one) && isDense(other)
		if n := len(s.came); n > 0 && fits {
			was := s.came[n-1]
			if was == packed(one, other) {
				return nil
			}
			s.sorted[0] = s.sorted[0] && was < packed(one, other)
			s.sorted[1] = s.sorted[1] && was<<32|was>>32 < packed(other, one)
			fits = s.sorted[0] || s.sorted[1]
		}
		if fits {
			return s.keep(packed(one, other))
		}
		s.hashed = newTuples(2, s.env)
		for _, pair := range s.came {
			if _, _, err := s.hashed.number([]int64{int64(pair >> 32), int64(uint32(pair))}); err != nil {
				return err
			}
		}
		if err := s.forget(); err != nil {
			return err
		}
	}
	_, _, err := s.hashed.number([]int64{one, other})
	return err
}

func (s *pairSet) keep(pair uint64) error {
	if len(s.came) == cap(s.came) {
		was := cap(s.came)
		s.came = slices.Grow(s.came, max(batchRows, was))
		if err := s.env.Grow(8 * int64(cap(s.came)-was)); err != nil {
			return err
		}
	}
	s.came = append(s.came, pair)
	return nil
}

// forget releases the memory of the added pairs.
func (s *pairSet) forget() error {
	was := cap(s.came)
	s.came = nil
	return s.env.Grow(-8 * int64(was))
}

// end builds the lists. It reports whether there are pairs.
func (s *pairSet) end() (some bool, err error) {
	if s.hashed != nil {
		return true, nil
	}
	if !s.sorted[0] {
		s.by = 1
		for i, pair := range s.came {
			s.came[i] = pair<<32 | pair>>32
		}
	}
	some = len(s.came) > 0
	if s.lists, err = newLists(s.came, s.env.Grow); err != nil {
		return some, err
	}
	return some, s.forget()
}

// has reports whether a pair is in the set.
func (s *pairSet) has(pair []int64) bool {
	if s.hashed != nil {
		return s.hashed.has(pair)
	}
	if !isDense(pair[1-s.by]) {
		return false
	}
	_, is := slices.BinarySearch(s.lists.of(pair[s.by]), uint32(pair[1-s.by]))
	return is
}
