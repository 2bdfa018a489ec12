package expr

import (
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"

	"trails/sparql"
)

// Needs describes texts that a regular expression can match: they contain these pieces in this order, with anything
// between them. Looking for pieces is cheaper than matching.
type Needs struct {
	Pieces []string
	// Start and End say that the text begins with the first piece and ends with the last.
	Start, End bool
	// Fold reports that ASCII case does not matter: the pieces are in lower case, and [AnyRune] stands for any one
	// character.
	Fold bool
	// Exact reports that each text with the pieces matches.
	Exact bool
}

// AnyRune stands for any one character in a piece.
const AnyRune = utf8.RuneError

// NeedsOf returns the needs of a call of REGEX with a constant pattern and constant flags. A text that matches
// satisfies at least one of them. An empty result means that nothing is known.
func NeedsOf(c sparql.Call) []Needs {
	if c.Func != "REGEX" || len(c.Args) < 2 || len(c.Args) > 3 {
		return nil
	}
	source := newMatcherSource(c.Args[1], c.Args[2:])
	if source.fixed == nil {
		return nil
	}
	m, _ := source.fixed() // an invalid pattern has no needs
	return m.needs
}

// Bounds on the characters of all pieces and on the alternatives, and so on the work of looking for them.
const (
	maxNeeds        = 64
	maxAlternatives = 8
)

// needsOf returns the needs of each alternative of a parsed expression.
func needsOf(re *syntax.Regexp) (list []Needs) {
	re = trimmed(re)
	if re.Op != syntax.OpAlternate {
		if one := onlyNeeds(re); len(one.Pieces) > 0 {
			list = append(list, one)
		}
		return list
	}
	for _, sub := range re.Sub {
		some := needsOf(sub)
		if len(some) == 0 || len(list)+len(some) > maxAlternatives {
			return nil
		}
		list = append(list, some...)
	}
	return list
}

func onlyNeeds(re *syntax.Regexp) Needs {
	f := needsFinder{Needs: Needs{Exact: true}}
	f.walk(re)
	f.seal()
	f.End = f.ended && !f.open
	if f.Fold {
		f.Exact = f.Exact && !f.cased
		for i, p := range f.Pieces {
			f.Pieces[i] = strings.Map(lowered, p)
		}
	}
	return f.Needs
}

// trimmed removes parts at the ends of the expression that may match nothing: a search at any place does not need
// them.
func trimmed(re *syntax.Regexp) *syntax.Regexp {
	if re.Op == syntax.OpCapture {
		return trimmed(re.Sub[0])
	}
	if re.Op != syntax.OpConcat {
		return re
	}
	subs := re.Sub
	for len(subs) > 0 && mayBeNothing(subs[0]) {
		subs = subs[1:]
	}
	for len(subs) > 0 && mayBeNothing(subs[len(subs)-1]) {
		subs = subs[:len(subs)-1]
	}
	if len(subs) == 1 {
		return trimmed(subs[0])
	}
	return &syntax.Regexp{Op: syntax.OpConcat, Sub: subs}
}

func mayBeNothing(re *syntax.Regexp) bool {
	if re.Op == syntax.OpCapture {
		return mayBeNothing(re.Sub[0])
	}
	return re.Op == syntax.OpStar || re.Op == syntax.OpQuest || re.Op == syntax.OpEmptyMatch
}

// needsFinder walks an expression from left to right.
type needsFinder struct {
	Needs
	piece []rune // the current piece, not yet ended
	runes int    // number of characters in all pieces
	begun bool   // there was something before this place
	open  bool   // anything may stand at this place
	ended bool   // the text ends at this place
	cased bool   // a letter has only one of its cases
}

func (f *needsFinder) walk(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpEmptyMatch:
	case syntax.OpCapture:
		f.walk(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			f.walk(sub)
		}
	case syntax.OpBeginText:
		f.Exact = f.Exact && !f.begun
		f.Start = f.Start || !f.begun
	case syntax.OpEndText:
		f.ended = true
	default:
		f.Exact = f.Exact && !f.ended
		f.consume(re)
	}
}

// consume handles an expression other than an anchor.
func (f *needsFinder) consume(re *syntax.Regexp) {
	if f.ended {
		f.gap()
	}
	switch {
	case re.Op == syntax.OpLiteral:
		for _, r := range re.Rune {
			f.rune(r, re.Flags&syntax.FoldCase != 0)
		}
		return
	case re.Op == syntax.OpPlus:
		f.walk(re.Sub[0])
		f.Exact = false
	case re.Op == syntax.OpStar && re.Sub[0].Op == syntax.OpAnyChar:
	default:
		f.Exact = false
	}
	f.gap()
}

// rune adds a character. U+FFFD also matches invalid UTF-8.
func (f *needsFinder) rune(r rune, fold bool) {
	switch {
	case r == utf8.RuneError || f.runes == maxNeeds:
		f.Exact = false
		f.gap()
		return
	case fold && unicode.SimpleFold(r) != r && !foldsInASCII(r):
		f.Exact, f.Fold = false, true
		r = AnyRune
	case fold && unicode.SimpleFold(r) != r:
		f.Fold = true
	case unicode.ToLower(r) != r || unicode.ToUpper(r) != r:
		f.cased = true
	}
	f.runes++
	f.piece, f.begun, f.open = append(f.piece, r), true, false
}

// foldsInASCII reports whether all case variants of a character are ASCII. Those of k and
// s are not: the Kelvin sign is a variant of k, the long s of s.
func foldsInASCII(r rune) bool {
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		if other >= utf8.RuneSelf {
			return false
		}
	}
	return r < utf8.RuneSelf
}

// gap records that anything may stand here.
func (f *needsFinder) gap() {
	f.seal()
	f.Start = f.Start && len(f.Pieces) > 0
	f.begun, f.open, f.ended = true, true, false
}

// seal ends the current piece. A piece of AnyRunes only is dropped.
func (f *needsFinder) seal() {
	p := string(f.piece)
	f.piece = f.piece[:0]
	if strings.Trim(p, string(AnyRune)) != "" {
		f.Pieces = append(f.Pieces, p)
	} else if p != "" {
		f.Start = f.Start && len(f.Pieces) > 0
		f.open = true
	}
}

func lowered(r rune) rune {
	if r < utf8.RuneSelf {
		return rune(lowerByte(byte(r)))
	}
	return r
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// plain returns needs without AnyRune.
func plain(list []Needs) []Needs {
	out := make([]Needs, len(list))
	for i, n := range list {
		out[i] = n.plain()
	}
	return out
}

func (n Needs) plain() Needs {
	any := string(AnyRune)
	if !strings.Contains(strings.Join(n.Pieces, ""), any) {
		return n
	}
	out := n
	out.Pieces = nil
	for _, p := range n.Pieces {
		out.Pieces = append(out.Pieces, strings.FieldsFunc(p, func(r rune) bool { return r == AnyRune })...)
	}
	out.Start = n.Start && !strings.HasPrefix(n.Pieces[0], any)
	out.End = n.End && !strings.HasSuffix(n.Pieces[len(n.Pieces)-1], any)
	return out
}

// in reports whether a text has all pieces, none of which contains AnyRune.
func (n Needs) in(text string) bool {
	for i, p := range n.Pieces {
		first, last := i == 0 && n.Start, i == len(n.Pieces)-1 && n.End
		at := 0
		switch {
		case len(text) < len(p) || first && last && len(text) != len(p):
			return false
		case last:
			at = len(text) - len(p)
		case !first:
			if at = n.index(text, p); at < 0 {
				return false
			}
		}
		if (first || last) && !n.equal(text[at:at+len(p)], p) {
			return false
		}
		text = text[at+len(p):]
	}
	return true
}

func (n Needs) index(text, piece string) int {
	if !n.Fold {
		return strings.Index(text, piece)
	}
	for i := range len(text) - len(piece) + 1 {
		if lowerByte(text[i]) == piece[0] && n.equal(text[i:i+len(piece)], piece) {
			return i
		}
	}
	return -1
}

func (n Needs) equal(text, piece string) bool {
	if !n.Fold {
		return text == piece
	}
	for i := range len(piece) {
		if lowerByte(text[i]) != piece[i] {
			return false
		}
	}
	return true
}
