package expr

import (
	"regexp/syntax"
	"sort"
	"strings"
	"unicode/utf8"

	"trails/fault"
	"trails/rdf/xsd"
)

// maxMatches bounds the matches that are replaced in one text, whose positions are kept in memory.
const maxMatches = 1 << 20

// replace is fn:replace (XPath Functions, section 7.6.3), in one pass, so that the
// bound on the result is also one on the work.
func (m matcher) replace(l literal, replacement string) (value, error) {
	if m.empty {
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
	add := func(match []int) error {
		out.WriteString(rest[at:match[0]])
		for _, part := range parts {
			out.WriteString(pieceIn(part, rest, match))
			if out.Len() > MaxText {
				return errTooLong("REPLACE")
			}
		}
		at = match[1]
		return nil
	}
	if err := m.each(rest, add); err != nil {
		return failed(err)
	}
	if out.Len()+len(rest)-at > MaxText {
		return failed(errTooLong("REPLACE"))
	}
	out.WriteString(rest[at:])
	return of(l.with(out.String()))
}

// each passes the positions of each match in a text, and of its groups.
func (m matcher) each(text string, add func(match []int) error) error {
	if m.runs != nil {
		return m.runs.each(text, add)
	}
	matches := m.re.FindAllStringSubmatchIndex(text, maxMatches+1)
	if len(matches) > maxMatches {
		return errTooMany
	}
	for _, match := range matches {
		if err := add(match); err != nil {
			return err
		}
	}
	return nil
}

var errTooMany = fault.New(fault.TooLarge, "REPLACE has more than %d places to replace in one text", maxMatches)

// runeRun is a pattern that matches one character of a class or, with many, as many as there are, one at least. It is
// searched without package regexp, which takes ten times as long for each match.
type runeRun struct {
	ascii  [utf8.RuneSelf]bool
	ranges []rune // pairs of the first and the last character
	many   bool
}

// runeRunOf returns nil for other patterns.
func runeRunOf(re *syntax.Regexp) *runeRun {
	r := &runeRun{}
	if re.Op == syntax.OpPlus && re.Flags&syntax.NonGreedy == 0 {
		r.many, re = true, re.Sub[0]
	}
	switch {
	case re.Op == syntax.OpCharClass:
		r.ranges = re.Rune
	case re.Op == syntax.OpLiteral && len(re.Rune) == 1 && re.Flags&syntax.FoldCase == 0:
		r.ranges = []rune{re.Rune[0], re.Rune[0]}
	default:
		return nil
	}
	for c := range r.ascii {
		r.ascii[c] = r.hasRune(rune(c))
	}
	return r
}

func (r *runeRun) has(c rune) bool {
	if c < utf8.RuneSelf {
		return r.ascii[c]
	}
	return r.hasRune(c)
}

// hasRune finds a character in the ranges.
func (r *runeRun) hasRune(c rune) bool {
	i := sort.Search(len(r.ranges)/2, func(i int) bool { return r.ranges[2*i+1] >= c })
	return 2*i < len(r.ranges) && r.ranges[2*i] <= c
}

// each passes the positions of each match in a text.
func (r *runeRun) each(text string, add func(match []int) error) error {
	match := make([]int, 2)
	found := 0
	for at := 0; at < len(text); {
		c, size := utf8.DecodeRuneInString(text[at:])
		if !r.has(c) {
			at += size
			continue
		}
		match[0] = at
		for at += size; r.many && at < len(text); at += size {
			if c, size = utf8.DecodeRuneInString(text[at:]); !r.has(c) {
				break
			}
		}
		if found++; found > maxMatches {
			return errTooMany
		}
		match[1] = at
		if err := add(match); err != nil {
			return err
		}
	}
	return nil
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
