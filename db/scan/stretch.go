package scan

import (
	"math"
	"slices"
	"sort"
)

// Stretches are parts of an index in which a reader may see nothing, or everything, as those who read it found out. Cursors
// leave out the rows of the former, so that a query which comes to hidden rows again and again reads them once. Scans take
// those of the latter without asking about each. The zero Stretches has none. It must be used by one goroutine, for one index
// of one state of the statements, and for readers with the same rights.
type Stretches struct{ hidden, seen stretches }

const (
	// worthKeeping is how many hidden rows are worth remembering: reading them takes about as long as seeking.
	worthKeeping = 32
	// worthTrusting is how many rows that may be seen are: some pages.
	worthTrusting = 1024
	// mostStretches bounds the stretches of an index of either kind. When there are more, all are dropped.
	mostStretches = 1024
	stretchBytes  = 64
)

// Copy returns Stretches that begin with these. Neither of the two changes the other one.
func (s *Stretches) Copy() Stretches { return Stretches{s.hidden.copied(), s.seen.copied()} }

// Learn takes what others found since they were copied.
func (s *Stretches) Learn(from *Stretches) {
	if from.hidden.found() {
		s.hidden = from.hidden.copied()
	}
	if from.seen.found() {
		s.seen = from.seen.copied()
	}
}

// Bytes is how much memory they take.
func (s *Stretches) Bytes() int64 { return int64(cap(s.hidden.list)+cap(s.seen.list)) * stretchBytes }

// Added makes them those of a state that has another statement. It is hidden or not if known is set; otherwise they say
// nothing of it.
func (s *Stretches) Added(columns [4]int64, hidden, known bool) {
	if !known || hidden {
		s.seen.cut(columns)
	}
	if !known || !hidden {
		s.hidden.cut(columns)
	}
}

// stretches are parts of an index.
type stretches struct {
	list   []stretch // sorted; no two of them overlap
	shared bool      // the list is that of others, too, and must not be changed
}

// stretch is the part from one place to another, inclusive.
type stretch struct{ low, high [4]int64 }

// between is the part between two prefixes.
func between(low, high []int64) (of stretch) {
	for i := range of.low {
		of.low[i], of.high[i] = math.MinInt64, math.MaxInt64
	}
	copy(of.low[:], low)
	copy(of.high[:], high)
	return of
}

// has reports whether another one is a part of it.
func (of *stretch) has(other *stretch) bool {
	return slices.Compare(of.low[:], other.low[:]) <= 0 && slices.Compare(of.high[:], other.high[:]) >= 0
}

func (s *stretches) copied() stretches {
	if len(s.list) == 0 {
		return stretches{}
	}
	s.shared = true
	return *s
}

// found reports whether stretches were found since these were copied.
func (s *stretches) found() bool { return len(s.list) > 0 && !s.shared }

// around returns the stretch that has a place.
func (s *stretches) around(place [4]int64) (of stretch, ok bool) {
	i := s.before(place)
	if i == len(s.list) || slices.Compare(s.list[i].low[:], place[:]) > 0 {
		return stretch{}, false
	}
	return s.list[i], true
}

// before returns the number of stretches that end before a place.
func (s *stretches) before(place [4]int64) int {
	return sort.Search(len(s.list), func(i int) bool { return slices.Compare(s.list[i].high[:], place[:]) >= 0 })
}

// keep keeps a stretch. Those that it overlaps become one with it.
func (s *stretches) keep(of stretch) {
	from := s.before(of.low)
	to := from
	for to < len(s.list) && slices.Compare(s.list[to].low[:], of.high[:]) <= 0 {
		to++
	}
	if from+1 == to && s.list[from].has(&of) {
		return
	}
	if from < to {
		if low := s.list[from].low; slices.Compare(low[:], of.low[:]) < 0 {
			of.low = low
		}
		if high := s.list[to-1].high; slices.Compare(high[:], of.high[:]) > 0 {
			of.high = high
		}
	}
	s.replace(from, to, of)
}

// cut leaves a place out of the stretch that has it.
func (s *stretches) cut(place [4]int64) {
	of, ok := s.around(place)
	if !ok {
		return
	}
	at := s.before(place)
	var rest []stretch
	if of.low != place {
		rest = append(rest, stretch{of.low, beside(place, true)})
	}
	if of.high != place {
		rest = append(rest, stretch{beside(place, false), of.high})
	}
	s.replace(at, at+1, rest...)
}

// replace replaces some stretches. When there are too many then, it drops all others.
func (s *stretches) replace(from, to int, by ...stretch) {
	if s.shared {
		s.list, s.shared = slices.Clone(s.list), false
	}
	if len(s.list)-(to-from)+len(by) > mostStretches {
		s.list, from, to = s.list[:0], 0, 0
	}
	s.list = slices.Replace(s.list, from, to, by...)
}

// passed is the hidden rows that a cursor has passed since the last statement or, before the first one, since the beginning
// of its range.
type passed struct {
	began      bool
	from, upto [4]int64
	end        [4]int64 // of the range
	rows       int      // how many were read, more or less
}

// passedFrom is at the beginning of a range.
func passedFrom(low, high []int64, back bool) passed {
	of := between(low, high)
	if back {
		of.low, of.high = of.high, of.low
	}
	return passed{began: true, from: of.low, end: of.high}
}

// pass passes a hidden row, and the stretch that has it.
func (c *Cursor) pass(place [4]int64) error {
	p := &c.passed
	if !p.began {
		p.began, p.from = true, place
	}
	p.upto = place
	p.rows++
	if p.rows%worthKeeping != 1 {
		return nil
	}
	left, err := c.leave(place)
	if left { // what lies before it and behind it becomes one with it
		p.rows += worthKeeping
	}
	return err
}

// leave goes to the end of the stretch that has a place, and reports whether that is another place.
func (c *Cursor) leave(place [4]int64) (left bool, err error) {
	of, ok := c.stretches.hidden.around(place)
	if c.back {
		of.low, of.high = of.high, of.low
	}
	if !ok || of.high == place {
		return false, nil
	}
	to := of.high
	c.passed.upto = to
	low, high := to[:], c.high
	if c.back {
		low, high = c.low, to[:]
	}
	if order := slices.Compare(to[:], c.passed.end[:]); order == 0 || order < 0 == c.back {
		for i := range c.arms {
			c.arms[i].end()
			c.arms[i].more = false
		}
		return true, nil
	}
	return true, c.begin(low, high)
}

// endPassed remembers the hidden rows before a statement or, without one, before the end of the range.
func (c *Cursor) endPassed(before bool) {
	p := &c.passed
	if p.rows >= worthKeeping {
		if !before {
			p.upto = p.end
		}
		of := stretch{p.from, p.upto}
		if c.back {
			of.low, of.high = of.high, of.low
		}
		c.stretches.hidden.keep(of)
	}
	p.began, p.rows = false, 0
}
