package xsd

import (
	"strings"
	"unicode/utf8"
)

func compareTexts(a, b string) (int, bool) { return strings.Compare(a, b), true }

func isAnyText(string) bool { return true }

func isNormalized(s string) bool { return !strings.ContainsAny(s, "\t\n\r") }

func isToken(s string) bool {
	return isNormalized(s) && !strings.HasPrefix(s, " ") && !strings.HasSuffix(s, " ") && !strings.Contains(s, "  ")
}

// isLanguage is [a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*.
func isLanguage(s string) bool {
	tag, rest, more := strings.Cut(s, "-")
	if !isSubtag(tag, false) {
		return false
	}
	for more {
		tag, rest, more = strings.Cut(rest, "-")
		if !isSubtag(tag, true) {
			return false
		}
	}
	return true
}

func isSubtag(s string, digitsToo bool) bool {
	for i := range len(s) {
		letter := 'a' <= s[i]|0x20 && s[i]|0x20 <= 'z'
		if !letter && !(digitsToo && isDigit(s[i])) {
			return false
		}
	}
	return 1 <= len(s) && len(s) <= 8
}

// isNMTOKEN, isName and isNCName are the productions of XML 1.0, fifth edition.
func isNMTOKEN(s string) bool {
	for _, r := range s {
		if !isNameChar(r) {
			return false
		}
	}
	return s != "" && utf8.ValidString(s)
}

func isName(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return isNMTOKEN(s) && isNameStart(first)
}

func isNCName(s string) bool { return isName(s) && !strings.Contains(s, ":") }

var nameStartRanges = [][2]rune{
	{':', ':'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}, {0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x2FF},
	{0x370, 0x37D}, {0x37F, 0x1FFF}, {0x200C, 0x200D}, {0x2070, 0x218F}, {0x2C00, 0x2FEF},
	{0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF},
}

var nameRanges = [][2]rune{
	{'-', '.'}, {'0', '9'}, {0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040},
}

func isNameStart(r rune) bool { return within(nameStartRanges, r) }
func isNameChar(r rune) bool  { return isNameStart(r) || within(nameRanges, r) }

func within(ranges [][2]rune, r rune) bool {
	for _, in := range ranges {
		if in[0] <= r && r <= in[1] {
			return true
		}
	}
	return false
}
