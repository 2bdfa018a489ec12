package scan

import (
	"encoding/binary"
	"math/bits"
)

// Builder writes the pages of a [Tree] from its rows, which must be added in order. Each page is filled before the
// next one begins.
type Builder struct {
	// Put receives a page and returns its number. The page is only valid during the call. The last page is the root.
	Put    func(page []byte, root bool) (uint32, error)
	levels []*filling // one for each level, leaves first
	size   int        // bytes of a page, without the reserved ones at its end
	record []byte
}

// NewBuilder returns a Builder for pages of this size, including the reserved bytes.
func NewBuilder(size, reserved int, put func(page []byte, root bool) (uint32, error)) *Builder {
	b := &Builder{Put: put, size: size - reserved}
	b.levels = []*filling{newFilling(leaf, size, b.size)}
	return b
}

// filling is the page of one level that is being filled. Cells grow from the end downward, pointers from the header
// upward.
type filling struct {
	page  node
	cells int
	head  int // offset of the pointers
	low   int // offset of the last cell
	last  int // length of the last cell
	empty int // end of the first cell
}

func newFilling(kind byte, size, usable int) *filling {
	f := &filling{page: make(node, size), head: 12, low: usable, empty: usable}
	if f.page[0] = kind; kind == leaf {
		f.head = 8
	}
	return f
}

// fits reports whether there is room for a cell.
func (f *filling) fits(cell int) bool { return f.head+2*(f.cells+1)+cell <= f.low }

// add appends a cell; on an interior page, the number of its child and the row.
func (f *filling) add(child uint32, row []byte) {
	f.last = len(row) + 1
	if f.page[0] == interior {
		f.last += 4
	}
	f.low -= f.last
	at := f.page[f.low:]
	if f.page[0] == interior {
		binary.BigEndian.PutUint32(at, child)
		at = at[4:]
	}
	at[0] = byte(len(row))
	copy(at[1:], row)
	binary.BigEndian.PutUint16(f.page[f.head+2*f.cells:], uint16(f.low))
	f.cells++
}

// cut removes the last cell.
func (f *filling) cut() (child uint32, row []byte) {
	cell := f.page[f.low : f.low+f.last]
	if f.page[0] == interior {
		child, cell = binary.BigEndian.Uint32(cell), cell[4:]
	}
	f.cells--
	f.low += f.last
	return child, cell[1:]
}

// finished returns the page with its header (https://sqlite.org/fileformat2.html#b_tree_pages).
func (f *filling) finished(right uint32) node {
	clear(f.page[f.head+2*f.cells : f.low])
	binary.BigEndian.PutUint16(f.page[3:], uint16(f.cells))
	binary.BigEndian.PutUint16(f.page[5:], uint16(f.low)) // 65536 is written as 0
	if f.page[0] == interior {
		binary.BigEndian.PutUint32(f.page[8:], right)
	}
	return f.page
}

// Add adds a row in the form of [AppendOrdered].
func (b *Builder) Add(row []byte) error {
	b.record = appendRecord(b.record[:0], row)
	return b.add(0, 0, b.record)
}

// add appends a cell to a level. If it does not fit, the last cell that did moves to the level above, as the
// separator between the finished page and the next one, which gets the new cell. So no page is empty.
func (b *Builder) add(level int, child uint32, record []byte) error {
	if level == len(b.levels) {
		b.levels = append(b.levels, newFilling(interior, len(b.levels[0].page), b.size))
	}
	f := b.levels[level]
	if !f.fits(len(record) + 5) {
		right, between := f.cut()
		between = append([]byte(nil), between...)
		number, err := b.Put(f.finished(right), false)
		if err != nil {
			return err
		}
		f.cells, f.low = 0, f.empty
		if err := b.add(level+1, number, between); err != nil {
			return err
		}
	}
	f.add(child, record)
	return nil
}

// End finishes the last page of each level. The topmost one is the root.
func (b *Builder) End() error {
	right := uint32(0)
	for i, f := range b.levels {
		number, err := b.Put(f.finished(right), i == len(b.levels)-1)
		if err != nil {
			return err
		}
		right = number
	}
	return nil
}

// classes are the encodings of numbers in numeric order: serial type and number of bytes. Negative numbers come
// first, longer ones before shorter ones.
var classes = [...]struct{ kind, size byte }{
	{6, 8}, {5, 6}, {4, 4}, {3, 3}, {2, 2}, {1, 1},
	{8, 0}, {9, 0},
	{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 6}, {6, 8},
}

// AppendOrdered appends a number of a row in a compact form whose bytes sort like the numbers.
func AppendOrdered(row []byte, n int64) []byte {
	class := 0
	switch width := bits.Len64(uint64(n ^ n>>63)); {
	case n == 0 || n == 1:
		class = 6 + int(n)
	case width < 32:
		class = 8 + width/8
	case width < 48:
		class = 12
	default:
		class = 13
	}
	if n < 0 {
		class = 13 - class
	}
	var number [8]byte
	binary.BigEndian.PutUint64(number[:], uint64(n))
	return append(append(row, byte(class)), number[8-classes[class].size:]...)
}

// appendRecord converts a row to SQLite's format (https://sqlite.org/fileformat2.html#record_format).
func appendRecord(record, row []byte) []byte {
	at := len(record)
	record = append(record, 0)
	for rest := row; len(rest) > 0; {
		class := classes[rest[0]]
		record, rest = append(record, class.kind), rest[1+class.size:]
	}
	record[at] = byte(len(record) - at)
	for rest := row; len(rest) > 0; {
		size := classes[rest[0]].size
		record, rest = append(record, rest[1:1+size]...), rest[1+size:]
	}
	return record
}
