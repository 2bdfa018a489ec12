// Package rdfio reads and writes RDF as text. It streams, knows nothing of files
// or the network, and keeps every literal's lexical form. Start with [Reader]; what
// one refuses comes as a [SyntaxError] that says where and what was expected instead.
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

// Reader reads a document of any format, one quad at a time.
type Reader interface {
	// Read returns the next quad, and io.EOF after the last one. Text that breaks
	// the grammar is a [*SyntaxError]; any other error is the underlying reader's.
	Read() (rdf.Quad, error)
	// Line returns about where in the text the last quad ended, from 1.
	Line() int
}

// LeftOut counts statements that a document makes and a reader has no quads for.
type LeftOut struct {
	Count int64
	First []Omission // [MaxOmissions] at most
	Rows  bool       // they are rows of tables and records
}

// Omission is one statement that was left out: where it stands, as far as that is known, and
// why.
type Omission struct {
	Source  string `json:"source,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
}

// MaxOmissions bounds the statements that a LeftOut lists, toldOmissions the reasons that its
// sentence does.
const (
	MaxOmissions  = 1000
	toldOmissions = 5
)

// particulars are what a message says of its own statement alone.
var particulars = regexp.MustCompile(`<[^>]*>|"(\\.|[^"\\])*"(@[\w-]+|\^\^)?|'[^']*'|_:\S+`)

// Add counts one statement.
func (l *LeftOut) Add(o Omission) {
	if l.Count++; len(l.First) < MaxOmissions {
		l.First = append(l.First, o)
	}
}

// Take adds what another one counted.
func (l *LeftOut) Take(other LeftOut) {
	l.Count += other.Count
	l.First = append(l.First, other.First...)
	l.First = l.First[:min(len(l.First), MaxOmissions)]
}

// String says how many there are, and why: of each reason, the first statement and how many
// others; "" when there are none.
func (l LeftOut) String() string {
	if l.Count == 0 {
		return ""
	}
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
	if l.Count == 1 {
		text = "1 " + one + " was left out: "
	}
	text += strings.Join(told, "; ")
	if more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// String is "notes.ttl:3, column 7: ...".
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

// What readers take unless [Limits] says otherwise.
const (
	DefaultLineBytes     = 16 << 20
	DefaultTermBytes     = 16 << 20
	DefaultDocumentBytes = 64 << 20
	DefaultNesting       = 1000
)

// Limits bounds what a reader takes from outside. The zero value means the defaults.
type Limits struct {
	// LineBytes is the longest line in bytes, without its ending; 0 is [DefaultLineBytes].
	LineBytes int
	// TermBytes is the longest IRI, literal or name in bytes, as it is written;
	// 0 is [DefaultTermBytes]. N-Quads are bounded by their lines.
	TermBytes int
	// DocumentBytes is the largest document that a reader takes which needs the
	// whole of it, as that of JSON-LD does; 0 is [DefaultDocumentBytes].
	DocumentBytes int
	// Nesting is how deep collections, blank nodes or elements may stand inside
	// each other; 0 is [DefaultNesting].
	Nesting int
	// Quads is how many quads a document may have; 0 is any number.
	Quads int64
}

// orDefaults returns the limits with the defaults where nothing is set.
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

// SyntaxError is a place in the input that breaks the grammar. It is also a
// fault: [fault.Of] gives Malformed, or TooLarge for what is beyond a limit,
// with the details line and column.
type SyntaxError struct {
	// Line counts from 1; CR, LF and CRLF each end one.
	Line int
	// Column counts code points from 1.
	Column int
	// Expected says what would have been right here.
	Expected string
	// Excerpt is the input from Column on, cut short; empty at the end of the line.
	Excerpt string

	// OneStatement: what is wrong is an IRI or a language tag, and the text goes on behind it.
	// A reader that is [Lenient] returns the error in the place of the statement, and reads on.
	OneStatement bool

	kind  fault.Kind
	atEnd bool // of the whole input
}

// Lenient is a reader that can leave out statements whose IRIs or language tags are none, by
// returning a [SyntaxError] of OneStatement in the place of each.
type Lenient interface {
	Reader
	// BeLenient makes it do so from the next statement on.
	BeLenient()
}

// Error says where, what was expected, and what stands there.
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

// excerpt returns the beginning of b, cut between code points.
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
