package wordindex

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"trails/db/scan"
	"trails/db/stmt"
)

// The words of the index are read directly from its pages, where some hundred words follow each other. FTS5 itself
// would step from word to word through all texts that have them, or search for each word.
//
// What follows is from the comment at the head of SQLite's fts5_index.c. The index is made of segments, each of them
// sorted by word. A page of one is a row of words_data whose id is the segment and the page's number, and words_idx
// leads to the first page that may have a word. A page begins with two numbers of 16 bits, of which the second is the
// length of what comes before the table of places. The table has the offsets of the words: the first from the start
// of the page, each other one from the previous word. The first word is preceded by its length, the others by the
// length of the prefix shared with the previous word and the length of the rest. Numbers are as in SQLite's records.
//
// Each word is followed by the texts that have it: the first place, and then the distances from one place to the next.
// What does not fit goes on behind the header of the next page, with a whole place again, up to the first word that
// begins there. No text leaves the index, so there are no marks of deleted ones.
const (
	// segments selects each segment by one search. A DISTINCT would step through all pages of the index.
	segments = `WITH RECURSIVE s (id) AS (SELECT min(segid) FROM words_idx
		UNION ALL SELECT (SELECT min(segid) FROM words_idx WHERE segid > id) FROM s WHERE id IS NOT NULL)
		SELECT id FROM s WHERE id IS NOT NULL`
	wordPages = `SELECT d.block FROM words_idx i JOIN words_data d ON d.id = (i.segid << 37) + (i.pgno >> 1)
		WHERE i.segid = ?1 AND i.term >= (SELECT max(term) FROM words_idx WHERE segid = ?1 AND term <= ?2) AND i.term < ?3
		ORDER BY i.term LIMIT ?4 + 0`
	// pageOfWord selects the page that may have a word, and the least word that may be on a later one.
	pageOfWord = `SELECT pgno >> 1, (SELECT min(term) FROM words_idx WHERE segid = ?1 AND term > ?2)
		FROM words_idx WHERE segid = ?1 AND term <= ?2 ORDER BY term DESC LIMIT 1`
	onePage = "SELECT block FROM words_data WHERE id = (?1 << 37) + ?2"
)

// header is the length of the two numbers at the beginning of a page.
const header = 4

// wordMark precedes each word on a page; it marks the main index.
const wordMark = '0'

// Pages reads the pages of the index in one transaction. It must be used by one goroutine at a time.
type Pages struct {
	conn     *stmt.Conn
	segments []int64
}

// PagesOf begins to read the pages of the index.
func PagesOf(c *stmt.Conn) (*Pages, error) {
	p := &Pages{conn: c}
	err := c.Exec(segments, func(row *stmt.Stmt) error {
		p.segments = append(p.segments, row.ColumnInt64(0))
		return nil
	})
	return p, err
}

// Beginning calls visit for the words of the index that begin with a text, on a bounded number of pages of each
// segment, until it returns false. They are sorted within each segment; a word can be in several. It is valid until the
// next one.
func (p *Pages) Beginning(ctx context.Context, begin string, pages int, visit func(word []byte) bool) error {
	first := append([]byte{wordMark}, begin...)
	last := append([]byte(nil), first...)
	last[len(last)-1]++ // no byte of UTF-8 is the greatest one
	var err error
	var page []byte
	for _, segment := range p.segments {
		if err != nil {
			break
		}
		err = p.conn.Exec(wordPages, func(row *stmt.Stmt) error {
			stopped := false
			page = blockOf(row, page)
			err := wordsOn(page, func(word []byte) bool {
				if bytes.HasPrefix(word, first) {
					stopped = !visit(word[1:])
				}
				return !stopped
			})
			if stopped {
				return errStopped
			}
			return errors.Join(err, ctx.Err())
		}, segment, first, last, pages)
	}
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// errStopped ends the reading of pages when no more words are wanted.
var errStopped = errors.New("no more words are wanted")

// blockOf copies the block of a row into a buffer that is used again.
func blockOf(row *stmt.Stmt, page []byte) []byte {
	page = slices.Grow(page[:0], row.ColumnLen(0))[:row.ColumnLen(0)]
	row.ColumnBytes(0, page)
	return page
}

// errWords says that a page is damaged.
func errWords() error { return stmt.Damaged("a page of words_data is not one of words") }

// entries iterates over the words that begin on a page.
type entries struct {
	page   []byte
	end    int    // of the texts
	places []byte // what is left of the table
	at     int    // the offset of the next word, 0 if there is none
	// The current word with its mark, its offset, and those of its texts. Those of the last word go on on the next pages.
	word            []byte
	start, from, to int
}

// entriesOf begins with no current word.
func entriesOf(page []byte) (e entries, err error) {
	if len(page) < header {
		return e, errWords()
	}
	e = entries{page: page, end: int(binary.BigEndian.Uint16(page[2:]))}
	if e.end > len(page) {
		return e, errWords()
	}
	e.places = page[e.end:]
	return e, e.step()
}

// step takes the offset of the next word off the table.
func (e *entries) step() error {
	if len(e.places) == 0 {
		e.at = 0
		return nil
	}
	step := number(&e.places)
	if step <= 0 || step >= int64(e.end-e.at) || e.at+int(step) < header {
		return errWords()
	}
	e.at += int(step)
	return nil
}

// next moves to the next word; more is false at the end.
func (e *entries) next() (more bool, err error) {
	if e.at == 0 {
		return false, nil
	}
	first := e.word == nil
	e.start = e.at
	if err := e.step(); err != nil {
		return false, err
	}
	if e.to = e.at; e.at == 0 {
		e.to = e.end
	}
	rest, shared := e.page[e.start:e.to], int64(0)
	if !first {
		shared = number(&rest)
	}
	n := number(&rest)
	if shared < 0 || shared > int64(len(e.word)) || n <= 0 || n > int64(len(rest)) {
		return false, errWords()
	}
	e.word = append(e.word[:shared], rest[:n]...)
	e.from = e.to - len(rest) + int(n)
	return true, nil
}

// last reports whether the current word is the last one that begins on the page.
func (e *entries) last() bool { return e.at == 0 }

// wordsOn calls visit for the words that begin on a page, with their marks, until it returns false.
func wordsOn(page []byte, visit func(word []byte) bool) error {
	e, err := entriesOf(page)
	for err == nil {
		more := false
		if more, err = e.next(); err == nil && (!more || !visit(e.word)) {
			return nil
		}
	}
	return err
}

// number takes a number off the beginning of a text, -1 if it does not end.
func number(text *[]byte) int64 {
	if t := *text; len(t) > 0 && t[0] < 0x80 { // as nearly all are
		*text = t[1:]
		return int64(t[0])
	}
	value, n := scan.Varint(*text)
	if *text = (*text)[n:]; n == 0 {
		*text, value = nil, -1
	}
	return value
}
