package scan

import (
	"encoding/binary"
	"slices"
)

// layout holds the offsets of the columns in a record. Neighbouring records mostly have the same types of columns, and
// then have the same layout.
type layout struct {
	// first are the bytes behind the length of the record, under a mask: the length of its header, and the types. The
	// mask is 0 if they are more than eight.
	first, mask    uint64
	needs          int       // required length, at least nine
	key            [4]column // those of the statement, in the order of the index
	added, removed column    // the latter of a retired statement
}

// layouts caches layouts by the length of a record, which mostly identifies them.
type layouts [16]layout

// of returns the layout of a record in the tree of the present or of the retired statements, nil for a damaged one.
func (all *layouts) of(record []byte, retired bool) *layout {
	if len(record) == 0 {
		return nil
	}
	l := &all[int(record[0])%len(all)]
	if !l.fits(record) && !l.read(record, retired) {
		return nil
	}
	return l
}

// read computes the layout of the record at the beginning of bytes.
func (l *layout) read(record []byte, retired bool) bool {
	kinds, body, ok := header(record)
	columns := []*column{&l.key[0], &l.key[1], &l.key[2], &l.key[3], &l.added}
	if retired {
		columns = []*column{nil, &l.key[0], &l.key[1], &l.key[2], &l.key[3], &l.added, &l.removed} // the line comes first
	}
	if !ok || len(kinds) < len(columns) {
		return false
	}
	begins := 1 + int(record[1])
	*l = layout{needs: max(9, 1+int(record[0]))}
	if begins <= 9 && len(record) >= 9 {
		l.mask = 1<<(8*(begins-1)) - 1
		l.first = binary.LittleEndian.Uint64(record[1:]) & l.mask
	}
	at := 0 // offset in the body
	for i, of := range columns {
		size := int(sizes[kinds[i]])
		if at+size > len(body) {
			return false
		}
		c := column{at: begins + at, shift: uint(64 - 8*size), bits: -1}
		if size == 0 {
			c = column{constant: integer(kinds[i], nil)}
		}
		l.needs = max(l.needs, c.at+8)
		if of != nil {
			*of = c
		}
		at += size
	}
	return true
}

// compare compares the statement of a record of this layout with another one, which has the same first columns.
func (l *layout) compare(record []byte, with *[4]int64, given int) int {
	for i := given; i < len(with); i++ {
		if value := l.key[i].of(record); value != with[i] {
			if value < with[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// fits reports whether a record has this layout. It is false if the first nine bytes do not tell.
func (l *layout) fits(record []byte) bool {
	return l.mask != 0 && len(record) >= l.needs && binary.LittleEndian.Uint64(record[1:])&l.mask == l.first
}

// alike fills places with the offsets of consecutive cells that have this layout. It stops before the first other
// one, and before one too close to the end of the page.
func (l *layout) alike(n node, from, to int, places []uint16) []uint16 {
	places = slices.Grow(places[:0], to-from)[:to-from]
	places[0] = uint16(n.at(from))
	if l.mask == 0 {
		return places[:1]
	}
	pointers, skipped := n.pointers()
	list, last := n[min(pointers+2*from+2, len(n)):min(pointers+2*to, len(n))], len(n)-l.needs
	k := 1
	for ; k < len(places) && len(list) >= 2; k++ {
		at := int(list[0])<<8 | int(list[1]) + skipped
		if at > last || binary.LittleEndian.Uint64(n[at+1:])&l.mask != l.first {
			break
		}
		places[k], list = uint16(at), list[2:]
	}
	return places[:k]
}

// column is the position of an integer: the first of the eight bytes at an offset, or none for a constant.
type column struct {
	at       int
	shift    uint
	bits     int64 // mask of the bytes that count
	constant int64
}

// of returns the column of one record.
func (c *column) of(record []byte) int64 {
	return int64(binary.BigEndian.Uint64(record[c.at:]))>>(c.shift&63)&c.bits | c.constant
}

// appendTo appends the column of the records at some offsets.
func (c *column) appendTo(ids []int64, bytes []byte, places []uint16) []int64 {
	n := len(ids)
	ids = slices.Grow(ids, len(places))[:n+len(places)]
	out := ids[n:]
	if c.bits == 0 {
		for i := range out {
			out[i] = c.constant
		}
		return ids
	}
	bytes = bytes[c.at:]
	shift := c.shift & 63
	for i, at := range places {
		out[i] = int64(binary.BigEndian.Uint64(bytes[at:])) >> shift
	}
	return ids
}
