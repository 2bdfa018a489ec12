package scan

import "slices"

// Statement is a row of a leaf.
type Statement struct {
	Columns [4]int64 // in the order of the index
	Added   int64    // the number of the commit that added it
}

// Cursor iterates over the statements of a leaf within a range, in the order of the index or in the opposite one. It
// must be used by one goroutine. The end of reading its pages unpins them.
type Cursor struct {
	back bool
	// arms are the sources of statements in the order of their lines. Where several have a statement, the last one says
	// whether it is there.
	arms []arm
}

// NewCursor returns a cursor without a range.
func NewCursor(l Leaf) *Cursor {
	c := &Cursor{arms: make([]arm, 1, 2+2*len(l.Branches))}
	c.arms[0].tree, c.arms[0].until = l.Present, l.Until
	if l.Until == 0 {
		return c
	}
	add := func(line, until int64) {
		c.arms = append(c.arms, arm{descent: descent{tree: l.Retired}, line: line, until: until})
	}
	add(MainLine, l.Until)
	for _, b := range l.Branches {
		add(-b.Line, b.Until)
		add(b.Line, b.Until)
	}
	return c
}

// Seek begins with the first statement between two prefixes with the same number of columns, inclusive, or with the
// last one if back is set.
func (c *Cursor) Seek(low, high []int64, back bool) error {
	c.back = back
	for i := range c.arms {
		if err := c.arms[i].begin(low, high, back); err != nil {
			return err
		}
	}
	return nil
}

// Next returns the next statement; ok is false at the end.
func (c *Cursor) Next() (row Statement, ok bool, err error) {
	for {
		next := c.first()
		if next == nil {
			return row, false, nil
		}
		row, gone := next.row, next.line < 0
		if len(c.arms) > 2 { // without branches no two arms have the same statement
			for i := range c.arms {
				if a := &c.arms[i]; a != next && a.more && a.row.Columns == row.Columns {
					if err := a.advance(); err != nil {
						return row, false, err
					}
				}
			}
		}
		if err := next.advance(); err != nil || !gone {
			return row, err == nil, err
		}
	}
}

// first returns the arm whose statement comes first, nil at the end of all.
func (c *Cursor) first() (first *arm) {
	for i := range c.arms {
		a := &c.arms[i]
		if !a.more {
			continue
		}
		if first != nil {
			if order := slices.Compare(a.row.Columns[:], first.row.Columns[:]); order != 0 && order < 0 == c.back {
				continue
			}
		}
		first = a
	}
	return first
}

// end unpins all pages.
func (c *Cursor) end() {
	for i := range c.arms {
		c.arms[i].end()
	}
}

// arm iterates over the statements of a tree between two prefixes, upward or downward.
type arm struct {
	descent
	line     int64 // in the tree of retired statements; 0 for the tree of the present ones
	until    int64 // last commit that counts; 0 if all do
	from, to []int64
	back     bool
	row      Statement
	more     bool // row is a statement
}

// begin begins with a range.
func (a *arm) begin(low, high []int64, back bool) error {
	a.end()
	a.more = false
	if a.line != 0 {
		low, high = ofLine(a.line, low), ofLine(a.line, high)
	}
	a.from, a.to, a.back = low, high, back
	if back {
		a.from, a.to = high, low
	}
	if err := a.enter(a.tree.Root, true); err != nil {
		return err
	}
	return a.advance()
}

// advance moves to the next statement of the view or, on the negative of a line, to the next one that it removed.
func (a *arm) advance() error {
	for {
		var row [7]int64
		columns := row[:]
		if a.line == 0 {
			columns = row[:5]
		}
		if more, err := a.next(columns); err != nil || !more {
			a.more = false
			return err
		}
		added, removed := row[5], row[6]
		switch {
		case a.line == 0 && (a.until == 0 || row[4] <= a.until):
			a.row = Statement{[4]int64(row[:4]), row[4]}
		case a.line > 0 && added <= a.until && removed > a.until, a.line < 0 && removed <= a.until:
			a.row = Statement{[4]int64(row[1:5]), added}
		default:
			continue
		}
		a.more = true
		return nil
	}
}

// enter appends a page to the path, and those below it on the way to the first row.
func (a *arm) enter(number uint32, first bool) error {
	for {
		top, err := a.push(number)
		if err != nil {
			return err
		}
		switch {
		case first:
			if top.at, err = top.node.position(a.from, a.back); err != nil {
				return err
			}
		case a.back:
			top.at = top.node.cells()
		}
		if top.node.isLeaf() {
			return nil
		}
		top.between, number = true, top.node.child(top.at)
	}
}

// next reads the next row, as many columns as there is room for, and reports whether there was one.
func (a *arm) next(row []int64) (more bool, err error) {
	for len(a.path) > 0 {
		top := &a.path[len(a.path)-1]
		if !top.node.isLeaf() && !top.between { // the rows of a child come before the next one of this page
			top.between = true
			if err := a.enter(top.node.child(top.at), false); err != nil {
				return false, err
			}
			continue
		}
		i := top.at
		if a.back {
			i--
		}
		if i < 0 || i >= top.node.cells() {
			a.leave()
			continue
		}
		if top.between, top.at = false, i; !a.back {
			top.at++
		}
		if !numbers(top.node.record(i), row) {
			return false, ErrPage
		}
		order := slices.Compare(row[:len(a.to)], a.to)
		return order == 0 || order < 0 != a.back, nil
	}
	return false, nil
}
