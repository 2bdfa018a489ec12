package scan

import (
	"math"
	"slices"
)

// Leaf is the statements of a view in the order of an index.
type Leaf struct {
	// Present is the b-tree of the statements of the newest commit of main: the four columns, and the number of the
	// commit that added each.
	Present Tree
	// Until is the last commit of main that the view has; 0 is the newest one. For another one, Retired is the b-tree of
	// the other statements: a line of history, the four columns, and the commits that added and removed each. Those of
	// the line of main are no more there; a statement is in at most one of the two at a time.
	Until   int64
	Retired Tree
	// Branches are those that lead from main to the branch of the view, each made from the one before it.
	Branches []Bound
	// Hidden, when set, says what the reader of the view may not see. Then Predicate is the column of the predicate.
	Hidden    *Hidden
	Predicate int
	// Stretches, when set, are those that readers of this leaf found so far. They find others.
	Stretches *Stretches
}

// Bound is a line of history with the last commit of it that counts. In the tree of retired statements a branch has
// two lines: Line has the statements that it added, and its negative those of earlier lines that it removed.
type Bound struct{ Line, Until int64 }

// MainLine is the line of main, and Forever the commit that removes a statement of a branch that is still there.
const (
	MainLine = 1
	Forever  = math.MaxInt64
)

// inLine returns a prefix in the tree of a line, see [part].
func inLine(line int64, prefix []int64) []int64 {
	if line == 0 {
		return prefix
	}
	return ofLine(line, prefix)
}

// ofLine returns a prefix of Retired.
func ofLine(line int64, prefix []int64) []int64 {
	return append(append(make([]int64, 0, len(prefix)+1), line), prefix...)
}

// Estimate estimates the number of rows from one prefix to another, see [Tree.Estimate]. For an earlier commit those of
// other commits count, too.
func (l Leaf) Estimate(low, high []int64) (float64, error) {
	if l.Hidden != nil {
		return l.estimateSeen(low, high)
	}
	n, err := l.Present.estimate(low, high)
	if err != nil || l.Until == 0 {
		return n, err
	}
	add := func(line int64) error {
		rows, err := l.Retired.estimate(ofLine(line, low), ofLine(line, high))
		n += rows
		return err
	}
	if err := add(MainLine); err != nil {
		return 0, err
	}
	for _, b := range l.Branches {
		if err := add(b.Line); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// seenSample is how many statements that may be seen are counted, of at most seenRows.
const (
	seenSample = 256
	seenRows   = 4096
)

// estimateSeen counts the rows that the reader may see. If there are many, seen or not, it takes the share of those among
// the first ones.
func (l Leaf) estimateSeen(low, high []int64) (float64, error) {
	all := l
	all.Hidden, all.Stretches = nil, nil
	if l.Stretches != nil && l.Until == 0 {
		of := between(low, high)
		if known, ok := l.Stretches.seen.around(of.low); ok && known.has(&of) {
			return all.Estimate(low, high)
		}
	}
	c := NewCursor(all)
	defer c.end()
	if err := c.Seek(low, high, false); err != nil {
		return 0, err
	}
	for rows, seen := 0.0, 0.0; ; rows++ {
		row, ok, err := c.Next()
		if err != nil || !ok {
			return seen, err
		}
		hidden, err := l.Hidden.row(&row.Columns, l.Predicate)
		if err != nil {
			return 0, err
		}
		if !hidden {
			seen++
		}
		if seen == seenSample || rows+1 == seenRows {
			n, err := all.Estimate(low, high)
			return max(seen, n*seen/(rows+1)), err
		}
	}
}

// rows iterates over the rows of a leaf from low to high, inclusive. They are cells of pages, line by line: a leaf with
// so many branches that each line would be compared with too many others is read by a cursor.
type rows struct {
	leaf      Leaf
	low, high []int64
	given     int // number of columns that all rows have in common
	parts     []part
	at        int     // index of the current part
	merged    *Cursor // of such a leaf
}

const mostByCells = 4

// part is the rows of a line, less those that branches behind it removed.
type part struct {
	span
	line    int64 // in the tree of retired statements; 0 for the tree of the present ones
	until   int64 // last commit that counts; 0 if all do
	removed []removed
}

// in begins with a leaf.
func (r *rows) in(l Leaf) {
	r.leaf, r.merged = l, nil
	if len(l.Branches) > mostByCells {
		r.merged = NewCursor(l)
		return
	}
	r.parts = append(r.parts[:0], part{span: span{descent: descent{tree: l.Present}}, until: l.Until})
	if l.Until == 0 {
		return
	}
	r.parts = append(r.parts, part{span: span{descent: descent{tree: l.Retired}}, line: MainLine, until: l.Until})
	for _, b := range l.Branches {
		of := removed{span: span{descent: descent{tree: l.Retired}}, line: -b.Line, until: b.Until}
		for i := range r.parts {
			r.parts[i].removed = append(r.parts[i].removed, of)
		}
		r.parts = append(r.parts, part{span: of.span, line: b.Line, until: b.Until})
	}
}

// restart makes the next range begin anywhere.
func (r *rows) restart() {
	for i := range r.parts {
		p := &r.parts[i]
		p.started = false
		for k := range p.removed {
			p.removed[k].started = false
		}
	}
}

// to continues with another range, which must be behind the rows returned so far.
func (r *rows) to(low, high []int64) error {
	r.low, r.high, r.given, r.at = low, high, 0, 0
	for r.given < len(low) && low[r.given] == high[r.given] {
		r.given++
	}
	if r.merged != nil {
		return r.merged.Seek(low, high, false)
	}
	for i := range r.parts {
		p := &r.parts[i]
		if err := p.to(inLine(p.line, low), inLine(p.line, high)); err != nil {
			return err
		}
		for k := range p.removed {
			p.removed[k].begun = false
		}
	}
	return nil
}

// next returns the next cells, none at the end, and the part that they are of. They are valid until the next call.
func (r *rows) next() (cells run, of *part, err error) {
	for ; r.at < len(r.parts); r.at++ {
		of = &r.parts[r.at]
		if cells, err = of.next(); err != nil || cells.page != nil {
			return cells, of, err
		}
	}
	return run{}, nil, nil
}

// end unpins all pages.
func (r *rows) end() {
	for i := range r.parts {
		p := &r.parts[i]
		p.end()
		for k := range p.removed {
			p.removed[k].end()
		}
	}
	if r.merged != nil {
		r.merged.end()
	}
}

// removed iterates over the statements of earlier lines that a branch removed.
type removed struct {
	span
	line, until int64
	cells       run
	statement   [4]int64 // the next one
	begun, more bool
}

// leave moves the offsets of rows of a part to the front, without those of the statements. All rows have the same layout,
// and come in the order of the index.
func (m *removed) leave(r *reading, l *layout, page []byte, at []uint16) (rest []uint16, err error) {
	if !m.begun {
		m.begun, m.cells = true, run{}
		if err := m.to(inLine(m.line, r.rows.low), inLine(m.line, r.rows.high)); err != nil {
			return nil, err
		}
		if err := m.advance(r); err != nil {
			return nil, err
		}
	}
	if !m.more {
		return at, nil
	}
	n := 0
	for _, offset := range at {
		order := l.compare(page[offset:], &m.statement, r.rows.given)
		for order > 0 && m.more {
			if err := m.advance(r); err != nil {
				return nil, err
			}
			order = l.compare(page[offset:], &m.statement, r.rows.given)
		}
		if order != 0 || !m.more {
			at[n] = offset
			n++
		}
	}
	return at[:n], nil
}

// advance moves to the next statement that was removed in time.
func (m *removed) advance(r *reading) (err error) {
	for {
		if m.cells.first == m.cells.last {
			if err := r.builder.env.Ended(); err != nil {
				return err
			}
			if m.cells, err = m.next(); err != nil || m.cells.page == nil {
				m.more = false
				return err
			}
		}
		record := m.cells.page.record(m.cells.first)
		l := r.removed.of(record, true)
		if l == nil {
			return ErrPage
		}
		if len(record) < l.needs {
			record = append(slices.Clone(record), make([]byte, 9)...)
		}
		m.cells.first++
		if l.removed.of(record) > m.until {
			continue
		}
		for i := range m.statement {
			m.statement[i] = l.key[i].of(record)
		}
		m.more = true
		return nil
	}
}
