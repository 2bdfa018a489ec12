package scan

import (
	"encoding/binary"
	"math"
	"sort"
)

// Rows finds rows of a table by key, fastest in ascending order. It must be used by one goroutine.
type Rows struct {
	tree   Tree
	usable int // usable bytes of a page
	// path is the pages from the root to a leaf. It is reused while the next key is below them.
	path []pageOfRows
}

// pageOfRows is a page with the range of keys that it may contain, known from its parent.
type pageOfRows struct {
	page        Page
	bytes       []byte
	cells       int
	first, last int64
}

// The page types of a table.
const (
	interiorOfRows = 5
	leafOfRows     = 13
)

// NewRows returns the rows of the table with this b-tree.
func NewRows(tree Tree) (*Rows, error) {
	page, err := tree.Pages.Pin(1)
	if err != nil {
		return nil, err
	}
	defer tree.Pages.Unpin(page)
	if len(page.Bytes) < 512 { // the first page contains the header of the file
		return nil, ErrPage
	}
	return &Rows{tree: tree, usable: len(page.Bytes) - int(page.Bytes[20])}, nil
}

// Value is a column of a row: a text or an integer, or NULL (the zero Value).
type Value struct {
	Text []byte
	Int  int64
}

// Row reads the first columns of the row with a key into values, and reports whether the row exists. whole is false
// for a row that does not fit into one page, which is not read. Texts point into the page, and are valid until the
// next call.
func (r *Rows) Row(key int64, values []Value) (found, whole bool, err error) {
	leaf, err := r.seek(key)
	if err != nil {
		return false, false, err
	}
	at := 0
	if gap := uint64(key) - uint64(max(leaf.first, 1)); gap < uint64(leaf.cells) {
		at = int(gap) // the position if no key is missing
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
	case size > int64(r.usable-35): // the rest is on overflow pages
		return true, false, nil
	case size > int64(len(body)) || !columnsOf(body[:size], values):
		return false, false, ErrPage
	}
	return true, true, nil
}

// seek moves to the leaf that may contain a key.
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

// enter appends a page to the path.
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

// row returns a cell of a leaf: the length of its row, its key and the bytes from the row on.
func (p *pageOfRows) row(i int) (size, key int64, body []byte, ok bool) {
	if 8+2*i+2 > len(p.bytes) {
		return 0, 0, nil, false
	}
	at := int(binary.BigEndian.Uint16(p.bytes[8+2*i:]))
	if at >= len(p.bytes) {
		return 0, 0, nil, false
	}
	body = p.bytes[at:]
	size, n := Varint(body)
	key, m := Varint(body[n:])
	return size, key, body[n+m:], n > 0 && m > 0 && size >= 0
}

// guesses is how often a position is interpolated from the surrounding keys. Keys of a dictionary are dense, and are
// evenly distributed over pages.
const guesses = 4

// child returns the child of an interior page that may contain a key, and the range of keys of that child.
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
		greatest, n := Varint(p.bytes[at+4:])
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

// columnsOf decodes the first columns of a record (https://sqlite.org/fileformat2.html#record_format).
func columnsOf(row []byte, values []Value) bool {
	length, at := Varint(row)
	if at == 0 || length > int64(len(row)) || length < int64(at) {
		return false
	}
	kinds, body := row[at:length], row[length:]
	for i := range values {
		kind, n := Varint(kinds)
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
			return false // a floating point number or a blob
		}
	}
	return true
}

// Varint decodes a varint, and returns the bytes used, 0 if it does not end
// (https://sqlite.org/fileformat2.html#varint).
func Varint(text []byte) (value int64, bytes int) {
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
