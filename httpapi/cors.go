package httpapi

import (
	"net/http"
	"strings"
)

// What pages of other origins may send and see, where they are trusted (https://fetch.spec.whatwg.org/#http-cors-protocol).
var (
	corsMethods = strings.Join([]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete}, ", ")
	corsSent    = "Accept, Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id, Traceparent"
	corsSeen    = strings.Join([]string{"ETag", "Link", "Location", "Mcp-Session-Id", "Retry-After", CommitHeader, TraceHeader, "WWW-Authenticate"}, ", ")
)

// corsAge is how many seconds a browser may keep the answer to a preflight.
const corsAge = "600"

// crossed lets pages of trusted origins see the answers, and answers the preflights of their requests. They have no cookies
// here: they show a token as programs do. The pages for people are never for others.
func (s *server) crossed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin, h := r.Header.Get("Origin"), w.Header()
		if !s.auth.Trusts(origin) || s.isPage(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		h.Add("Vary", "Origin")
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", corsSeen)
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Methods", corsMethods)
		h.Set("Access-Control-Allow-Headers", corsSent)
		h.Set("Access-Control-Max-Age", corsAge)
		w.WriteHeader(http.StatusNoContent)
	})
}
