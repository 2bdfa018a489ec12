package sparql

import (
	"sort"
	"strings"
	"unicode/utf8"

	"trails/fault"
	"trails/rdf"
)

// source is the text that the lexer reads, with the codepoint escapes of section 19.2 replaced, and what is needed to
// turn its offsets into offsets of the text as written.
type source struct {
	text    string
	written string
	shifts  []shift
}

// shift is the difference between an offset in the replaced text and in the text as written; it holds from one offset
// on.
type shift struct{ text, by int }

// unescapeCodepoints replaces \uXXXX and \UXXXXXXXX, once. A backslash that is itself escaped does not begin an
// escape: "\\u0041" is a backslash and the letters u0041. By the letter of section 19.2 a query could not write this
// string at all.
func unescapeCodepoints(written string) (source, *fault.SyntaxError) {
	s := source{text: written, written: written}
	if !strings.Contains(written, `\u`) && !strings.Contains(written, `\U`) {
		return s, nil
	}
	var out strings.Builder
	for i := 0; i < len(written); {
		r, n := codepoint(written[i:])
		switch {
		case n == 0 && written[i] == '\\' && i+1 < len(written):
			out.WriteString(written[i : i+2])
			i += 2
		case n == 0:
			out.WriteByte(written[i])
			i++
		case !utf8.ValidRune(r):
			return s, s.fail(i, "this escape stands for no character: surrogates and numbers beyond U+10FFFF are none")
		default:
			out.WriteRune(r)
			i += n
			s.shifts = append(s.shifts, shift{out.Len(), i - out.Len()})
		}
	}
	s.text = out.String()
	return s, nil
}

// codepoint reads the escape at the beginning of s, and returns its code point and its length.
func codepoint(s string) (rune, int) {
	digits := 0
	switch {
	case strings.HasPrefix(s, `\u`):
		digits = 4
	case strings.HasPrefix(s, `\U`):
		digits = 8
	}
	if digits == 0 || len(s) < 2+digits {
		return 0, 0
	}
	var n uint32
	for i := 2; i < 2+digits; i++ {
		h, ok := rdf.HexValue(s[i])
		if !ok {
			return 0, 0
		}
		n = n<<4 | uint32(h)
	}
	return rune(min(n, utf8.MaxRune+1)), 2 + digits
}

// writtenAt converts an offset in the replaced text to one in the text as written.
func (s source) writtenAt(offset int) int {
	i := sort.Search(len(s.shifts), func(i int) bool { return s.shifts[i].text > offset })
	if i == 0 {
		return offset
	}
	return offset + s.shifts[i-1].by
}

// fail returns a syntax error at an offset of the text as written.
func (s source) fail(at int, message string) *fault.SyntaxError {
	return fault.At(fault.Malformed, s.written, at, "%s", message)
}
