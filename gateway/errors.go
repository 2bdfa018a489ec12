package gateway

import (
	"errors"
	"fmt"

	"trails/fault"
	"trails/text/quote"
)

// Code says what went wrong, so that an agent need not read the message to go on.
type Code string

// The codes. The message says the rest.
const (
	PathInvalid         Code = "PATH_INVALID"   // no path
	PathNotFound        Code = "PATH_NOT_FOUND" // a path to nothing
	ArgsInvalid         Code = "ARGS_INVALID"   // the caller's arguments
	SchemaInvalid       Code = "SCHEMA_INVALID" // the upstream's schema
	UpstreamError       Code = "UPSTREAM_ERROR"
	UpstreamTimeout     Code = "UPSTREAM_TIMEOUT"
	UpstreamUnavailable Code = "UPSTREAM_UNAVAILABLE"
	AuthFailed          Code = "AUTH_FAILED"
	PermissionDenied    Code = "PERMISSION_DENIED"
	RateLimited         Code = "RATE_LIMITED"
	HydrateFailed       Code = "HYDRATE_FAILED" // no tool of this id, or not any more
	ViewFailed          Code = "VIEW_FAILED"
	ResourceNotFound    Code = "RESOURCE_NOT_FOUND"
	PromptNotFound      Code = "PROMPT_NOT_FOUND"
)

// retryable are the codes after which the same call may succeed.
var retryable = map[Code]bool{UpstreamTimeout: true, UpstreamUnavailable: true, RateLimited: true}

// maxMessage is how many characters of a message an agent is shown.
const maxMessage = 500

// Error is what an agent is told of a call that failed, in this form.
type Error struct {
	Details   map[string]any `json:"details,omitempty"`
	Code      Code           `json:"error"`
	Message   string         `json:"message"` // one line of at most 500 characters and …
	Path      string         `json:"path"`    // what the call named: a path, an id, a handle
	Retryable bool           `json:"retryable"`
	// Fields are those of the arguments that a server calls wrong.
	Fields []fault.FieldError `json:"-"`
	// Cause is what the log and the command line are told, too.
	Cause error `json:"-"`
}

// Fail returns an error of a call that named path.
func Fail(code Code, path, format string, args ...any) *Error {
	return &Error{Code: code, Message: quote.Line(fmt.Sprintf(format, args...), maxMessage), Path: quote.Line(path, maxMessage), Retryable: retryable[code]}
}

// mostFields bounds the wrong fields of an error.
const mostFields = 100

// WithFields is the error with what a server calls wrong of the arguments: the error of a caller
// then, whatever the server calls it.
func (e *Error) WithFields(fields []fault.FieldError) *Error {
	if len(fields) == 0 {
		return e
	}
	e.Fields = fields[:min(len(fields), mostFields)]
	e.Code, e.Retryable = ArgsInvalid, false
	return e
}

// faults are what a call fails with by the code of its error; what is not listed is Unusable.
var faults = map[Code]fault.Kind{
	PathInvalid: fault.Malformed, ArgsInvalid: fault.Malformed, UpstreamTimeout: fault.TimedOut,
	PathNotFound: fault.Missing, HydrateFailed: fault.Missing, ResourceNotFound: fault.Missing, PromptNotFound: fault.Missing, ViewFailed: fault.Missing,
}

// Fault is the error as a call of this program fails with it: its details are the members of
// the error but for the message.
func (e *Error) Fault() *fault.Error {
	kind, known := faults[e.Code]
	if !known {
		kind = fault.Unusable
	}
	f := fault.New(kind, "%s", e.Message)
	if len(e.Fields) > 0 {
		f = fault.Invalid(e.Fields)
	}
	f = f.With("error", e.Code).With("path", e.Path).With("retryable", e.Retryable)
	if len(e.Details) > 0 {
		f = f.With("details", e.Details)
	}
	return f.Because(e.Cause)
}

// AsFault is the fault of an error of this package, and any other error as it is.
func AsFault(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e.Fault()
	}
	return err
}

func (e *Error) Error() string { return e.Message }
