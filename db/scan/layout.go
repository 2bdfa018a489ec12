package scan

import (
	"encoding/binary"
	"slices"
)

// layout is where the columns of a row are. Neighbours mostly begin with the same bytes, the
// length of the row and the types of its columns, and then have the same one.
type layout struct {
	first, mask            uint64 // these bytes; no mask where they are more than eight
	needs                  int    // how many bytes there must be, at least eight
	subject, object, graph column
}

// read makes it the layout of the row that a record begins with.
func (l *layout) read(record []byte, columns [3]int) bool {
	kinds, body, ok := header(record)
	if !ok || len(kinds) < 4 {
		return false
	}
	begins := 1 + int(record[1])
	*l = layout{needs: max(8, 1+int(record[0]))}
	if begins <= 8 && len(record) >= 8 {
		l.mask = 1<<(8*begins) - 1
		l.first = binary.LittleEndian.Uint64(record) & l.mask
	}
	at := 0 // in the body
	for i, kind := range kinds[:4] {
		size := int(sizes[kind])
		if at+size > len(body) {
			return false
		}
		c := column{at: begins + at, shift: uint(64 - 8*size), bits: -1}
		if size == 0 {
			c = column{constant: integer(kind, nil)}
		}
		l.needs = max(l.needs, c.at+8)
		for k, of := range [...]*column{&l.subject, &l.object, &l.graph} {
			if columns[k] == i {
				*of = c
			}
		}
		at += size
	}
	return true
}

// fits reports whether it is the layout of the row that a record begins with. One of which too
// little is in the first bytes says no.
func (l *layout) fits(record []byte) bool {
	return l.mask != 0 && len(record) >= l.needs && binary.LittleEndian.Uint64(record)&l.mask == l.first
}

// alike puts into places where the rows of cells stand, from one whose layout it is to the last
// before one that has another, or that the end of the page is too near to.
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
		if at > last || binary.LittleEndian.Uint64(n[at:])&l.mask != l.first {
			break
		}
		places[k], list = uint16(at), list[2:]
	}
	return places[:k]
}

// column is where an integer is: in the first of the eight bytes from at on, or nowhere and
// the same for all rows.
type column struct {
	at       int
	shift    uint
	bits     int64 // those of the bytes that count: all or none
	constant int64
}

// of is the column of a row.
func (c *column) of(record []byte) int64 {
	return int64(binary.BigEndian.Uint64(record[c.at:]))>>(c.shift&63)&c.bits | c.constant
}

// appendTo appends the columns of rows at some places.
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
