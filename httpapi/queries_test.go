package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"trails/httpapi"
)

// What the addresses of stored queries ask is one call each.
func TestStoredQueriesAreAskedByName(t *testing.T) {
	for _, c := range []struct {
		name string
		exchange
		capability, args string
	}{
		{"the catalogue", exchange{method: "GET", path: "/queries"}, "stored_query_list", ""},
		{"by parameters", exchange{method: "GET", path: "/queries/due?owner=ana&status=open&status=done"}, "stored_query_run", `{"name":"due","reads":true,"texts":{"owner":["ana"],"status":["open","done"]}}`},
		{"a parameter of any name", exchange{method: "GET", path: "/queries/due?name=x&branch=y"}, "stored_query_run", `{"name":"due","reads":true,"texts":{"branch":["y"],"name":["x"]}}`},
		{"by a body", exchange{method: "POST", path: "/queries/due", body: `{"params": {"owner": "ana"}}`}, "stored_query_run", `{"name":"due","params":{"owner":"ana"}}`},
		{"the address names it", exchange{method: "POST", path: "/queries/due?dry_run=true", body: `{"name": "other"}`}, "stored_query_run", `{"dry_run":true,"name":"due"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &fakeEngine{}
			res := do(httpapi.New(e, runtimeOptions()), newRequest(c.exchange))
			if res.StatusCode != http.StatusOK || len(e.calls) != 1 {
				t.Fatalf("%d, calls %v", res.StatusCode, e.calls)
			}
			if got := e.calls[0]; got.Capability != c.capability || strings.TrimSpace(string(got.Args)) != c.args {
				t.Errorf("called %s %s", got.Capability, got.Args)
			}
		})
	}
}
