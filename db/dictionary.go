package db

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"trails/db/inline"
	"trails/db/stmt"
	"trails/rdf"
)

// The kinds of a dictionary row.
const (
	kindIRI    = 1
	kindBNode  = 2
	kindString = 3 // xsd:string
	kindTyped  = 4 // datatype is the id of its IRI
	kindLang   = 5 // lang is the tag
)

// defaultGraph is the g of quads in the default graph.
const defaultGraph = 0

// dictionary translates between terms and ids, within one transaction.
type dictionary struct {
	conn   *stmt.Conn
	shared *termCache
	// committed is the last id that other transactions may use. Later ids can be rolled back and then given to other
	// terms, so they are not put into shared.
	committed inline.TermID
	ids       map[rdf.Term]inline.TermID
	terms     map[inline.TermID]rdf.Term
	keyed     *termIDs // terms of a bulk load, which are more than ids holds; or nil
	buf       []byte
}

func readingDictionary(c *stmt.Conn, shared *termCache) dictionary {
	return dictionary{conn: c, shared: shared, committed: math.MaxInt64}
}

// termKey is the first half of the SHA-256 of a term's canonical N-Quads text. It is unique in practice.
type termKey [sha256.Size / 2]byte

func (d *dictionary) key(t rdf.Term) termKey {
	d.buf = rdf.AppendTerm(d.buf[:0], t)
	sum := sha256.Sum256(d.buf)
	return termKey(sum[:sha256.Size/2])
}

// hash is the first 48 bits, which the file stores. It finds candidates; their values are then compared.
func (k termKey) hash() int64 { return int64(binary.BigEndian.Uint64(k[:8]) >> 16) }

func (d *dictionary) termHash(t rdf.Term) int64 { return d.key(t).hash() }

// lookup returns the id of t; ok is false if no quad of this file ever had t.
func (d *dictionary) lookup(t rdf.Term) (inline.TermID, bool, error) {
	if id, ok := inline.ID(t); ok {
		return id, true, nil
	}
	if id, ok := d.ids[t]; ok {
		return id, true, nil
	}
	if id, ok := d.shared.id(t); ok {
		return id, true, nil
	}
	key := d.key(t)
	if d.keyed != nil {
		if id := d.keyed.get(key); id != 0 {
			return id, true, nil
		}
	}
	id, err := d.find(t, key.hash())
	if err != nil || id == 0 {
		return 0, false, err
	}
	d.remember(id, t)
	return id, true, nil
}

const (
	termColumns = "SELECT id, kind, value, datatype, lang FROM terms "
	termByHash  = termColumns + "WHERE hash = ?"
)

func (d *dictionary) find(t rdf.Term, hash int64) (inline.TermID, error) {
	return d.findBy(termByHash, t, hash)
}

// findBy finds a term among the rows with its hash.
func (d *dictionary) findBy(sql string, t rdf.Term, hash int64) (inline.TermID, error) {
	s, err := d.conn.Take(sql)
	if err != nil {
		return 0, err
	}
	defer s.Release()
	s.BindInt64(1, hash)
	for {
		more, err := s.Step()
		if err != nil || !more {
			return 0, err
		}
		other, err := d.scan(s, 1)
		if err != nil {
			return 0, err
		}
		if other == t {
			return s.ID(0), nil
		}
	}
}

// scan reads the term whose kind, value, datatype and lang start at column i.
func (d *dictionary) scan(s *stmt.Stmt, i int) (rdf.Term, error) {
	kind, value, lang := s.ColumnInt64(i), s.ColumnText(i+1), ""
	var datatype rdf.IRI
	switch kind {
	case kindTyped:
		var err error
		if datatype, err = d.datatype(s.ID(i + 2)); err != nil {
			return nil, err
		}
	case kindLang:
		lang = s.ColumnText(i + 3)
	}
	if t := termOf(kind, value, datatype, lang); t != nil {
		return t, nil
	}
	return nil, stmt.Damaged("dictionary kind %d", kind)
}

// termOf returns the term of a dictionary row, nil for an unknown kind.
func termOf(kind int64, value string, datatype rdf.IRI, lang string) rdf.Term {
	switch kind {
	case kindIRI:
		return rdf.IRI(value)
	case kindBNode:
		return rdf.BNode(value)
	case kindString:
		return rdf.String(value)
	case kindTyped:
		return rdf.TypedString{Value: rdf.String(value), Type: datatype}
	case kindLang:
		return rdf.LangString{Value: rdf.String(value), Lang: lang}
	}
	return nil
}

// datatype returns the IRI with this id. It reads no other kind of row: in a damaged file a literal could be its own
// datatype.
func (d *dictionary) datatype(id inline.TermID) (rdf.IRI, error) {
	t, ok, err := d.known(id)
	if err != nil {
		return "", err
	}
	if !ok {
		kind := int64(0)
		err = d.conn.Exec("SELECT kind, value FROM terms WHERE id = ?", func(s *stmt.Stmt) error {
			kind, t = s.ColumnInt64(0), rdf.IRI(s.ColumnText(1))
			return nil
		}, id)
		if err != nil {
			return "", err
		}
		if kind == kindIRI {
			d.remember(id, t)
			ok = true
		}
	}
	iri, isIRI := t.(rdf.IRI)
	if !ok || !isIRI {
		return "", stmt.Damaged("datatype %d of a literal is no IRI", id)
	}
	return iri, nil
}

// term returns the term of an id that must be in the file.
func (d *dictionary) term(id inline.TermID) (rdf.Term, error) {
	if t, ok, err := d.known(id); ok || err != nil {
		return t, err
	}
	t, err := d.read(id)
	if err == nil {
		d.remember(id, t)
	}
	return t, err
}

// peek is term without caching: the many values of a query would evict the few terms that all quads share.
func (d *dictionary) peek(id inline.TermID) (rdf.Term, error) {
	if t, ok, err := d.known(id); ok || err != nil {
		return t, err
	}
	return d.read(id)
}

// read reads a term from the file.
func (d *dictionary) read(id inline.TermID) (rdf.Term, error) {
	s, err := d.conn.Take("SELECT kind, value, datatype, lang FROM terms WHERE id = ?")
	if err != nil {
		return nil, err
	}
	defer s.Release()
	s.BindID(1, id)
	more, err := s.Step()
	if err != nil {
		return nil, err
	}
	if !more {
		return nil, stmt.Damaged("term %d is not in the dictionary", id)
	}
	return d.scan(s, 0)
}

// known returns a cached term, without reading the file.
func (d *dictionary) known(id inline.TermID) (rdf.Term, bool, error) {
	if id < 0 {
		t := inline.Term(id)
		if t == nil {
			return nil, false, stmt.Damaged("id %d is in no region", id)
		}
		return t, true, nil
	}
	if t, ok := d.terms[id]; ok {
		return t, true, nil
	}
	t, ok := d.shared.term(id)
	return t, ok, nil
}

// joined returns the term whose dictionary row was joined at column i. It is not cached: reading the row costs as
// little as finding it in memory, and the many values of a scan would evict the few terms that all quads share.
func (d *dictionary) joined(id inline.TermID, s *stmt.Stmt, i int) (rdf.Term, error) {
	if id < 0 {
		t, _, err := d.known(id)
		return t, err
	}
	if s.ColumnInt64(i) == 0 {
		return nil, stmt.Damaged("term %d is not in the dictionary", id)
	}
	return d.scan(s, i)
}

func (d *dictionary) remember(id inline.TermID, t rdf.Term) {
	if id <= d.committed {
		d.shared.put(id, t)
	}
}
