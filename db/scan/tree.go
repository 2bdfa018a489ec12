package scan

import (
	"encoding/binary"
	"errors"
)

// ErrPage is the error for a page that is not one of an index whose rows are integers, or
// that says what cannot be.
var ErrPage = errors.New("a page of an index cannot be read")

// Pages reads pages of a database file, as a transaction has them.
type Pages interface {
	// Pin returns the page with a number. Its bytes are good until it is unpinned; nobody may
	// change them.
	Pin(number uint32) (Page, error)
	Unpin(page Page)
}

// Page is a page that is pinned. The Handle says to [Pages] which one it is.
type Page struct {
	Bytes  []byte
	Handle int
}

// Tree is the b-tree of an index, or of a table WITHOUT ROWID, whose columns are integers
// (https://sqlite.org/fileformat2.html#b_tree_pages).
type Tree struct {
	Pages Pages
	Root  uint32
}

// maxDepth is more than any file has: each level multiplies the rows by a hundred.
const maxDepth = 20

// The kinds of pages, by their first byte.
const (
	interior = 2
	leaf     = 10
)

// node is a page of the tree, which is pinned.
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

// IsLeaf tells whether a page is a leaf of a tree.
func IsLeaf(page []byte) bool { return page[0] == leaf || page[0] == leafOfRows }

func (n node) isLeaf() bool { return n[0] == leaf }
func (n node) cells() int   { return int(binary.BigEndian.Uint16(n[3:])) }

// pointers is where the page has the places of its cells, and how many bytes of a cell come before
// its row.
func (n node) pointers() (from, skipped int) {
	if n.isLeaf() {
		return 8, 0
	}
	return 12, 4
}

// at is the place of a cell's row, one behind the page where there is none.
func (n node) at(i int) int {
	from, skipped := n.pointers()
	if from+2*i+2 > len(n) {
		return len(n)
	}
	return int(binary.BigEndian.Uint16(n[from+2*i:])) + skipped
}

// record returns the bytes from the start of a cell's row on, nil when it is not in the page.
func (n node) record(i int) []byte {
	at := n.at(i)
	if at >= len(n) {
		return nil
	}
	return n[at:]
}

// child is the number of the page to the left of a cell, or right of all; 0 for none.
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

// position is how many cells come before those that begin with the prefix, or before
// what is behind them.
func (n node) position(prefix []int64, behind bool) (at int, err error) {
	return n.positionFrom(0, n.cells(), prefix, behind)
}

// positionFrom is position where it is known not to be before the cell low. It looks step cells
// further first, and then twice as far.
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

// sizes are the bytes of a value by its serial type; types 8 and 9 are 0 and 1. Others are no
// integers (https://sqlite.org/fileformat2.html#record_format).
var sizes = func() (of [256]uint8) {
	for kind := range of {
		of[kind] = notInteger
	}
	for kind, size := range map[int]uint8{1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 8: 0, 9: 0} {
		of[kind] = size
	}
	return of
}()

// notInteger is more bytes than a row of integers has.
const notInteger = 255

// integer is the value of a serial type whose bytes body begins with.
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

// header splits the row that a record begins with into the types of its columns and their
// bytes. Rows of integers are short: both lengths are one byte.
func header(record []byte) (kinds, body []byte, ok bool) {
	if len(record) < 2 || record[0] >= 0x80 || record[1] >= 0x80 || record[1] < 1 || len(record) < 1+int(record[0]) || record[1] > record[0] {
		return nil, nil, false
	}
	return record[2 : 1+int(record[1])], record[1+int(record[1]) : 1+int(record[0])], true
}

// compare compares the first columns of the row that a record begins with with the prefix.
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

// span goes over the rows of a tree from the first that begins with low, or comes behind
// that, to the last that begins with high or comes before it. Both have as many columns.
type span struct {
	tree      Tree
	low, high []int64
	path      []level
	started   bool
}

// level is a page on the way to the row that is next: the cell at of a leaf. Of an interior
// page, the cell at is next when between is set, else the page to its left is.
type level struct {
	page    Page
	node    node
	at      int
	between bool
}

// run is some cells of a page, from first to behind last.
type run struct {
	page        node
	first, last int
}

// next returns the next cells; none at the end. They are good until the next call.
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

// to makes it go on with other rows, which come behind those that it has given.
func (s *span) to(low, high []int64) error {
	s.low, s.high = low, high
	if !s.started {
		return nil
	}
	keep := len(s.path)
	for i := keep - 2; i >= 0; i-- { // what stands above a page says which rows it has
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

// leave takes the last page off the path.
func (s *span) leave() {
	last := len(s.path) - 1
	s.tree.Pages.Unpin(s.path[last].page)
	s.path = s.path[:last]
}

// end leaves all pages.
func (s *span) end() {
	for len(s.path) > 0 {
		s.leave()
	}
}

// enter puts a page on the path. On the way to the first row it goes on to the leaf.
func (s *span) enter(number uint32, first bool) error {
	for {
		if len(s.path) == maxDepth {
			return ErrPage
		}
		page, n, err := s.tree.pin(number)
		if err != nil {
			return err
		}
		s.path = append(s.path, level{page: page, node: n})
		if !first {
			return nil
		}
		top := &s.path[len(s.path)-1]
		if top.at, err = n.position(s.low, false); err != nil {
			return err
		}
		if n.isLeaf() {
			return nil
		}
		top.between, number = true, n.child(top.at)
	}
}
