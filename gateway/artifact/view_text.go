package artifact

import (
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"trails/text/quote"
)

// Head shows how a text begins.
type Head struct {
	Type  string `json:"type"`
	Chars int    `json:"chars,omitempty"` // 1 to 8,000; 2,000 when it is 0
}

func (s *Head) view(a Artifact) (Excerpt, error) {
	text, err := a.text()
	if err != nil {
		return Excerpt{}, err
	}
	chars, err := within("chars", s.Chars, 2_000, 1, mostExcerpt)
	if err != nil {
		return Excerpt{}, err
	}
	shown := whole(begin(text, chars), mostExcerpt)
	return on(text, 0, len(shown)), nil
}

// whole is the first bytes of a text, without a partial character at the end.
func whole(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// on is the view of a text between two positions, with the selector for what follows.
func on(text string, from, to int) Excerpt {
	v := Excerpt{Text: text[from:to]}
	if to < len(text) {
		v.Left, v.Next = fmt.Sprintf("%d of %d bytes", len(text)-to, len(text)), &Bytes{Type: "bytes", Offset: to}
	}
	return v
}

// Bytes shows a range of bytes: text as it is, without partial characters at both ends, other data in hexadecimal.
type Bytes struct {
	Type   string `json:"type"`
	Offset int    `json:"offset,omitempty"` // of the first byte
	Length int    `json:"length,omitempty"` // 4 to 8,000; 4,000 when it is 0
}

func (s *Bytes) view(a Artifact) (Excerpt, error) {
	length, err := within("length", s.Length, mostExcerpt/2, utf8.UTFMax, mostExcerpt)
	if err != nil {
		return Excerpt{}, err
	}
	if s.Offset < 0 || s.Offset > len(a.Data) {
		return Excerpt{}, fmt.Errorf("offset is %d, and it has %d bytes", s.Offset, len(a.Data))
	}
	if text, err := a.text(); err == nil {
		from := s.Offset
		for from < len(text) && !utf8.RuneStart(text[from]) {
			from++
		}
		return on(text, from, from+len(whole(text[from:], length))), nil
	}
	end := min(s.Offset+min(length, mostExcerpt/2), len(a.Data))
	v := Excerpt{Text: hex.EncodeToString(a.Data[s.Offset:end])}
	if end < len(a.Data) {
		v.Left, v.Next = fmt.Sprintf("%d of %d bytes", len(a.Data)-end, len(a.Data)), &Bytes{Type: "bytes", Offset: end, Length: s.Length}
	}
	return v, nil
}

// Lines shows lines of a text.
type Lines struct {
	Type  string `json:"type"`
	Start int    `json:"start,omitempty"` // the first one; 1 when it is 0
	Count int    `json:"count,omitempty"` // 1 to 1,000; 100 when it is 0
}

func (s *Lines) view(a Artifact) (Excerpt, error) {
	text, err := a.text()
	if err != nil {
		return Excerpt{}, err
	}
	count, err := within("count", s.Count, 100, 1, 1_000)
	if err != nil {
		return Excerpt{}, err
	}
	start, err := within("start", s.Start, 1, 1, len(text)+1)
	if err != nil {
		return Excerpt{}, err
	}
	from := 0
	for range start - 1 {
		n := strings.IndexByte(text[from:], '\n')
		if n < 0 {
			return Excerpt{}, fmt.Errorf("start is %d, and it has %d lines", start, lines(text))
		}
		from += n + 1
	}
	to, shown := from, 0
	for ; shown < count && to < len(text); shown++ {
		end := len(text)
		if n := strings.IndexByte(text[to:], '\n'); n >= 0 {
			end = to + n + 1
		}
		if end-from > mostExcerpt {
			if shown == 0 { // a line longer than a view
				return on(text, from, from+len(whole(text[from:], mostExcerpt))), nil
			}
			break
		}
		to = end
	}
	v := Excerpt{Text: text[from:to]}
	if to < len(text) {
		v.Left, v.Next = fmt.Sprintf("%d of %d lines", lines(text[to:]), lines(text)), &Lines{Type: "lines", Start: start + shown, Count: s.Count}
	}
	return v, nil
}

// lines counts the lines of a text; one without an end of line is one, too.
func lines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// Grep shows the lines of a text that match a pattern, with line numbers, like grep -n.
type Grep struct {
	Type    string `json:"type"`
	Pattern string `json:"pattern"`           // RE2, https://github.com/google/re2/wiki/Syntax
	Context int    `json:"context,omitempty"` // lines before and after: at most 10
	Limit   int    `json:"limit,omitempty"`   // lines that match: 1 to 100; 20 when it is 0
	Start   int    `json:"start,omitempty"`   // first line to search; 1 when it is 0
}

// mostPattern is how long a pattern may be, in bytes.
const mostPattern = 1_000

// patternOf reads a pattern of RE2.
func patternOf(text string) (*regexp.Regexp, error) {
	if len(text) == 0 || len(text) > mostPattern {
		return nil, fmt.Errorf("the pattern has %d bytes, and may have 1 to %d", len(text), mostPattern)
	}
	pattern, err := regexp.Compile(text)
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		return nil, fmt.Errorf("the pattern is none of RE2, which has no look-around and no back-references: %s in %s", wrong.Code, quote.Text(wrong.Expr, 100))
	}
	return pattern, err
}

// mostLine is the maximum number of bytes shown of a line.
const mostLine = 300

func (s *Grep) view(a Artifact) (Excerpt, error) {
	text, err := a.text()
	if err != nil {
		return Excerpt{}, err
	}
	pattern, err := patternOf(s.Pattern)
	if err != nil {
		return Excerpt{}, err
	}
	limit, err := within("limit", s.Limit, 20, 1, 100)
	if err != nil {
		return Excerpt{}, err
	}
	around, err := within("context", s.Context, 0, 0, 10)
	if err != nil {
		return Excerpt{}, err
	}
	start, err := within("start", s.Start, 1, 1, len(text)+1)
	if err != nil {
		return Excerpt{}, err
	}
	var b strings.Builder
	var before []string
	number, found, more, after, last, next := 0, 0, 0, 0, 0, 0
	write := func(n int, sign, line string) {
		if last > 0 && n > last+1 && around > 0 {
			b.WriteString("--\n")
		}
		fmt.Fprintf(&b, "%d%s%s\n", n, sign, line)
		last = n
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if number++; number < start {
			continue
		}
		at := pattern.FindStringIndex(line)
		if at != nil && (found == limit || b.Len() > mostExcerpt-(2*around+1)*(mostLine+20)) {
			if next == 0 {
				next = number
			}
			more++
			continue
		}
		switch {
		case next > 0:
		case at != nil:
			for i, line := range before {
				write(number-len(before)+i, "-", line)
			}
			before, after = before[:0], around
			found++
			write(number, ":", near(line, at[0]))
		case after > 0:
			after--
			write(number, "-", near(line, 0))
		case around > 0:
			if len(before) == around {
				before = before[1:]
			}
			before = append(before, near(line, 0))
		}
	}
	v := Excerpt{Text: b.String()}
	if more > 0 {
		v.Left, v.Next = fmt.Sprintf("%d more lines match", more), &Grep{Type: "grep", Pattern: s.Pattern, Context: s.Context, Limit: s.Limit, Start: next}
	}
	return v, nil
}

// near is the part of a long line around a place.
func near(line string, at int) string {
	if len(line) <= mostLine {
		return line
	}
	from := max(0, min(at-mostLine/3, len(line)-mostLine))
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	part := whole(line[from:], mostLine)
	if from > 0 {
		part = "…" + part
	}
	if from+len(part) < len(line) {
		part += "…"
	}
	return part
}
