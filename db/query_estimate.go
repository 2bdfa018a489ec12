package db

import (
	"encoding/binary"
	"errors"
	"sort"
)

// The number of rows with some leading columns is estimated by where the first and the
// last of them stand in the b-tree of an index: six pages are read, whatever the number.
// Pages are those of the connection's own transaction. See docs/decisions/0035-join-order.md
// and https://sqlite.org/fileformat2.html#b_tree_pages.
const (
	treeRoot = "SELECT data FROM sqlite_dbpage WHERE pgno = (SELECT rootpage FROM sqlite_schema WHERE name = ?)"
	treePage = "SELECT data FROM sqlite_dbpage WHERE pgno = ?"
)

var errTreePage = errors.New("a page of an index cannot be read")

// maxTreeDepth is more than any file has: each level multiplies the rows by a hundred.
const maxTreeDepth = 20

// treeStep is a place in a page of the tree: behind so many of its cells.
type treeStep struct{ cells, at int }

// estimateRows estimates how many rows of an index, or of a table WITHOUT ROWID, begin
// with the prefix. It is exact when they all lie in one leaf.
func (c *conn) estimateRows(tree string, prefix []int64) (float64, error) {
	root, err := c.treePage(treeRoot, tree)
	if err != nil {
		return 0, err
	}
	var first, last []treeStep
	for low, high := root, root; len(first) < maxTreeDepth; {
		before, err := low.position(prefix, false)
		if err != nil {
			return 0, err
		}
		behind, err := high.position(prefix, true)
		if err != nil {
			return 0, err
		}
		first, last = append(first, treeStep{low.cells(), before}), append(last, treeStep{high.cells(), behind})
		if low.isLeaf() || high.isLeaf() {
			return rowsBetween(first, last), nil
		}
		below, above := low.child(before), high.child(behind)
		if low, err = c.treePage(treePage, int64(below)); err != nil {
			return 0, err
		}
		if high = low; above != below {
			if high, err = c.treePage(treePage, int64(above)); err != nil {
				return 0, err
			}
		}
	}
	return 0, errTreePage
}

// rowsBetween takes the pages of a level to be as full as the fuller of the two known.
func rowsBetween(first, last []treeStep) (rows float64) {
	below := 0.0 // rows of a page of the level below
	for level := len(first) - 1; level >= 0; level-- {
		rows += float64(last[level].at-first[level].at) * (below + 1)
		cells := float64(max(first[level].cells, last[level].cells))
		if level == len(first)-1 {
			below = cells
		} else {
			below = cells + (cells+1)*below
		}
	}
	return max(rows, 0)
}

// treeNode is a page of a b-tree whose keys are rows of integers.
type treeNode []byte

// The kinds of pages, by their first byte.
const (
	treeInterior = 2
	treeLeaf     = 10
)

func (c *conn) treePage(sql string, arg any) (page treeNode, err error) {
	err = c.exec(sql, func(s *stmt) error {
		page = make([]byte, s.ColumnLen(0))
		s.ColumnBytes(0, page)
		return nil
	}, arg)
	if err == nil && (len(page) < 512 || page[0] != treeInterior && page[0] != treeLeaf) {
		err = errTreePage
	}
	return page, err
}

func (p treeNode) isLeaf() bool { return p[0] == treeLeaf }
func (p treeNode) cells() int   { return int(binary.BigEndian.Uint16(p[3:])) }

// cell returns the bytes from the start of a cell on, nil when it is not in the page.
func (p treeNode) cell(i int) []byte {
	pointers := 12
	if p.isLeaf() {
		pointers = 8
	}
	if pointers+2*i+2 > len(p) {
		return nil
	}
	at := int(binary.BigEndian.Uint16(p[pointers+2*i:]))
	if at+4 > len(p) {
		return nil
	}
	return p[at:]
}

// child is the number of the page to the left of a cell, or right of all; 0 for none.
func (p treeNode) child(i int) uint32 {
	if i >= p.cells() {
		return binary.BigEndian.Uint32(p[8:])
	}
	if cell := p.cell(i); cell != nil {
		return binary.BigEndian.Uint32(cell)
	}
	return 0
}

// position is how many cells come before those that begin with the prefix, or before
// what is behind them.
func (p treeNode) position(prefix []int64, behind bool) (at int, err error) {
	at = sort.Search(p.cells(), func(i int) bool {
		cell := p.cell(i)
		if !p.isLeaf() && len(cell) > 4 {
			cell = cell[4:]
		}
		order, ok := compareRecord(cell, prefix)
		if !ok {
			err = errTreePage
		}
		return order > 0 || order == 0 && !behind
	})
	return at, err
}

// integerSizes are the bytes of a value by its serial type; types 8 and 9 are 0 and 1.
var integerSizes = [...]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 8: 0, 9: 0}

// compareRecord compares the first columns of a record that is short and has integers
// only, as those of live are, with the prefix.
func compareRecord(cell []byte, prefix []int64) (order int, ok bool) {
	if len(cell) < 2+len(prefix) || cell[0] >= 0x80 || cell[1] >= 0x80 {
		return 0, false
	}
	types, body := cell[2:], 1+int(cell[1])
	for i, want := range prefix {
		kind := int(types[i])
		if kind >= len(integerSizes) || kind == 0 || kind == 7 {
			return 0, false
		}
		size := integerSizes[kind]
		if body+size > len(cell) {
			return 0, false
		}
		value := int64(0)
		if kind == 9 {
			value = 1
		}
		for j, b := range cell[body : body+size] {
			if j == 0 {
				value = int64(int8(b))
				continue
			}
			value = value<<8 | int64(b)
		}
		body += size
		if value != want {
			if value < want {
				return -1, true
			}
			return 1, true
		}
	}
	return 0, true
}
