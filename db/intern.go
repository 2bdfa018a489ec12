package db

import (
	"context"
	"fmt"

	"trails/db/inline"
	"trails/rdf"
)

// intern returns the ids of a quad's terms, with new ids for new terms.
func (w *Writer) intern(q rdf.Quad) (ids quadIDs, err error) {
	for i, t := range [...]rdf.Term{q.Subject, q.Predicate, q.Object, q.Label} {
		if t == nil {
			continue // the default graph
		}
		if ids[i], err = w.internTerm(t); err != nil {
			return ids, err
		}
	}
	return ids, nil
}

func (w *Writer) internTerm(t rdf.Term) (inline.TermID, error) {
	if id, ok := inline.ID(t); ok {
		return id, nil
	}
	if id, ok := w.dict.ids[t]; ok {
		return id, nil
	}
	if w.bulk != nil { // a bulk load already has the keys of its terms
		key := w.dict.key(t)
		id, err := w.bulkID(t, key)
		if err == nil && id == 0 {
			id, err = w.newTerm(t, key.hash())
		}
		if err != nil {
			return 0, err
		}
		w.dict.ids[t] = id
		w.bulk.ids.put(key, id)
		w.boundIDs()
		return id, w.boundKeys()
	}
	if id, ok := w.dict.shared.id(t); ok {
		return id, nil
	}
	hash := w.dict.termHash(t)
	id, err := w.dict.find(t, hash)
	if err != nil {
		return 0, err
	}
	if id == 0 {
		return w.newTerm(t, hash)
	}
	w.dict.remember(id, t)
	w.dict.ids[t] = id
	w.boundIDs()
	return id, nil
}

// bulkID returns the id of a term, 0 if it is new.
func (w *Writer) bulkID(t rdf.Term, key termKey) (inline.TermID, error) {
	if id := w.bulk.ids.get(key); id != 0 || w.bulk.whole {
		return id, nil
	}
	return w.knownID(t, key)
}

// WasKnown reports whether t was in the file before this transaction. If not, no earlier quad has it. Unlike a read
// it does not flush what a bulk load has buffered.
func (w *Writer) WasKnown(ctx context.Context, t rdf.Term) (bool, error) {
	if err := w.usable(ctx); err != nil {
		return false, err
	}
	id, err := w.idBefore(t)
	return id != 0 && id <= w.start, w.broken(ctx, "look up", err)
}

// idBefore returns the id of a term that existed before the transaction; for other terms 0 or a later id.
func (w *Writer) idBefore(t rdf.Term) (inline.TermID, error) {
	if w.bulk == nil {
		id, _, err := w.dict.lookup(t)
		return id, err
	}
	if id, ok := inline.ID(t); ok {
		return id, nil
	}
	return w.bulkID(t, w.dict.key(t))
}

// termRow is a row of the dictionary.
type termRow struct {
	id, datatype inline.TermID
	kind, hash   int64
	value, lang  string
}

func (w *Writer) newTerm(t rdf.Term, hash int64) (inline.TermID, error) {
	row := termRow{hash: hash}
	switch v := t.(type) {
	case rdf.IRI:
		row.kind, row.value = kindIRI, string(v)
	case rdf.BNode:
		row.kind, row.value = kindBNode, string(v)
	case rdf.String:
		row.kind, row.value = kindString, string(v)
	case rdf.TypedString:
		datatype, err := w.internTerm(v.Type)
		if err != nil {
			return 0, err
		}
		row.kind, row.value, row.datatype = kindTyped, string(v.Value), datatype
	case rdf.LangString:
		row.kind, row.value, row.lang = kindLang, string(v.Value), v.Lang
	default:
		return 0, fmt.Errorf("%T is not an RDF term", t)
	}
	if indexed(row.kind) {
		w.textBytes += len(row.value)
	}
	row.id = w.next
	w.next++
	if w.bulk != nil {
		return row.id, w.bufferTerm(row)
	}
	w.dict.ids[t] = row.id
	w.dict.terms[row.id] = t
	return row.id, w.insertTerm(row)
}

func (w *Writer) insertTerm(row termRow) error {
	s, err := w.conn.Take("INSERT INTO terms (id, kind, value, datatype, lang, hash) VALUES (?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer s.Release()
	s.BindID(1, row.id)
	s.BindInt64(2, row.kind)
	s.BindText(3, row.value)
	s.BindNull(4)
	s.BindNull(5)
	if row.kind == kindTyped {
		s.BindID(4, row.datatype)
	}
	if row.kind == kindLang {
		s.BindText(5, row.lang)
	}
	s.BindInt64(6, row.hash)
	_, err = s.Step()
	return err
}
