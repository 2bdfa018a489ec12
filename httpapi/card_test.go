package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"trails/auth"
	"trails/auth/policy"
	"trails/httpapi"
)

var discovery = map[string]string{
	"/mcp/server-card": "application/mcp-server-card+json", "/.well-known/ai-catalog.json": "application/ai-catalog+json",
}

// Clients read how to connect before they have a token, so nothing of the graph is there.
func TestClientsFindTheServerWithoutAToken(t *testing.T) {
	o := httpapi.Options{Auth: auth.New(auth.Options{Token: "secret", Scopes: policy.AllScopes()}), MCP: http.NotFoundHandler(),
		Version: "1.2.3", Revisions: []string{"2026-07-28"}}
	h := httpapi.New(notesEngine(t), o)
	for path, media := range discovery {
		res := do(h, newRequest(exchange{method: "GET", path: path}))
		body := readAll(t, res.Body)
		if res.StatusCode != 200 || res.Header.Get("Content-Type") != media || res.Header.Get("Access-Control-Allow-Origin") != "*" || !strings.HasPrefix(res.Header.Get("Cache-Control"), "public") {
			t.Fatalf("%s: %d %v %s", path, res.StatusCode, res.Header, body)
		}
		if strings.Contains(strings.ToLower(body), "note") || strings.Contains(body, "secret") {
			t.Errorf("%s tells of the graph: %s", path, body)
		}
		known := do(h, newRequest(exchange{method: "GET", path: path, header: http.Header{"Authorization": {"Bearer secret"}, "Accept": {media}}}))
		if got := readAll(t, known.Body); got != body {
			t.Errorf("%s of a known caller: %s", path, got)
		}
		etag := res.Header.Get("ETag")
		if again := do(h, newRequest(exchange{method: "GET", path: path, header: http.Header{"If-None-Match": {etag}}})); etag == "" || again.StatusCode != http.StatusNotModified {
			t.Errorf("%s with %s: %d", path, etag, again.StatusCode)
		}
		if head := do(h, newRequest(exchange{method: "HEAD", path: path})); head.StatusCode != 200 || head.Header.Get("ETag") != etag {
			t.Errorf("HEAD %s: %d", path, head.StatusCode)
		}
		if wrong := do(h, newRequest(exchange{method: "GET", path: path + "?x=1"})); wrong.StatusCode != http.StatusBadRequest {
			t.Errorf("%s with a wrong parameter: %d", path, wrong.StatusCode)
		}
	}
	newer := o
	newer.Version = "1.2.4"
	before := do(h, newRequest(exchange{method: "GET", path: "/mcp/server-card"})).Header.Get("ETag")
	if after := do(httpapi.New(notesEngine(t), newer), newRequest(exchange{method: "GET", path: "/mcp/server-card"})).Header.Get("ETag"); after == before {
		t.Error("another version has the same tag")
	}
}

func TestTheCardSaysHowCallersGetIn(t *testing.T) {
	open := httpapi.Options{Auth: auth.New(auth.Options{Scopes: policy.AllScopes()}), MCP: http.NotFoundHandler()}
	token := open
	token.Auth = auth.New(auth.Options{Token: "secret", Scopes: policy.AllScopes()})
	var got []bool
	for _, o := range []httpapi.Options{open, token} {
		res := do(httpapi.New(notesEngine(t), o), newRequest(exchange{method: "GET", path: "/mcp/server-card"}))
		got = append(got, strings.Contains(readAll(t, res.Body), "Bearer {token}"))
	}
	if want := []bool{false, true}; !slices.Equal(got, want) {
		t.Errorf("the header is asked for: %v, want %v", got, want)
	}
}

func TestWithoutAgentsThereIsNoCard(t *testing.T) {
	h := httpapi.New(notesEngine(t), runtimeOptions())
	for path := range discovery {
		if res := do(h, newRequest(exchange{method: "GET", path: path})); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
}
