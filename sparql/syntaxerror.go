package sparql

import (
	"fmt"

	"trails/fault"
)

// SyntaxError is a place in a query or an update that breaks the grammar or one of
// its rules on scope. It is also a fault: [fault.Of] gives Malformed, or TooLarge
// for what is beyond a limit, with the details line and column.
type SyntaxError struct {
	// Line counts from 1; CR, LF and CRLF each end one.
	Line int
	// Column counts code points from 1.
	Column int
	// Message says what was expected and what was found, or which rule is broken.
	Message string

	tooLarge bool
}

// Error says where and what.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Unwrap returns the error as a fault, for [fault.Of].
func (e *SyntaxError) Unwrap() error {
	kind := fault.Malformed
	if e.tooLarge {
		kind = fault.TooLarge
	}
	return fault.New(kind, "%s", e.Error()).With("line", e.Line).With("column", e.Column)
}
