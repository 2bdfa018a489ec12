package xsd

import (
	"strings"
	"unicode/utf8"

	"trails/rdf"
)

func isNormalized(s string) bool { return !strings.ContainsAny(s, "\t\n\r") }

func isToken(s string) bool {
	return isNormalized(s) && !strings.HasPrefix(s, " ") && !strings.HasSuffix(s, " ") && !strings.Contains(s, "  ")
}

// isNMTOKEN and isName are the productions of XML 1.0, fifth edition. XML's names are made
// of the characters of SPARQL's and Turtle's, and of ':' and '.'.
func isNMTOKEN(s string) bool {
	for _, r := range s {
		if r != ':' && r != '.' && !rdf.IsNamePart(r) {
			return false
		}
	}
	return s != "" && utf8.ValidString(s)
}

func isName(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return isNMTOKEN(s) && (first == ':' || first == '_' || rdf.IsNameBase(first))
}
