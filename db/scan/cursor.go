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
	arms      []arm
	hidden    *Hidden // nil if everything may be seen
	predicate int
	stretches *Stretches // nil if they are not remembered
	low, high []int64    // the current range
	passed    passed
}

// NewCursor returns a cursor without a range.
func NewCursor(l Leaf) *Cursor {
	c := &Cursor{arms: make([]arm, 1, 2+2*len(l.Branches)), hidden: l.Hidden, predicate: l.Predicate, stretches: l.Stretches}
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
	c.back, c.low, c.high = back, low, high
	if c.stretches != nil {
		c.passed = passedFrom(low, high, back)
		if left, err := c.leave(c.passed.from); left || err != nil {
			return err
		}
	}
	return c.begin(low, high)
}

// begin makes the arms begin with a part of the range.
func (c *Cursor) begin(low, high []int64) error {
	for i := range c.arms {
		if err := c.arms[i].begin(low, high, c.back); err != nil {
			return err
		}
	}
	return nil
}

// Next returns the next statement that may be seen; ok is false at the end.
func (c *Cursor) Next() (row Statement, ok bool, err error) {
	for inRow := 1; ; inRow++ {
		row, ok, err = c.next()
		if err != nil || c.hidden == nil {
			return row, ok, err
		}
		hidden := false
		if ok {
			hidden, err = c.hidden.row(&row.Columns, c.predicate)
		}
		if err != nil || !hidden {
			c.endPassed(ok)
			return row, ok && err == nil, err
		}
		if c.stretches != nil {
			if err := c.pass(row.Columns); err != nil {
				return row, false, err
			}
		}
		if inRow%worthSkipping == 0 {
			if err := c.skip(); err != nil {
				return row, false, err
			}
		}
	}
}

// next returns the next statement; ok is false at the end.
func (c *Cursor) next() (row Statement, ok bool, err error) {
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
	// The layouts of its rows, and the offsets of some, for [arm.skipCells].
	layouts *layouts
	places  []uint16
}

// Ever calls f with the statements with a prefix that the lines of the view have or had in whatever commit, until f
// returns false. They come in no order, and maybe more than once.
func (l Leaf) Ever(prefix []int64, f func(columns [4]int64) (more bool, err error)) error {
	for _, a := range NewCursor(l).arms {
		if a.line < 0 { // what it removed is among the statements of earlier lines
			continue
		}
		more, err := a.ever(prefix, f)
		a.end()
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// ever is [Leaf.Ever] for one arm; more is what f returned last.
func (a *arm) ever(prefix []int64, f func(columns [4]int64) (more bool, err error)) (more bool, err error) {
	if err := a.seek(prefix, prefix, false); err != nil {
		return false, err
	}
	for more = true; more; {
		row, _, ok, err := a.read()
		if err != nil || !ok {
			return true, err
		}
		if more, err = f(row.Columns); err != nil {
			return false, err
		}
	}
	return false, nil
}

// begin begins with the first statement of a range.
func (a *arm) begin(low, high []int64, back bool) error {
	if err := a.seek(low, high, back); err != nil {
		return err
	}
	return a.advance()
}

// seek goes to the beginning of a range. Searches come by many that lie close to each other, so it begins where the last one
// ended.
func (a *arm) seek(low, high []int64, back bool) error {
	a.more = false
	if a.line != 0 {
		low, high = ofLine(a.line, low), ofLine(a.line, high)
	}
	a.from, a.to, a.back = low, high, back
	if back {
		a.from, a.to = high, low
	}
	for i := range a.path {
		top := &a.path[i]
		at, err := top.node.positionNear(top.at, a.from, back)
		if err != nil {
			return err
		}
		below := i+1 < len(a.path) && at == top.at // the page below it is the one to its left
		if top.at = at; below {
			continue
		}
		for len(a.path) > i+1 {
			a.leave()
		}
		if top.node.isLeaf() {
			return nil
		}
		top.between = true
		return a.enter(top.node.child(at), true)
	}
	return a.enter(a.tree.Root, true)
}

// advance moves to the next statement of the view or, on the negative of a line, to the next one that it removed.
func (a *arm) advance() error {
	for {
		row, removed, more, err := a.read()
		if err != nil || !more {
			a.more = false
			return err
		}
		if a.until == 0 || a.line >= 0 && row.Added <= a.until && removed > a.until || a.line < 0 && removed <= a.until {
			a.row, a.more = row, true
			return nil
		}
	}
}

// read reads the next row, whatever the view has; ok is false at the end.
func (a *arm) read() (row Statement, removed int64, ok bool, err error) {
	var of [7]int64
	if a.line == 0 {
		ok, err = a.next(of[:5])
		return Statement{[4]int64(of[:4]), of[4]}, Forever, ok, err
	}
	ok, err = a.next(of[:])
	return Statement{[4]int64(of[1:5]), of[5]}, of[6], ok, err
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
