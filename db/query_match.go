package db

import (
	"trails/db/inline"
	"trails/db/scan"
	"trails/rdf"
)

// key returns the key of a value of a numbered expression, see [scan.Env]. Terms without an id have one for each, but
// for typed literals, of which different ones may be equal.
func (c *scanCursor) key(value int64) int64 {
	switch {
	case value < 0:
		return keyOfID(inline.TermID(value))
	case c.typed[value]:
		return scan.LooseKey
	}
	return value
}

// exactMillionths bounds the fractions, in millionths, of which different ones have different doubles: they are some
// 2^-51 of their size apart, and doubles at most 2^-52.
const exactMillionths = 1 << 51

// keyOfID returns the key of a value that an id holds. Of a number it is the id of the integer or else of the decimal,
// because numbers of different types may be equal. Of a moment it is the first of its two forms.
func keyOfID(id inline.TermID) int64 {
	r := inline.RegionAt(id)
	if r == nil {
		return scan.LooseKey
	}
	switch r.Datatype {
	case rdf.XSDDecimal, rdf.XSDDouble:
		switch n := int64(id-r.Zero) >> 1; {
		case n%inline.Unit == 0:
			return int64(integers.Zero) + n/inline.Unit
		case max(n, -n) < exactMillionths:
			return int64(decimals.Zero) + n<<1
		}
		return scan.LooseKey
	case rdf.XSDDateTime:
		return int64(id) &^ 1
	}
	return int64(id)
}
