package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// piece returns the length of the first piece of a text. No token reaches beyond a piece. It is what cl100k_base
// writes as a regular expression:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
func piece(text string) int {
	for _, ending := range [...]string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
		if len(text) >= len(ending) && text[0] == '\'' && strings.ToLower(text[:len(ending)]) == ending {
			return len(ending)
		}
	}
	first, size := utf8.DecodeRuneInString(text)
	switch letters := run(text[size:], unicode.IsLetter); {
	case unicode.IsLetter(first), letters > 0 && !unicode.IsNumber(first) && !newline(first):
		return size + letters
	case unicode.IsNumber(first):
		return digits(text)
	}
	space := 0
	if first == ' ' {
		space = 1
	}
	if signs := run(text[space:], sign); signs > 0 {
		signs += space
		return signs + run(text[signs:], newline)
	}
	spaces := run(text, unicode.IsSpace)
	if end := strings.LastIndexAny(text[:spaces], "\r\n"); end >= 0 {
		return end + 1
	}
	// The last space belongs to what follows, unless there is no other.
	if _, last := utf8.DecodeLastRuneInString(text[:spaces]); spaces < len(text) && spaces > last {
		return spaces - last
	}
	return spaces
}

// run returns the length of the characters at the beginning of a text that are of a kind.
func run(text string, kind func(rune) bool) int {
	for i, c := range text {
		if !kind(c) {
			return i
		}
	}
	return len(text)
}

// digits returns the length of the numerals at the beginning of a text, at most three.
func digits(text string) int {
	n := 0
	for i, c := range text {
		if n == 3 || !unicode.IsNumber(c) {
			return i
		}
		n++
	}
	return len(text)
}

func newline(c rune) bool { return c == '\r' || c == '\n' }

func sign(c rune) bool { return !unicode.IsSpace(c) && !unicode.IsLetter(c) && !unicode.IsNumber(c) }
