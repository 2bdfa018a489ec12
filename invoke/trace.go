package invoke

import (
	"context"
	"regexp"
	"strings"
)

// Trace is the position of a call in its caller's trace. The zero Trace is none.
type Trace struct {
	// ID is the trace's, 32 hex digits; Span is the caller's span in it, 16 of them.
	ID, Span string
}

// A version that we do not know may have more fields after the flags; ff is
// forbidden (W3C Trace Context, section 3.2.2).
var traceparent = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$`)

// ParseTraceparent reads a W3C traceparent; one that is not valid is the zero Trace.
func ParseTraceparent(text string) Trace {
	m := traceparent.FindStringSubmatch(text)
	if m == nil || m[1] == "ff" || (m[1] == "00" && m[4] != "") || isZero(m[2]) || isZero(m[3]) {
		return Trace{}
	}
	return Trace{ID: m[2], Span: m[3]}
}

func isZero(digits string) bool { return strings.Trim(digits, "0") == "" }

type traceKey struct{}

// WithTrace returns a context with the trace of a request.
func WithTrace(ctx context.Context, t Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceOf returns what [WithTrace] was given.
func TraceOf(ctx context.Context) Trace {
	t, _ := ctx.Value(traceKey{}).(Trace)
	return t
}
