package sparql

import "trails/rdf"

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

func hexValue(c byte) (byte, bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// isVarStart is what VARNAME, and but for the digits PN_CHARS_U, begins with.
func isVarStart(r rune) bool { return rdf.IsNameBase(r) || r == '_' || '0' <= r && r <= '9' }

// isVarPart is what VARNAME goes on with.
func isVarPart(r rune) bool {
	return isVarStart(r) || r == 0xB7 || 0x300 <= r && r <= 0x36F || 0x203F <= r && r <= 0x2040
}

// isNamePart is PN_CHARS.
func isNamePart(r rune) bool { return isVarPart(r) || r == '-' }

// iriStop holds the bytes that IRIREF excludes.
var iriStop = func() (stop [256]bool) {
	for c := range 0x21 {
		stop[c] = true
	}
	for _, c := range []byte("<>\"{}|^`\\") {
		stop[c] = true
	}
	return stop
}()

// echar maps the character behind '\' in a string to what it stands for; 0 is no escape.
var echar = [256]byte{
	't': '\t', 'b': '\b', 'n': '\n', 'r': '\r', 'f': '\f', '"': '"', '\'': '\'', '\\': '\\',
}

// localEscape holds the characters that '\' may precede in a local name (PN_LOCAL_ESC).
var localEscape = func() (set [256]bool) {
	for _, c := range []byte("_~.-!$&'()*+,;=/?#@%") {
		set[c] = true
	}
	return set
}()
