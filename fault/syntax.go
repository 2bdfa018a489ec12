package fault

import (
	"fmt"
	"unicode/utf8"
)

// SyntaxError is a place in a text that violates a grammar or a limit. It is also a fault: [Of] returns its
// kind, with the details line and column.
type SyntaxError struct {
	Kind Kind // Malformed, or TooLarge for an exceeded limit
	// Line and Column count from 1, see [Position].
	Line, Column int
	// Message says what was expected and what was found, or which rule is violated.
	Message string
}

// At returns a syntax error at a byte of a text.
func At[T ~string | ~[]byte](kind Kind, text T, at int, format string, args ...any) *SyntaxError {
	line, column := Position(text, at)
	return &SyntaxError{Kind: kind, Line: line, Column: column, Message: fmt.Sprintf(format, args...)}
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Unwrap returns the error as a fault, for [Of].
func (e *SyntaxError) Unwrap() error {
	return New(e.Kind, "%s", e.Error()).With("line", e.Line).With("column", e.Column)
}

// Position returns line and column of a byte, both from 1. CR, LF and CRLF each end a line; columns count
// code points. A position outside the text is moved to its nearest end.
func Position[T ~string | ~[]byte](text T, at int) (line, column int) {
	line, start := 1, 0
	at = min(max(at, 0), len(text))
	for i := range at {
		if text[i] == '\n' || text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			line, start = line+1, i+1
		}
	}
	return line, utf8.RuneCountInString(string(text[start:at])) + 1
}
