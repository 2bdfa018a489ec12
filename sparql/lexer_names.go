package sparql

import (
	"strings"

	"trails/rdf"
)

// scanWord reads a prefixed name or a keyword.
func (l *lexer) scanWord() (kind, string) {
	start := l.pos
	end := l.nameSpan(start, rdf.IsNameBase, rdf.IsNamePart)
	if end < len(l.text) && end > start && l.text[end] == ':' {
		l.pos = end
		return l.scanLocalName(l.text[start:end])
	}
	end = l.span(start, isASCIILetter, func(r rune) bool { return isASCIIAlphanumeric(r) || r == '_' })
	if end == start {
		l.failAt(start, "the character "+quoteFound(firstRune(l.text[start:]))+" begins nothing here")
		return atEnd, ""
	}
	l.pos = end
	if word := l.text[start:end]; word != "a" {
		return symbol, strings.ToUpper(word)
	}
	return symbol, "a"
}

func firstRune(s string) string {
	for i := range s {
		if i > 0 {
			return s[:i]
		}
	}
	return s
}

// scanLocalName reads from the colon of a prefixed name on.
func (l *lexer) scanLocalName(prefix string) (kind, string) {
	start := l.pos + 1
	end, escaped := l.localEnd(start)
	local := l.text[start:end]
	if escaped {
		local = unescapeLocal(local)
	}
	l.pos = end
	return prefixedName, prefix + ":" + local
}

// localEnd returns where a local name (PN_LOCAL) ends, and whether it holds an escape.
func (l *lexer) localEnd(start int) (end int, escaped bool) {
	i := start
	for i < len(l.text) {
		n := l.localPart(i, i == start)
		if n == 0 {
			break
		}
		escaped = escaped || l.text[i] == '\\'
		i += n
		if l.text[i-1] != '.' || l.text[i-n] == '\\' {
			end = i
		}
	}
	return max(end, start), escaped
}

// localPart returns the length of one character, escape or percent code of a local name.
func (l *lexer) localPart(i int, first bool) int {
	switch c := l.text[i]; {
	case rdf.IsLetter(c), rdf.IsDigit(c), c == '_', c == ':':
		return 1
	case c == '-', c == '.':
		if first {
			return 0
		}
		return 1
	case c == '\\':
		if i+1 < len(l.text) && rdf.LocalEscape[l.text[i+1]] {
			return 2
		}
		return 0
	case c == '%':
		if i+2 >= len(l.text) {
			return 0
		}
		_, high := rdf.HexValue(l.text[i+1])
		_, low := rdf.HexValue(l.text[i+2])
		if !high || !low {
			return 0
		}
		return 3
	}
	if first {
		return l.span(i, rdf.IsNameStart, never) - i
	}
	return l.span(i, rdf.IsNamePart, never) - i
}

func never(rune) bool { return false }

func unescapeLocal(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String()
}
