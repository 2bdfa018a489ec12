package scan

// Sample returns the values of a column in at most n rows that begin with the prefix, which
// lie at equal distances by the pages that they are in.
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

// sample is the value in the row at a place between the first, 0, and the last, 1. There is
// none where all rows of the page at that place come before, or behind.
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

// columnOf is a column of the row that a record begins with.
func columnOf(record []byte, column int) (value int64, ok bool) {
	kinds, body, ok := header(record)
	if !ok || len(kinds) <= column {
		return 0, false
	}
	for i, kind := range kinds[:column+1] {
		if int(sizes[kind]) > len(body) {
			return 0, false
		}
		if i == column {
			value = integer(kind, body)
		}
		body = body[sizes[kind]:]
	}
	return value, true
}
