package scan

import (
	"encoding/binary"
	"errors"
)

// ErrPage is the error for a page that is not part of an index of integers, or is damaged.
var ErrPage = errors.New("a page of an index cannot be read")

// Pages reads pages of a database file, in a transaction.
type Pages interface {
	// Pin returns a page. Its bytes are valid until it is unpinned, and must not be changed.
	Pin(number uint32) (Page, error)
	Unpin(page Page)
}

// Page is a pinned page. Handle identifies it for Unpin.
type Page struct {
	Bytes  []byte
	Handle int
}

// Tree is the b-tree of an index, or of a table WITHOUT ROWID, with integer columns only
// (https://sqlite.org/fileformat2.html#b_tree_pages).
type Tree struct {
	Pages Pages
	Root  uint32
}

// maxDepth is more than any real file has: each level multiplies the rows by a hundred.
const maxDepth = 20

// The page types, in the first byte.
const (
	interior = 2
	leaf     = 10
)

// node is a pinned page of the tree.
type node []byte

// pin pins a page of the tree.
func (t Tree) pin(number uint32) (Page, node, error) {
	page, err := t.Pages.Pin(number)
	if err != nil {
		return Page{}, nil, err
	}
	if n := node(page.Bytes); len(n) >= 512 && (n[0] == interior || n[0] == leaf) {
		return page, n, nil
	}
	t.Pages.Unpin(page)
	return Page{}, nil, ErrPage
}

// IsLeaf reports whether a page is a leaf.
func IsLeaf(page []byte) bool { return page[0] == leaf || page[0] == leafOfRows }

func (n node) isLeaf() bool { return n[0] == leaf }
func (n node) cells() int   { return int(binary.BigEndian.Uint16(n[3:])) }

// pointers returns the offset of the cell pointers, and the number of bytes of a cell before its row.
func (n node) pointers() (from, skipped int) {
	if n.isLeaf() {
		return 8, 0
	}
	return 12, 4
}

// at returns the offset of a cell's row, or one beyond the page if it is invalid.
func (n node) at(i int) int {
	from, skipped := n.pointers()
	if from+2*i+2 > len(n) {
		return len(n)
	}
	return int(binary.BigEndian.Uint16(n[from+2*i:])) + skipped
}

// record returns the bytes from the start of a cell's row on, nil if it is not within the page.
func (n node) record(i int) []byte {
	at := n.at(i)
	if at >= len(n) {
		return nil
	}
	return n[at:]
}

// child returns the number of the page to the left of a cell, or to the right of all; 0 for none.
func (n node) child(i int) uint32 {
	if i >= n.cells() {
		return binary.BigEndian.Uint32(n[8:])
	}
	if 12+2*i+2 > len(n) {
		return 0
	}
	if at := int(binary.BigEndian.Uint16(n[12+2*i:])); at+4 <= len(n) {
		return binary.BigEndian.Uint32(n[at:])
	}
	return 0
}

// position returns how many cells come before those with the prefix, or before what is behind them.
func (n node) position(prefix []int64, behind bool) (at int, err error) {
	return n.positionFrom(0, n.cells(), prefix, behind)
}

// positionFrom is position, if the result is known to be at least low. It looks step cells further, and then doubles
// the distance.
func (n node) positionFrom(low, step int, prefix []int64, behind bool) (int, error) {
	for high := n.cells(); low < high; {
		middle := min(low+step-1, (low+high)/2)
		order, ok := compare(n.record(middle), prefix)
		if !ok {
			return 0, ErrPage
		}
		if order > 0 || order == 0 && !behind {
			high = middle
		} else {
			low, step = middle+1, 2*step
		}
	}
	return low, nil
}

// positionNear is position, if the result is likely to be little more than a guess.
func (n node) positionNear(guess int, prefix []int64, behind bool) (int, error) {
	if guess > 0 {
		order, ok := compare(n.record(guess-1), prefix)
		if !ok {
			return 0, ErrPage
		}
		if order > 0 || order == 0 && !behind {
			return n.positionFrom(0, guess, prefix, behind)
		}
	}
	return n.positionFrom(guess, 1, prefix, behind)
}

// sizes are the sizes of values by serial type; types 8 and 9 are 0 and 1. Other types are not integers
// (https://sqlite.org/fileformat2.html#record_format).
var sizes = func() (of [256]uint8) {
	for kind := range of {
		of[kind] = notInteger
	}
	for kind, size := range map[int]uint8{1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 8: 0, 9: 0} {
		of[kind] = size
	}
	return of
}()

// notInteger is larger than any row of integers.
const notInteger = 255

// integer decodes the value of a serial type at the beginning of body.
func integer(kind byte, body []byte) int64 {
	switch kind {
	case 1:
		return int64(int8(body[0]))
	case 2:
		return int64(int16(binary.BigEndian.Uint16(body)))
	case 3:
		_ = body[2]
		return int64(int8(body[0]))<<16 | int64(body[1])<<8 | int64(body[2])
	case 4:
		return int64(int32(binary.BigEndian.Uint32(body)))
	case 5:
		_ = body[5]
		return int64(int16(binary.BigEndian.Uint16(body)))<<32 | int64(binary.BigEndian.Uint32(body[2:]))
	case 6:
		return int64(binary.BigEndian.Uint64(body))
	case 9:
		return 1
	}
	return 0
}

// header splits a record into the types of its columns and their bytes. In rows of integers both lengths take one
// byte.
func header(record []byte) (kinds, body []byte, ok bool) {
	if len(record) < 2 || record[0] >= 0x80 || record[1] >= 0x80 || record[1] < 1 || len(record) < 1+int(record[0]) || record[1] > record[0] {
		return nil, nil, false
	}
	return record[2 : 1+int(record[1])], record[1+int(record[1]) : 1+int(record[0])], true
}

// numbers reads the first columns of a record.
func numbers(record []byte, row []int64) bool {
	kinds, body, ok := header(record)
	if !ok || len(kinds) < len(row) {
		return false
	}
	for i := range row {
		size := int(sizes[kinds[i]])
		if size > len(body) {
			return false
		}
		row[i], body = integer(kinds[i], body), body[size:]
	}
	return true
}

// compare compares the first columns of a record with the prefix.
func compare(record []byte, prefix []int64) (order int, ok bool) {
	kinds, body, ok := header(record)
	if !ok || len(kinds) < len(prefix) {
		return 0, false
	}
	for i, want := range prefix {
		size := int(sizes[kinds[i]])
		if size > len(body) {
			return 0, false
		}
		value := integer(kinds[i], body)
		body = body[size:]
		if value != want {
			if value < want {
				return -1, true
			}
			return 1, true
		}
	}
	return 0, true
}

// span iterates over the rows of a tree from low to high, inclusive. low and high are prefixes with the same number
// of columns.
type span struct {
	descent
	low, high []int64
	started   bool
}

// descent is the pinned pages on the path from the root to a row.
type descent struct {
	tree Tree
	path []level
}

// push appends a page to the path.
func (d *descent) push(number uint32) (*level, error) {
	if len(d.path) == maxDepth {
		return nil, ErrPage
	}
	page, n, err := d.tree.pin(number)
	if err != nil {
		return nil, err
	}
	d.path = append(d.path, level{page: page, node: n})
	return &d.path[len(d.path)-1], nil
}

// leave removes the last page from the path.
func (d *descent) leave() {
	last := len(d.path) - 1
	d.tree.Pages.Unpin(d.path[last].page)
	d.path = d.path[:last]
}

// end unpins all pages.
func (d *descent) end() {
	for len(d.path) > 0 {
		d.leave()
	}
}

// level is a page on the path to the next row. In a leaf the next row is the cell at. In an interior page the cell at
// is next if between is set; otherwise the child to its left is.
type level struct {
	page    Page
	node    node
	at      int
	between bool
}

// run is a range of cells of a page, from first up to but not including last.
type run struct {
	page        node
	first, last int
}

// next returns the next cells, none at the end. They are valid until the next call.
func (s *span) next() (run, error) {
	if !s.started {
		s.started = true
		if err := s.enter(s.tree.Root, true); err != nil {
			return run{}, err
		}
	}
	for len(s.path) > 0 {
		top := &s.path[len(s.path)-1]
		r := run{top.node, top.at, top.at + 1}
		switch {
		case top.node.isLeaf():
			r.last = top.node.cells()
		case !top.between:
			top.between = true
			if err := s.enter(top.node.child(top.at), false); err != nil {
				return run{}, err
			}
			continue
		}
		if r.first >= top.node.cells() {
			s.leave()
			continue
		}
		order, ok := compare(r.page.record(r.last-1), s.high)
		if !ok {
			return run{}, ErrPage
		}
		if order > 0 {
			var err error
			if r.last, err = r.page.positionFrom(r.first, 1, s.high, true); err != nil || r.first == r.last {
				return run{}, err
			}
		}
		top.at, top.between = r.last, false
		return r, nil
	}
	return run{}, nil
}

// to continues with another range, which must be behind the rows returned so far.
func (s *span) to(low, high []int64) error {
	s.low, s.high = low, high
	if !s.started {
		return nil
	}
	keep := len(s.path)
	for i := keep - 2; i >= 0; i-- { // the parent of a page tells which rows it contains
		above := &s.path[i]
		if above.at == above.node.cells() {
			continue
		}
		order, ok := compare(above.node.record(above.at), low)
		if !ok {
			return ErrPage
		}
		if order >= 0 {
			break
		}
		keep = i + 1
	}
	for len(s.path) > keep {
		s.leave()
	}
	if keep == 0 {
		return nil
	}
	top := &s.path[keep-1]
	was := *top
	var err error
	if top.at, err = top.node.positionFrom(was.at, 1, low, false); err != nil || top.node.isLeaf() || was.between && top.at == was.at {
		return err
	}
	top.between = true
	return s.enter(top.node.child(top.at), true)
}

// enter appends a page to the path. While moving to the first row it descends to the leaf.
func (s *span) enter(number uint32, first bool) error {
	for {
		top, err := s.push(number)
		if err != nil || !first {
			return err
		}
		if top.at, err = top.node.position(s.low, false); err != nil || top.node.isLeaf() {
			return err
		}
		top.between, number = true, top.node.child(top.at)
	}
}
