package mcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trails/mcp"
)

// No Accept is any (RFC 9110, section 12.5.1): a request without one is answered as one that takes
// all, at every door that takes a POST and in every version; an Accept without what the door answers
// with is refused.
func TestNoAcceptIsAny(t *testing.T) {
	doors := map[string]func(*mcp.Server) http.Handler{"stateless": (*mcp.Server).Handler, "stateful": (*mcp.Server).StatefulHandler}
	for name, door := range doors {
		for version, text := range map[string]string{
			"2025-03-26": hello("2025-03-26", ""), "2025-06-18": hello("2025-06-18", ""), "2025-11-25": hello("2025-11-25", ""),
			"2026-07-28": ask("2026-07-28", 1, "tools/list", nil, ""),
		} {
			for accept, want := range map[string]int{"": 200, "*/*": 200, "application/json, text/event-stream": 200, "text/html": 400} {
				h := door(mcp.New(&fake{}, options("")))
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp", strings.NewReader(text))
				r.Header.Set("Content-Type", "application/json")
				if accept != "" {
					r.Header.Set("Accept", accept)
				}
				if version == "2026-07-28" {
					for _, header := range versionHeaders(version, "tools/list", "") {
						key, value, _ := strings.Cut(header, ": ")
						r.Header.Set(key, value)
					}
				}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				result := strings.Contains(w.Body.String(), fmt.Sprintf("%q:", "result"))
				if w.Code != want || result != (want == 200) {
					t.Errorf("%s, version %s, Accept %q: %d %.300s", name, version, accept, w.Code, w.Body)
				}
			}
		}
	}
}
