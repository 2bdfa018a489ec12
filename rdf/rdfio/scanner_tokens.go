package rdfio

import (
	"errors"
	"strings"
	"unicode/utf8"

	"trails/fault"
	"trails/rdf"
)

// The methods here look at the token that begins at the window's start and return
// its length; the caller consumes it. Slices are valid until the scanner moves on.

// nameByte holds the ASCII part of PN_CHARS.
var nameByte = func() (set [256]bool) {
	for c := range utf8.RuneSelf {
		set[c] = rdf.IsNamePart(rune(c))
	}
	return set
}()

// iriRef examines an IRIREF and returns the unescaped text between its brackets.
func (s *scanner) iriRef() (text []byte, n int, err error) {
	escaped := false
	for i := 1; ; {
		b := s.rest()
		for i < len(b) && !rdf.IRIStop[b[i]] {
			i++
		}
		switch {
		case i == len(b):
			if !s.more() {
				return nil, 0, s.expected(i, "'>' to end the IRI")
			}
		case b[i] == '>' && escaped:
			text, err = s.unescape(1, b[1:i], iriEscapes)
			return text, i + 1, err
		case b[i] == '>':
			return b[1:i], i + 1, nil
		case b[i] == '\\':
			escaped = true
			i++
		default:
			s.ensure(i + excerptBytes + utf8.UTFMax)
			if of := laterSyntax(s.rest(), 0); of != "" {
				return nil, 0, s.syntaxError(i, of)
			}
			return nil, 0, s.syntaxError(i, "'>' or a character that an IRI may hold")
		}
	}
}

// refused returns the error for an invalid IRI or language tag that ends n bytes ahead. A
// lenient scanner skips the token and gets a noTerm, which leaves out the statement.
func (s *scanner) refused(err error, n int) (rdf.Term, error) {
	var e *SyntaxError
	if n == 0 || !errors.As(err, &e) || e.kind != fault.Malformed || laterSyntax(s.rest(), 0) != "" {
		return nil, err
	}
	e.OneStatement = true
	if !s.lenient {
		return nil, e
	}
	s.pos += n
	return noTerm{why: e.Error(), at: e}, nil
}

// iriEnd returns where an invalid IRIREF ends: after the next '>' on its line; 0 if there is
// none before another IRIREF begins.
func (s *scanner) iriEnd() int {
	for i := 1; ; i++ {
		switch s.peek(i) {
		case '>':
			return i + 1
		case '<', '\n', '\r', 0:
			return 0
		}
	}
}

// tagEnd returns where a language tag that may be invalid ends, from i bytes ahead: before what can begin another
// token.
func (s *scanner) tagEnd(i int) int {
	return s.run(i, func(c byte) bool {
		return isLetterOrDigit(c) || c >= utf8.RuneSelf || strings.IndexByte("-_%&*/=?!$\\`", c) >= 0
	})
}

// leftOut returns the error of the first noTerm in the quad, or nil.
func leftOut(q rdf.Quad) *SyntaxError {
	for _, t := range []rdf.Term{q.Subject, q.Predicate, q.Object, q.Label} {
		if none, ok := t.(noTerm); ok {
			return none.at
		}
	}
	return nil
}

// quoted examines a string in one or three quotation marks, " or ', and returns its unescaped
// text.
func (s *scanner) quoted() (text []byte, n int, err error) {
	quote := s.peek(0)
	if s.peek(1) == quote && s.peek(2) == quote {
		return s.longQuoted(quote)
	}
	return s.shortQuoted("a quotation mark to end the string")
}

// shortQuoted examines a string in single or double quotation marks; expected is for the error
// if it does not end.
func (s *scanner) shortQuoted(expected string) (text []byte, n int, err error) {
	quote := s.peek(0)
	escaped := false
	for i := 1; ; {
		b := s.rest()
		for i < len(b) && b[i] != quote && b[i] != '\\' && b[i] != '\n' && b[i] != '\r' {
			i++
		}
		switch {
		case i >= len(b):
			switch {
			case s.more():
			case i > len(b): // after a backslash
				_, err = s.unescape(1, b[1:], stringEscapes)
				return nil, 0, err
			default:
				return nil, 0, s.expected(i, expected)
			}
		case b[i] == quote:
			text, err = s.stringText(1, b[1:i], escaped)
			return text, i + 1, err
		case b[i] == '\\':
			escaped = true
			i += 2
		default:
			return nil, 0, s.expected(i, "a quotation mark to end the string, or three around one of several lines")
		}
	}
}

func (s *scanner) longQuoted(quote byte) (text []byte, n int, err error) {
	escaped := false
	for i := 3; ; {
		b := s.rest()
		for i < len(b) && b[i] != quote && b[i] != '\\' {
			i++
		}
		switch {
		case i+2 >= len(b) && s.more():
		case i >= len(b):
			return nil, 0, s.expected(i, "three quotation marks to end the string")
		case b[i] == '\\':
			escaped = true
			i += 2
		case i+2 < len(b) && b[i+1] == quote && b[i+2] == quote:
			text, err = s.stringText(3, b[3:i], escaped)
			return text, i + 3, err
		default:
			i++
		}
	}
}

// stringText returns the text of a string that begins offset bytes ahead.
func (s *scanner) stringText(offset int, text []byte, escaped bool) ([]byte, error) {
	if !escaped {
		return text, nil
	}
	return s.unescape(offset, text, stringEscapes)
}

func isLetterOrDigit(c byte) bool { return rdf.IsLetter(c) || rdf.IsDigit(c) }

type escapes bool

const (
	iriEscapes    escapes = false
	stringEscapes escapes = true
)

// unescape replaces the escapes in text, which stands offset bytes ahead.
func (s *scanner) unescape(offset int, text []byte, allowed escapes) ([]byte, error) {
	out := s.scratch[:0]
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			out = append(out, text[i])
			i++
			continue
		}
		r, n, wrong := escape(text[i:], allowed)
		if wrong != "" {
			return nil, s.expected(offset+i+n, wrong)
		}
		out = utf8.AppendRune(out, r)
		i += n
	}
	s.scratch = out
	return out, nil
}

// escape reads the escape at the beginning of b. For an invalid one, wrong says what was
// expected n bytes ahead.
func escape(b []byte, allowed escapes) (r rune, n int, wrong string) {
	c := byte(0)
	if len(b) > 1 {
		c = b[1]
	}
	switch {
	case c == 'u':
		r, n, wrong = codePoint(b, 4)
	case c == 'U':
		r, n, wrong = codePoint(b, 8)
	case allowed == iriEscapes:
		return 0, 0, `\u or \U, the only escapes in an IRI`
	case rdf.StringEscape[c] == 0:
		return 0, 0, `one of \t \b \n \r \f \" \' \\ \u \U`
	default:
		return rune(rdf.StringEscape[c]), 2, ""
	}
	if wrong == "" && allowed == iriEscapes && r < utf8.RuneSelf && rdf.IRIStop[r] {
		return 0, 0, "a character that an IRI may hold"
	}
	return r, n, wrong
}

func codePoint(b []byte, digits int) (r rune, n int, wrong string) {
	var v uint32
	for n = 2; n < 2+digits; n++ {
		if n == len(b) {
			return 0, n, "a hexadecimal digit"
		}
		d, ok := rdf.HexValue(b[n])
		if !ok {
			return 0, n, "a hexadecimal digit"
		}
		v = v<<4 | uint32(d)
	}
	if v > utf8.MaxRune || !utf8.ValidRune(rune(v)) {
		return 0, 0, "a Unicode code point that is no surrogate"
	}
	return rune(v), n, ""
}

// word examines a run of PN_CHARS and full stops that does not end in a full stop; colon
// reports whether a ':' follows, which makes it a prefix.
func (s *scanner) word() (n int, colon bool) {
	for i := 0; ; {
		b := s.rest()
		for i < len(b) && nameByte[b[i]] {
			i++
		}
		switch {
		case i == len(b):
			if s.more() {
				continue
			}
		case b[i] == '.':
			i++
			continue
		case b[i] >= utf8.RuneSelf:
			if r, size := utf8.DecodeRune(b[i:]); rdf.IsNamePart(r) {
				i += size
				continue
			}
		}
		for n = i; n > 0 && b[n-1] == '.'; {
			n--
		}
		if n < i || i == len(b) || b[i] != ':' {
			return n, false
		}
		first, _ := utf8.DecodeRune(b)
		return n, first == ':' || rdf.IsNameBase(first)
	}
}

// localName examines the PN_LOCAL from bytes ahead, which may be empty, and returns it without
// escapes.
func (s *scanner) localName(from int) (text []byte, n int, err error) {
	for i := from; ; {
		b := s.rest()
		for i < len(b) && (nameByte[b[i]] || b[i] == ':') {
			i++
		}
		switch {
		case i == len(b) && s.more():
		case i < len(b) && (b[i] == '.' || b[i] == '%' || b[i] == '\\' || b[i] >= utf8.RuneSelf), b[min(from, len(b)-1)] == '-':
			return s.unusualName(from)
		default:
			return b[from:i], i - from, nil
		}
	}
}

// unusualName is localName for names with characters other than letters, digits, '_', '-' and
// ':'.
func (s *scanner) unusualName(from int) (text []byte, n int, err error) {
	i, whole := from, 0 // neither text[:whole] nor rest()[:from+n] ends in a full stop
	for {
		size, r, err := s.localChar(i)
		switch {
		case err != nil:
			return nil, 0, err
		case size == 0 || i == from && (r == '.' || r == '-' || size > 1 && r != escapedChar && !rdf.IsNameStart(r)):
			return text[:whole], n, nil
		}
		b := s.rest()
		if b[i] == '\\' {
			text = append(text, b[i+1])
		} else {
			text = append(text, b[i:i+size]...)
		}
		i += size
		if r != '.' {
			whole, n = len(text), i-from
		}
	}
}

// escapedChar is returned for a character of a name that was written as PLX.
const escapedChar = -1

// localChar returns the size of the next character of a local name, or 0 at the name's end.
func (s *scanner) localChar(i int) (size int, r rune, err error) {
	switch c := s.peek(i); {
	case nameByte[c], c == ':', c == '.':
		return 1, rune(c), nil
	case c == '%':
		for k := 1; k <= 2; k++ {
			if _, ok := rdf.HexValue(s.peek(i + k)); !ok {
				return 0, 0, s.expected(i+k, "a hexadecimal digit behind '%'")
			}
		}
		return 3, escapedChar, nil
	case c == '\\':
		if !rdf.LocalEscape[s.peek(i+1)] {
			return 0, 0, s.expected(i, `'\' and one of _~.-!$&'()*+,;=/?#@%`)
		}
		return 2, escapedChar, nil
	case c >= utf8.RuneSelf:
		if r, size := utf8.DecodeRune(s.rest()[i:]); rdf.IsNamePart(r) {
			return size, r, nil
		}
	}
	return 0, 0, nil
}

// blankLabel examines a BLANK_NODE_LABEL and returns it without "_:".
func (s *scanner) blankLabel() (label []byte, n int, err error) {
	if s.peek(1) != ':' {
		return nil, 0, s.expected(0, "'_:' and a blank node label")
	}
	s.peek(2)
	r, size := utf8.DecodeRune(s.rest()[2:])
	if !rdf.IsNameStart(r) || size == 0 {
		return nil, 0, s.expected(2, "a blank node label")
	}
	n = 2 + size
	for i := n; ; i += size {
		c := s.peek(i)
		r, size = rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(s.rest()[i:])
		}
		if rdf.IsNamePart(r) {
			n = i + size
		} else if r != '.' {
			return s.rest()[2:n], n, nil
		}
	}
}

// langTag examines a LANGTAG and returns it without '@'.
func (s *scanner) langTag() (tag string, n int, err error) {
	i := s.run(1, rdf.IsLetter)
	if i == 1 {
		return "", 0, s.expected(i, "a language tag")
	}
	for s.peek(i) == '-' {
		end := s.run(i+1, isLetterOrDigit)
		if end == i+1 {
			return "", 0, s.expected(end, "a subtag of the language tag")
		}
		i = end
	}
	if end := s.tagEnd(i); end > i && s.peek(end) != ':' { // a blank node or a name may follow without a space
		return "", 0, s.expected(i, "a language tag of letters, digits and hyphens")
	}
	if text := s.rest()[1:i]; string(text) != s.lang {
		if rdf.CheckLangTag(string(text)) != nil {
			return "", 0, s.expected(1, "a language tag whose parts have at most 8 characters")
		}
		s.lang = string(text)
	}
	return s.lang, i, nil
}

// run returns where a run of bytes of one class, beginning i bytes ahead, ends.
func (s *scanner) run(i int, class func(byte) bool) int {
	for class(s.peek(i)) {
		i++
	}
	return i
}
