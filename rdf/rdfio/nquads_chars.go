package rdfio

import "trails/rdf"

// iriStop holds the bytes that IRIREF excludes, among them '>' which ends it and
// '\' which begins an escape.
var iriStop = func() (stop [256]bool) {
	for c := range 0x21 {
		stop[c] = true
	}
	for _, c := range []byte("<>\"{}|^`\\") {
		stop[c] = true
	}
	return stop
}()

// echar maps the character behind '\' to what it stands for; 0 is no escape.
var echar = [256]byte{
	't': '\t', 'b': '\b', 'n': '\n', 'r': '\r', 'f': '\f', '"': '"', '\'': '\'', '\\': '\\',
}

// isAbsolute reports whether an IRI begins with a scheme (RFC 3987 section 2.2).
func isAbsolute[T string | []byte](iri T) bool {
	for i := range len(iri) {
		c := iri[i]
		switch {
		case c == ':':
			return i > 0
		case isLetter(c):
		case i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return false
}

func isLetter(c byte) bool        { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool         { return '0' <= c && c <= '9' }
func isLetterOrDigit(c byte) bool { return isLetter(c) || isDigit(c) }

func hexValue(c byte) (byte, bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// isLabelStart is PN_CHARS_U or a digit.
func isLabelStart(r rune) bool {
	if r < 0x80 {
		return isLetterOrDigit(byte(r)) || r == '_'
	}
	return rdf.IsNameBase(r)
}

// isLabelPart is PN_CHARS.
func isLabelPart(r rune) bool {
	return isLabelStart(r) || r == '-' || r == 0xB7 || 0x300 <= r && r <= 0x36F || 0x203F <= r && r <= 0x2040
}
