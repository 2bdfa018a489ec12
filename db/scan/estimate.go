package scan

import "cmp"

// place is a position in a page of the tree: behind n of its cells.
type place struct {
	page      uint32
	cells, at int
}

// Estimate estimates how many rows begin with the prefix, from the positions of the first and the last of them and
// from how full the pages between these are. It reads at most three pages of each level. It is exact if the rows are
// in at most two leaves.
func (t Tree) Estimate(prefix []int64) (float64, error) { return t.estimate(prefix, prefix) }

// estimate estimates the rows between two prefixes.
func (t Tree) estimate(low, high []int64) (rows float64, err error) {
	first, err := t.descend(t.Root, func(n node) (int, error) { return n.position(low, false) })
	if err != nil {
		return 0, err
	}
	last, err := t.descend(t.Root, func(n node) (int, error) { return n.position(high, true) })
	if err != nil {
		return 0, err
	}
	if len(first) != len(last) {
		return 0, ErrPage
	}
	level := 0 // the first level at which pages or positions differ
	for level < len(first)-1 && first[level] == last[level] {
		level++
	}
	leaf := len(first) - 1
	if level == leaf {
		return max(float64(last[leaf].at-first[leaf].at), 0), nil
	}
	full, err := t.full(first, last, level)
	if err != nil {
		return 0, err
	}
	// Behind the first row are the rest of its leaf and, on each page above, the cells to the right. Before the last
	// row are the cells to the left.
	rows = float64(first[leaf].cells - first[leaf].at + last[leaf].at)
	for i := leaf - 1; i > level; i-- {
		rows += float64(first[i].cells-first[i].at+last[i].at) * (1 + full[i+1])
	}
	between := float64(last[level].at - first[level].at)
	return max(rows+between+(between-1)*full[level+1], 0), nil
}

// full estimates the rows in a page of each level with everything below it. It looks at a page in the middle between
// the first and the last row or, if there is none between them, at the fuller of these two.
func (t Tree) full(first, last []place, level int) (rows []float64, err error) {
	leaf := len(first) - 1
	rows = make([]float64, len(first))
	for i := range rows {
		rows[i] = float64(max(first[i].cells, last[i].cells))
	}
	above, low, high := first[level].page, first[level].at+1, last[level].at // the children between them
	for ; low >= high && level < leaf-1; level++ {
		below, end := first[level+1], last[level+1]
		above, low, high = below.page, below.at+1, below.cells+1
		if end.at > high-low {
			above, low, high = end.page, 0, end.at
		}
	}
	if low < high {
		between, err := t.descend(above, func(n node) (middle int, err error) {
			middle, low, high = (low+high)/2, 0, n.cells()
			return middle, nil
		})
		if err != nil || len(between) != leaf-level+1 {
			return nil, cmp.Or(err, ErrPage)
		}
		for i, page := range between[1:] {
			rows[level+1+i] = float64(page.cells)
		}
	}
	for i := leaf - 1; i >= 0; i-- {
		rows[i] += (rows[i] + 1) * rows[i+1]
	}
	return rows, nil
}

// descend returns the path to a leaf, one position for each level; choose picks the position in each page.
func (t Tree) descend(number uint32, choose func(node) (int, error)) (way []place, err error) {
	for len(way) < maxDepth {
		page, n, err := t.pin(number)
		if err != nil {
			return nil, err
		}
		at, err := choose(n)
		way = append(way, place{number, n.cells(), at})
		isLeaf := n.isLeaf()
		if !isLeaf {
			number = n.child(at)
		}
		t.Pages.Unpin(page)
		if err != nil || isLeaf {
			return way, err
		}
	}
	return nil, ErrPage
}

// Sample returns the values of a column in up to n rows that begin with the prefix, at about equal distances.
func (t Tree) Sample(prefix []int64, column, n int) (values []int64, err error) {
	for i := range n {
		value, ok, err := t.sample(prefix, column, (float64(i)+0.5)/float64(n))
		if err != nil {
			return nil, err
		}
		if ok {
			values = append(values, value)
		}
	}
	return values, nil
}

// sample returns the value in a row at a relative position between 0, the first row, and 1, the last. It returns none
// if all rows of the page there are outside the range.
func (t Tree) sample(prefix []int64, column int, place float64) (value int64, ok bool, err error) {
	number := t.Root
	for range maxDepth {
		page, node, err := t.pin(number)
		if err != nil {
			return 0, false, err
		}
		defer t.Pages.Unpin(page)
		before, err := node.position(prefix, false)
		if err != nil {
			return 0, false, err
		}
		behind, err := node.position(prefix, true)
		if err != nil || node.isLeaf() && before >= behind {
			return 0, false, err
		}
		if node.isLeaf() {
			value, ok := columnOf(node.record(min(before+int(place*float64(behind-before)), behind-1)), column)
			if !ok {
				return 0, false, ErrPage
			}
			return value, true, nil
		}
		place *= float64(behind - before + 1)
		number = node.child(before + int(place))
		place -= float64(int(place))
	}
	return 0, false, ErrPage
}

// columnOf returns a column of a record.
func columnOf(record []byte, column int) (value int64, ok bool) {
	var row [7]int64
	ok = numbers(record, row[:column+1])
	return row[column], ok
}
