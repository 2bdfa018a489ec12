package fulltext

import "unicode/utf8"

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
	seen  map[string]struct{}
	words []byte
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
	if e.seen == nil {
		e.seen = map[string]struct{}{}
	}
	clear(e.seen)
	e.words = e.words[:0]
	Each(text, func(w Word) bool {
		if !e.add(w.Text) || !short {
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

// add adds a word, unless it is there.
func (e *Entry) add(word string) bool {
	if _, twice := e.seen[word]; twice {
		return false
	}
	e.seen[word] = struct{}{}
	e.words = append(append(e.words, word...), ' ')
	return true
}

// begin adds a beginning.
func (e *Entry) begin(text string) {
	from := len(e.words)
	e.words = append(append(e.words, beginningMark), text...)
	if _, twice := e.seen[string(e.words[from:])]; twice {
		e.words = e.words[:from]
		return
	}
	e.seen[string(e.words[from:])] = struct{}{}
	e.words = append(e.words, ' ')
}

// Quote writes a word of an index as FTS5 reads it, for it has no quotation mark.
func Quote(word string) string { return `"` + word + `"` }
