package scan

import (
	"math/bits"
	"slices"
)

// Closure is the relation of a transitive path over links between any two nodes of a graph.
type Closure struct {
	Links []Link
	// Zero means that the path may have no step: each subject and each object of the graph reaches itself.
	Zero bool
}

// Link is one kind of step of a path.
type Link struct {
	Predicate int // number of an argument
	Inverse   bool
}

// closing yields the rows of a closure. Walks begin at one end, from, for 256 components at once: each component that
// they reach has a bit for each of them. So what many nodes reach is looked at once for all of these, and numbers of
// pairs are found without a look at each pair.
type closing struct {
	pairs *pairs // for the tests of both ends
	from  int    // the end where walks begin: 0 for the subject
	needs [2]bool
	same  bool // both ends are one slot
	// alike means that equal rows are as good as one, counts that one row may stand for several.
	alike, counts bool

	reach *reach // nil before the first batch
	walks walks
	// numbers has for each component the number of rows of each of its nodes, unless pairs are listed.
	numbers   []Cardinality
	component int
	listed    listed
	ended     bool
	out       batch
}

// listed is the place in a list of pairs.
type listed struct {
	found      int    // index of the reached component
	word       int    // index into its bits
	rest       uint64 // bits of the word that follow
	starts, to []int64
	start, at  int
}

// closed is the source of the rows of a closure; slots are those whose values are needed.
func (b *builder) closed(s *Step, slots []int) *closing {
	c := &closing{pairs: b.pairs(s), alike: b.alike, counts: b.counts, out: batch{slots: make([][]int64, b.program.Slots)}}
	for i, e := range s.Ends() {
		c.needs[i] = slices.Contains(slots, e.Slot)
	}
	c.same = s.Subject.Slot == s.Object.Slot
	if c.needs[0] && !c.needs[1] {
		c.from = 1
	}
	return c
}

func (c *closing) next() (*batch, error) {
	if err := c.pairs.builder.env.Ended(); err != nil {
		return nil, err
	}
	for i := range c.out.slots {
		c.out.slots[i] = c.out.slots[i][:0]
	}
	c.out.n, c.out.cards = 0, c.out.cards[:0]
	err := c.fill()
	if err != nil || c.out.n == 0 {
		return nil, err
	}
	if passed := c.pairs.builder.env.Passed; passed != nil {
		of := passed[c.pairs.step]
		of.Rows += int64(c.out.cardinality())
		passed[c.pairs.step] = of
	}
	return &c.out, nil
}

// fill adds the rows of a batch.
func (c *closing) fill() (err error) {
	one := c.needs[0] != c.needs[1]
	lists := !c.same && (c.needs[0] && c.needs[1] || !c.alike && !c.counts)
	if c.reach == nil {
		if c.reach, err = c.pairs.condensed(c.from); err != nil {
			return err
		}
		if !lists {
			err = c.count()
		}
	}
	switch {
	case err != nil || c.ended:
		return err
	case lists:
		return c.list()
	case one || c.same:
		c.each()
		return nil
	}
	c.ended = true
	return c.total()
}

// count finds the number of rows of each node at the other end.
func (c *closing) count() error {
	r := c.reach
	if err := r.env.Grow(8 * int64(r.n)); err != nil {
		return err
	}
	c.numbers = make([]Cardinality, r.n)
	switch {
	case c.same:
		for i := range c.numbers {
			if r.stays[i] {
				c.numbers[i] = 1
			}
		}
		return nil
	case c.alike:
		for i := r.n - 1; i >= 0; i-- {
			begins := len(r.ends[0].of(i)) > 0
			if begins && r.stays[i] {
				c.numbers[i] = 1
			}
			if begins || c.numbers[i] > 0 {
				for _, to := range r.links.of(i) {
					c.numbers[to] = 1
				}
			}
		}
		return nil
	}
	for {
		more, err := c.walks.next(r)
		if err != nil || !more {
			return err
		}
		var single mask // starts with one node
		for i, start := range c.walks.starts {
			if len(r.ends[0].of(int(start))) == 1 {
				single.add(i)
			}
		}
		for i := range c.walks.found {
			f := &c.walks.found[i]
			if len(r.ends[1].of(int(f.component))) == 0 {
				continue
			}
			sum := 0
			for word, by := range f.by {
				sum += bits.OnesCount64(by & single[word])
				for by &^= single[word]; by != 0; by &= by - 1 {
					sum += len(r.ends[0].of(int(c.walks.starts[word<<6+bits.TrailingZeros64(by)])))
				}
			}
			c.numbers[f.component] += Cardinality(sum)
		}
	}
}

// each adds rows for the nodes of the other end.
func (c *closing) each() {
	end := c.pairs.step.Ends()[1-c.from].Slot
	for c.component < c.reach.n && c.out.n < batchRows {
		number, ids := c.numbers[c.component], c.reach.ends[1].of(c.component)
		if number == 0 || c.listed.at >= len(ids) {
			c.component++
			c.listed.at = 0
			continue
		}
		ids = ids[c.listed.at:min(len(ids), c.listed.at+batchRows-c.out.n)]
		c.listed.at += len(ids)
		c.out.n += len(ids)
		if c.needs[1-c.from] {
			c.out.slots[end] = append(c.out.slots[end], ids...)
		}
		if c.counts && !c.alike {
			for range ids {
				c.out.cards = append(c.out.cards, number)
			}
		}
	}
}

// total adds one row for all pairs.
func (c *closing) total() error {
	sum := Cardinality(0)
	for i, number := range c.numbers {
		if sum += number * Cardinality(len(c.reach.ends[1].of(i))); sum > maxCardinality {
			return ErrCount
		}
	}
	if sum == 0 {
		return nil
	}
	c.out.n = 1
	if !c.alike {
		c.out.cards = append(c.out.cards, sum)
	}
	return nil
}

// list adds pairs.
func (c *closing) list() error {
	l, ends := &c.listed, c.pairs.step.Ends()
	for c.out.n < batchRows {
		if l.at == len(l.to) {
			l.at = 0
			if l.start++; l.start >= len(l.starts) {
				if more, err := c.further(); err != nil || !more {
					c.ended = true
					return err
				}
			}
		}
		to := l.to[l.at:min(len(l.to), l.at+batchRows-c.out.n)]
		l.at += len(to)
		c.out.n += len(to)
		if c.needs[1-c.from] {
			slot := ends[1-c.from].Slot
			c.out.slots[slot] = append(c.out.slots[slot], to...)
		}
		if c.needs[c.from] {
			ids := c.out.slots[ends[c.from].Slot]
			for range to {
				ids = append(ids, l.starts[l.start])
			}
			c.out.slots[ends[c.from].Slot] = ids
		}
	}
	return nil
}

// further moves to the next two components of which one reaches the other.
func (c *closing) further() (more bool, err error) {
	l := &c.listed
	for l.rest == 0 {
		if l.word++; l.word >= len(mask{}) {
			l.word = 0
			l.found++
		}
		if l.found >= len(c.walks.found) {
			if more, err := c.walks.next(c.reach); err != nil || !more {
				return false, err
			}
			l.found, l.word = 0, 0
		}
		if l.to = c.reach.ends[1].of(int(c.walks.found[l.found].component)); len(l.to) > 0 {
			l.rest = c.walks.found[l.found].by[l.word]
		}
	}
	start := c.walks.starts[l.word<<6+bits.TrailingZeros64(l.rest)]
	l.rest &= l.rest - 1
	l.starts, l.start, l.at = c.reach.ends[0].of(int(start)), 0, 0
	return true, nil
}

// mask has a bit for each of the walks that go on together.
type mask [4]uint64

func (m *mask) add(i int) { m[i>>6] |= 1 << (i & 63) }

// walks are the walks from some components, and what they have found.
type walks struct {
	after  int      // the component behind the last one from which a walk began
	starts []uint32 // in ascending order
	found  []found  // first the starts
	places []uint32 // for each component 1 plus its index in found, 0 for none
	// due has a bit for each component whose links are to be followed, parts one for each word of due. Links lead to
	// lower numbers, so the highest is always the next.
	due, parts []uint64
}

// found is a component and the walks that have reached it.
type found struct {
	component uint32
	by        mask
}

// next walks from the next components, to the end. It reports whether there are any.
func (w *walks) next(r *reach) (more bool, err error) {
	if w.places == nil {
		words := r.n>>6 + 1
		if err := r.env.Grow(int64(4*r.n + 8*words)); err != nil {
			return false, err
		}
		w.due, w.parts, w.places = make([]uint64, words), make([]uint64, words>>6+1), make([]uint32, r.n)
	}
	for _, f := range w.found {
		w.places[f.component] = 0
	}
	w.starts, w.found = w.starts[:0], w.found[:0]
	for ; w.after < r.n && len(w.starts) < 64*len(mask{}); w.after++ {
		if len(r.ends[0].of(w.after)) > 0 {
			if err := w.find(r, uint32(w.after)); err != nil {
				return false, err
			}
			w.found[len(w.starts)].by.add(len(w.starts))
			w.starts = append(w.starts, uint32(w.after))
		}
	}
	if len(w.starts) == 0 {
		return false, nil
	}
	steps := 0
	for part := (w.after - 1) >> 12; part >= 0; {
		if w.parts[part] == 0 {
			part--
			continue
		}
		if steps++; steps%batchRows == 0 {
			if err := r.env.Ended(); err != nil {
				return false, err
			}
		}
		word := part<<6 + bits.Len64(w.parts[part]) - 1
		bit := bits.Len64(w.due[word]) - 1
		if w.due[word] &^= 1 << bit; w.due[word] == 0 {
			w.parts[part] &^= 1 << (word & 63)
		}
		component := word<<6 + bit
		place := int(w.places[component]) - 1
		by := w.found[place].by
		for _, to := range r.links.of(component) {
			if w.places[to] == 0 {
				if err := w.find(r, to); err != nil {
					return false, err
				}
			}
			f := &w.found[w.places[to]-1]
			for i := range by {
				f.by[i] |= by[i]
			}
		}
		if place < len(w.starts) && !r.stays[component] {
			w.found[place].by[place>>6] &^= 1 << (place & 63)
		}
	}
	return true, nil
}

// find adds a component that was reached.
func (w *walks) find(r *reach, component uint32) error {
	if len(w.found) == cap(w.found) {
		was := cap(w.found)
		w.found = slices.Grow(w.found, max(batchRows, was))
		if err := r.env.Grow(40 * int64(cap(w.found)-was)); err != nil {
			return err
		}
	}
	w.found = append(w.found, found{component: component})
	w.places[component] = uint32(len(w.found))
	word := component >> 6
	w.due[word] |= 1 << (component & 63)
	w.parts[word>>6] |= 1 << (word & 63)
	return nil
}
