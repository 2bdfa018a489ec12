package db

import (
	"errors"
	"math"

	"trails/db/dictionary"
	"trails/db/inline"
	"trails/db/stmt"
	"trails/fault"
	"trails/text/fulltext"
)

// The table words is the index for full-text search: which words are in which texts of the dictionary. A term never
// changes and is never removed, so the index does not depend on views and commits; the nodes that have a text are
// looked up in the statements.
//
// The place of a term in the index is its id, with its length class in the bits above. A list of places so begins
// with the shortest texts, which are often names, and a search that reads the first places gets the best ones.
//
// Adding to the index would cost each transaction as much as a third of a small write, however few the words. So the
// newest texts are left out, and a search reads them; the write after which they are too many adds them all.

// placeBits is the number of bits of a place for the id.
const placeBits = 34

// textLengths are the upper bounds of the length classes, in bytes.
var textLengths = [...]int64{40, fulltext.ShortText, math.MaxInt64}

// place is a row number of the index.
type place int64

// placeOf returns the place of a text.
func placeOf(id inline.TermID, text string) place {
	for i, longest := range textLengths {
		if int64(len(text)) <= longest {
			return place(id) | place(i)<<placeBits
		}
	}
	panic("db: a text is longer than any")
}

// termAt returns the id of the term at a place.
func termAt(at place) inline.TermID { return inline.TermID(at & (1<<placeBits - 1)) }

// indexed reports whether terms of a kind are texts.
func indexed(kind int64) bool { return kind == dictionary.KindString || kind == dictionary.KindLang }

// Bounds on what is not in the index yet. When it searches, a process splits each of these texts into words once.
const (
	unindexedTerms = 4_000
	unindexedBytes = 256 << 10 // of texts
)

// unindexed says which terms are not in the index, and the size of the texts among them.
type unindexed struct {
	indexed   inline.TermID // the last term in the index
	last      inline.TermID // last term that has been counted
	textBytes int
}

// countUnindexed counts the unindexed texts up to a term. It reads only those that another process wrote since the
// last commit of this one.
func (w *Writer) countUnindexed(last inline.TermID) error {
	counted := w.caches.unindexed.Load()
	if counted != nil && counted.indexed == w.indexed {
		w.unindexed = *counted
	} else {
		w.unindexed.last = w.indexed
	}
	if last <= w.unindexed.last {
		return nil
	}
	n, err := w.conn.Int64("SELECT coalesce(sum(octet_length(value)), 0) FROM terms WHERE id > ? AND kind IN (3, 5)", w.unindexed.last)
	w.unindexed.last, w.textBytes = last, w.textBytes+int(n)
	return err
}

const (
	insertWords  = "INSERT INTO words (rowid, word) VALUES (?, ?)"
	newTexts     = "SELECT id, value FROM terms WHERE id > ? AND kind IN (3, 5) ORDER BY id"
	indexedUntil = "UPDATE words_until SET term = ?"
)

// takeMany marks the texts up to a term as indexed if they are many. The caller then indexes those after the returned
// term.
func (u *unindexed) takeMany(last inline.TermID) (after inline.TermID, many bool) {
	if last-u.indexed <= unindexedTerms && u.textBytes <= unindexedBytes {
		return 0, false
	}
	after = u.indexed
	u.indexed, u.textBytes = last, 0
	return after, true
}

// indexTexts adds the unindexed texts to the index, if they are many.
func (w *Writer) indexTexts() error {
	last := w.next - 1
	if after, many := w.takeMany(last); many {
		return w.conn.indexTexts(after, last)
	}
	return nil
}

// indexTexts adds the texts after one term to the index, up to the last.
func (c *conn) indexTexts(after, last inline.TermID) error {
	insert, err := c.Take(insertWords)
	if err != nil {
		return err
	}
	defer insert.Release()
	adding := addingTexts{insert: insert}
	err = c.Exec(newTexts, func(row *stmt.Stmt) error { return adding.add(row.ID(0), row.ColumnText(1)) }, after)
	if err == nil {
		err = adding.drain()
	}
	if err != nil {
		return err
	}
	return c.Exec(indexedUntil, nil, last)
}

const (
	textsSorted = 8 << 20  // bytes of texts that are sorted by their places together
	textsCut    = 64 << 10 // bytes of texts that are split into words together
)

// addingTexts adds texts to the index in the order of their places, because FTS5 writes its buffer whenever a place
// is less than the previous one. While SQLite inserts the words of some texts, the next ones are split. One statement
// for each text is cheaper than one for all, because FTS5 writes its buffer before such a statement to be able to
// undo it.
type addingTexts struct {
	insert   *stmt.Stmt
	entry    fulltext.Entry
	gathered [len(textLengths)][]placedText
	bytes    int
}

// placedText is a text, or its words, with its place in the index.
type placedText struct {
	at   place
	text string
}

func (a *addingTexts) add(id inline.TermID, text string) error {
	at := placeOf(id, text)
	of := &a.gathered[at>>placeBits]
	*of = append(*of, placedText{at, text})
	if a.bytes += len(text); a.bytes < textsSorted {
		return nil
	}
	return a.drain()
}

// drain adds what is buffered.
func (a *addingTexts) drain() error {
	var cut []placedText
	for i, texts := range a.gathered {
		for len(texts) > 0 {
			n, bytes := 0, 0
			for ; n < len(texts) && bytes < textsCut; n++ {
				bytes += len(texts[n].text)
			}
			if err := a.turn(cut, texts[:n]); err != nil {
				return err
			}
			cut, texts = texts[:n], texts[n:]
		}
		a.gathered[i] = a.gathered[i][:0]
	}
	a.bytes = 0
	return a.turn(cut, nil)
}

// turn passes words to SQLite, and splits other texts meanwhile.
func (a *addingTexts) turn(cut, whole []placedText) error {
	done := make(chan error, 1)
	go func() {
		done <- fault.Guard(func() error {
			for i := range whole {
				whole[i].text = a.entry.Of(whole[i].text)
			}
			return nil
		})
	}()
	err := a.put(cut)
	return errors.Join(err, <-done)
}

func (a *addingTexts) put(list []placedText) error {
	for _, t := range list {
		a.insert.BindInt64(1, int64(t.at))
		a.insert.BindText(2, t.text)
		if _, err := a.insert.Step(); err != nil {
			return err
		}
		if err := a.insert.Reset(); err != nil {
			return err
		}
	}
	return nil
}
