package scan

import (
	"encoding/binary"
	"math"
	"sort"
)

// Rows finds rows of a table by their keys, fastest in ascending order. It serves one
// goroutine.
type Rows struct {
	tree   Tree
	usable int // bytes of a page that SQLite uses
	// path are the pages from the root to a leaf, which stay while the next key is below them.
	path []pageOfRows
}

// pageOfRows is a page and the keys that it may have, by those that stand above it.
type pageOfRows struct {
	page        Page
	bytes       []byte
	cells       int
	first, last int64
}

// The kinds of pages of a table.
const (
	interiorOfRows = 5
	leafOfRows     = 13
)

// NewRows returns the rows of the table whose b-tree a tree is.
func NewRows(tree Tree) (*Rows, error) {
	page, err := tree.Pages.Pin(1)
	if err != nil {
		return nil, err
	}
	defer tree.Pages.Unpin(page)
	if len(page.Bytes) < 512 { // the header of the file is in its first page
		return nil, ErrPage
	}
	return &Rows{tree: tree, usable: len(page.Bytes) - int(page.Bytes[20])}, nil
}

// Value is a column of a row: a text or an integer, the zero Value for NULL.
type Value struct {
	Text []byte
	Int  int64
}

// Row reads the first columns of the row with a key into values. It reports whether there is
// such a row; whole is false for one that lies in several pages, which is not read. Texts are
// those of the page, and good until the next call.
func (r *Rows) Row(key int64, values []Value) (found, whole bool, err error) {
	leaf, err := r.seek(key)
	if err != nil {
		return false, false, err
	}
	at := 0
	if gap := uint64(key) - uint64(max(leaf.first, 1)); gap < uint64(leaf.cells) {
		at = int(gap) // where it is if no key is left out
	}
	size, other, body, ok := leaf.row(at)
	if !ok || other != key {
		at = sort.Search(leaf.cells, func(i int) bool {
			_, other, _, ok := leaf.row(i)
			if !ok {
				err = ErrPage
			}
			return other >= key
		})
		if err != nil || at == leaf.cells {
			return false, false, err
		}
		size, other, body, ok = leaf.row(at)
	}
	switch {
	case !ok:
		return false, false, ErrPage
	case other != key:
		return false, false, nil
	case size > int64(r.usable-35): // the rest is in other pages
		return true, false, nil
	case size > int64(len(body)) || !columnsOf(body[:size], values):
		return false, false, ErrPage
	}
	return true, true, nil
}

// seek goes to the leaf that has a key, if any has.
func (r *Rows) seek(key int64) (*pageOfRows, error) {
	for n := len(r.path); n > 0 && (key < r.path[n-1].first || key > r.path[n-1].last); n-- {
		r.tree.Pages.Unpin(r.path[n-1].page)
		r.path = r.path[:n-1]
	}
	if len(r.path) == 0 {
		if err := r.enter(r.tree.Root, math.MinInt64, math.MaxInt64); err != nil {
			return nil, err
		}
	}
	for {
		top := &r.path[len(r.path)-1]
		if top.bytes[0] == leafOfRows {
			return top, nil
		}
		child, first, last, ok := top.child(key)
		if !ok || len(r.path) == maxDepth {
			return nil, ErrPage
		}
		if err := r.enter(child, first, last); err != nil {
			return nil, err
		}
	}
}

// enter puts a page on the path.
func (r *Rows) enter(number uint32, first, last int64) error {
	page, err := r.tree.Pages.Pin(number)
	if err != nil {
		return err
	}
	bytes := page.Bytes
	if len(bytes) < 512 || bytes[0] != leafOfRows && bytes[0] != interiorOfRows {
		r.tree.Pages.Unpin(page)
		return ErrPage
	}
	r.path = append(r.path, pageOfRows{page, bytes, int(binary.BigEndian.Uint16(bytes[3:])), first, last})
	return nil
}

// row is a cell of a leaf: how long its row is, its key and the bytes from the row on.
func (p *pageOfRows) row(i int) (size, key int64, body []byte, ok bool) {
	if 8+2*i+2 > len(p.bytes) {
		return 0, 0, nil, false
	}
	at := int(binary.BigEndian.Uint16(p.bytes[8+2*i:]))
	if at >= len(p.bytes) {
		return 0, 0, nil, false
	}
	body = p.bytes[at:]
	size, n := varint(body)
	key, m := varint(body[n:])
	return size, key, body[n+m:], n > 0 && m > 0 && size >= 0
}

// guesses is how often a place is guessed from the keys around it: those of a dictionary are
// dense, and its pages have about as many.
const guesses = 4

// child is the page below an interior one that has a key, and which keys that may have.
func (p *pageOfRows) child(key int64) (number uint32, first, last int64, ok bool) {
	if 12+2*p.cells > len(p.bytes) {
		return 0, 0, 0, false
	}
	low, high := 0, p.cells
	first, last = p.first, p.last
	number = binary.BigEndian.Uint32(p.bytes[8:])
	for probes := 0; low < high; probes++ {
		middle := (low + high) / 2
		if probes < guesses && first > math.MinInt64 && last < math.MaxInt64 {
			middle = min(low+int(float64(key-first)/(float64(last-first)+1)*float64(high-low)), high-1)
		}
		at := int(binary.BigEndian.Uint16(p.bytes[12+2*middle:]))
		if at+5 > len(p.bytes) {
			return 0, 0, 0, false
		}
		greatest, n := varint(p.bytes[at+4:])
		if n == 0 || greatest < first || greatest > last {
			return 0, 0, 0, false
		}
		if greatest >= key {
			high, last, number = middle, greatest, binary.BigEndian.Uint32(p.bytes[at:])
		} else {
			low, first = middle+1, greatest+1
		}
	}
	return number, first, last, true
}

// columnsOf reads the first columns of a row (https://sqlite.org/fileformat2.html#record_format).
func columnsOf(row []byte, values []Value) bool {
	length, at := varint(row)
	if at == 0 || length > int64(len(row)) || length < int64(at) {
		return false
	}
	kinds, body := row[at:length], row[length:]
	for i := range values {
		kind, n := varint(kinds)
		if n == 0 {
			return false
		}
		kinds = kinds[n:]
		switch {
		case kind >= 13 && kind%2 == 1 && (kind-13)/2 <= int64(len(body)):
			size := (kind - 13) / 2
			values[i], body = Value{Text: body[:size]}, body[size:]
		case kind >= 0 && kind <= 9 && sizes[kind] != notInteger && int(sizes[kind]) <= len(body):
			size := sizes[kind]
			var bytes [8]byte
			copy(bytes[:], body[:size])
			values[i], body = Value{Int: integer(byte(kind), bytes[:])}, body[size:]
		case kind == 0:
			values[i] = Value{}
		default:
			return false // a number with a fraction, or a blob
		}
	}
	return true
}

// varint is a number of variable length and its bytes; none when it does not end
// (https://sqlite.org/fileformat2.html#varint).
func varint(text []byte) (value int64, bytes int) {
	for i := 0; i < len(text) && i < 8; i++ {
		value = value<<7 | int64(text[i]&0x7f)
		if text[i] < 0x80 {
			return value, i + 1
		}
	}
	if len(text) < 9 {
		return 0, 0
	}
	return value<<8 | int64(text[8]), 9
}
