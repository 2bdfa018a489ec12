package form

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
)

// sample is a short text that a pattern matches, as an example for people; "" when none is found, as for a pattern
// that looks at what stands beside a word.
func sample(pattern string, least int) string {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	const longest = 40
	for _, repeat := range []int{3, 1, least, least / 2} { // how often a part stands there that may repeat
		var b strings.Builder
		write(&b, tree.Simplify(), max(repeat, 1), longest)
		if text := b.String(); len(text) >= least && len(text) <= longest && strings.TrimSpace(text) == text && text != "" && regexp.MustCompile(pattern).MatchString(text) {
			return text
		}
	}
	return ""
}

// write appends an example of a part of a pattern, unless the text has the given length already.
func write(b *strings.Builder, re *syntax.Regexp, repeat, most int) {
	if b.Len() > most {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(plainest(re.Rune, b.String()))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpCapture, syntax.OpConcat:
		for _, part := range re.Sub {
			write(b, part, repeat, most)
		}
	case syntax.OpAlternate:
		write(b, re.Sub[0], repeat, most)
	case syntax.OpPlus, syntax.OpStar:
		for range repeat {
			write(b, re.Sub[0], 1, most)
		}
	case syntax.OpQuest: // may be left out
	case syntax.OpNoMatch, syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary: // match no character
	case syntax.OpRepeat: // there is none in a simplified pattern
	}
}

// plainest is the character of a class, given as pairs of first and last, that people find the plainest: the next letter
// or digit after the text so far, or else the first.
func plainest(ranges []rune, before string) rune {
	wanted := []rune("aA1-_. 0")
	if n := len(before); n > 0 && strings.ContainsRune("abcdefghABCDEFGH12345678", rune(before[n-1])) {
		wanted = append([]rune{rune(before[n-1] + 1)}, wanted...)
	}
	for _, c := range wanted {
		for i := 0; i < len(ranges); i += 2 {
			if ranges[i] <= c && c <= ranges[i+1] {
				return c
			}
		}
	}
	for i := 0; i < len(ranges); i += 2 {
		if unicode.IsPrint(ranges[i]) {
			return ranges[i]
		}
	}
	return 'a'
}
