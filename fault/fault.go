// Package fault says what an error means to the person who must act on it.
//
// Every error that leaves the graph, the validator or the call path is either a
// *[Error], whose [Kind] each transport turns into its own code with one table,
// or something else, which is [Internal]: logged whole, shown as nothing.
// A fault's kind is set where it is known and never guessed from text.
package fault

import (
	"errors"
	"fmt"
)

// Kind is the meaning of an error. The zero Kind is Internal.
type Kind uint8

// The kinds, in the order of the contract's table.
const (
	Internal         Kind = iota // a fault of trails: the log of the process has the cause, under the trace id that the caller is told
	InvalidData                  // the data breaks the schema; the fields say where
	InvalidArguments             // the call itself is wrong; the fields say where
	UnknownTool                  // there is no capability of this name, or none for this caller
	Unauthenticated              // the token is missing or wrong
	ScopeDenied                  // the caller is known, and lacks the scope that the call needs
	Denied                       // the caller may see this, and may not do it
	Exhausted                    // what one caller or all of them may use is used up for now
	Busy                         // others keep the process or the file busy; the same call may succeed later
	NotFound                     // nothing is at this address
	Missing                      // a branch, a commit or a node that the call names is not there
	Precondition                 // the graph has changed since the commit that the call names, or its idempotency key was used for another call
	Conflict                     // the change contradicts what is there
	Malformed                    // a text does not parse; the message says where
	TooLarge                     // a limit of size, depth or rows was passed
	TimedOut                     // a limit of time was passed, or the write lock was not free in time
	Unusable                     // the file or the disk cannot be used: it is of another program or version, damaged, read-only or full
)

var kindNames = map[Kind]string{
	Internal:         "internal",
	InvalidData:      "invalid_data",
	InvalidArguments: "invalid_arguments",
	UnknownTool:      "unknown_tool",
	Unauthenticated:  "unauthenticated",
	ScopeDenied:      "scope_denied",
	Denied:           "denied",
	Exhausted:        "exhausted",
	Busy:             "busy",
	NotFound:         "not_found",
	Missing:          "missing",
	Precondition:     "precondition_failed",
	Conflict:         "conflict",
	Malformed:        "malformed",
	TooLarge:         "too_large",
	TimedOut:         "timed_out",
	Unusable:         "unusable",
}

// String returns the kind's name as it appears in results: lower snake case.
func (k Kind) String() string { return kindNames[k] }

// Error is a fault: a kind, a message for the person who must act, and what a
// program needs to act on it. It is immutable once returned.
type Error struct {
	Kind    Kind
	Message string
	// Fields lists the failing fields, for InvalidData and InvalidArguments: the first of each
	// kind of mistake, at most a thousand. Count is how many there are of all kinds.
	Fields []FieldError
	Count  int
	// Details are further members for a program: uri, tool, required_scope, head, line.
	Details map[string]any
	cause   error
}

// New returns a fault of kind k. A %w in the format keeps the cause for the log.
func New(k Kind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: k, Message: err.Error(), cause: errors.Unwrap(err)}
}

// With returns a copy of e that carries one more detail.
func (e *Error) With(key string, value any) *Error {
	c := *e
	c.Details = make(map[string]any, len(e.Details)+1)
	for k, v := range e.Details {
		c.Details[k] = v
	}
	c.Details[key] = value
	return &c
}

// Error returns the message, and for field errors each field on a line of its own.
func (e *Error) Error() string {
	s := e.Message
	for _, f := range e.Fields {
		s += "\n  " + f.String()
	}
	return s
}

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.cause }

// Of returns the fault in err's chain; an error without one is Internal.
// It returns nil for a nil error.
func Of(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: Internal, Message: "internal error", cause: err}
}

// Is reports whether err is a fault of kind k.
func Is(err error, k Kind) bool { return err != nil && Of(err).Kind == k }
