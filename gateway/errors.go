package gateway

import (
	"errors"
	"fmt"

	"trails/fault"
	"trails/text/quote"
)

// Code is the kind of an error, for programs.
type Code string

// The codes. The message says the rest.
const (
	PathInvalid         Code = "PATH_INVALID"   // no path
	PathNotFound        Code = "PATH_NOT_FOUND" // a path that does not exist
	ArgsInvalid         Code = "ARGS_INVALID"   // the caller's arguments
	SchemaInvalid       Code = "SCHEMA_INVALID" // the upstream's schema
	UpstreamError       Code = "UPSTREAM_ERROR"
	UpstreamTimeout     Code = "UPSTREAM_TIMEOUT"
	UpstreamUnavailable Code = "UPSTREAM_UNAVAILABLE"
	AuthFailed          Code = "AUTH_FAILED"
	PermissionDenied    Code = "PERMISSION_DENIED"
	RateLimited         Code = "RATE_LIMITED"
	HydrateFailed       Code = "HYDRATE_FAILED" // unknown id of a tool
	ViewFailed          Code = "VIEW_FAILED"
	ResourceNotFound    Code = "RESOURCE_NOT_FOUND"
	PromptNotFound      Code = "PROMPT_NOT_FOUND"
)

// retryable are the codes for which repeating the call may succeed.
var retryable = map[Code]bool{UpstreamTimeout: true, UpstreamUnavailable: true, RateLimited: true}

// maxMessage is the maximum length of a message in characters.
const maxMessage = 500

// Error is the error of a call as agents see it.
type Error struct {
	Details   map[string]any `json:"details,omitempty"`
	Code      Code           `json:"error"`
	Message   string         `json:"message"` // one line of at most 500 characters and …
	Path      string         `json:"path"`    // path, id or handle in the call
	Retryable bool           `json:"retryable"`
	// Fields are the arguments that a server refused.
	Fields []fault.FieldError `json:"-"`
	// Cause is for the log and the command line.
	Cause error `json:"-"`
}

// Fail returns an error of a call, with the path, id or handle that it named.
func Fail(code Code, path, format string, args ...any) *Error {
	return &Error{Code: code, Message: quote.Line(fmt.Sprintf(format, args...), maxMessage), Path: quote.Line(path, maxMessage), Retryable: retryable[code]}
}

// mostFields bounds the wrong fields of an error.
const mostFields = 100

// WithFields adds the arguments that a server refused, which makes it an error of the caller, whatever the server's
// code.
func (e *Error) WithFields(fields []fault.FieldError) *Error {
	if len(fields) == 0 {
		return e
	}
	e.Fields = fields[:min(len(fields), mostFields)]
	e.Code, e.Retryable = ArgsInvalid, false
	return e
}

// faults map codes to kinds of faults; others are Unusable.
var faults = map[Code]fault.Kind{
	PathInvalid: fault.Malformed, ArgsInvalid: fault.Malformed, UpstreamTimeout: fault.TimedOut,
	PathNotFound: fault.Missing, HydrateFailed: fault.Missing, ResourceNotFound: fault.Missing, PromptNotFound: fault.Missing, ViewFailed: fault.Missing,
}

// Fault converts the error to a fault, with its members as details.
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

// AsFault converts an error of this package to a fault, and returns others unchanged.
func AsFault(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e.Fault()
	}
	return err
}

func (e *Error) Error() string { return e.Message }
