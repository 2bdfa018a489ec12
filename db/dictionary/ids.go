package dictionary

import (
	"encoding/binary"
	"iter"
	"math/bits"

	"trails/db/inline"
)

// IDs maps keys of terms to ids. The keys are hashes already. It is a hash table with open addressing, in parts
// that grow one by one, by a quarter: a Go map needs twice the memory and two accesses. The zero IDs is empty.
type IDs struct {
	parts [256]termPart // by the first byte of the key
	n     int
}

type termPart struct {
	places []termPlace
	n      int
}

// termPlace is one slot of the table; without an id it is empty.
type termPlace struct {
	key Key
	id  inline.TermID
}

// place returns the slot of a key, or the one where it would be; the part is not full.
func (p *termPart) place(key Key) *termPlace {
	at, _ := bits.Mul64(binary.BigEndian.Uint64(key[1:9]), uint64(len(p.places)))
	for p.places[at].id != 0 && p.places[at].key != key {
		if at++; at == uint64(len(p.places)) {
			at = 0
		}
	}
	return &p.places[at]
}

// Get returns the id of a key, 0 if there is none.
func (t *IDs) Get(key Key) inline.TermID {
	if p := &t.parts[key[0]]; p.n > 0 {
		return p.place(key).id
	}
	return 0
}

// Put sets the id of a key.
func (t *IDs) Put(key Key, id inline.TermID) {
	p := &t.parts[key[0]]
	if 8*p.n >= 7*len(p.places) {
		old := p.places
		p.places = make([]termPlace, max(8, len(old)+len(old)/4))
		for _, o := range old {
			if o.id != 0 {
				*p.place(o.key) = o
			}
		}
	}
	place := p.place(key)
	if place.id == 0 {
		p.n++
		t.n++
	}
	*place = termPlace{key, id}
}

// Len returns the number of keys.
func (t *IDs) Len() int { return t.n }

// Keys yields all keys.
func (t *IDs) Keys() iter.Seq[Key] {
	return func(yield func(Key) bool) {
		for _, p := range t.parts {
			for _, place := range p.places {
				if place.id != 0 && !yield(place.key) {
					return
				}
			}
		}
	}
}
