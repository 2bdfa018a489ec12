package db

import (
	"errors"
	"math"

	"trails/db/inline"
	"trails/fault"
	"trails/text/fulltext"
)

// The table words is the index of full-text search: which words are in which texts of the
// dictionary. A term never changes and is never removed, so the index knows nothing of
// views and commits; which nodes have a text is asked of the statements.
//
// A term's place in the index is its id, with the length of its text above it: a list of
// places begins with the shortest texts, which are names more often than not. So a search
// that reads the first places of a list has the best of them.
//
// To add to the index costs a transaction as much as a third of a small write, however few
// the words. So the last texts are left out, and a search reads them; whoever makes them too
// many adds them all.

// placeBits is how many bits of a place are the id.
const placeBits = 34

// textLengths are the lengths in bytes after which the places begin anew.
var textLengths = [...]int64{40, fulltext.ShortText, math.MaxInt64}

// place is a row of the index.
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
func indexed(kind int64) bool { return kind == kindString || kind == kindLang }

// Bounds of what is not in the index yet. A process cuts each of these texts into words once,
// when it searches.
const (
	unindexedTerms = 4_000
	unindexedBytes = 256 << 10 // of texts
)

// unindexed says which terms are not in the index, and how long the texts among these are.
type unindexed struct {
	indexed   inline.TermID // the last term in the index
	last      inline.TermID // the last one that is counted
	textBytes int
}

// countUnindexed counts the texts up to a term that are not in the index, those alone that another
// process wrote since the last commit of this one.
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
	n, err := w.conn.int64("SELECT coalesce(sum(octet_length(value)), 0) FROM terms WHERE id > ? AND kind IN (3, 5)", w.unindexed.last)
	w.unindexed.last, w.textBytes = last, w.textBytes+int(n)
	return err
}

const (
	insertWords  = "INSERT INTO words (rowid, word) VALUES (?, ?)"
	newTexts     = "SELECT id, value FROM terms WHERE id > ? AND kind IN (3, 5) ORDER BY id"
	indexedUntil = "UPDATE words_until SET term = ?"
)

// takeMany counts the texts up to a term as indexed when they are many; the caller then indexes
// those after the other one.
func (u *unindexed) takeMany(last inline.TermID) (after inline.TermID, many bool) {
	if last-u.indexed <= unindexedTerms && u.textBytes <= unindexedBytes {
		return 0, false
	}
	after = u.indexed
	u.indexed, u.textBytes = last, 0
	return after, true
}

// indexTexts adds the texts to the index that are not in it, when they are many.
func (w *Writer) indexTexts() error {
	last := w.next - 1
	if after, many := w.takeMany(last); many {
		return w.conn.indexTexts(after, last)
	}
	return nil
}

// indexTexts adds the texts after one term to the index, to the last one.
func (c *conn) indexTexts(after, last inline.TermID) error {
	insert, err := c.take(insertWords)
	if err != nil {
		return err
	}
	defer insert.release()
	adding := addingTexts{insert: insert}
	err = c.exec(newTexts, func(row *stmt) error { return adding.add(row.id(0), row.ColumnText(1)) }, after)
	if err == nil {
		err = adding.drain()
	}
	if err != nil {
		return err
	}
	return c.exec(indexedUntil, nil, last)
}

const (
	textsSorted = 8 << 20  // bytes of texts that are brought into the order of their places
	textsCut    = 64 << 10 // of those that are cut into words together
)

// addingTexts adds texts to the index, in the order of their places: FTS5 writes what it holds
// in memory whenever a place is before the last one. While SQLite takes the words of
// some, the next are cut. A statement for each costs less than one for all, before which FTS5
// would write what it holds, too, to be able to undo it.
type addingTexts struct {
	insert   *stmt
	entry    fulltext.Entry
	gathered [len(textLengths)][]placedText
	bytes    int
}

// placedText is a text, or its words, and its place in the index.
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

// drain adds what is gathered.
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

// turn hands words to SQLite and cuts other texts meanwhile.
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
