// Package wordindex is the index for full-text search, the table words: which words are in which texts of the
// dictionary. A term never changes and is never removed, so the index does not depend on views and commits; the nodes
// that have a text are looked up in the statements.
//
// The place of a term in the index is its id, with its length class in the bits above. A list of places so begins
// with the shortest texts, which are often names, and a search that reads the first places gets the best ones.
//
// Adding to the index would cost each transaction as much as a third of a small write, however few the words. So the
// newest texts are left out, and a search reads them; the write after which they are too many adds them all.
//
// Read [Place] first.
package wordindex

import (
	"errors"
	"math"

	"trails/db/dictionary"
	"trails/db/inline"
	"trails/db/stmt"
	"trails/fault"
	"trails/text/fulltext"
)

const (
	placeBits = 34 // the bits of a place for the id
	// PlaceTerm selects these bits.
	PlaceTerm int64 = 1<<placeBits - 1
)

// textLengths are the upper bounds of the length classes, in bytes.
var textLengths = [...]int64{40, fulltext.ShortText, math.MaxInt64}

// Place is a row number of the index.
type Place int64

// The first places of texts that may have a word of more than fulltext.MaxWord bytes, and of texts of more than
// fulltext.ShortText bytes.
const (
	WordyTexts Place = 1 << placeBits
	LongTexts  Place = 2 << placeBits
)

// PlaceOf returns the place of a text.
func PlaceOf(id inline.TermID, text string) Place {
	for i, longest := range textLengths {
		if int64(len(text)) <= longest {
			return Place(id) | Place(i)<<placeBits
		}
	}
	panic("wordindex: a text is longer than any")
}

// Class returns the length class of the text, 0 for the shortest.
func (at Place) Class() int64 { return int64(at >> placeBits) }

// Term returns the id of the term at a place.
func (at Place) Term() inline.TermID { return inline.TermID(int64(at) & PlaceTerm) }

// Indexed reports whether terms of a kind are texts.
func Indexed(kind int64) bool { return kind == dictionary.KindString || kind == dictionary.KindLang }

// Bounds on what is not in the index yet. When it searches, a process splits each of these texts into words once.
const (
	MostUnindexed  = 4_000
	unindexedBytes = 256 << 10 // of texts
)

// Unindexed says which terms are not in the index, and the size of the texts among them.
type Unindexed struct {
	indexed   inline.TermID // the last term in the index
	Last      inline.TermID // last term that has been counted
	textBytes int
}

// CountUnindexed counts the unindexed texts up to a term. counted, unless nil, is an earlier count: only later terms are
// read if the index has not grown since.
func CountUnindexed(c *stmt.Conn, indexed, last inline.TermID, counted *Unindexed) (u Unindexed, err error) {
	if u = (Unindexed{indexed: indexed, Last: indexed}); counted != nil && counted.indexed == indexed {
		u = *counted
	}
	if last <= u.Last {
		return u, nil
	}
	n, err := c.Int64("SELECT coalesce(sum(octet_length(value)), 0) FROM terms WHERE id > ? AND kind IN (3, 5)", u.Last)
	u.Last, u.textBytes = last, u.textBytes+int(n)
	return u, err
}

// Count adds a new term.
func (u *Unindexed) Count(kind int64, text string) {
	if Indexed(kind) {
		u.textBytes += len(text)
	}
}

// insertWords adds the words of a text at its place, and NewTexts selects the texts after a term.
const (
	insertWords  = "INSERT INTO words (rowid, word) VALUES (?, ?)"
	NewTexts     = "SELECT id, value FROM terms WHERE id > ? AND kind IN (3, 5) ORDER BY id"
	indexedUntil = "UPDATE words_until SET term = ?"
)

// TakeMany marks the texts up to a term as indexed if they are many. The caller then indexes those after the returned
// term.
func (u *Unindexed) TakeMany(last inline.TermID) (after inline.TermID, many bool) {
	if last-u.indexed <= MostUnindexed && u.textBytes <= unindexedBytes {
		return 0, false
	}
	after = u.indexed
	u.indexed, u.textBytes = last, 0
	return after, true
}

// AddMany adds the unindexed texts up to a term to the index, if they are many.
func (u *Unindexed) AddMany(c *stmt.Conn, last inline.TermID) error {
	after, many := u.TakeMany(last)
	if !many {
		return nil
	}
	return Add(c, after, last)
}

// Add adds the texts after one term to the index, up to the last.
func Add(c *stmt.Conn, after, last inline.TermID) error {
	insert, err := c.Take(insertWords)
	if err != nil {
		return err
	}
	defer insert.Release()
	adding := addingTexts{insert: insert}
	err = c.Exec(NewTexts, func(row *stmt.Stmt) error { return adding.add(row.ID(0), row.ColumnText(1)) }, after)
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
	at   Place
	text string
}

func (a *addingTexts) add(id inline.TermID, text string) error {
	at := PlaceOf(id, text)
	of := &a.gathered[at.Class()]
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
