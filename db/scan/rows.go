package scan

import (
	"encoding/binary"
	"sort"
)

// Rows finds rows of a table by their keys, fastest in ascending order. It serves one
// goroutine.
type Rows struct {
	tree   Tree
	usable int // bytes of a page that SQLite uses
	// path are the pages from the root to a leaf, which stay when the next key is below them.
	path  []pageOfRows
	leaf  string // the bytes of the leaf
	cells int
	first int64 // the least key in the leaf, and the greatest; none while first is greater
	last  int64
}

type pageOfRows struct {
	number uint32
	page   []byte
}

// The kinds of pages of a table.
const (
	interiorOfRows = 5
	leafOfRows     = 13
)

// NewRows returns the rows of the table whose b-tree a tree is.
func NewRows(tree Tree) (*Rows, error) {
	page, err := tree.Pages.Page(nil, 1)
	if err != nil {
		return nil, err
	}
	if len(page) < 512 { // the header of the file is in its first page
		return nil, ErrPage
	}
	return &Rows{tree: tree, usable: len(page) - int(page[20]), first: 1}, nil
}

// Value is a column of a row: a text or an integer, the zero Value for NULL.
type Value struct {
	Text string
	Int  int64
}

// Row reads the first columns of the row with a key into values. It reports whether there is
// such a row; whole is false for one that lies in several pages, which is not read. Texts
// share the memory of a page.
func (r *Rows) Row(key int64, values []Value) (found, whole bool, err error) {
	if key < r.first || key > r.last {
		if err := r.seek(key); err != nil {
			return false, false, err
		}
	}
	if key < r.first || key > r.last {
		return false, false, nil
	}
	at := 0
	if gap := uint64(key) - uint64(r.first); gap < uint64(r.cells) {
		at = int(gap) // where it is if no key is left out
	}
	size, other, body, ok := r.cell(at)
	if !ok || other != key {
		at = sort.Search(r.cells, func(i int) bool {
			_, other, _, ok := r.cell(i)
			if !ok {
				err = ErrPage
			}
			return other >= key
		})
		if err != nil || at == r.cells {
			return false, false, err
		}
		size, other, body, ok = r.cell(at)
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

// cell is a cell of the leaf: how long its row is, its key and the bytes from the row on.
func (r *Rows) cell(i int) (size, key int64, body string, ok bool) {
	if 8+2*i+2 > len(r.leaf) {
		return 0, 0, "", false
	}
	at := int(r.leaf[8+2*i])<<8 | int(r.leaf[8+2*i+1])
	if at >= len(r.leaf) {
		return 0, 0, "", false
	}
	body = r.leaf[at:]
	size, n := varint(body)
	key, m := varint(body[n:])
	return size, key, body[n+m:], n > 0 && m > 0 && size >= 0
}

// seek goes to the leaf that has a key, if any has.
func (r *Rows) seek(key int64) error {
	r.first, r.last = 1, 0
	number := r.tree.Root
	for depth := 0; depth < maxDepth; depth++ {
		if depth == len(r.path) {
			r.path = append(r.path, pageOfRows{})
		}
		at := &r.path[depth]
		if at.number != number {
			at.number = 0
			page, err := r.tree.Pages.Page(at.page[:0], number)
			if err != nil {
				return err
			}
			if len(page) < 512 {
				return ErrPage
			}
			at.number, at.page = number, page
		}
		cells := int(binary.BigEndian.Uint16(at.page[3:]))
		switch at.page[0] {
		case leafOfRows:
			return r.enter(at, cells)
		case interiorOfRows:
		default:
			return ErrPage
		}
		child, ok := childOf(at.page, cells, key)
		if !ok {
			return ErrPage
		}
		number = child
	}
	return ErrPage
}

// enter makes a page the leaf. It is not kept as a page of the path: the next seek is for
// another.
func (r *Rows) enter(at *pageOfRows, cells int) error {
	at.number = 0
	r.leaf, r.cells = string(at.page), cells
	if cells == 0 {
		return nil
	}
	_, first, _, ok := r.cell(0)
	_, last, _, also := r.cell(cells - 1)
	if !ok || !also {
		return ErrPage
	}
	r.first, r.last = first, last
	return nil
}

// childOf is the page below an interior one that has a key.
func childOf(page []byte, cells int, key int64) (child uint32, ok bool) {
	if 12+2*cells > len(page) {
		return 0, false
	}
	ok = true
	cell := func(i int) []byte {
		at := int(binary.BigEndian.Uint16(page[12+2*i:]))
		if at+5 > len(page) {
			ok = false
			return make([]byte, 5)
		}
		return page[at:]
	}
	i := sort.Search(cells, func(i int) bool {
		greatest, n := varint(cell(i)[4:])
		ok = ok && n > 0
		return greatest >= key
	})
	if i == cells {
		return binary.BigEndian.Uint32(page[8:]), ok
	}
	return binary.BigEndian.Uint32(cell(i)), ok
}

// columnsOf reads the first columns of a row (https://sqlite.org/fileformat2.html#record_format).
func columnsOf(row string, values []Value) bool {
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
func varint[T string | []byte](text T) (value int64, bytes int) {
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
