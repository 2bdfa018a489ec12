package scan

import (
	"math"
	"slices"
	"sort"
)

// Stretches are parts of an index in which a reader may see nothing, as cursors found out. Cursors leave out their rows, so
// that a query which comes to hidden rows again and again reads them once. The zero Stretches has none. It must be used by
// one goroutine, for one index of one state of the statements, and for readers with the same rights.
type Stretches struct {
	list   []stretch // sorted; no two of them overlap
	shared bool      // the list is that of others, too, and must not be changed
}

// stretch is the part from one place to another, inclusive.
type stretch struct{ low, high [4]int64 }

const (
	// worthKeeping is how many hidden rows are worth remembering: reading them takes about as long as seeking.
	worthKeeping = 32
	// mostStretches bounds the stretches of an index. When there are more, all are dropped.
	mostStretches = 1024
	stretchBytes  = 64
)

// Copy returns Stretches that begin with these. Neither of the two changes the other one.
func (s *Stretches) Copy() Stretches {
	if len(s.list) == 0 {
		return Stretches{}
	}
	s.shared = true
	return *s
}

// Found reports whether stretches were found since these were copied.
func (s *Stretches) Found() bool { return len(s.list) > 0 && !s.shared }

// Bytes is how much memory they take.
func (s *Stretches) Bytes() int64 { return int64(cap(s.list)) * stretchBytes }

// around returns the stretch that has a place.
func (s *Stretches) around(place [4]int64) (of stretch, ok bool) {
	i := s.before(place)
	if i == len(s.list) || slices.Compare(s.list[i].low[:], place[:]) > 0 {
		return stretch{}, false
	}
	return s.list[i], true
}

// before returns the number of stretches that end before a place.
func (s *Stretches) before(place [4]int64) int {
	return sort.Search(len(s.list), func(i int) bool { return slices.Compare(s.list[i].high[:], place[:]) >= 0 })
}

// keep keeps a stretch. Those that it overlaps become one with it.
func (s *Stretches) keep(of stretch) {
	from := s.before(of.low)
	to := from
	for to < len(s.list) && slices.Compare(s.list[to].low[:], of.high[:]) <= 0 {
		to++
	}
	if from+1 == to && slices.Compare(s.list[from].low[:], of.low[:]) <= 0 && slices.Compare(s.list[from].high[:], of.high[:]) >= 0 {
		return
	}
	if s.shared {
		s.list, s.shared = slices.Clone(s.list), false
	}
	switch {
	case from < to:
		if low := s.list[from].low; slices.Compare(low[:], of.low[:]) < 0 {
			of.low = low
		}
		if high := s.list[to-1].high; slices.Compare(high[:], of.high[:]) > 0 {
			of.high = high
		}
	case len(s.list) == mostStretches:
		s.list, from, to = s.list[:0], 0, 0
	}
	s.list = slices.Replace(s.list, from, to, of)
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
	p := passed{began: true}
	for i := range p.from {
		p.from[i], p.end[i] = math.MinInt64, math.MaxInt64
	}
	copy(p.from[:], low)
	copy(p.end[:], high)
	if back {
		p.from, p.end = p.end, p.from
	}
	return p
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
	of, ok := c.stretches.around(place)
	to, low, high := of.high, of.high[:], c.high
	if c.back {
		to, low, high = of.low, c.low, of.low[:]
	}
	if !ok || to == place {
		return false, nil
	}
	c.passed.upto = to
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
		c.stretches.keep(of)
	}
	p.began, p.rows = false, 0
}
