package scan

import (
	"encoding/binary"
	"errors"
	"sort"
)

// ErrPage is the error for a page that is not one of an index whose rows are integers, or
// that says what cannot be.
var ErrPage = errors.New("a page of an index cannot be read")

// Pages reads pages of a database file, as a transaction has them.
type Pages interface {
	// Page appends the page with a number to buf. Its error ends what is read: that the
	// query was cancelled, for instance.
	Page(buf []byte, number uint32) ([]byte, error)
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

// node is a page of the tree.
type node []byte

func (t Tree) node(buf []byte, number uint32) (node, error) {
	page, err := t.Pages.Page(buf[:0], number)
	if err != nil {
		return nil, err
	}
	if len(page) < 512 || page[0] != interior && page[0] != leaf {
		return nil, ErrPage
	}
	return page, nil
}

func (n node) isLeaf() bool { return n[0] == leaf }
func (n node) cells() int   { return int(binary.BigEndian.Uint16(n[3:])) }

// record returns the bytes from the start of a cell's row on, nil when it is not in the page.
func (n node) record(i int) []byte {
	pointers, skipped := 12, 4
	if n.isLeaf() {
		pointers, skipped = 8, 0
	}
	if pointers+2*i+2 > len(n) {
		return nil
	}
	at := int(binary.BigEndian.Uint16(n[pointers+2*i:])) + skipped
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
	at = sort.Search(n.cells(), func(i int) bool {
		order, ok := compare(n.record(i), prefix)
		if !ok {
			err = ErrPage
		}
		return order > 0 || order == 0 && !behind
	})
	return at, err
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

// zero is the type of the number 0.
const zero = 8

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

// step is a place in a page of the tree: behind so many of its cells.
type step struct{ cells, at int }

// Estimate estimates how many rows begin with the prefix by where the first and the last of
// them stand: two pages of each level are read, whatever the number. It is exact when they
// all lie in one leaf.
func (t Tree) Estimate(prefix []int64) (float64, error) {
	root, err := t.node(nil, t.Root)
	if err != nil {
		return 0, err
	}
	var first, last []step
	for low, high := root, root; len(first) < maxDepth; {
		before, err := low.position(prefix, false)
		if err != nil {
			return 0, err
		}
		behind, err := high.position(prefix, true)
		if err != nil {
			return 0, err
		}
		first, last = append(first, step{low.cells(), before}), append(last, step{high.cells(), behind})
		if low.isLeaf() || high.isLeaf() {
			return between(first, last), nil
		}
		below, above := low.child(before), high.child(behind)
		if low, err = t.node(nil, below); err != nil {
			return 0, err
		}
		if high = low; above != below {
			if high, err = t.node(nil, above); err != nil {
				return 0, err
			}
		}
	}
	return 0, ErrPage
}

// between takes the pages of a level to be as full as the fuller of the two known.
func between(first, last []step) (rows float64) {
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

// span goes over the rows of a tree from the first that begins with low, or comes behind
// that, to the last that begins with high or comes before it. Both have as many columns.
type span struct {
	tree      Tree
	low, high []int64
	path      []level
	started   bool
}

// level is a page on the way to the row that is next. Of an interior page, the cell at is
// next when between is set, else the page to its left is.
type level struct {
	page    node
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
		if top.page.isLeaf() {
			r := run{top.page, top.at, top.page.cells()}
			s.path = s.path[:len(s.path)-1]
			if r.first >= r.last {
				continue
			}
			switch order, ok := compare(r.page.record(r.last-1), s.high); {
			case !ok:
				return run{}, ErrPage
			case order > 0:
				var err error
				if r.last, err = r.page.position(s.high, true); err != nil {
					return run{}, err
				}
				s.path = s.path[:0]
			}
			if r.first < r.last {
				return r, nil
			}
			continue
		}
		switch {
		case !top.between:
			top.between = true
			if err := s.enter(top.page.child(top.at), false); err != nil {
				return run{}, err
			}
		case top.at >= top.page.cells():
			s.path = s.path[:len(s.path)-1]
		default:
			r := run{top.page, top.at, top.at + 1}
			top.at, top.between = top.at+1, false
			order, ok := compare(r.page.record(r.first), s.high)
			if !ok {
				return run{}, ErrPage
			}
			if order > 0 {
				s.path = s.path[:0]
				return run{}, nil
			}
			return r, nil
		}
	}
	return run{}, nil
}

// enter puts a page on the path. On the way to the first row it goes on to the leaf.
func (s *span) enter(number uint32, first bool) error {
	for {
		depth := len(s.path)
		if depth == maxDepth {
			return ErrPage
		}
		if depth == cap(s.path) {
			s.path = append(s.path, level{})
		}
		s.path = s.path[:depth+1]
		top := &s.path[depth]
		page, err := s.tree.node(top.page, number) // in the bytes of the page that was there
		if err != nil {
			return err
		}
		*top = level{page: page}
		if !first {
			return nil
		}
		if top.at, err = page.position(s.low, false); err != nil {
			return err
		}
		if page.isLeaf() {
			return nil
		}
		top.between, number = true, page.child(top.at)
	}
}
