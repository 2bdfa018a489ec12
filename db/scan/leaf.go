package scan

import "math"

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
	// Hides, when set, reports that the reader of the view may not see a statement, whose columns are in the order of
	// the index. Then Until is not 0.
	Hides func(columns [4]int64) (bool, error)
}

// Bound is a line of history with the last commit of it that counts. In the tree of retired statements a branch has
// two lines: Line has the statements that it added, and its negative those of earlier lines that it removed.
type Bound struct{ Line, Until int64 }

// MainLine is the line of main, and Forever the commit that removes a statement of a branch that is still there.
const (
	MainLine = 1
	Forever  = math.MaxInt64
)

// present are the positions of columns in Present, retired those in Retired.
func (l Leaf) present(columns places) places {
	if l.Until != 0 {
		columns[3] = 4
	}
	return columns
}

func (l Leaf) retired(columns places) places {
	const line, added, removed = 1, 5, 6
	return places{columns[0] + line, columns[1] + line, columns[2] + line, added, removed}
}

// ofLine returns a prefix of Retired.
func ofLine(line int64, prefix []int64) []int64 {
	return append(append(make([]int64, 0, len(prefix)+1), line), prefix...)
}

// Estimate estimates the number of rows with the prefix, see [Tree.Estimate]. For an earlier commit those of other
// commits count, too.
func (l Leaf) Estimate(prefix []int64) (float64, error) { return l.estimate(prefix, prefix) }

func (l Leaf) estimate(low, high []int64) (float64, error) {
	if l.Hides != nil {
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

// seenSample is how many statements that may be seen are counted.
const seenSample = 256

// estimateSeen counts the rows that the reader may see. If there are many, it takes the share of those among the first
// ones.
func (l Leaf) estimateSeen(low, high []int64) (float64, error) {
	all := l
	all.Hides = nil
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
		hidden, err := l.Hides(row.Columns)
		if err != nil {
			return 0, err
		}
		if !hidden {
			seen++
		}
		if seen == seenSample {
			n, err := all.estimate(low, high)
			return max(seen, n*seen/(rows+1)), err
		}
	}
}

// rows iterates over the rows of a leaf from low to high, inclusive. Without branches, and if all may be seen, they are cells of pages: those of
// Present, then those of Retired.
type rows struct {
	leaf             Leaf
	low, high        []int64
	present, retired span
	merged           *Cursor // of a leaf with branches, or whose reader may not see everything
}

// in begins with a leaf.
func (r *rows) in(l Leaf) {
	r.leaf, r.present.tree, r.retired.tree = l, l.Present, l.Retired
	if r.merged = nil; len(l.Branches) > 0 || l.Hides != nil {
		r.merged = NewCursor(l)
	}
}

// restart makes the next range begin anywhere.
func (r *rows) restart() { r.present.started, r.retired.started = false, false }

// to continues with another range, which must be behind the rows returned so far.
func (r *rows) to(low, high []int64) error {
	r.low, r.high = low, high
	if r.merged != nil {
		return r.merged.Seek(low, high, false)
	}
	if err := r.present.to(low, high); err != nil || r.leaf.Until == 0 {
		return err
	}
	return r.retired.to(ofLine(MainLine, low), ofLine(MainLine, high))
}

// next returns the next cells, none at the end, and whether they are of Retired. They are valid until the next call.
func (r *rows) next() (cells run, retired bool, err error) {
	cells, err = r.present.next()
	if err != nil || cells.page != nil || r.leaf.Until == 0 {
		return cells, false, err
	}
	cells, err = r.retired.next()
	return cells, true, err
}

// end unpins all pages.
func (r *rows) end() {
	r.present.end()
	r.retired.end()
	if r.merged != nil {
		r.merged.end()
	}
}
