package scan

import "slices"

// reading gives the rows of a step.
type reading struct {
	failed  *error // see [builder.failed]
	step    *Step
	passed  map[*Step]int64 // see [Env.Passed]
	span    span
	columns [3]int // those of subject, object and graph among the first four of a row
	graph   int64
	ends    [2]End
	tests   [2][]test // of its ends
	ids     [2][]int64
	out     batch
}

// read begins to read the rows of a step that pass the tests of its slots so far.
func (b *builder) read(s *Step) *reading {
	r := &reading{failed: &b.failed, step: s, passed: b.env.Passed, ends: [2]End{s.Subject, s.Object}, out: batch{slots: make([][]int64, b.program.Slots)}}
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
	for i, e := range r.ends {
		if e.Arg != 0 {
			continue
		}
		for _, t := range b.tests[e.Slot] {
			if i == 1 && t.in == nil && t.among == nil && t.asked == nil && !t.not && len(r.span.low) == len(prefix) { // a range of the index
				r.span.low, r.span.high = append(slices.Clone(prefix), t.low), append(slices.Clone(prefix), t.high)
				continue
			}
			r.tests[i] = append(r.tests[i], t)
		}
	}
	return r
}

func (r *reading) next() (*batch, error) {
	for {
		cells, err := r.span.next()
		if err != nil || cells.page == nil {
			return nil, err
		}
		if err := r.decode(cells); err != nil {
			return nil, err
		}
		if r.passed != nil {
			r.passed[r.step] += int64(r.out.n)
		}
		if r.out.n > 0 {
			return &r.out, nil
		}
	}
}

// decode reads the rows of some cells into the batch, those that pass the tests.
func (r *reading) decode(cells run) error {
	var ids [2][]int64
	for i := range ids {
		ids[i] = slices.Grow(r.ids[i][:0], cells.last-cells.first)
	}
	s, o, g := r.columns[0]&3, r.columns[1]&3, r.columns[2]&3
	tested := len(r.tests[0])+len(r.tests[1]) > 0
	for i := cells.first; i < cells.last; i++ {
		kinds, body, ok := header(cells.page.record(i))
		if !ok || len(kinds) < 4 {
			return ErrPage
		}
		var at [5]int
		for column := range 4 {
			at[column+1] = at[column] + int(sizes[kinds[column]])
		}
		if at[4] > len(body) {
			return ErrPage
		}
		if (kinds[g] != zero || r.graph != 0) && integer(kinds[g], body[at[g]:]) != r.graph {
			continue
		}
		subject, object := integer(kinds[s], body[at[s]:]), integer(kinds[o], body[at[o]:])
		if !tested || passes(r.tests[0], subject) && passes(r.tests[1], object) {
			ids[0], ids[1] = append(ids[0], subject), append(ids[1], object)
		}
	}
	if *r.failed != nil {
		return *r.failed
	}
	r.out.n, r.ids = len(ids[0]), ids
	for i, e := range r.ends {
		if e.Arg == 0 {
			r.out.slots[e.Slot] = ids[i]
		}
	}
	return nil
}
