package admin

import (
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"trails/rdf"
	"trails/schema"
	"trails/text/jsontext"
)

// maxLine is how much of a text stands where one line is wanted.
const maxLine = 160

// line converts any text to one line, for a link, a title or an attribute: line breaks become spaces, invisible
// characters get a mark, and direction marks, which could reverse what follows, are removed.
func line(text string) string { return oneLine(text, maxLine) }

// maxMessage bounds what a page says of what went wrong, or of what to do.
const maxMessage = 4000

// whole is line for a sentence or several.
func whole(text string) string { return oneLine(text, maxMessage) }

func oneLine(text string, most int) string {
	if isLine(text, most) {
		return text
	}
	var out strings.Builder
	n, space := 0, false
	for _, c := range text {
		if n == most {
			out.WriteRune('…')
			break
		}
		switch {
		case unicode.IsSpace(c):
			if space {
				continue
			}
			c = ' '
		case changesDirection(c) || c == '\u200b' || c == '\ufeff':
			continue
		case unicode.IsControl(c):
			c = '\ufffd'
		}
		space = c == ' '
		out.WriteRune(c)
		n++
	}
	return strings.TrimSpace(out.String())
}

// isLine reports a text of visible ASCII with single spaces between its words, as most are. It need not be copied.
func isLine(text string, most int) bool {
	space := true
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c > '~' || c == ' ' && space {
			return false
		}
		space = c == ' '
	}
	return len(text) <= most && (!space || text == "")
}

// changesDirection reports a character that only changes the direction of the text after it.
func changesDirection(c rune) bool {
	return c == '\u200e' || c == '\u200f' || c == '\u061c' || c >= '\u202a' && c <= '\u202e' || c >= '\u2066' && c <= '\u2069'
}

// hasHidden reports whether a text has invisible characters that change its appearance.
func hasHidden(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool {
		return changesDirection(c) || c == '\u200b' || c == '\ufeff' || unicode.IsControl(c) && c != '\n' && c != '\t' && c != '\r'
	})
}

func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// count writes a whole number, of whatever type, with thin spaces between thousands.
func count(n any) string {
	digits := fmt.Sprint(n)
	var out strings.Builder
	for i, c := range digits {
		if i > 0 && c != '-' && digits[i-1] != '-' && (len(digits)-i)%3 == 0 {
			out.WriteRune('\u202f')
		}
		out.WriteRune(c)
	}
	return out.String()
}

// plural is the word for n things.
func plural(n any, one, many string) string {
	if fmt.Sprint(n) == "1" {
		return one
	}
	return many
}

// when writes a time, or a day, as people read it; what does not parse stays as it is.
func when(stamp string) string {
	if day, err := time.Parse(time.DateOnly, stamp); err == nil {
		return day.Format("2 January 2006")
	}
	t, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return line(stamp)
	}
	return t.UTC().Format("2 Jan 2006, 15:04:05")
}

// unbroken reports whether a text has a word so long that a column must be able to break it.
func unbroken(texts ...string) bool {
	for _, text := range texts {
		for word := range strings.FieldsSeq(firstRunes(text, maxLine)) {
			if utf8.RuneCountInString(word) > 28 {
				return true
			}
		}
	}
	return false
}

// webURL is text when a browser can be sent there safely, else "".
func webURL(text string) string {
	if len(text) > 2048 || strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || unicode.IsControl(c) || changesDirection(c) }) || !utf8.ValidString(text) {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return ""
	}
	return text
}

// datatypeName is a datatype without its usual prefix.
func datatypeName(datatype string) string { return strings.TrimPrefix(datatype, "xsd:") }

// propertyName is the name of a property in words: hired_on is "Hired on", and so is hiredOn. An IRI stays as it is, but
// for that of the type, which has no name in a schema. Of a path each name is in words.
func propertyName(name string) string {
	switch {
	case name == string(rdf.Type):
		return "Type"
	case strings.ContainsAny(name, ":/#"):
		return line(name)
	}
	steps := strings.Split(line(name), ".")
	for i, step := range steps {
		steps[i] = capital(schema.Words(step))
	}
	return strings.Join(steps, " › ")
}

// capital is a text that begins with a capital letter.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// shellQuote writes text as one word of a shell.
func shellQuote(text string) string {
	plain := func(c rune) bool {
		return c < 128 && (unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("-_./:=@%+", c))
	}
	if text != "" && !strings.ContainsFunc(text, func(c rune) bool { return !plain(c) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// alike reports names that share a beginning, whatever their case.
func alike(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return strings.HasPrefix(a, firstRunes(b, 3)) || strings.HasPrefix(b, firstRunes(a, 3))
}

// literal is a value of a schema as people write it: a string without its quotes.
func literal(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	text, err := jsontext.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
