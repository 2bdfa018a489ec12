package scan

// Leaf is the statements of a view in the order of an index.
type Leaf struct {
	// Present is the b-tree of the statements of the newest commit: the four columns, and the number of the commit that
	// added each.
	Present Tree
	// Until is the number of the commit of the view; 0 is the newest one. For another one, Retired is the b-tree of
	// the statements that are no more: the line of history, the four columns, and the commits that added and removed
	// each. A statement is in at most one of the two at a time.
	Until   int64
	Retired Tree
	Line    int64
}

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

// inRetired returns a prefix of Retired.
func (l Leaf) inRetired(prefix []int64) []int64 {
	return append(append(make([]int64, 0, len(prefix)+1), l.Line), prefix...)
}

// Estimate estimates the number of rows with the prefix, see [Tree.Estimate]. For an earlier commit those of other
// commits count, too.
func (l Leaf) Estimate(prefix []int64) (float64, error) { return l.estimate(prefix, prefix) }

func (l Leaf) estimate(low, high []int64) (float64, error) {
	n, err := l.Present.estimate(low, high)
	if err != nil || l.Until == 0 {
		return n, err
	}
	retired, err := l.Retired.estimate(l.inRetired(low), l.inRetired(high))
	return n + retired, err
}

// rows iterates over the cells of a leaf from low to high, inclusive: those of Present, then those of Retired.
type rows struct {
	leaf             Leaf
	low, high        []int64
	present, retired span
}

// in begins with a leaf.
func (r *rows) in(l Leaf) { r.leaf, r.present.tree, r.retired.tree = l, l.Present, l.Retired }

// restart makes the next range begin anywhere.
func (r *rows) restart() { r.present.started, r.retired.started = false, false }

// to continues with another range, which must be behind the rows returned so far.
func (r *rows) to(low, high []int64) error {
	r.low, r.high = low, high
	if err := r.present.to(low, high); err != nil || r.leaf.Until == 0 {
		return err
	}
	return r.retired.to(r.leaf.inRetired(low), r.leaf.inRetired(high))
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
}
