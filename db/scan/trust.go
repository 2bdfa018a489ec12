package scan

// trust follows a scan of the newest commit of main by a reader who may not see everything. It says of which cells all rows
// may be seen, as those found out who read them before, and remembers where that is so.
type trust struct {
	leaf  *Leaf
	of    stretch // the range
	asks  bool    // not all of it is known to be seen
	known stretch // the one of the stretches that was found last; no statement is in the zero one
	cells stretch // from the first of the current cells to the last one
	all   bool    // all rows of these may be seen
	// since is where the rows begin that may be seen, without others between them, up to the last cells. It counts if some is
	// set, and rows is how many they are.
	some  bool
	since stretch
	rows  int
	// With tests, what passes may be seen. Where hidden rows lie on each page, rows are tested before anything is asked of them:
	// mixed is on how many pages they were, and rest is how many cells are tested first. Nothing is remembered of these.
	tests       bool
	mixed, rest int
}

const (
	// mixedMost is how many pages with hidden rows follow each other until more are expected, and mixedRest in how many cells.
	mixedMost = 4
	mixedRest = 128
)

// in begins with a leaf.
func (t *trust) in(l *Leaf, tests bool) {
	*t = trust{tests: tests}
	if l.Hidden != nil && l.Until == 0 && l.Stretches != nil {
		t.leaf = l
	}
}

// to continues with another range.
func (t *trust) to(low, high []int64) {
	if t.leaf == nil {
		return
	}
	t.of = between(low, high)
	t.all = t.knows(&t.of)
	t.asks = !t.all
	t.some, t.since, t.rows = true, t.of, 0
}

// knows reports whether everything in a part may be seen.
func (t *trust) knows(part *stretch) bool {
	if t.known.has(part) {
		return true
	}
	of, ok := t.leaf.Stretches.seen.around(part.low)
	if ok {
		t.known = of
	}
	return ok && of.has(part)
}

// begin goes on to the next cells of the range.
func (t *trust) begin(cells run) error {
	if !t.asks {
		return nil
	}
	if !numbers(cells.page.record(cells.first), t.cells.low[:]) || !numbers(cells.page.record(cells.last-1), t.cells.high[:]) {
		return ErrPage
	}
	if t.all = t.knows(&t.cells); t.all {
		t.mixed, t.rest = 0, 0
	}
	return nil
}

// passed says how many of the rows of the cells may be seen.
func (t *trust) passed(seen, rows int) {
	switch {
	case !t.asks:
	case t.rest > 0:
		t.rest--
		t.some = false
	case seen < rows:
		t.keep()
		t.some = false
		if t.mixed++; t.tests && t.mixed >= mixedMost {
			t.mixed, t.rest = mixedMost-1, mixedRest // behind these one is enough
		}
	default:
		if rows > 1 { // between two leaves stands a single one
			t.mixed = 0
		}
		if !t.some {
			t.some, t.since, t.rows = true, t.cells, 0
		}
		t.since.high = t.cells.high
		t.rows += rows
	}
}

// end is at the end of the range.
func (t *trust) end() {
	if t.asks && t.some {
		t.since.high = t.of.high
		t.keep()
	}
}

// keep remembers the rows that may be seen.
func (t *trust) keep() {
	if t.some && t.rows >= worthTrusting {
		t.leaf.Stretches.seen.keep(t.since)
	}
}
