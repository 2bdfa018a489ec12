package sparql

import (
	"sort"
	"strings"
	"unicode/utf8"

	"trails/fault"
	"trails/rdf"
)

// source is the text that the grammar sees, after the codepoint escapes of section
// 19.2, and the way from its offsets back to those of the text as it was written.
type source struct {
	text    string
	written string
	shifts  []shift
}

// shift says that what stands at or behind text was written by this much later.
type shift struct{ text, by int }

// unescapeCodepoints replaces \uXXXX and \UXXXXXXXX. A backslash that another one
// escapes begins none, so that "\\u0041" is a backslash and a word: by the letter
// it could not be written at all. What an escape gives is not looked at again.
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

// codepoint returns the number of an escape at the beginning of s, and its length.
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

// writtenAt turns an offset of the text into one of the text as it was written.
func (s source) writtenAt(offset int) int {
	i := sort.Search(len(s.shifts), func(i int) bool { return s.shifts[i].text > offset })
	if i == 0 {
		return offset
	}
	return offset + s.shifts[i-1].by
}

// fail is a syntax error at an offset of the text as it was written.
func (s source) fail(at int, message string) *fault.SyntaxError {
	return fault.At(fault.Malformed, s.written, at, "%s", message)
}
