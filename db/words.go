package db

import (
	"math"

	"zombiezen.com/go/sqlite"

	"trails/db/inline"
	"trails/fulltext"
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

// Bounds of what is not in the index yet.
const (
	unindexedTerms = 500
	unindexedBytes = 64 << 10 // of one transaction
)

const (
	insertWords = "INSERT INTO words (rowid, word) VALUES (?, ?)"
	// FTS5 writes what it holds in memory whenever a place is before the last one, so the
	// texts come in the order of their places.
	addWords = `INSERT INTO words (rowid, word) SELECT id | ?, words_of(value) FROM terms
		WHERE id > ? AND kind IN (3, 5) AND octet_length(value) > ? AND octet_length(value) <= ? ORDER BY id`
	indexedUntil = "UPDATE words_until SET term = ?"
)

// indexTexts adds the texts to the index that are not in it, when they are many.
func (w *Writer) indexTexts() error {
	last := w.next - 1
	if last-w.indexed <= unindexedTerms && w.textBytes <= unindexedBytes {
		return nil
	}
	shortest := int64(-1)
	for i, longest := range textLengths {
		if err := w.conn.exec(addWords, nil, int64(i)<<placeBits, w.indexed, shortest, longest); err != nil {
			return err
		}
		shortest = longest
	}
	w.indexed, w.textBytes = last, 0
	return w.conn.exec(indexedUntil, nil, last)
}

// registerWords gives a connection the function words_of.
func registerWords(c *conn) error {
	var entry fulltext.Entry
	return c.CreateFunction("words_of", &sqlite.FunctionImpl{
		NArgs: 1, Deterministic: true,
		Scalar: func(_ sqlite.Context, args []sqlite.Value) (sqlite.Value, error) {
			return sqlite.TextValue(entry.Of(args[0].Text())), nil
		},
	})
}
