package httpapi

import (
	"cmp"
	"net/http"

	"github.com/go-chi/chi/v5"
)

// seenWriter records the status and size of an answer. chi has such a writer, and HEAD routing, in a package that
// imports net/http/pprof: 0.4 MB of the binary, and its pages.
type seenWriter struct {
	http.ResponseWriter
	status int // 0 before the answer has begun
	bytes  int // of the body
}

// WriteHeader begins the answer; what comes before it (1xx) does not.
func (s *seenWriter) WriteHeader(status int) {
	if status >= http.StatusOK || status == http.StatusSwitchingProtocols {
		s.status = cmp.Or(s.status, status)
	}
	s.ResponseWriter.WriteHeader(status)
}

// Write writes a part of the body.
func (s *seenWriter) Write(p []byte) (int, error) {
	s.status = cmp.Or(s.status, http.StatusOK)
	n, err := s.ResponseWriter.Write(p)
	s.bytes += n
	return n, err
}

// Flush sends what was written.
func (s *seenWriter) Flush() {
	s.status = cmp.Or(s.status, http.StatusOK)
	_ = http.NewResponseController(s.ResponseWriter).Flush() // a writer that keeps nothing back has nothing to flush
}

// Unwrap is for [http.ResponseController].
func (s *seenWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// headAsGet routes a HEAD request without a route of its own as GET; the body is not sent.
func headAsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		routed := chi.RouteContext(r.Context())
		path := cmp.Or(routed.RoutePath, r.URL.RawPath, r.URL.Path)
		if r.Method == http.MethodHead && !routed.Routes.Match(chi.NewRouteContext(), http.MethodHead, path) {
			routed.RouteMethod, routed.RoutePath = http.MethodGet, path
		}
		next.ServeHTTP(w, r)
	})
}
