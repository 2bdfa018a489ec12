// Package fulltext splits texts into words for full-text search, reads queries, rates how well a text matches,
// and cuts snippets. It reads no files and keeps nothing; the index is in package db. Read [Each] first.
package fulltext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Word is a word of a text.
type Word struct {
	// Text is the normalized word: letters and digits without case, accents and compatibility forms, at most
	// [MaxWord] bytes.
	Text string
	// Start and End are byte positions in the original text.
	Start, End int
	// Again means that the characters are already in preceding words: an identifier after its parts, or the
	// last character of a run of pairs.
	Again bool
	// Open means a single character of a script without spaces, which matches all words that begin with it.
	Open bool
}

// MaxWord is the greatest length of a word in bytes; longer ones are cut.
const MaxWord = 64

// Each yields the words of a text in order, until yield returns false.
//
// A word is a run of letters, digits and their marks. Runs joined by one of . _ - & form an identifier, as does
// a run with an inner capital: T1003.001, snake_case, PowerShell. Its parts are words, and so is the whole
// without the joining characters. Scripts without spaces (Han, Kana, Thai, Lao, Khmer, Burmese) give every pair
// of neighbouring characters, and the last character of a run alone.
func Each(text string, yield func(Word) bool) {
	c := cutter{text: text, yield: yield}
	c.words()
}

// words yields the words of the text.
func (c *cutter) words() {
	for at := 0; at < len(c.text) && !c.stopped; {
		r, size := runeAt(c.text, at)
		if kindOf(r) <= joins {
			at += size
			continue
		}
		end := plain(c.text, at)
		if end == at {
			at = c.identifier(at)
			continue
		}
		w := Word{Start: at, End: end}
		if c.wanted == nil || c.wanted[c.text[at]] {
			w.Text = w.of(c.text)
		}
		c.stopped = !c.yield(w)
		at = end
	}
}

// of returns the text of a plain word.
func (w Word) of(text string) string { return short(fold(text[w.Start:w.End])) }

// plain is a fast path: it returns the end of an ASCII word without inner capitals that no identifier
// continues, or else start.
func plain(text string, start int) int {
	if text[start] >= utf8.RuneSelf {
		return start
	}
	for end := start + 1; end < len(text); end++ {
		if text[end] >= utf8.RuneSelf {
			return start
		}
		switch ascii[text[end]] {
		case lower:
		case separator:
			return end
		case joins:
			if next := end + 1; next == len(text) || text[next] < utf8.RuneSelf && ascii[text[next]] <= joins {
				return end // such as the stop behind a sentence
			}
			return start
		case upper, dense:
			return start
		}
	}
	return len(text)
}

// The kinds of characters.
type kind byte

const (
	separator kind = iota
	joins
	lower // letters without case, digits and marks as well
	upper
	dense // of a script without spaces between words
)

var ascii = func() (kinds [utf8.RuneSelf]kind) {
	for r := range rune(utf8.RuneSelf) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			kinds[r] = lower
		case r >= 'A' && r <= 'Z':
			kinds[r] = upper
		case strings.ContainsRune("._-&", r):
			kinds[r] = joins
		}
	}
	return kinds
}()

var denseScripts = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

func kindOf(r rune) kind {
	switch {
	case r < utf8.RuneSelf:
		return ascii[r]
	case r == 'ー', r == 'ﾞ', r == 'ﾟ': // Kana signs that belong to no script in Unicode
		return dense
	case unicode.IsMark(r), unicode.IsNumber(r):
		return lower
	case !unicode.IsLetter(r):
		return separator
	case unicode.In(r, denseScripts...):
		return dense
	case unicode.IsUpper(r), unicode.IsTitle(r):
		return upper
	}
	return lower
}

func runeAt(text string, at int) (rune, int) {
	if b := text[at]; b < utf8.RuneSelf {
		return rune(b), 1
	}
	return utf8.DecodeRuneInString(text[at:])
}

type cutter struct {
	text  string
	yield func(Word) bool
	// wanted, unless it is nil, says which first bytes plain words have of which the text is wanted; others are yielded
	// without it.
	wanted  *[256]bool
	stopped bool
	whole   []byte
}

func (c *cutter) give(w Word) {
	if w.Text != "" && !c.stopped {
		c.stopped = !c.yield(w)
	}
}

// identifier yields the words of an identifier, and returns its end.
func (c *cutter) identifier(start int) int {
	c.whole = c.whole[:0]
	parts, at, end := 0, start, start
	for !c.stopped {
		next, of := c.part(at)
		if of == dense {
			c.pairs(at, next)
		} else {
			word := fold(c.text[at:next])
			c.give(Word{Text: short(word), Start: at, End: next})
			if len(c.whole) <= MaxWord {
				c.whole = append(c.whole, word...)
			}
			parts++
		}
		at, end = next, next
		if at == len(c.text) {
			break
		}
		r, size := runeAt(c.text, at)
		k := kindOf(r)
		if k == joins && at+size < len(c.text) {
			if r, _ = runeAt(c.text, at+size); kindOf(r) > joins {
				at, k = at+size, kindOf(r)
			}
		}
		if k <= joins {
			break
		}
	}
	if parts > 1 && len(c.whole) <= MaxWord {
		c.give(Word{Text: string(c.whole), Start: start, End: end, Again: true})
	}
	return end
}

// part returns the end of the identifier's part at a position. Parts end at a joining character, at a capital
// after a small letter, before the last capital of several that precede a small letter, and at a change of
// script.
func (c *cutter) part(start int) (end int, of kind) {
	r, size := runeAt(c.text, start)
	of = kindOf(r)
	before, capitals, lastAt := of, 1, start
	for at := start + size; at < len(c.text); {
		r, size := runeAt(c.text, at)
		k := kindOf(r)
		switch {
		case k <= joins, (k == dense) != (of == dense) && !unicode.IsMark(r):
			return at, of
		case k == upper && before == lower:
			return at, of
		case k == lower && before == upper && capitals > 1 && unicode.IsLetter(r):
			return lastAt, of
		}
		if !unicode.IsMark(r) {
			if k == upper {
				capitals++
			}
			before, lastAt = k, at
		}
		at += size
	}
	return len(c.text), of
}

// pairs yields the pairs of neighbouring characters between two positions.
func (c *cutter) pairs(start, end int) {
	at := start
	var last rune
	lastAt := start
	for _, r := range norm.NFKC.String(c.text[start:end]) {
		// If normalization changes a character's length, all pairs get the positions of the run.
		size := utf8.RuneLen(r)
		here := min(at, end)
		at += size
		if last != 0 {
			c.give(Word{Text: string([]rune{last, r}), Start: lastAt, End: min(at, end)})
		}
		last, lastAt = r, here
	}
	if last != 0 {
		c.give(Word{Text: string(last), Start: lastAt, End: end, Open: true, Again: lastAt > start})
	}
}

// short cuts a long word between two characters.
func short(word string) string {
	if len(word) <= MaxWord {
		return word
	}
	end := MaxWord
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}

// fold returns the normalized form of a word.
func fold(word string) string {
	for i := range len(word) {
		switch b := word[i]; {
		case b >= utf8.RuneSelf:
			return foldUnicode(word)
		case b >= 'A' && b <= 'Z':
			return foldASCII(word, i)
		}
	}
	return word
}

func foldASCII(word string, from int) string {
	var short [MaxWord]byte // few words are longer
	out := append(short[:0], word...)
	for i := from; i < len(word); i++ {
		b := word[i]
		switch {
		case b >= utf8.RuneSelf:
			return foldUnicode(word)
		case b >= 'A' && b <= 'Z':
			b += 'a' - 'A'
		}
		out[i] = b
	}
	return string(out)
}

// bare maps letters that Unicode does not decompose to what people type for them.
var bare = map[rune]string{
	'ß': "ss", 'ẞ': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ħ': "h", 'ı': "i", 'ł': "l", 'ŋ': "n", 'ŧ': "t", 'ς': "σ",
}

// foldUnicode decomposes characters (NFKD), drops the marks of letters, and recomposes Hangul and voiced Kana.
func foldUnicode(word string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(word) {
		r = unicode.ToLower(r)
		switch text, known := bare[r]; {
		case known:
			b.WriteString(text)
		case r >= 0x0300 && r <= 0x036F, r >= 0x0591 && r <= 0x05C7, r >= 0x0610 && r <= 0x061A, r >= 0x064B && r <= 0x065F, r == 0x0670, r == 'ـ':
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}
