// Package fault gives errors a meaning for the person who must act on them.
//
// Every error that leaves the graph, the validator or the call path is either an *[Error], whose [Kind] each
// transport maps to its own codes, or [Internal]: logged in full, and hidden from callers. A kind is set
// where the error arises, and never guessed from text.
package fault

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Kind is the meaning of an error. The zero Kind is Internal.
type Kind uint8

// The kinds, in the order of the contract's table.
const (
	Internal         Kind = iota // a bug in trails: the cause is in the process's log, under the trace id given to the caller
	InvalidData                  // the data violates the schema; the fields say where
	InvalidArguments             // the call itself is wrong; the fields say where
	UnknownTool                  // there is no capability of this name, or none for this caller
	Unauthenticated              // the token is missing or wrong
	ScopeDenied                  // the caller is known, but lacks the scope that the call needs
	Denied                       // the caller may see this, but not do it
	Exhausted                    // a budget, of one caller or of all, is used up for now
	Busy                         // others keep the process or the file busy; the same call may succeed later
	NotFound                     // nothing is at this address
	Missing                      // a branch, a commit or a node in the call does not exist
	Precondition                 // the graph changed since the commit in the call, or its idempotency key was used for another call
	Conflict                     // the change contradicts the present data
	Malformed                    // a text does not parse; the message says where
	TooLarge                     // a limit on size, depth or rows was exceeded
	TimedOut                     // a time limit was exceeded, or the write lock was not free in time
	Unusable                     // file or disk cannot be used: of another program or version, damaged, read-only or full
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

// String returns the kind's name in results: lower snake case.
func (k Kind) String() string { return kindNames[k] }

// Error is a fault: a kind, a message for the person who must act, and details for programs. It is immutable
// once returned.
type Error struct {
	Kind    Kind
	Message string
	// Fields lists the wrong fields, for InvalidData and InvalidArguments: the first of each kind of mistake,
	// at most a thousand. Count is the number of all mistakes.
	Fields []FieldError
	Count  int
	// Details are further members for programs: uri, tool, required_scope, head, line.
	Details map[string]any

	cause          error
	formed, placed string // the message, and the same with each [Path] in full
}

// Path is a local file or directory in a message: callers see its last element only, [Error.Whole] has all of
// it.
type Path string

// String returns the last element of the path.
func (p Path) String() string { return string(p[strings.LastIndexByte(string(p), '/')+1:]) }

// New returns a fault with a message for callers. What only users of this machine may see, such as errors of
// the operating system, is given by [Error.Because] and [Path].
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

// Because returns a copy of e with a cause, for errors.Is, errors.As, the log and the command line. Callers
// do not see it.
// Not inlined, for the size of the binary.
//
//go:noinline
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// Whole returns the message for users of this machine: with full paths, and with the cause.
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

// Whole returns the text of an error for users of this machine: see [Error.Whole].
func Whole(err error) string {
	var f *Error
	if errors.As(err, &f) {
		return strings.Replace(err.Error(), f.Message, f.Whole(), 1)
	}
	return err.Error()
}

// With returns a copy of e with one more detail.
// Not inlined, for the size of the binary.
//
//go:noinline
func (e *Error) With(key string, value any) *Error {
	c := *e
	if c.Details = maps.Clone(e.Details); c.Details == nil {
		c.Details = map[string]any{}
	}
	c.Details[key] = value
	return &c
}

// Error returns the message and each field error on a line of its own.
func (e *Error) Error() string {
	s := e.Message
	for _, f := range e.Fields {
		s += "\n  " + f.String()
	}
	return s
}

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
