// Package dictionary translates between terms and their ids in a file: by the table terms, by a cache of what was
// committed, by what a transaction has added, and by the rows as they stand on pages. An id means nothing in another
// file.
//
// Read [Dictionary] first.
package dictionary

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
	KindIRI    = 1
	KindBNode  = 2
	KindString = 3 // xsd:string
	KindTyped  = 4 // datatype is the id of its IRI
	KindLang   = 5 // lang is the tag
)

// Dictionary translates between terms and ids, within one transaction. It serves one goroutine at a time.
type Dictionary struct {
	conn   *stmt.Conn
	shared *Cache
	// committed is the last id that other transactions may use. Later ids can be rolled back and then given to other
	// terms, so they are not put into shared.
	committed inline.TermID
	ids       map[rdf.Term]inline.TermID
	terms     map[inline.TermID]rdf.Term
	// keyed, when not nil, has the terms of a bulk load, which are more than ids holds.
	Keyed *IDs
	buf   []byte
}

// ForReading returns the dictionary of a transaction that adds no terms.
func ForReading(c *stmt.Conn, shared *Cache) Dictionary {
	return Dictionary{conn: c, shared: shared, committed: math.MaxInt64}
}

// ForWriting returns the dictionary of a transaction that adds terms after the committed ones.
func ForWriting(c *stmt.Conn, shared *Cache, committed inline.TermID) Dictionary {
	return Dictionary{
		conn: c, shared: shared, committed: committed,
		ids: map[rdf.Term]inline.TermID{}, terms: map[inline.TermID]rdf.Term{},
	}
}

// Key is the first half of the SHA-256 of a term's canonical N-Quads text. It is unique in practice.
type Key [sha256.Size / 2]byte

// Key returns the key of a term.
func (d *Dictionary) Key(t rdf.Term) Key {
	d.buf = rdf.AppendTerm(d.buf[:0], t)
	sum := sha256.Sum256(d.buf)
	return Key(sum[:sha256.Size/2])
}

// Hash is the first 48 bits, which the file stores. It finds candidates; their values are then compared.
func (k Key) Hash() int64 { return int64(binary.BigEndian.Uint64(k[:8]) >> 16) }

// Lookup returns the id of t; ok is false if no quad of this file ever had t.
func (d *Dictionary) Lookup(t rdf.Term) (inline.TermID, bool, error) {
	if id, ok := d.Held(t); ok {
		return id, true, nil
	}
	if id, ok := d.shared.id(t); ok {
		return id, true, nil
	}
	key := d.Key(t)
	if d.Keyed != nil {
		if id := d.Keyed.Get(key); id != 0 {
			return id, true, nil
		}
	}
	id, err := d.FindBy(ByHash, t, key.Hash())
	if err != nil || id == 0 {
		return 0, false, err
	}
	d.remember(id, t)
	return id, true, nil
}

// Columns selects rows for [Dictionary.FindBy]; ByHash selects those with a hash.
const (
	Columns = "SELECT id, kind, value, datatype, lang FROM terms "
	ByHash  = Columns + "WHERE hash = ?"
)

// Find returns the id of a term that is not held, and holds it if it was read. For a new term it returns 0 and its hash.
func (d *Dictionary) Find(t rdf.Term) (id inline.TermID, hash int64, err error) {
	if id, ok := d.shared.id(t); ok {
		return id, 0, nil
	}
	hash = d.Key(t).Hash()
	if id, err = d.FindBy(ByHash, t, hash); id != 0 {
		d.remember(id, t)
		d.Hold(t, id)
	}
	return id, hash, err
}

// FindBy finds a term among the rows with its hash.
func (d *Dictionary) FindBy(sql string, t rdf.Term, hash int64) (inline.TermID, error) {
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
		other, err := d.Scan(s, 1)
		if err != nil {
			return 0, err
		}
		if other == t {
			return s.ID(0), nil
		}
	}
}

// Scan reads the term whose kind, value, datatype and lang start at column i.
func (d *Dictionary) Scan(s *stmt.Stmt, i int) (rdf.Term, error) {
	kind, value, lang := s.ColumnInt64(i), s.ColumnText(i+1), ""
	var datatype rdf.IRI
	switch kind {
	case KindTyped:
		var err error
		if datatype, err = d.Datatype(s.ID(i + 2)); err != nil {
			return nil, err
		}
	case KindLang:
		lang = s.ColumnText(i + 3)
	}
	if t := TermOf(kind, value, datatype, lang); t != nil {
		return t, nil
	}
	return nil, stmt.Damaged("dictionary kind %d", kind)
}

// TermOf returns the term of a dictionary row, nil for an unknown kind.
func TermOf(kind int64, value string, datatype rdf.IRI, lang string) rdf.Term {
	switch kind {
	case KindIRI:
		return rdf.IRI(value)
	case KindBNode:
		return rdf.BNode(value)
	case KindString:
		return rdf.String(value)
	case KindTyped:
		return rdf.TypedString{Value: rdf.String(value), Type: datatype}
	case KindLang:
		return rdf.LangString{Value: rdf.String(value), Lang: lang}
	}
	return nil
}

// Datatype returns the IRI with this id. It reads no other kind of row: in a damaged file a literal could be its own
// datatype.
func (d *Dictionary) Datatype(id inline.TermID) (rdf.IRI, error) {
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
		if kind == KindIRI {
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

// Term returns the term of an id that must be in the file.
func (d *Dictionary) Term(id inline.TermID) (rdf.Term, error) {
	if t, ok, err := d.known(id); ok || err != nil {
		return t, err
	}
	t, err := d.read(id)
	if err == nil {
		d.remember(id, t)
	}
	return t, err
}

// Peek is Term without caching: the many values of a query would evict the few terms that all quads share.
func (d *Dictionary) Peek(id inline.TermID) (rdf.Term, error) {
	if t, ok, err := d.known(id); ok || err != nil {
		return t, err
	}
	return d.read(id)
}

// read reads a term from the file.
func (d *Dictionary) read(id inline.TermID) (rdf.Term, error) {
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
	return d.Scan(s, 0)
}

// known returns a cached term, without reading the file.
func (d *Dictionary) known(id inline.TermID) (rdf.Term, bool, error) {
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

// Joined returns the term whose dictionary row was joined at column i. It is not cached: reading the row costs as
// little as finding it in memory, and the many values of a scan would evict the few terms that all quads share.
func (d *Dictionary) Joined(id inline.TermID, s *stmt.Stmt, i int) (rdf.Term, error) {
	if id < 0 {
		t, _, err := d.known(id)
		return t, err
	}
	if s.ColumnInt64(i) == 0 {
		return nil, stmt.Damaged("term %d is not in the dictionary", id)
	}
	return d.Scan(s, i)
}

// MayShare reports whether other transactions may use the id.
func (d *Dictionary) MayShare(id inline.TermID) bool { return id <= d.committed }

func (d *Dictionary) remember(id inline.TermID, t rdf.Term) {
	if d.MayShare(id) {
		d.shared.put(id, t)
	}
}

// Held returns the id of a term without reading the file: an inlined one, or one that the transaction remembers.
func (d *Dictionary) Held(t rdf.Term) (inline.TermID, bool) {
	if id, ok := inline.ID(t); ok {
		return id, true
	}
	id, ok := d.ids[t]
	return id, ok
}

// Hold remembers the id of a term for the transaction.
func (d *Dictionary) Hold(t rdf.Term, id inline.TermID) { d.ids[t] = id }

// Bound forgets what the transaction remembers if that is most terms or more. Each can be found again.
func (d *Dictionary) Bound(most int) {
	if len(d.ids) >= most {
		clear(d.ids)
		clear(d.terms)
	}
}

// Commit is called after a transaction that added terms: others may use them from now on.
func (d *Dictionary) Commit() {
	d.committed = math.MaxInt64
	for id, t := range d.terms {
		d.remember(id, t)
	}
}

// Row is a row of the dictionary.
type Row struct {
	ID, Datatype inline.TermID
	Kind, Hash   int64
	Value, Lang  string
}

// Insert adds a new term.
func (d *Dictionary) Insert(t rdf.Term, row Row) error {
	d.ids[t], d.terms[row.ID] = row.ID, t
	s, err := d.conn.Take("INSERT INTO terms (id, kind, value, datatype, lang, hash) VALUES (?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer s.Release()
	s.BindID(1, row.ID)
	s.BindInt64(2, row.Kind)
	s.BindText(3, row.Value)
	s.BindNull(4)
	s.BindNull(5)
	if row.Kind == KindTyped {
		s.BindID(4, row.Datatype)
	}
	if row.Kind == KindLang {
		s.BindText(5, row.Lang)
	}
	s.BindInt64(6, row.Hash)
	_, err = s.Step()
	return err
}
