// Package rdfio reads and writes RDF as text. It streams, uses neither files nor the network,
// and keeps the lexical form of every literal. Start with [Reader]; text that it refuses is a
// [SyntaxError], which says where and what was expected instead.
package rdfio

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"trails/fault"
	"trails/rdf"
)

// Reader reads a document, one quad at a time.
type Reader interface {
	// Read returns the next quad, and io.EOF after the last one. Text that breaks
	// the grammar is a [*SyntaxError]; any other error is the underlying reader's.
	Read() (rdf.Quad, error)
	// Line returns the approximate line of the last quad, from 1.
	Line() int
}

// LeftOut counts the statements of a document for which its reader had no quads.
type LeftOut struct {
	Count int64
	First []Omission // at most [MaxOmissions]
	Rows  bool       // the statements are table rows or records
	Parts []Part     // at most maxParts
	// Following are those of the rows that are left out only because they refer to others that are.
	Following int64
}

// Part is something written in a document that the statements read from it do not have, such as the base direction of
// texts, with how many times it is there.
type Part struct {
	Message string
	Times   int64
}

const maxParts = 20

// Omission is one statement that was left out, with its position, if known, and the reason.
type Omission struct {
	Source  string `json:"source,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
}

// MaxOmissions bounds LeftOut.First; toldOmissions bounds the reasons in LeftOut.String.
const (
	MaxOmissions  = 1000
	toldOmissions = 5
)

// particulars match the parts of a message that differ from statement to statement. Without
// them, equal reasons can be counted together.
var particulars = regexp.MustCompile(`<[^>]*>|"(\\.|[^"\\])*"(@[\w-]+|\^\^)?|'[^']*'|_:\S+`)

// Add counts one statement.
func (l *LeftOut) Add(o Omission) {
	if l.Count++; len(l.First) < MaxOmissions {
		l.First = append(l.First, o)
	}
}

// AddPart counts something that is not read, though its statement is.
func (l *LeftOut) AddPart(message string, times int64) {
	i := slices.IndexFunc(l.Parts, func(p Part) bool { return p.Message == message })
	switch {
	case i >= 0:
		l.Parts[i].Times += times
	case len(l.Parts) < maxParts:
		l.Parts = append(l.Parts, Part{message, times})
	}
}

// Take adds another count to this one.
func (l *LeftOut) Take(other LeftOut) {
	for _, p := range other.Parts {
		l.AddPart(p.Message, p.Times)
	}
	l.Count += other.Count
	l.Following += other.Following
	l.First = append(l.First, other.First...)
	l.First = l.First[:min(len(l.First), MaxOmissions)]
}

// String says how many statements were left out and why, for each reason the first statement and the number of others,
// and which parts were not read. It is "" if there are none.
func (l LeftOut) String() string {
	var all []string
	if l.Count > 0 {
		all = append(all, l.statements())
	}
	for _, p := range l.Parts {
		times := ""
		if p.Times > 1 {
			times = fmt.Sprintf(" (%d times)", p.Times)
		}
		all = append(all, p.Message+times)
	}
	return strings.Join(all, "; ")
}

func (l LeftOut) statements() string {
	var reasons, told []string
	alike := make([]int64, toldOmissions)
	for _, o := range l.First {
		reason := particulars.ReplaceAllString(o.Message, "")
		i := slices.Index(reasons, reason)
		switch {
		case i >= 0:
			alike[i]++
		case len(told) < toldOmissions:
			reasons, told = append(reasons, reason), append(told, o.String())
		}
	}
	more := l.Count - int64(len(told))
	for i, n := range alike {
		if n > 0 {
			told[i] += fmt.Sprintf(" (and %d like it)", n)
			more -= n
		}
	}
	one, several := "statement", "statements"
	if l.Rows {
		one, several = "row", "rows"
	}
	text := fmt.Sprintf("%d %s were left out: ", l.Count, several)
	switch own := l.Count - l.Following; {
	case l.Count == 1:
		text = "1 " + one + " was left out: "
	case l.Following > 0 && own == 1:
		text = fmt.Sprintf("1 bad row was left out, and %d that refer to it: ", l.Following)
	case l.Following > 0:
		text = fmt.Sprintf("%d bad rows were left out, and %d that refer to them: ", own, l.Following)
	}
	text += strings.Join(told, "; ")
	if more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// String returns position and reason: "notes.ttl:3, column 7: ...".
func (o Omission) String() string {
	text := o.Message
	switch {
	case o.Line > 0 && o.Column > 0:
		text = fmt.Sprintf("%d, column %d: %s", o.Line, o.Column, text)
	case o.Line > 0:
		text = fmt.Sprintf("%d: %s", o.Line, text)
	}
	switch {
	case o.Source == "":
		return text
	case o.Line > 0:
		return o.Source + ":" + text
	}
	return o.Source + ": " + text
}

// The defaults of [Limits].
const (
	DefaultLineBytes     = 16 << 20
	DefaultTermBytes     = 16 << 20
	DefaultDocumentBytes = 64 << 20
	DefaultNesting       = 1000
)

// Limits bounds what a reader accepts. The zero value means the defaults.
type Limits struct {
	// LineBytes is the longest line in bytes, without its ending; 0 is [DefaultLineBytes].
	LineBytes int
	// TermBytes is the longest IRI, literal or name in bytes, as written; 0 is
	// [DefaultTermBytes]. N-Quads readers use LineBytes instead.
	TermBytes int
	// DocumentBytes is the largest document of a format that is read as a whole, such as
	// JSON-LD; 0 is [DefaultDocumentBytes].
	DocumentBytes int
	// Nesting is how deep collections, blank nodes or elements may be nested; 0 is
	// [DefaultNesting].
	Nesting int
	// Quads is how many quads a document may have; 0 means no limit.
	Quads int64
}

// orDefaults returns the limits with defaults in place of zeros.
func (l Limits) orDefaults() Limits {
	either := func(limit, otherwise int) int {
		if limit > 0 {
			return limit
		}
		return otherwise
	}
	return Limits{
		LineBytes: either(l.LineBytes, DefaultLineBytes), TermBytes: either(l.TermBytes, DefaultTermBytes),
		DocumentBytes: either(l.DocumentBytes, DefaultDocumentBytes), Nesting: either(l.Nesting, DefaultNesting), Quads: l.Quads,
	}
}

// SyntaxError describes a place in the input that breaks the grammar. It is also a fault:
// [fault.Of] returns Malformed, or TooLarge for an exceeded limit, with the details line and
// column.
type SyntaxError struct {
	// Line counts from 1; CR, LF and CRLF each end one.
	Line int
	// Column counts code points from 1.
	Column int
	// Expected says what would have been correct here.
	Expected string
	// Excerpt is the input from Column on, shortened; "" at the end of the line.
	Excerpt string

	// OneStatement means that only an IRI or a language tag is invalid, so the reader can
	// continue after it. A [Lenient] reader returns the error instead of the statement and goes
	// on.
	OneStatement bool

	kind  fault.Kind
	atEnd bool // at the end of the input
}

// Lenient is a reader that can leave out statements with an invalid IRI or language tag. It
// returns a [SyntaxError] with OneStatement for each of them, and goes on.
type Lenient interface {
	Reader
	// BeLenient turns this on, from the next statement.
	BeLenient()
}

func (e *SyntaxError) Error() string {
	found := "the end of the line"
	switch {
	case e.atEnd:
		found = "the end of the input"
	case e.Excerpt != "":
		found = strconv.QuoteToGraphic(e.Excerpt)
	}
	return fmt.Sprintf("line %d, column %d: expected %s, found %s", e.Line, e.Column, e.Expected, found)
}

// Unwrap returns the error as a fault, for [fault.Of].
func (e *SyntaxError) Unwrap() error {
	return fault.New(e.kind, "%s", e.Error()).With("line", e.Line).With("column", e.Column)
}

const excerptBytes = 32

// syntaxError describes the input at byte pos of a line; the caller sets Line.
func syntaxError(line []byte, pos int, expected string) *SyntaxError {
	pos = min(pos, len(line))
	return &SyntaxError{
		Line:     1,
		Column:   utf8.RuneCount(line[:pos]) + 1,
		Expected: expected,
		Excerpt:  excerpt(line[pos:]),
		kind:     fault.Malformed,
	}
}

// excerpt returns the beginning of b, never ending inside a code point.
func excerpt(b []byte) string {
	if len(b) <= excerptBytes {
		return string(b)
	}
	n := excerptBytes
	for n > excerptBytes-utf8.UTFMax && !utf8.RuneStart(b[n]) {
		n--
	}
	return string(b[:n]) + "…"
}
