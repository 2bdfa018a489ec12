package expr

import "strings"

// classes are the multi-character escapes of XML Schema, as they are written
// outside and inside of a character class of RE2. The second of a pair in capitals
// has no form of its own inside, because RE2 does not nest classes; there it is
// written as ranges or properties.
var classes = map[byte]struct{ outside, inside string }{
	'd': {`\p{Nd}`, `\p{Nd}`},
	'D': {`\P{Nd}`, `\P{Nd}`},
	's': {`[ \t\n\r]`, ` \t\n\r`},
	'S': {`[^ \t\n\r]`, `\x00-\x08\x0B\x0C\x0E-\x1F\x21-\x{10FFFF}`},
	'w': {`[\p{L}\p{M}\p{N}\p{S}]`, `\p{L}\p{M}\p{N}\p{S}`},
	'W': {`[^\p{L}\p{M}\p{N}\p{S}]`, `\p{P}\p{Z}\p{C}`},
	'i': {`[` + nameStart + `]`, nameStart},
	'I': {`[^` + nameStart + `]`, ""},
	'c': {`[` + nameStart + nameRest + `]`, nameStart + nameRest},
	'C': {`[^` + nameStart + nameRest + `]`, ""},
}

const (
	nameStart = `:A-Z_a-z\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2FF}\x{370}-\x{37D}\x{37F}-\x{1FFF}` +
		`\x{200C}\x{200D}\x{2070}-\x{218F}\x{2C00}-\x{2FEF}\x{3001}-\x{D7FF}\x{F900}-\x{FDCF}` +
		`\x{FDF0}-\x{FFFD}\x{10000}-\x{EFFFF}`
	nameRest = `\-.0-9\x{B7}\x{300}-\x{36F}\x{203F}\x{2040}`
)

// escaped are the characters that may stand behind a backslash for themselves, or
// for white space (XML Schema Part 2, appendix F; XPath adds the dollar).
const escaped = `nrt\|.?*+(){}-[]^$`

// translator turns a pattern of XPath into one of RE2.
type translator struct {
	src     string
	pos     int
	out     strings.Builder
	compact bool // flag x: white space outside of classes means nothing
	class   int  // where the class began, or -1
}

// translate returns the pattern for RE2; ok is false when it uses what only one of
// the two languages has.
func translate(pattern string, compact bool) (translated string, ok bool) {
	t := translator{src: pattern, compact: compact, class: -1}
	for t.pos < len(t.src) {
		if !t.next() {
			return "", false
		}
	}
	return t.out.String(), t.class < 0
}

func (t *translator) next() bool {
	c := t.src[t.pos]
	switch {
	case c == '\\':
		return t.escape()
	case t.class >= 0:
		return t.inClass(c)
	case c == '[':
		t.beginClass()
		return true
	case t.compact && strings.IndexByte(" \t\n\r", c) >= 0:
		t.pos++
		return true
	case c == '.':
		return t.put(".")
	case c == '(' && strings.HasPrefix(t.src[t.pos:], "(?") && !strings.HasPrefix(t.src[t.pos:], "(?:"):
		return false
	}
	return t.put(t.src[t.pos : t.pos+1])
}

func (t *translator) put(s string) bool {
	t.out.WriteString(s)
	t.pos++
	return true
}

func (t *translator) beginClass() {
	t.class = t.pos
	t.put("[")
	if t.pos < len(t.src) && t.src[t.pos] == '^' {
		t.put("^")
		t.class++
	}
}

// inClass copies one character of a class. A bracket inside would be subtraction.
func (t *translator) inClass(c byte) bool {
	switch c {
	case '[':
		return false
	case ']':
		if t.pos == t.class+1 {
			return false // an empty class
		}
		t.class = -1
	}
	return t.put(t.src[t.pos : t.pos+1])
}

func (t *translator) escape() bool {
	if t.pos+1 == len(t.src) {
		return false
	}
	c := t.src[t.pos+1]
	if c == 'p' || c == 'P' {
		return t.property()
	}
	if form, ok := classes[c]; ok {
		text := form.outside
		if t.class >= 0 {
			text = form.inside
		}
		t.out.WriteString(text)
		t.pos += 2
		return text != ""
	}
	if strings.IndexByte(escaped, c) < 0 {
		return false
	}
	t.out.WriteString(t.src[t.pos : t.pos+2])
	t.pos += 2
	return true
}

// property copies \p{…}, whose names of general categories are RE2's, too. Blocks
// are not, and RE2 would take their names for scripts.
func (t *translator) property() bool {
	rest := t.src[t.pos:]
	end := strings.IndexByte(rest, '}')
	if end < 4 || rest[2] != '{' || end > 5 {
		return false
	}
	t.out.WriteString(rest[:end+1])
	t.pos += end + 1
	return true
}
