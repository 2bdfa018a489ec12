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
	"slices"
	"strings"
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

	cause          error
	formed, placed string // the message as New has formed it, and with each [Path] whole
}

// Path is a file or directory of this machine in a message: callers are told its name alone,
// [Error.Whole] where it is.
type Path string

// String returns the last element of the path.
func (p Path) String() string { return string(p[strings.LastIndexByte(string(p), '/')+1:]) }

// New returns a fault of kind k, whose message callers are told. What is for those alone who
// sit at the machine, such as an error of the operating system, is no part of it: see
// [Error.Because] and [Path].
func New(k Kind, format string, args ...any) *Error {
	text := fmt.Sprintf(format, args...)
	e := &Error{Kind: k, Message: text, formed: text, placed: text}
	for i, arg := range args {
		switch arg := arg.(type) {
		case Path:
			args = slices.Clone(args)
			args[i] = string(arg)
		case *Error:
			args = slices.Clone(args)
			args[i] = arg.Whole()
		default:
			continue
		}
		e.placed = fmt.Sprintf(format, args...)
	}
	return e
}

// Because returns a copy of e that keeps its cause: errors.Is and errors.As find it, the log
// and the command line show it, and callers are not told of it.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// Whole is the message for who sits at the machine: with whole paths, and the cause behind it.
func (e *Error) Whole() string {
	text := e.Message
	if text == e.formed {
		text = e.placed
	}
	if e.cause == nil {
		return text
	}
	var f *Error
	if errors.As(e.cause, &f) && f.Message == e.Message {
		return f.Whole()
	}
	if why := Whole(e.cause); !strings.Contains(text, why) {
		text += ": " + why
	}
	return text
}

// Whole is the text of an error for who sits at the machine: see [Error.Whole].
func Whole(err error) string {
	var f *Error
	if errors.As(err, &f) {
		return strings.Replace(err.Error(), f.Message, f.Whole(), 1)
	}
	return err.Error()
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
