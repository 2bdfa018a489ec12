package db

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"trails/db/inline"
	"trails/db/stmt"
	"trails/db/wordindex"
	"trails/text/fulltext"
)

// word adds a word of a text to a set.
func (k *rowKey) word(set *rowSet, at wordindex.Place, word string) {
	k.buffer = append(binary.LittleEndian.AppendUint64(k.buffer[:0], uint64(at)), word...)
	for i, seed := range k.seeds {
		set.sum[i] += maphash.Bytes(seed, k.buffer)
	}
	set.n++
}

// noteWords adds the words of a text that the index must have.
func (v *verifier) noteWords(at wordindex.Place, text string) {
	if at.Term() > v.indexed {
		return
	}
	v.texts++
	for word := range strings.FieldsSeq(v.entry.Of(text)) {
		v.key.word(&v.words, at, word)
	}
}

const indexedWords = "SELECT term, doc FROM word_places"

// indexOfWords checks that the index has exactly the words of the texts. SQLite checks the pages themselves; see
// [verifier.pages].
func (v *verifier) indexOfWords() error {
	if left := v.terms - v.indexed; left < 0 || left > wordindex.MostUnindexed {
		v.problem("words_until: %d terms are not in the index of words", left)
	}
	var rows rowSet
	var done int64
	err := v.conn.Exec(indexedWords, func(s *stmt.Stmt) error {
		v.key.word(&rows, wordindex.Place(s.ColumnInt64(1)), s.ColumnText(0))
		return v.tick("words", v.words.n, &done)
	})
	if err != nil {
		return err
	}
	if rows != v.words {
		if err := v.nameWords(); err != nil {
			return err
		}
	}
	if err := v.wordPages(); err != nil {
		return err
	}
	return v.wordSettings()
}

// wordPages checks that words_idx leads to every page of the index on which a word begins. SQLite checks that the
// entries of words_idx are right, but not that there is one for every page. A page is a row of words_data whose id is
// its segment and its number; it begins with two numbers of 16 bits, and when it is longer than the second one says,
// words begin on it (the comment at the head of SQLite's fts5_index.c).
func (v *verifier) wordPages() error {
	const segmentShift, notLeaf = 37, 0x3f << 31
	pages := map[int64]int{}
	err := v.conn.Exec("SELECT id, substr(block, 3, 2), length(block) FROM words_data WHERE id >= ?", func(s *stmt.Stmt) error {
		id, header := s.ColumnInt64(0), s.Blob(1)
		if id&notLeaf == 0 && len(header) == 2 && s.ColumnInt64(2) > int64(binary.BigEndian.Uint16(header)) {
			pages[id>>segmentShift]++
		}
		return nil
	}, int64(1)<<segmentShift)
	if err != nil {
		return err
	}
	err = v.conn.Exec("SELECT segid, count(*) FROM words_idx GROUP BY segid", func(s *stmt.Stmt) error {
		pages[s.ColumnInt64(0)] -= s.ColumnInt(1)
		return nil
	})
	for segment, n := range pages {
		if n != 0 {
			v.problem("words_idx: segment %d lacks %d pages of words", segment, n)
		}
	}
	return err
}

// nameWords reports the words that only the index has, and those that it lacks. It compares text by text, because
// problems are rare.
func (v *verifier) nameWords() error {
	before := len(v.report.Problems)
	count := 0
	err := v.conn.Exec(indexedWords, func(s *stmt.Stmt) error {
		if count == named {
			return nil
		}
		text, there, err := v.textAt(wordindex.Place(s.ColumnInt64(1)))
		if err == nil && (!there || !v.has(text, s.ColumnText(0))) {
			count++
			v.problem("index words has %q for term %d, whose text does not have it", s.ColumnText(0), wordindex.Place(s.ColumnInt64(1)).Term())
		}
		return err
	})
	if err != nil {
		return err
	}
	count = 0
	err = v.conn.Exec("SELECT id, value FROM terms WHERE kind IN (3, 5) AND id <= ?", func(s *stmt.Stmt) error {
		if count >= named {
			return nil
		}
		found, places := len(v.report.Problems), wordPlaces{}
		v.addWords(places, s.ID(0), s.ColumnText(1))
		err := v.sampleWords(places, time.Time{})
		count += len(v.report.Problems) - found
		return err
	}, v.indexed)
	if err == nil && len(v.report.Problems) == before {
		v.problem("the index of words has a word twice")
	}
	return err
}

// textAt returns the text at a place; false if there is none.
func (v *verifier) textAt(at wordindex.Place) (text string, there bool, err error) {
	err = v.conn.Exec("SELECT kind, value FROM terms WHERE id = ?", func(s *stmt.Stmt) error {
		text = s.ColumnText(1)
		there = wordindex.Indexed(s.ColumnInt64(0)) && at.Term() <= v.indexed && wordindex.PlaceOf(at.Term(), text) == at
		return nil
	}, at.Term())
	return text, there, err
}

func (v *verifier) has(text, word string) bool {
	for own := range strings.FieldsSeq(v.entry.Of(text)) {
		if own == word {
			return true
		}
	}
	return false
}

// wordPlaces are the places of texts, in order, by the words that they have.
type wordPlaces map[string][]wordindex.Place

// addWords adds a text that is in the index.
func (v *verifier) addWords(to wordPlaces, id inline.TermID, text string) {
	if id > v.indexed {
		return
	}
	at := wordindex.PlaceOf(id, text)
	for word := range strings.FieldsSeq(v.entry.Of(text)) {
		to[word] = append(to[word], at)
	}
}

// sampleWords checks that the index finds texts by each of their words, until the deadline unless that is zero. A word
// is looked up once for all texts of a length class: FTS5 steps through the places of a word before those that are asked
// for, and there may be tens of thousands.
func (v *verifier) sampleWords(places wordPlaces, deadline time.Time) error {
	for word, all := range places {
		if !deadline.IsZero() && time.Now().After(deadline) {
			return nil
		}
		slices.Sort(all)
		for len(all) > 0 {
			n := 1
			for n < len(all) && all[n].Class() == all[0].Class() {
				n++
			}
			if err := v.findWord(word, all[:n]); err != nil {
				return err
			}
			all = all[n:]
		}
	}
	return nil
}

// findWord checks that the index finds texts at some places by a word.
func (v *verifier) findWord(word string, places []wordindex.Place) error {
	found := map[wordindex.Place]bool{}
	err := v.conn.Exec("SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?", func(s *stmt.Stmt) error {
		found[wordindex.Place(s.ColumnInt64(0))] = true
		return nil
	}, fulltext.Quote(word), int64(places[0]), int64(places[len(places)-1]))
	for _, at := range places {
		if err == nil && !found[at] {
			v.problem("index words lacks %q of term %d", word, at.Term())
		}
	}
	return err
}

// wordSettings checks the settings in the index, which the migration wrote, and its numbers of texts and words.
func (v *verifier) wordSettings() error {
	settings := ""
	err := v.conn.Exec("SELECT k, v FROM words_config ORDER BY k", func(s *stmt.Stmt) error {
		settings += s.ColumnText(0) + " " + s.ColumnText(1) + "\n"
		return nil
	})
	if err != nil {
		return err
	}
	if settings != "automerge 8\nhashsize 8388608\nversion 4\n" {
		v.problem("words_config has other settings than a new file: %q", settings)
	}
	var counts []byte
	err = v.conn.Exec("SELECT block FROM words_data WHERE id = 1", func(s *stmt.Stmt) error {
		counts = s.Blob(0)
		return nil
	})
	if want := appendVarint(appendVarint(nil, uint64(v.texts)), uint64(v.words.n)); err == nil && !bytes.Equal(counts, want) && len(counts)+int(v.texts) > 0 {
		v.problem("words_data: the counts of texts and words are %x and should be %x", counts, want)
	}
	return err
}

// appendVarint appends a number in SQLite's format, highest bits first (https://sqlite.org/fileformat2.html section
// 1.6); it has at most 56 bits.
func appendVarint(b []byte, n uint64) []byte {
	for shift := 49; shift > 0; shift -= 7 {
		if n>>shift != 0 {
			b = append(b, byte(n>>shift)|0x80)
		}
	}
	return append(b, byte(n)&0x7f)
}
