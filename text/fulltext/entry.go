package fulltext

import (
	"hash/maphash"
	"unicode/utf8"
)

// MaxText is how much of a text is indexed: its first bytes.
const MaxText = 1 << 20

// ShortText is the length in bytes of what may be a name or a title. The beginnings of its
// words are indexed, too.
const ShortText = 160

// MaxBeginning is the length of the longest beginning of a word that is indexed.
const MaxBeginning = 3

// beginningMark stands before a beginning. No word has it, and it is behind all words of
// ASCII in the order of the vocabulary.
const beginningMark = '~'

// Beginning is how the index writes the words that begin with a text of at most
// [MaxBeginning] characters.
func Beginning(text string) string { return string(beginningMark) + text }

// An Entry makes what the index keeps of texts: each word once, and of a short text the
// beginnings of its words. The zero Entry is ready; it serves one goroutine at a time.
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

// begin adds a beginning.
func (e *Entry) begin(text string) {
	from := len(e.words)
	e.words = append(append(e.words, beginningMark), text...)
	e.once(from)
}

// once keeps the word that was just added at a place, unless it is there already.
func (e *Entry) once(from int) bool {
	if !e.seen.add(e.words, from) {
		e.words = e.words[:from]
		return false
	}
	e.words = append(e.words, ' ')
	return true
}

// spans is a set of parts of a text, found by their bytes. It is a map that needs no string of
// its own for each member, which would cost more than all else that is done with a text.
type spans struct {
	seed  maphash.Seed
	table []span // a power of two of them, by their hashes; empty ones end at 0
	used  []int  // the members' places in table
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

// add adds what is between a place of a text and its end, and reports whether it was not there.
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

// Quote writes a word of an index as FTS5 reads it, for it has no quotation mark.
func Quote(word string) string { return `"` + word + `"` }
