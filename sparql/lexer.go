package sparql

import (
	"strings"
	"unicode/utf8"

	"trails/fault"
	"trails/rdf"
)

// kind is a class of tokens of section 19.8.
type kind uint8

const (
	atEnd        kind = iota
	symbol            // a sign, or a keyword in capitals
	variable          // the name without its mark
	iriRef            // without angle brackets, as written
	prefixedName      // prefix:local, without the escapes of the local name
	blankLabel        // without _:
	stringToken       // the value
	langTag           // without @
	number            // as written, with its sign
)

// token is one token; start and end are offsets of the text.
type token struct {
	kind       kind
	text       string
	start, end int
}

// lexer cuts a text into tokens. After a failure it only returns the end token.
type lexer struct {
	source
	pos    int
	failed *fault.SyntaxError
}

// failAt keeps the first failure, at an offset of the text, and ends the tokens.
func (l *lexer) failAt(at int, message string) {
	if l.failed == nil {
		l.failed = l.fail(l.writtenAt(at), message)
		if !strings.Contains(message, "; ") { // the message has its own advice
			l.failed.Message = fault.Add(l.failed.Message, cureOf(l.text, at))
		}
	}
	l.pos = len(l.text)
}

// scan returns the next token. The longest match wins, as the grammar says.
func (l *lexer) scan() token {
	l.skipSpace()
	start := l.pos
	if start >= len(l.text) {
		return token{kind: atEnd, start: start, end: start}
	}
	kind, text := l.scanFrom(l.text[start])
	if l.failed != nil {
		return token{kind: atEnd, start: start, end: start}
	}
	return token{kind: kind, text: text, start: start, end: l.pos}
}

func (l *lexer) skipSpace() {
	for l.pos < len(l.text) {
		switch l.text[l.pos] {
		case ' ', '\t', '\n', '\r':
			l.pos++
		case '#':
			if n := strings.IndexAny(l.text[l.pos:], "\r\n"); n >= 0 {
				l.pos += n
			} else {
				l.pos = len(l.text)
			}
		default:
			return
		}
	}
}

// scanFrom reads a token that begins with c.
func (l *lexer) scanFrom(c byte) (kind, string) {
	switch c {
	case '<':
		return l.scanIRI()
	case '?', '$':
		n := l.span(l.pos+1, rdf.IsNameStart, rdf.IsVarPart)
		if n > l.pos+1 {
			name := l.text[l.pos+1 : n]
			l.pos = n
			return variable, name
		}
		return symbol, l.scanSign()
	case '"', '\'':
		return stringToken, l.scanString(c)
	case '@':
		return langTag, l.scanLangTag()
	case '_':
		return blankLabel, l.scanBlankLabel()
	case ':':
		return l.scanLocalName("")
	}
	if n, _ := rdf.LeadingNumber(l.text[l.pos:]); n > 0 {
		l.pos += n
		return number, l.text[l.pos-n : l.pos]
	}
	if c >= utf8.RuneSelf || rdf.IsLetter(c) {
		return l.scanWord()
	}
	return symbol, l.scanSign()
}

// signs are the symbols that are not words. A long one stands before its own prefixes.
var signs = []string{
	"^^", "&&", "||", "!=", "<=", ">=", "{", "}", "(", ")", "[", "]", ".", ",", ";", "=", "<", ">", "!", "|", "/", "^", "*", "+", "-", "?",
}

func (l *lexer) scanSign() string {
	for _, sign := range signs {
		if strings.HasPrefix(l.text[l.pos:], sign) {
			l.pos += len(sign)
			return sign
		}
	}
	l.failAt(l.pos, "the character "+quoteFound(l.text[l.pos:min(len(l.text), l.pos+1)])+" begins nothing here")
	return ""
}

// scanIRI reads an IRIREF or, where there is none, the sign < or <=.
func (l *lexer) scanIRI() (kind, string) {
	for i := l.pos + 1; i < len(l.text); i++ {
		if c := l.text[i]; c == '>' {
			text := l.text[l.pos+1 : i]
			l.pos = i + 1
			return iriRef, text
		} else if rdf.IRIStop[c] {
			break
		}
	}
	return symbol, l.scanSign()
}

// span returns the end of the longest run that begins at i with a character of first and continues with characters of
// rest.
func (l *lexer) span(i int, first, rest func(rune) bool) int {
	for in := first; i < len(l.text); in = rest {
		r, n := utf8.DecodeRuneInString(l.text[i:])
		if !in(r) {
			break
		}
		i += n
	}
	return i
}

// nameSpan is span for names: full stops may occur inside, but not at the end.
func (l *lexer) nameSpan(i int, first, rest func(rune) bool) int {
	end := l.span(i, first, func(r rune) bool { return r == '.' || rest(r) })
	for end > i && l.text[end-1] == '.' {
		end--
	}
	return end
}

func (l *lexer) scanLangTag() string {
	start := l.pos + 1
	i := l.span(start, isASCIILetter, isASCIILetter)
	if i == start {
		l.failAt(l.pos, "expected a language tag behind @, such as @en")
		return ""
	}
	for i+1 < len(l.text) && l.text[i] == '-' && (rdf.IsLetter(l.text[i+1]) || rdf.IsDigit(l.text[i+1])) {
		i = l.span(i+1, isASCIIAlphanumeric, isASCIIAlphanumeric)
	}
	if err := rdf.CheckLangTag(l.text[start:i]); err != nil {
		l.failAt(l.pos, err.Error())
	}
	l.pos = i
	return l.text[start:i]
}

func isASCIILetter(r rune) bool       { return r < utf8.RuneSelf && rdf.IsLetter(byte(r)) }
func isASCIIAlphanumeric(r rune) bool { return isASCIILetter(r) || '0' <= r && r <= '9' }

func (l *lexer) scanBlankLabel() string {
	start := l.pos + 2
	if !strings.HasPrefix(l.text[l.pos:], "_:") {
		l.failAt(l.pos, "expected a blank node's label: _:name")
		return ""
	}
	end := l.nameSpan(start, rdf.IsNameStart, rdf.IsNamePart)
	if end == start {
		l.failAt(l.pos, "expected a blank node's label behind _:")
		return ""
	}
	l.pos = end
	return l.text[start:end]
}
