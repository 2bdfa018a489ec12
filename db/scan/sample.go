package scan

// Sample returns the values of a column in at most n rows that begin with the prefix, which
// lie at equal distances by the pages that they are in.
func (t Tree) Sample(prefix []int64, column, n int) (values []int64, err error) {
	root, err := t.node(nil, t.Root)
	if err != nil {
		return nil, err
	}
	var buf []byte
	for i := range n {
		page, place := root, (float64(i)+0.5)/float64(n)
		for depth := 0; ; depth++ {
			before, err := page.position(prefix, false)
			if err != nil {
				return nil, err
			}
			behind, err := page.position(prefix, true)
			if err != nil {
				return nil, err
			}
			if page.isLeaf() {
				if before >= behind {
					break // all rows of the page come before, or behind
				}
				value, ok := columnOf(page.record(min(before+int(place*float64(behind-before)), behind-1)), column)
				if !ok {
					return nil, ErrPage
				}
				values = append(values, value)
				break
			}
			place *= float64(behind - before + 1)
			below := page.child(before + int(place))
			place -= float64(int(place))
			if page, err = t.node(buf, below); err != nil {
				return nil, err
			}
			if buf = page; depth == maxDepth {
				return nil, ErrPage
			}
		}
	}
	return values, nil
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
