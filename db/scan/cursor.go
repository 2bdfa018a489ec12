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
	leaf Leaf
	back bool
	arms [2]arm // of the present and of the retired statements
}

// NewCursor returns a cursor without a range.
func NewCursor(l Leaf) *Cursor {
	c := &Cursor{leaf: l}
	c.arms[0].tree, c.arms[1].tree = l.Present, l.Retired
	return c
}

// Seek begins with the first statement between two prefixes with the same number of columns, inclusive, or with the
// last one if back is set.
func (c *Cursor) Seek(low, high []int64, back bool) error {
	c.back = back
	if err := c.begin(0, low, high); err != nil || c.leaf.Until == 0 {
		return err
	}
	return c.begin(1, c.leaf.inRetired(low), c.leaf.inRetired(high))
}

func (c *Cursor) begin(i int, low, high []int64) error {
	a := &c.arms[i]
	a.end()
	a.more = false
	a.from, a.to, a.back = low, high, c.back
	if c.back {
		a.from, a.to = high, low
	}
	if err := a.enter(a.tree.Root, true); err != nil {
		return err
	}
	return c.advance(i)
}

// advance moves an arm to its next statement of the view.
func (c *Cursor) advance(i int) error {
	a := &c.arms[i]
	for {
		var row [7]int64
		columns := row[:5]
		if i == 1 {
			columns = row[:]
		}
		if more, err := a.next(columns); err != nil || !more {
			a.more = false
			return err
		}
		until := c.leaf.Until
		switch {
		case i == 0 && (until == 0 || row[4] <= until):
			a.row = Statement{[4]int64(row[:4]), row[4]}
		case i == 1 && row[5] <= until && row[6] > until:
			a.row = Statement{[4]int64(row[1:5]), row[5]}
		default:
			continue
		}
		a.more = true
		return nil
	}
}

// Next returns the next statement; ok is false at the end.
func (c *Cursor) Next() (row Statement, ok bool, err error) {
	i := 0
	switch present, retired := &c.arms[0], &c.arms[1]; {
	case !present.more && !retired.more:
		return row, false, nil
	case !present.more || retired.more && slices.Compare(retired.row.Columns[:], present.row.Columns[:]) < 0 != c.back:
		i = 1
	}
	row = c.arms[i].row
	return row, true, c.advance(i)
}

// arm iterates over the rows of a tree between two prefixes, upward or downward.
type arm struct {
	descent
	from, to []int64
	back     bool
	row      Statement
	more     bool // row is a statement
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
