package expr

import (
	"strings"

	"trails/fault"
	"trails/rdf/xsd"
)

// maxMatches bounds the matches that are replaced in one text, whose positions are kept in memory.
const maxMatches = 1 << 20

// replace is fn:replace (XPath Functions, section 7.6.3), in one pass, so that the
// bound on the result is also one on the work.
func (m matcher) replace(l literal, replacement string) (value, error) {
	if m.re.MatchString("") {
		return failed(ErrRegex) // err:FORX0003
	}
	if err := m.affords(l.text); err != nil {
		return failed(err)
	}
	parts := []xsd.Piece{{Text: replacement, Group: -1}}
	if !m.literal {
		var err error
		if parts, err = xsd.Replacement(replacement, m.re.NumSubexp()); err != nil {
			return failed(ErrRegex)
		}
	}
	var out strings.Builder
	rest, at := l.text, 0
	matches := m.re.FindAllStringSubmatchIndex(rest, maxMatches+1)
	if len(matches) > maxMatches {
		return failed(fault.New(fault.TooLarge, "REPLACE has more than %d places to replace in one text", maxMatches))
	}
	for _, match := range matches {
		out.WriteString(rest[at:match[0]])
		for _, part := range parts {
			out.WriteString(pieceIn(part, rest, match))
			if out.Len() > MaxText {
				return failed(errTooLong("REPLACE"))
			}
		}
		at = match[1]
	}
	if out.Len()+len(rest)-at > MaxText {
		return failed(errTooLong("REPLACE"))
	}
	out.WriteString(rest[at:])
	return of(l.with(out.String()))
}

// pieceIn returns the text of a piece in a match of a text.
func pieceIn(p xsd.Piece, s string, match []int) string {
	if p.Group < 0 {
		return p.Text
	}
	if 2*p.Group >= len(match) || match[2*p.Group] < 0 {
		return ""
	}
	return s[match[2*p.Group]:match[2*p.Group+1]]
}
