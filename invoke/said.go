package invoke

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// said quotes text of the graph in one line of at most most characters. Whoever
// reads it, a person or a model, sees where it begins and where it ends: nothing in
// it can pose as ours. Control characters, line ends and characters that change the
// direction of text go; a quotation mark becomes an apostrophe.
func said(text string, most int) string { return `"` + unmarked(text, most) + `"` }

// unmarked is said without the marks around it.
func unmarked(text string, most int) string {
	return strings.ReplaceAll(oneLine(text, most), `"`, "'")
}

// oneLine is unmarked that keeps quotation marks. It looks no further than it needs to.
func oneLine(text string, most int) string {
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

// isPlain reports that text can stand in an example as it is.
func isPlain(text string, most int) bool {
	return text != "" && len(text) <= most && unmarked(text, most) == text
}
