// Package quote quotes text of the graph in our own sentences, so that readers, people or models, see where it
// begins and ends.
package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text quotes text on one line of at most most characters, such that none of it can be taken for ours: control
// characters, line ends and characters that change the text direction are removed, and quotation marks become
// apostrophes.
func Text(text string, most int) string { return `"` + Unmarked(text, most) + `"` }

// Unmarked is Text without the quotation marks around it.
func Unmarked(text string, most int) string {
	return strings.ReplaceAll(Line(text, most), `"`, "'")
}

// Line is Unmarked, but keeps quotation marks. It reads only as much of text as needed.
func Line(text string, most int) string {
	var b strings.Builder
	length, space := 0, false
	for _, c := range text {
		switch {
		case unicode.IsSpace(c) || unicode.IsControl(c):
			space = length > 0
			continue
		case c == utf8.RuneError || !unicode.IsPrint(c):
			continue
		case length >= most:
			return b.String() + "…"
		}
		if space {
			b.WriteByte(' ')
			length, space = length+1, false
		}
		b.WriteRune(c)
		length++
	}
	return b.String()
}

// IsPlain reports whether text can be used in an example without quoting.
func IsPlain(text string, most int) bool {
	return text != "" && len(text) <= most && Unmarked(text, most) == text
}

// Article returns a noun with its article: a Person, an Agent.
func Article(noun string) string {
	if noun != "" && strings.ContainsAny(noun[:1], "AEIOaeio") {
		return "an " + noun
	}
	return "a " + noun
}
