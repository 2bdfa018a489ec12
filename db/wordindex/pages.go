package wordindex

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"

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
const (
	segments  = "SELECT DISTINCT segid FROM words_idx"
	wordPages = `SELECT d.block FROM words_idx i JOIN words_data d ON d.id = (i.segid << 37) + (i.pgno >> 1)
		WHERE i.segid = ?1 AND i.term >= (SELECT max(term) FROM words_idx WHERE segid = ?1 AND term <= ?2) AND i.term < ?3
		ORDER BY i.term LIMIT ?4 + 0`
)

// wordMark precedes each word on a page; it marks the main index.
const wordMark = '0'

// Beginning calls visit for the words of the index that begin with a text, on a bounded number of pages of each
// segment, until it returns false. They are sorted within each segment; a word can be in several.
func Beginning(ctx context.Context, c *stmt.Conn, begin string, pages int, visit func(string) bool) error {
	first := append([]byte{wordMark}, begin...)
	last := append([]byte(nil), first...)
	last[len(last)-1]++ // no byte of UTF-8 is the greatest one
	var all []int64
	err := c.Exec(segments, func(row *stmt.Stmt) error {
		all = append(all, row.ColumnInt64(0))
		return nil
	})
	for _, segment := range all {
		if err != nil {
			break
		}
		err = c.Exec(wordPages, func(row *stmt.Stmt) error {
			stopped := false
			err := wordsOn(row.Blob(0), func(word string) bool {
				if strings.HasPrefix(word, begin) {
					stopped = !visit(word)
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

// wordsOn calls visit for the words that begin on a page, until it returns false.
func wordsOn(page []byte, visit func(string) bool) error {
	wrong := stmt.Damaged("a page of words_data is not one of words")
	if len(page) < 4 {
		return wrong
	}
	end := int(binary.BigEndian.Uint16(page[2:]))
	if end > len(page) {
		return wrong
	}
	places := page[end:]
	var word []byte
	for at := int64(0); len(places) > 0; {
		step := number(&places)
		if at += step; step < 0 || at <= 0 || at >= int64(end) {
			return wrong
		}
		rest := page[at:end]
		shared := int64(0)
		if word != nil {
			shared = number(&rest)
		}
		n := number(&rest)
		if shared < 0 || shared > int64(len(word)) || n < 0 || n > int64(len(rest)) {
			return wrong
		}
		word = append(word[:shared], rest[:n]...)
		if len(word) > 0 && word[0] == wordMark && !visit(string(word[1:])) {
			return nil
		}
	}
	return nil
}

// number takes a number off the beginning of a text, -1 if it does not end.
func number(text *[]byte) int64 {
	value, n := scan.Varint(*text)
	if *text = (*text)[n:]; n == 0 {
		*text, value = nil, -1
	}
	return value
}
