package scan

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// reading gives the rows of a step.
type reading struct {
	env     *Env
	failed  *error // see [builder.failed]
	step    *Step
	span    span
	columns [3]int // those of subject, object and graph among the first four of a row
	graph   int64
	tests   []testOfEnd
	layout  layout
	padded  []byte
	ids     [2][]int64 // of the subjects and the objects
	out     batch
}

// testOfEnd is a test of subjects, 0, or of objects, 1.
type testOfEnd struct {
	test
	end int
}

// read begins to read the rows of a step that pass the tests of its slots so far.
func (b *builder) read(s *Step) *reading {
	r := &reading{env: b.env, failed: &b.failed, step: s, out: batch{slots: make([][]int64, b.weight+1)}}
	prefix := []int64{b.env.arg(s.Predicate)}
	free := s.Object
	switch {
	case s.Graph != 0:
		r.graph = b.env.arg(s.Graph)
		r.span.tree, r.columns = b.env.GPOS, [3]int{3, 2, 0}
		prefix = []int64{r.graph, prefix[0]}
	case s.Subject.Arg != 0:
		r.span.tree, r.columns = b.env.SPO, [3]int{0, 2, 3}
		prefix = []int64{b.env.arg(s.Subject.Arg), prefix[0]}
	default:
		r.span.tree, r.columns = b.env.POS, [3]int{2, 1, 3}
	}
	if free.Arg != 0 {
		prefix = append(prefix, b.env.arg(free.Arg))
		if s.Graph != 0 && s.Subject.Arg != 0 {
			prefix = append(prefix, b.env.arg(s.Subject.Arg))
		}
	}
	r.span.low, r.span.high = prefix, prefix
	for i, e := range s.ends() {
		if e.Arg != 0 {
			continue
		}
		for _, t := range b.tests[e.Slot] {
			if i == 1 && t.in == nil && t.among == nil && t.asked == nil && !t.not && len(r.span.low) == len(prefix) { // a range of the index
				r.span.low, r.span.high = append(slices.Clone(prefix), t.low), append(slices.Clone(prefix), t.high)
				continue
			}
			r.tests = append(r.tests, testOfEnd{t, i})
		}
	}
	slices.SortStableFunc(r.tests, func(a, b testOfEnd) int { return cmp.Compare(a.rank(), b.rank()) })
	return r
}

func (r *reading) next() (*batch, error) {
	for {
		if err := r.env.Ended(); err != nil {
			return nil, err
		}
		cells, err := r.span.next()
		if err != nil || cells.page == nil {
			return nil, err
		}
		if err := r.decode(cells); err != nil {
			return nil, err
		}
		for _, t := range r.tests {
			n := t.keep(r.ids[t.end], r.ids[1-t.end])
			r.ids[0], r.ids[1] = r.ids[0][:n], r.ids[1][:n]
		}
		if *r.failed != nil {
			return nil, *r.failed
		}
		r.out.n = len(r.ids[0])
		for i, e := range r.step.ends() {
			if e.Arg == 0 {
				r.out.slots[e.Slot] = r.ids[i]
			}
		}
		if r.env.Passed != nil {
			r.env.Passed[r.step] += int64(r.out.n)
		}
		if r.out.n > 0 {
			return &r.out, nil
		}
	}
}

// decode reads the ids of some cells.
func (r *reading) decode(cells run) error {
	n := cells.last - cells.first
	for i := range r.ids {
		r.ids[i] = slices.Grow(r.ids[i][:0], n)[:n]
	}
	subjects, objects := r.ids[0], r.ids[1]
	n = 0
	l := &r.layout
	for i := cells.first; i < cells.last; i++ {
		record := cells.page.record(i)
		if l.mask == 0 || len(record) < l.needs || binary.LittleEndian.Uint64(record)&l.mask != l.first {
			if !l.read(record, r.columns) {
				return ErrPage
			}
			if len(record) < l.needs { // it stands at the end of the page
				r.padded = append(append(r.padded[:0], record...), make([]byte, 8)...)
				record = r.padded
			}
		}
		if l.graph.of(record) == r.graph {
			subjects[n], objects[n] = l.subject.of(record), l.object.of(record)
			n++
		}
	}
	r.ids = [2][]int64{subjects[:n], objects[:n]}
	return nil
}

// layout is where the columns of a row are. Neighbours mostly begin with the same bytes, the
// length of the row and the types of its columns, and then have the same one.
type layout struct {
	first, mask            uint64 // these bytes; no mask where they are more than eight
	needs                  int    // how many bytes there must be, at least eight
	subject, object, graph column
}

// read makes it the layout of the row that a record begins with.
func (l *layout) read(record []byte, columns [3]int) bool {
	kinds, body, ok := header(record)
	if !ok || len(kinds) < 4 {
		return false
	}
	begins := 1 + int(record[1])
	*l = layout{needs: max(8, 1+int(record[0]))}
	if begins <= 8 && len(record) >= 8 {
		l.mask = 1<<(8*begins) - 1
		l.first = binary.LittleEndian.Uint64(record) & l.mask
	}
	at := 0 // in the body
	for i, kind := range kinds[:4] {
		size := int(sizes[kind])
		if at+size > len(body) {
			return false
		}
		c := column{at: begins + at, shift: uint(64 - 8*size), bits: -1}
		if size == 0 {
			c = column{constant: integer(kind, nil)}
		}
		l.needs = max(l.needs, c.at+8)
		for k, of := range [...]*column{&l.subject, &l.object, &l.graph} {
			if columns[k] == i {
				*of = c
			}
		}
		at += size
	}
	return true
}

// column is where an integer is: in the first of the eight bytes from at on, or nowhere and
// the same for all rows.
type column struct {
	at       int
	shift    uint
	bits     int64 // those of the bytes that count: all or none
	constant int64
}

// of is the column of a row.
func (c *column) of(record []byte) int64 {
	return int64(binary.BigEndian.Uint64(record[c.at:]))>>(c.shift&63)&c.bits | c.constant
}
