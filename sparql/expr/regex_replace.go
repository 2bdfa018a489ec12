package expr

import (
	"strings"

	"trails/fault"
	"trails/rdf"
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
	parts, ok := m.template(replacement)
	if !ok {
		return failed(ErrRegex)
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
			out.WriteString(part.in(rest, match))
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

// piece is a part of a replacement: a fixed text or a group.
type piece struct {
	text  string
	group int // below 0 for a text
}

func (p piece) in(s string, match []int) string {
	if p.group < 0 {
		return p.text
	}
	if 2*p.group >= len(match) || match[2*p.group] < 0 {
		return ""
	}
	return s[match[2*p.group]:match[2*p.group+1]]
}

// template parses a replacement: $N is a group, \$ and \\ are the characters. A lone $ or \ is an error
// (err:FORX0004).
func (m matcher) template(s string) (parts []piece, ok bool) {
	if m.literal {
		return []piece{{text: s, group: -1}}, true
	}
	for s != "" {
		i := strings.IndexAny(s, `$\`)
		if i < 0 {
			return append(parts, piece{text: s, group: -1}), true
		}
		parts = append(parts, piece{text: s[:i], group: -1})
		var part piece
		if part, s, ok = m.special(s[i:]); !ok {
			return nil, false
		}
		parts = append(parts, part)
	}
	return parts, true
}

func (m matcher) special(s string) (part piece, rest string, ok bool) {
	if len(s) < 2 {
		return piece{}, "", false
	}
	if s[0] == '\\' {
		return piece{text: s[1:2], group: -1}, s[2:], s[1] == '\\' || s[1] == '$'
	}
	if !rdf.IsDigit(s[1]) {
		return piece{}, "", false
	}
	// The number takes as many digits as there are groups for.
	group, n := int(s[1]-'0'), 2
	for n < len(s) && rdf.IsDigit(s[n]) && group*10+int(s[n]-'0') <= m.re.NumSubexp() {
		group = group*10 + int(s[n]-'0')
		n++
	}
	return piece{group: group}, s[n:], true
}
