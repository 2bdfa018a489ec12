package db

import (
	"context"
	"fmt"

	"trails/db/dictionary"
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
	if id, ok := w.dict.Held(t); ok {
		return id, nil
	}
	if w.bulk == nil {
		id, hash, err := w.dict.Find(t)
		if err != nil {
			return 0, err
		}
		if id == 0 {
			return w.newTerm(t, hash)
		}
		w.dict.Bound(heldIDs)
		return id, nil
	}
	key := w.dict.Key(t) // which a bulk load already has
	id, err := w.bulkID(t, key)
	if err == nil && id == 0 {
		id, err = w.newTerm(t, key.Hash())
	}
	if err != nil {
		return 0, err
	}
	w.dict.Hold(t, id)
	w.bulk.ids.Put(key, id)
	w.dict.Bound(heldIDs)
	return id, w.boundKeys()
}

// bulkID returns the id of a term, 0 if it is new.
func (w *Writer) bulkID(t rdf.Term, key dictionary.Key) (inline.TermID, error) {
	if id := w.bulk.ids.Get(key); id != 0 || w.bulk.whole {
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
		id, _, err := w.dict.Lookup(t)
		return id, err
	}
	if id, ok := inline.ID(t); ok {
		return id, nil
	}
	return w.bulkID(t, w.dict.Key(t))
}

func (w *Writer) newTerm(t rdf.Term, hash int64) (inline.TermID, error) {
	row := dictionary.Row{Hash: hash}
	switch v := t.(type) {
	case rdf.IRI:
		row.Kind, row.Value = dictionary.KindIRI, string(v)
	case rdf.BNode:
		row.Kind, row.Value = dictionary.KindBNode, string(v)
	case rdf.String:
		row.Kind, row.Value = dictionary.KindString, string(v)
	case rdf.TypedString:
		datatype, err := w.internTerm(v.Type)
		if err != nil {
			return 0, err
		}
		row.Kind, row.Value, row.Datatype = dictionary.KindTyped, string(v.Value), datatype
	case rdf.LangString:
		row.Kind, row.Value, row.Lang = dictionary.KindLang, string(v.Value), v.Lang
	default:
		return 0, fmt.Errorf("%T is not an RDF term", t)
	}
	w.unindexed.Count(row.Kind, row.Value)
	row.ID = w.next
	w.next++
	if w.bulk != nil {
		return row.ID, w.bufferTerm(row)
	}
	return row.ID, w.dict.Insert(t, row)
}
