package expr

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"trails/rdf"
)

// changeCase is UCASE and LCASE, which are fn:upper-case and fn:lower-case (XPath
// Functions, sections 5.4.7 and 5.4.8): the full mappings of Unicode, tailored to no
// language. For ASCII, package strings does the same and costs less.
func changeCase(ascii func(string) string, mapping func(language.Tag, ...cases.Option) cases.Caser) function {
	return unary(func(t rdf.Term) (value, error) {
		l, ok := stringLiteral(t)
		if !ok {
			return failed(ErrType)
		}
		var text string
		if strings.IndexFunc(l.text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
			text = ascii(l.text)
		} else {
			text = mapping(language.Und).String(l.text) // a caser has a state, and serves one text
		}
		if len(text) > MaxText {
			return failed(errTooLong("UCASE or LCASE"))
		}
		return of(l.with(text))
	})
}
