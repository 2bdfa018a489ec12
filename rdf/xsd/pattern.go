package xsd

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxPattern is how many bytes a regular expression may have.
	MaxPattern = 10_000
	maxFlags   = 16
)

// Pattern translates a regular expression of XPath (Functions and Operators, section 5.6.1) with its flags to package
// regexp. The error says what is invalid or not supported: back-references cannot be matched in linear time.
func Pattern(pattern, flags string) (string, error) {
	if len(pattern) > MaxPattern {
		return "", fmt.Errorf("a pattern has at most %d bytes, this one has %d", MaxPattern, len(pattern))
	}
	if len(flags) > maxFlags {
		return "", fmt.Errorf("there are at most %d flags", maxFlags)
	}
	if rest := strings.Trim(flags, "smixq"); rest != "" {
		return "", fmt.Errorf("the flags are s, m, i, x and q, not %.10q", rest)
	}
	modes := ""
	for _, mode := range []string{"i", "m", "s"} {
		if strings.Contains(flags, mode) && (mode == "i" || !strings.Contains(flags, "q")) {
			modes += mode
		}
	}
	var out strings.Builder
	if modes != "" {
		out.WriteString("(?" + modes + ")")
	}
	if strings.Contains(flags, "q") {
		out.WriteString(regexp.QuoteMeta(pattern))
		return out.String(), nil
	}
	t := translator{src: pattern, compact: strings.Contains(flags, "x"), folds: strings.Contains(flags, "i")}
	for t.pos < len(t.src) {
		text, err := t.next()
		if err != nil {
			return "", err
		}
		out.WriteString(text)
	}
	if _, err := syntax.Parse(out.String(), syntax.Perl); err != nil {
		return "", reasonOf(err)
	}
	return out.String(), nil
}

// reasonOf is the error of package regexp without the pattern, which is a translation.
func reasonOf(err error) error {
	var wrong *syntax.Error
	if !errors.As(err, &wrong) {
		return err
	}
	var least, most int
	if n, _ := fmt.Sscanf(wrong.Expr, "{%d,%d}", &least, &most); n == 2 && least > most {
		return fmt.Errorf("a repetition is {least,most}, and in %s the first number is the larger one", wrong.Expr)
	}
	if wrong.Code == syntax.ErrInvalidRepeatSize {
		return errors.New("a repetition goes to 1,000 at most, those inside each other together")
	}
	return errors.New(wrong.Code.String())
}

// multi are the multi-character escapes of XML Schema, in the form within a class.
var multi = map[byte]string{
	'd': `\p{Nd}`,
	's': ` \t\n\r`,
	'w': `\p{L}\p{M}\p{N}\p{S}`,
	'i': nameStart,
	'c': nameStart + nameRest,
}

const (
	nameStart = `:A-Z_a-z\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2FF}\x{370}-\x{37D}\x{37F}-\x{1FFF}` +
		`\x{200C}\x{200D}\x{2070}-\x{218F}\x{2C00}-\x{2FEF}\x{3001}-\x{D7FF}\x{F900}-\x{FDCF}` +
		`\x{FDF0}-\x{FFFD}\x{10000}-\x{EFFFF}`
	nameRest = `\-.0-9\x{B7}\x{300}-\x{36F}\x{203F}\x{2040}`
)

// singles are the characters that a backslash escapes, or that mean white space behind it (XML Schema Part 2,
// appendix F; XPath adds the dollar).
const singles = `nrt\|.?*+(){}-[]^$`

// translator reads a pattern of XPath and writes one of package regexp.
type translator struct {
	src     string
	pos     int
	compact bool // flag x: white space outside classes is ignored
	folds   bool // flag i
}

func (t *translator) next() (string, error) {
	switch c := t.src[t.pos]; {
	case c == '\\':
		return t.escape(false)
	case c == '[':
		return t.class()
	case t.compact && strings.IndexByte(" \t\n\r", c) >= 0:
		t.pos++
		return "", nil
	case strings.HasPrefix(t.src[t.pos:], "(?") && !strings.HasPrefix(t.src[t.pos:], "(?:"):
		return "", errors.New("groups begin with ( or (?: and with nothing else; flags are an argument of their own")
	}
	_, n := utf8.DecodeRuneInString(t.src[t.pos:])
	t.pos += n
	return t.src[t.pos-n : t.pos], nil
}

// class reads a character class, with an optional subtracted class at its end.
func (t *translator) class() (string, error) {
	out := "["
	t.pos++
	if strings.HasPrefix(t.src[t.pos:], "^") {
		out += "^"
		t.pos++
	}
	for first := t.pos; t.pos < len(t.src); {
		rest := t.src[t.pos:]
		switch {
		case rest[0] == ']' && t.pos == first:
			return "", errors.New("a character class is empty")
		case rest[0] == ']':
			t.pos++
			return out + "]", nil
		case strings.HasPrefix(rest, "-[") && t.pos > first:
			t.pos++
			minus, err := t.class()
			if err != nil {
				return "", err
			}
			if !strings.HasPrefix(t.src[t.pos:], "]") {
				return "", errors.New("behind a class that is subtracted only ']' can stand")
			}
			t.pos++
			return t.without(out+"]", minus)
		case rest[0] == '[':
			return "", errors.New(`a '[' inside of a character class is written \[`)
		case rest[0] == '\\':
			text, err := t.escape(true)
			if err != nil {
				return "", err
			}
			out += text
		default:
			out += rest[:1]
			t.pos++
		}
	}
	return "", errors.New("a character class has no end")
}

// escape reads what a backslash begins, in a class or outside of one.
func (t *translator) escape(inside bool) (string, error) {
	if t.pos+1 == len(t.src) {
		return "", errors.New("nothing stands behind the last backslash")
	}
	c := t.src[t.pos+1]
	if c == 'p' || c == 'P' {
		return t.property(inside)
	}
	t.pos += 2
	if members, ok := multi[c|0x20]; ok {
		return set(members, c&0x20 == 0, inside)
	}
	switch {
	case c >= '1' && c <= '9':
		return "", fmt.Errorf(`the back-reference \%c is not supported`, c)
	case strings.IndexByte(singles, c) < 0:
		r, _ := utf8.DecodeRuneInString(t.src[t.pos-1:])
		return "", fmt.Errorf(`\%c is no escape of XPath`, r)
	}
	return t.src[t.pos-2 : t.pos], nil
}

// property reads \p{…}: a general category, whose names are those of package regexp, or
// Is and the name of a block.
func (t *translator) property(inside bool) (string, error) {
	rest := t.src[t.pos:]
	end := strings.IndexByte(rest, '}')
	if end < 0 || rest[2] != '{' {
		return "", fmt.Errorf(`behind %s stands a category or a block in braces, as in \p{Lu} or \p{IsGreek}`, rest[:2])
	}
	t.pos += end + 1
	name := rest[3:end]
	if block, ok := strings.CutPrefix(name, "Is"); ok {
		b, known := blocks()[block]
		if !known {
			return "", fmt.Errorf("%.60q is no block of Unicode", block)
		}
		return set(fmt.Sprintf(`\x{%X}-\x{%X}`, b[0], b[1]), rest[1] == 'P', inside)
	}
	if len(name) < 1 || len(name) > 2 {
		return "", fmt.Errorf("%.60q is no general category of Unicode; blocks begin with Is", name)
	}
	return rest[:end+1], nil
}

// set writes a class with these members, or with all others. Within another class it writes the ranges without
// brackets.
func set(members string, others, inside bool) (string, error) {
	switch {
	case !inside && !others:
		return "[" + members + "]", nil
	case !inside:
		return "[^" + members + "]", nil
	case !others:
		return members, nil
	}
	ranges, err := rangesOf("[^"+members+"]", false)
	return written(ranges), err
}

// without subtracts one class from another. Flag i counts in both before.
func (t *translator) without(class, minus string) (string, error) {
	all, err := rangesOf(class, t.folds)
	if err != nil {
		return "", err
	}
	less, err := rangesOf(minus, t.folds)
	if err != nil {
		return "", err
	}
	var rest []rune
	for pair := range slices.Chunk(all, 2) {
		low, high := pair[0], pair[1]
		for gone := range slices.Chunk(less, 2) {
			if gone[1] < low || gone[0] > high {
				continue
			}
			if gone[0] > low {
				rest = append(rest, low, gone[0]-1)
			}
			low = gone[1] + 1
		}
		if low <= high {
			rest = append(rest, low, high)
		}
	}
	if len(rest) == 0 {
		return `[^\x{0}-\x{10FFFF}]`, nil
	}
	return "[" + written(rest) + "]", nil
}

// rangesOf are the first and last characters of the ranges of a class, in order.
func rangesOf(class string, folds bool) ([]rune, error) {
	flags := syntax.Perl
	if folds {
		flags |= syntax.FoldCase
	}
	re, err := syntax.Parse(class, flags)
	if err != nil {
		return nil, reasonOf(err)
	}
	if re.Op == syntax.OpLiteral { // one character, with its other cases under flag i
		r := re.Rune[0]
		ranges := []rune{r, r}
		for other := unicode.SimpleFold(r); folds && other != r; other = unicode.SimpleFold(other) {
			ranges = append(ranges, other, other)
		}
		slices.Sort(ranges)
		return ranges, nil
	}
	if re.Op == syntax.OpAnyChar {
		return []rune{0, utf8.MaxRune}, nil
	}
	if re.Op == syntax.OpAnyCharNotNL {
		return []rune{0, '\n' - 1, '\n' + 1, utf8.MaxRune}, nil
	}
	return re.Rune, nil // of a class; what is none matches no character
}

func written(ranges []rune) string {
	var out strings.Builder
	for pair := range slices.Chunk(ranges, 2) {
		fmt.Fprintf(&out, `\x{%X}-\x{%X}`, pair[0], pair[1])
	}
	return out.String()
}
