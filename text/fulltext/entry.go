package fulltext

import (
	"hash/maphash"
	"unicode/utf8"
)

// MaxText is how many bytes at the beginning of a text are indexed.
const MaxText = 1 << 20

// ShortText is the greatest length in bytes of a text that counts as a name or title. For these, prefixes of
// words are also indexed.
const ShortText = 160

// MaxBeginning is the greatest length of an indexed prefix.
const MaxBeginning = 3

// beginningMark marks an indexed prefix. No word contains it, and it sorts after all ASCII words of the
// vocabulary.
const beginningMark = '~'

// Beginning returns the index entry for words with a prefix of at most [MaxBeginning] characters.
func Beginning(text string) string { return string(beginningMark) + text }

// An Entry makes the index entries of texts: the distinct words, and for short texts their prefixes. The zero
// Entry is ready; it must be used by one goroutine at a time.
type Entry struct {
	words []byte
	seen  spans
}

// Of returns the words of a text, separated by spaces.
func (e *Entry) Of(text string) string {
	short := len(text) <= ShortText
	if len(text) > MaxText {
		end := MaxText
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	e.seen.clear()
	e.words = e.words[:0]
	Each(text, func(w Word) bool {
		from := len(e.words)
		e.words = append(e.words, w.Text...)
		if !e.once(from) || !short {
			return true
		}
		n := 0
		for end := range w.Text {
			if n++; n > 1 {
				e.begin(w.Text[:end])
			}
			if n > MaxBeginning {
				return true
			}
		}
		e.begin(w.Text)
		return true
	})
	return string(e.words)
}

// begin adds a prefix.
func (e *Entry) begin(text string) {
	from := len(e.words)
	e.words = append(append(e.words, beginningMark), text...)
	e.once(from)
}

// once removes the word just added, at from, if the entry has it already, and reports whether it was new.
func (e *Entry) once(from int) bool {
	if !e.seen.add(e.words, from) {
		e.words = e.words[:from]
		return false
	}
	e.words = append(e.words, ' ')
	return true
}

// spans is a set of substrings of a text. Unlike a map it needs no string for each member, which would cost
// more than all the rest of indexing.
type spans struct {
	seed  maphash.Seed
	table []span // hash table; its length is a power of two, empty slots end at 0
	used  []int  // used slots of table
}

type span struct {
	hash     uint64
	from, to int
}

const leastSpans = 256

func (s *spans) clear() {
	for _, at := range s.used {
		s.table[at] = span{}
	}
	s.used = s.used[:0]
}

// add adds the substring from a position to the end of text, and reports whether it was new.
func (s *spans) add(text []byte, from int) bool {
	if s.table == nil {
		s.seed, s.table = maphash.MakeSeed(), make([]span, leastSpans)
	}
	if len(s.used) >= len(s.table)/2 {
		s.grow()
	}
	hash := maphash.Bytes(s.seed, text[from:])
	at := int(hash) & (len(s.table) - 1)
	for ; s.table[at].to > 0; at = (at + 1) & (len(s.table) - 1) {
		if other := s.table[at]; other.hash == hash && string(text[other.from:other.to]) == string(text[from:]) {
			return false
		}
	}
	s.table[at] = span{hash, from, len(text)}
	s.used = append(s.used, at)
	return true
}

func (s *spans) grow() {
	members := make([]span, len(s.used))
	for i, at := range s.used {
		members[i] = s.table[at]
	}
	s.table = make([]span, 2*len(s.table))
	for i, m := range members {
		at := int(m.hash) & (len(s.table) - 1)
		for s.table[at].to > 0 {
			at = (at + 1) & (len(s.table) - 1)
		}
		s.table[at], s.used[i] = m, at
	}
}

// Quote returns a word of the index as an FTS5 string. A word contains no quotation marks.
func Quote(word string) string { return `"` + word + `"` }
