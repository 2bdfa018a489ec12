package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-chi/chi/v5/middleware"

	"trails/kg/fault"
	"trails/mcp"
)

// TraceHeader carries the call's trace id with every answer.
const TraceHeader = "Trails-Trace-Id"

type traceKey struct{}

// traced takes the caller's trace id from traceparent, or makes one.
func traced(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := traceFrom(r.Header.Get("Traceparent"))
		if id == "" {
			id = newTraceID()
		}
		w.Header().Set(TraceHeader, id)
		ctx := mcp.WithTraceID(context.WithValue(r.Context(), traceKey{}, id), id)
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func traceOf(r *http.Request) string {
	id, _ := r.Context().Value(traceKey{}).(string)
	return id
}

// A version that we do not know may have more fields after the flags; ff is
// forbidden (W3C Trace Context, section 3.2.2).
var traceparent = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$`)

// traceFrom returns the trace id of a valid traceparent, or "".
func traceFrom(header string) string {
	m := traceparent.FindStringSubmatch(header)
	if m == nil || m[1] == "ff" || (m[1] == "00" && m[4] != "") || isZero(m[2]) || isZero(m[3]) {
		return ""
	}
	return m[2]
}

func isZero(digits string) bool { return strings.Trim(digits, "0") == "" }

func newTraceID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return hex.EncodeToString(b[:])
}

// logged writes one line a request, at debug.
func (s *server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.log.Enabled(r.Context(), slog.LevelDebug) {
			next.ServeHTTP(w, r)
			return
		}
		start := time.Now()
		seen := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		next.ServeHTTP(seen, r)
		s.log.LogAttrs(r.Context(), slog.LevelDebug, "request",
			slog.String("method", r.Method), slog.String("path", r.URL.EscapedPath()),
			slog.Int("status", seen.Status()), slog.Int("bytes", seen.BytesWritten()),
			slog.Duration("took", time.Since(start)), slog.String("trace_id", traceOf(r)))
	})
}

// recovered turns a panic into a 500 with the trace id; the stack goes to the log.
// When the answer has begun it cannot be taken back, so the connection is cut.
func (s *server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
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
			if seen.Status() != 0 {
				panic(http.ErrAbortHandler)
			}
			writeProblem(seen, http.StatusInternalServerError, problem(&fault.Error{}, traceOf(r)))
		}()
		next.ServeHTTP(seen, r)
	})
}
