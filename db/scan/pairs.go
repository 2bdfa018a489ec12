package scan

import "slices"

// pairSet is a set of pairs of ids, which all are added before any is looked for. Pairs that come
// in the order of one and then of the other, as those of an index do, are lists: for each of the
// one its others. What comes in no order, or is no number of 32 bits, is found by hashes.
type pairSet struct {
	env    *Env
	came   []uint64 // until it is known how pairs are found
	sorted [2]bool  // they come in the order of the first, or of the second
	by     int      // the lists are those of the first, 0, or of the second, 1
	lists  *lists
	hashed *tuples
}

func newPairSet(env *Env) *pairSet { return &pairSet{env: env, sorted: [2]bool{true, true}} }

// add adds a pair, which may be there.
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

// forget gives back what pairs came in.
func (s *pairSet) forget() error {
	was := cap(s.came)
	s.came = nil
	return s.env.Grow(-8 * int64(was))
}

// end makes the lists. It reports whether there is any pair.
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

// has reports whether a pair is there.
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
