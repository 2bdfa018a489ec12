package rdf

import (
	"strings"
	"unicode/utf8"
)

// The characters of the terminals that the grammars of N-Triples, N-Quads, Turtle, TriG
// (sections 6.5) and SPARQL (section 19.8) share.
var (
	// IRIStop holds the bytes that IRIREF excludes, among them '>', which ends it, and
	// '\', which begins an escape.
	IRIStop = bytesIn("<>\"{}|^`\\", 0x21)
	// LocalEscape holds the characters that '\' may precede in a local name (PN_LOCAL_ESC).
	LocalEscape = bytesIn("_~.-!$&'()*+,;=/?#@%", 0)
	// StringEscape maps the character behind '\' in a string to what it stands for
	// (ECHAR); 0 is no escape.
	StringEscape = [256]byte{
		't': '\t', 'b': '\b', 'n': '\n', 'r': '\r', 'f': '\f', '"': '"', '\'': '\'', '\\': '\\',
	}
)

// bytesIn returns the set of the bytes of text and of those below a number.
func bytesIn(text string, below int) (set [256]bool) {
	for c := range set {
		set[c] = c < below || c < 0x80 && strings.IndexByte(text, byte(c)) >= 0
	}
	return set
}

// InvalidAt returns where a text stops being UTF-8, or its length.
func InvalidAt[T ~string | ~[]byte](text T) int {
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRuneInString(string(text[at:min(at+utf8.UTFMax, len(text))]))
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
	return len(text)
}

// IsLetter reports whether c is a letter of ASCII.
func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// IsDigit reports whether c is a digit of ASCII.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// HexValue returns the value of a hexadecimal digit; ok is false for any other byte.
func HexValue(c byte) (value byte, ok bool) {
	switch {
	case IsDigit(c):
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// nameRanges are the code points of PN_CHARS_BASE beyond ASCII.
var nameRanges = [][2]rune{
	{0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x2FF}, {0x370, 0x37D}, {0x37F, 0x1FFF},
	{0x200C, 0x200D}, {0x2070, 0x218F}, {0x2C00, 0x2FEF}, {0x3001, 0xD7FF},
	{0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF},
}

// IsNameBase is PN_CHARS_BASE: the first characters of prefixes.
func IsNameBase(r rune) bool {
	if r < 0x80 {
		return IsLetter(byte(r))
	}
	for _, in := range nameRanges {
		if in[0] <= r && r <= in[1] {
			return true
		}
	}
	return false
}

// IsNameStart is PN_CHARS_U or a digit: the first characters of labels, local names and variables.
func IsNameStart(r rune) bool { return r == '_' || '0' <= r && r <= '9' || IsNameBase(r) }

// IsVarPart is the further characters of a variable (VARNAME): PN_CHARS without '-'.
func IsVarPart(r rune) bool {
	return IsNameStart(r) || r == 0xB7 || 0x300 <= r && r <= 0x36F || 0x203F <= r && r <= 0x2040
}

// IsNamePart is PN_CHARS: the further characters of labels and names.
func IsNamePart(r rune) bool { return r == '-' || IsVarPart(r) }

// NumberType returns the datatype of a number without quotes in Turtle and SPARQL, or "" if the text is none.
func NumberType(text string) IRI {
	if n, datatype := LeadingNumber(text); n == len(text) {
		return datatype
	}
	return ""
}

// LeadingNumber returns the length of the longest number at the beginning of a text, and its datatype: INTEGER,
// DECIMAL or DOUBLE of the grammars, with an optional sign. Without a number it returns 0 and "".
func LeadingNumber[T ~string | ~[]byte](text T) (n int, datatype IRI) {
	start := leadingSign(text, 0)
	whole := leadingDigits(text, start)
	fraction := whole
	if whole < len(text) && text[whole] == '.' {
		fraction = leadingDigits(text, whole+1)
	}
	switch {
	case fraction > whole+1:
		n, datatype = fraction, XSDDecimal
	case whole == start:
		return 0, ""
	default:
		n, datatype = whole, XSDInteger
	}
	if fraction < len(text) && text[fraction]|0x20 == 'e' { // also in 1.e5
		exponent := leadingSign(text, fraction+1)
		if end := leadingDigits(text, exponent); end > exponent {
			return end, XSDDouble
		}
	}
	return n, datatype
}

// leadingSign returns the position after an optional sign at i.
func leadingSign[T ~string | ~[]byte](text T, i int) int {
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		return i + 1
	}
	return i
}

// leadingDigits returns the position after the decimal digits at i.
func leadingDigits[T ~string | ~[]byte](text T, i int) int {
	for i < len(text) && IsDigit(text[i]) {
		i++
	}
	return i
}
