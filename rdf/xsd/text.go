package xsd

import (
	"strings"
	"unicode/utf8"

	"trails/rdf"
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
		if !rdf.IsLetter(s[i]) && !(digitsToo && rdf.IsDigit(s[i])) {
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

// XML's names are made of the characters of SPARQL's and Turtle's, and of ':' and '.'.
func isNameStart(r rune) bool { return r == ':' || r == '_' || rdf.IsNameBase(r) }
func isNameChar(r rune) bool  { return r == ':' || r == '.' || rdf.IsNamePart(r) }
