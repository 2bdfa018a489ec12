package wordindex

import (
	"bytes"
	"context"
	"slices"

	"trails/db/scan"
	"trails/db/stmt"
)

// Places returns the first places of the texts with any of some words, sorted, at most so many. It reads the pages of the index,
// because FTS5 takes a step of SQL for each place, and for each of these compares the next places of all words.
func (p *Pages) Places(ctx context.Context, words []string, most int) ([]Place, error) {
	words = slices.Clone(words)
	slices.Sort(words)
	var lists [][]Place
	for _, segment := range p.segments {
		s := segmentReader{conn: p.conn, segment: segment}
		for _, word := range slices.Compact(words) {
			list, err := s.placesOf(word, most)
			if err != nil {
				return nil, err
			}
			if len(list) > 0 {
				lists = append(lists, list)
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	for len(lists) > 1 { // lists of similar lengths are merged, so that each place is copied few times
		half := lists[:0]
		for pair := range slices.Chunk(lists, 2) {
			if len(pair) == 2 {
				pair[0] = merge(pair[0], pair[1], most)
			}
			half = append(half, pair[0])
		}
		lists = half
	}
	if len(lists) == 0 {
		return nil, nil
	}
	return lists[0], nil
}

// merge returns the first places of two sorted lists, each once.
func merge(a, b []Place, most int) []Place {
	all := make([]Place, 0, min(len(a)+len(b), most))
	for len(all) < most && len(a)+len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			all, a = append(all, a[0]), a[1:]
		case len(a) > 0 && a[0] == b[0]:
			all, a, b = append(all, a[0]), a[1:], b[1:]
		default:
			all, b = append(all, b[0]), b[1:]
		}
	}
	return all
}

// segmentReader finds the places of words in one segment. The words must come in order.
type segmentReader struct {
	conn    *stmt.Conn
	segment int64
	number  int64   // of the page that was read last, 0 for none
	page    []byte  // this page
	words   entries // on this page
	more    bool    // there is a current word, which is not less than the last one that was looked up
	// until is the least word that may be on a later page, with its mark: nil if there is none, or if bounded is not set.
	until   []byte
	bounded bool
}

// read reads a page of the segment; there is false if the segment does not have it.
func (s *segmentReader) read(number int64) (there bool, err error) {
	err = s.conn.Exec(onePage, func(row *stmt.Stmt) error {
		s.page, there = blockOf(row, s.page), true
		return nil
	}, s.segment, number)
	s.number, s.words, s.more, s.bounded = number, entries{}, false, false
	if err != nil || !there {
		return false, err
	}
	if s.words, err = entriesOf(s.page); err == nil {
		s.more, err = s.words.next()
	}
	return true, err
}

// find moves to a word, and reports whether the segment has it.
func (s *segmentReader) find(word []byte) (is bool, err error) {
	for sought := false; ; {
		for s.more && bytes.Compare(s.words.word, word) < 0 {
			if s.more, err = s.words.next(); err != nil {
				return false, err
			}
		}
		if s.more || sought || s.bounded && (s.until == nil || bytes.Compare(word, s.until) < 0) {
			return s.more && bytes.Equal(s.words.word, word), nil
		}
		number, until := int64(0), []byte(nil)
		err := s.conn.Exec(pageOfWord, func(row *stmt.Stmt) error {
			number, until = row.ColumnInt64(0), row.Blob(1)
			return nil
		}, s.segment, word)
		if err != nil || number == 0 {
			return false, err
		}
		if number != s.number {
			if _, err := s.read(number); err != nil { // a segment that is being merged has lost its first pages
				return false, err
			}
		}
		sought, s.until, s.bounded = true, until, true
	}
}

// placesOf returns the first places of a word.
func (s *segmentReader) placesOf(word string, most int) (list []Place, err error) {
	is, err := s.find(append([]byte{wordMark}, word...))
	if err != nil || !is {
		return nil, err
	}
	from, to, last := s.words.from, s.words.to, s.words.last()
	for {
		ok := false
		if list, ok = appendPlaces(list, s.page[from:to], most); !ok {
			return nil, errWords()
		}
		if !last || len(list) == most {
			return list, nil
		}
		there, err := s.read(s.number + 1)
		if err != nil || !there {
			return list, err
		}
		from, to, last = header, s.words.end, !s.more
		if s.more {
			to = s.words.start
		}
		if from > to {
			return nil, errWords()
		}
	}
}

// appendPlaces adds the places that a page has of a word, until there are most.
func appendPlaces(list []Place, text []byte, most int) (all []Place, ok bool) {
	list, at := slices.Grow(list, min(len(text), most-len(list))), int64(0)
	for len(text) > 0 && len(list) < most {
		step, n := scan.Varint(text)
		if at += step; n == 0 || step <= 0 || at <= 0 {
			return list, false
		}
		list, text = append(list, Place(at)), text[n:]
	}
	return list, true
}
