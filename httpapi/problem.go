package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"trails/fault"
)

// verdict is how HTTP reports a kind of fault.
type verdict struct {
	status int
	title  string
}

// verdicts is the one table from meaning to status (contract, section 7).
var verdicts = map[fault.Kind]verdict{
	fault.Internal:         {http.StatusInternalServerError, "Internal error"},
	fault.InvalidData:      {http.StatusUnprocessableEntity, "Invalid data"},
	fault.InvalidArguments: {http.StatusBadRequest, "Invalid arguments"},
	fault.UnknownTool:      {http.StatusNotFound, "Unknown tool"},
	fault.Unauthenticated:  {http.StatusUnauthorized, "Authentication failed"},
	fault.ScopeDenied:      {http.StatusForbidden, "Scope denied"},
	fault.Denied:           {http.StatusForbidden, "Denied"},
	fault.Exhausted:        {http.StatusTooManyRequests, "Exhausted"},
	fault.Busy:             {http.StatusServiceUnavailable, "Busy"},
	fault.NotFound:         {http.StatusNotFound, "Not found"},
	fault.Missing:          {http.StatusNotFound, "Missing"},
	fault.Precondition:     {http.StatusPreconditionFailed, "Precondition failed"},
	fault.Conflict:         {http.StatusConflict, "Conflict"},
	fault.Malformed:        {http.StatusBadRequest, "Malformed"},
	fault.TooLarge:         {http.StatusRequestEntityTooLarge, "Too large"},
	fault.TimedOut:         {http.StatusRequestTimeout, "Timed out"},
	fault.Unusable:         {http.StatusServiceUnavailable, "Unusable"},
}

// Status returns the HTTP status for a kind of fault.
func Status(k fault.Kind) int { return verdicts[k].status }

// refuse answers with err as a problem document.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	f := s.faultOf(r, err)
	if challenge := s.auth.Challenge(r, f); challenge != "" {
		w.Header().Set("WWW-Authenticate", challenge)
	}
	if f.Kind == fault.Exhausted || f.Kind == fault.Busy {
		w.Header().Set("Retry-After", retryAfter(f.Details["retry_after"]))
	}
	writeProblem(w, verdicts[f.Kind].status, problem(f, traceIn(f, r)))
}

// faultOf converts err for the caller. An internal error is logged here, unless the call has logged it, and only its
// trace id is shown.
func (s *server) faultOf(r *http.Request, err error) *fault.Error {
	f := fault.Of(err)
	if why := context.Cause(r.Context()); f.Kind == fault.TimedOut && fault.Is(why, fault.TimedOut) {
		f = fault.Of(why) // the call was cancelled, and does not know why
	}
	if _, logged := f.Details["trace_id"]; f.Kind == fault.Internal && !logged {
		s.log.LogAttrs(r.Context(), slog.LevelError, "internal error",
			slog.String("trace_id", traceOf(r)), slog.String("path", pathOf(r)), slog.String("cause", fault.Whole(err)))
	}
	return f
}

// traceIn is the trace id under which a fault was logged.
func traceIn(f *fault.Error, r *http.Request) string {
	if id, logged := f.Details["trace_id"].(string); logged {
		return id
	}
	return traceOf(r)
}

// retryAfter is whole seconds, at least one.
func retryAfter(v any) string {
	var seconds float64
	switch n := v.(type) {
	case int:
		seconds = float64(n)
	case int64:
		seconds = float64(n)
	case float64:
		seconds = n
	}
	return fmt.Sprint(int64(math.Max(1, math.Ceil(seconds))))
}

// problem returns the members of the document (RFC 9457, section 3).
func problem(f *fault.Error, trace string) map[string]any {
	p := f.Members()
	if f.Kind != fault.Internal {
		p["detail"] = f.Message
	}
	p["type"] = "urn:trails:problem:" + f.Kind.String()
	p["title"] = verdicts[f.Kind].title
	p["status"] = verdicts[f.Kind].status
	p["trace_id"] = trace
	return p
}

// member is one more of a problem document.
type member struct {
	name  string
	value any
}

// refuseOutside answers with a status for which there is no fault, because it only concerns HTTP.
func refuseOutside(w http.ResponseWriter, r *http.Request, status int, detail string, more ...member) {
	members := map[string]any{
		"type": "about:blank", "title": http.StatusText(status), "status": status, "detail": detail, "trace_id": traceOf(r),
	}
	for _, m := range more {
		members[m.name] = m.value
	}
	writeProblem(w, status, members)
}

func writeProblem(w http.ResponseWriter, status int, members map[string]any) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(members) // the status is sent; the connection may be closed
}

// methodNotAllowed answers 405 with the methods that the address has.
func (s *server) methodNotAllowed(routes chi.Routes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete} {
			try := m
			if m == http.MethodHead {
				try = http.MethodGet
			}
			if routes.Match(chi.NewRouteContext(), try, r.URL.EscapedPath()) {
				allowed = append(allowed, m)
			}
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		refuseOutside(w, r, http.StatusMethodNotAllowed, fmt.Sprintf("%s is not for %s; allowed: %s", r.Method, pathOf(r), strings.Join(allowed, ", ")))
	}
}
