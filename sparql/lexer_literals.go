package sparql

import (
	"strings"

	"trails/rdf"
)

// scanString reads a string of any of the four kinds and returns its value.
func (l *lexer) scanString(quote byte) string {
	mark := l.text[l.pos : l.pos+1]
	long := strings.Repeat(mark, 3)
	if strings.HasPrefix(l.text[l.pos:], long) {
		return l.scanQuoted(quote, long)
	}
	return l.scanQuoted(quote, mark)
}

func (l *lexer) scanQuoted(quote byte, mark string) string {
	start := l.pos
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

// numberAhead reports whether a sign or a full stop begins a number.
func (l *lexer) numberAhead() bool {
	rest := l.text[l.pos:]
	if rest[0] != '.' {
		rest = rest[1:]
	}
	rest = strings.TrimPrefix(rest, ".")
	return rest != "" && rdf.IsDigit(rest[0])
}

// scanNumber reads an INTEGER, DECIMAL or DOUBLE with or without its sign.
func (l *lexer) scanNumber() (kind, string) {
	start, class := l.pos, integer
	i := start
	if c := l.text[i]; c == '+' || c == '-' {
		i++
	}
	i = l.digits(i)
	if point := i; point < len(l.text) && l.text[point] == '.' {
		fraction := l.digits(point + 1)
		switch {
		case fraction > point+1:
			i, class = fraction, decimal
		case l.exponent(fraction) > fraction: // 1.e5
			i = fraction
		}
	}
	if end := l.exponent(i); end > i {
		i, class = end, double
	}
	l.pos = i
	return class, l.text[start:i]
}

func (l *lexer) digits(i int) int {
	for i < len(l.text) && rdf.IsDigit(l.text[i]) {
		i++
	}
	return i
}

// exponent returns the end of an exponent at i, or i.
func (l *lexer) exponent(i int) int {
	if i >= len(l.text) || l.text[i]|0x20 != 'e' {
		return i
	}
	digits := i + 1
	if digits < len(l.text) && (l.text[digits] == '+' || l.text[digits] == '-') {
		digits++
	}
	if end := l.digits(digits); end > digits {
		return end
	}
	return i
}
