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

// The answer to a stored query has the form that is asked for, or is refused with those there are.
func TestAStoredQueryAnswersInTheFormThatIsAccepted(t *testing.T) {
	for accept, want := range map[string]struct{ format, media string }{
		"": {"", "application/json"}, "*/*": {"", "application/json"}, "application/json": {"", "application/json"},
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": {"", "application/json"},
		"text/csv": {"csv", "text/csv; charset=utf-8"}, "text/csv, application/json;q=0.5": {"csv", "text/csv; charset=utf-8"},
		"application/sparql-results+xml": {"xml", "application/sparql-results+xml"},
		"text/turtle":                    {"turtle", "text/turtle; charset=utf-8"}, "application/rdf+xml": {"rdfxml", "application/rdf+xml"},
	} {
		e := &fakeEngine{}
		r := newRequest(exchange{method: "GET", path: "/queries/due"})
		r.Header.Del("Accept")
		if accept != "" {
			r.Header.Set("Accept", accept)
		}
		res := do(httpapi.New(e, runtimeOptions()), r)
		if res.StatusCode != http.StatusOK || len(e.calls) != 1 {
			t.Errorf("Accept: %s: %d, calls %v", accept, res.StatusCode, e.calls)
			continue
		}
		if got := e.calls[0].Format; got != want.format || res.Header.Get("Content-Type") != want.media {
			t.Errorf("Accept: %s asks for %q and answers %s, want %q and %s", accept, got, res.Header.Get("Content-Type"), want.format, want.media)
		}
	}
	r := newRequest(exchange{method: "GET", path: "/queries/due"})
	r.Header.Set("Accept", "image/png")
	if res := do(httpapi.New(&fakeEngine{}, runtimeOptions()), r); res.StatusCode != http.StatusNotAcceptable {
		t.Errorf("what has no such form is answered with %d", res.StatusCode)
	}
}
