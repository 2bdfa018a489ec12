package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"trails/fault"
	"trails/invoke"
	"trails/text/redact"
)

// TraceHeader carries the call's trace id with every answer.
const TraceHeader = "Trails-Trace-Id"

// traced takes the caller's trace from traceparent, or begins one.
func traced(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := invoke.ParseTraceparent(r.Header.Get("Traceparent"))
		if t.ID == "" {
			t.ID = invoke.NewTraceID()
		}
		w.Header().Set(TraceHeader, t.ID)
		next.ServeHTTP(w, r.WithContext(invoke.WithTrace(r.Context(), t)))
	})
}

func traceOf(r *http.Request) string { return invoke.TraceOf(r.Context()).ID }

// logEntry is data that later stages add to a request's line in the access log.
type logEntry struct{ caller string }

type logEntryKey struct{}

// logged writes one line for each request, at debug; for a stream at its end.
func (s *server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.log.Enabled(r.Context(), slog.LevelDebug) {
			next.ServeHTTP(w, r)
			return
		}
		start := time.Now()
		v := &logEntry{caller: "nobody"}
		seen := &seenWriter{ResponseWriter: w}
		next.ServeHTTP(seen, r.WithContext(context.WithValue(r.Context(), logEntryKey{}, v)))
		s.log.LogAttrs(r.Context(), slog.LevelDebug, "request",
			slog.String("trace_id", traceOf(r)), slog.String("method", r.Method), slog.String("path", s.loggedPath(r)),
			slog.Int("status", seen.status), slog.Int("bytes", seen.bytes),
			slog.Float64("ms", float64(time.Since(start).Microseconds())/1000), slog.String("principal", v.caller))
	})
}

// loggedPath is the path of a request, unless that may have a token in it.
func (s *server) loggedPath(r *http.Request) string {
	if s.auth.CheckAddress(r) != nil {
		return redact.Mark
	}
	return pathOf(r)
}

// recovered converts a panic to a 500 with the trace id, and logs the stack. If the answer has begun, it cuts the
// connection.
func (s *server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &seenWriter{ResponseWriter: w}
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.log.LogAttrs(r.Context(), slog.LevelError, "panic",
				slog.String("trace_id", traceOf(r)), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			if seen.status != 0 {
				panic(http.ErrAbortHandler)
			}
			writeProblem(seen, http.StatusInternalServerError, problem(&fault.Error{}, traceOf(r)))
		}()
		next.ServeHTTP(seen, r)
	})
}
