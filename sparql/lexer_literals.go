package sparql

import (
	"strings"

	"trails/rdf"
)

// scanString reads a string of any of the four kinds and returns its value.
func (l *lexer) scanString(quote byte) string {
	start := l.pos
	mark := l.text[start : start+1]
	if long := strings.Repeat(mark, 3); strings.HasPrefix(l.text[start:], long) {
		mark = long
	}
	body := start + len(mark)
	escaped := false
	for i := body; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == '\\':
			escaped = true
			i++
		case c == quote && strings.HasPrefix(l.text[i:], mark):
			l.pos = i + len(mark)
			return l.stringValue(body, i, escaped)
		case len(mark) == 1 && (c == '\n' || c == '\r'):
			l.failAt(start, "this string does not end on its line; strings of several lines stand between "+strings.Repeat(mark, 3))
			return ""
		}
	}
	l.failAt(start, "this string has no end: expected "+mark)
	return ""
}

// stringValue undoes the escapes (ECHAR) of a string.
func (l *lexer) stringValue(start, end int, escaped bool) string {
	if !escaped {
		return l.text[start:end]
	}
	var out strings.Builder
	for i := start; i < end; i++ {
		c := l.text[i]
		if c == '\\' {
			i++
			if c = rdf.StringEscape[l.text[i]]; c == 0 {
				l.failAt(i-1, "expected one of the escapes \\t \\b \\n \\r \\f \\\" \\' \\\\ \\uXXXX \\UXXXXXXXX, found "+
					quoteFound(`\`+firstRune(l.text[i:])))
				return ""
			}
		}
		out.WriteByte(c)
	}
	return out.String()
}
