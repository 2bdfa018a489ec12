// Package quote puts text of the graph into sentences of ours, so that whoever reads
// them, a person or a model, sees where it begins and where it ends.
package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text quotes text of the graph in one line of at most most characters. Nothing in it
// can pose as ours. Control characters, line ends and characters that change the
// direction of text go; a quotation mark becomes an apostrophe.
func Text(text string, most int) string { return `"` + Unmarked(text, most) + `"` }

// Unmarked is Text without the marks around it.
func Unmarked(text string, most int) string {
	return strings.ReplaceAll(Line(text, most), `"`, "'")
}

// Line is Unmarked that keeps quotation marks. It looks no further than it needs to.
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

// IsPlain reports that text can stand in an example as it is.
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
