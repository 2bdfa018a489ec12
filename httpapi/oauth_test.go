package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"trails/auth"
	"trails/auth/policy"
	"trails/httpapi"
)

// Clients of MCP look for an authorization server, and hear that there is none: with and
// without a token, and whatever they send.
func TestProbesForAnAuthorizationServerAreNotFound(t *testing.T) {
	runtime := policy.NewScopes(policy.Runtime)
	for name, who := range map[string]auth.Options{"a token": {Token: "t", Scopes: runtime}, "no token": {Scopes: runtime}} {
		h := httpapi.New(&fakeEngine{}, httpapi.Options{Auth: auth.New(who)})
		for _, x := range []exchange{
			{method: "GET", path: "/.well-known/oauth-protected-resource"},
			{method: "GET", path: "/.well-known/oauth-protected-resource/mcp"},
			{method: "GET", path: "/mcp/.well-known/oauth-protected-resource"},
			{method: "GET", path: "/.well-known/oauth-authorization-server"},
			{method: "GET", path: "/.well-known/oauth-authorization-server/mcp"},
			{method: "GET", path: "/.well-known/openid-configuration"},
			{method: "GET", path: "/.well-known/openid-configuration/mcp"},
			{method: "GET", path: "/mcp/.well-known/openid-configuration"},
			{method: "POST", path: "/register", body: `{"client_name":"c"}`},
			{method: "GET", path: "/authorize?client_id=c"},
			{method: "POST", path: "/token", body: "grant_type=refresh_token", header: header("Content-Type", "application/x-www-form-urlencoded")},
		} {
			if res := do(h, newRequest(x)); res.StatusCode != http.StatusNotFound || res.Header.Get("WWW-Authenticate") != "" {
				t.Errorf("with %s %s %s: %d", name, x.method, x.path, res.StatusCode)
			}
		}
		for _, path := range []string{"/tokens", "/.well-known/oauth-protected-resourceful", "/mcp"} {
			if res := do(h, newRequest(exchange{method: "GET", path: path})); who.Token != "" && res.StatusCode != http.StatusUnauthorized {
				t.Errorf("with %s %s: %d", name, path, res.StatusCode)
			}
		}
	}
}

// /health tells who has not shown the token that the process lives, and no more.
func TestHealthSaysNothingOfTheGraphWithoutTheToken(t *testing.T) {
	h := httpapi.New(&fakeEngine{}, httpapi.Options{Auth: auth.New(auth.Options{Token: "t", Scopes: policy.NewScopes(policy.Runtime)})})
	for bearer, want := range map[string]bool{"": false, "Bearer wrong": false, "Bearer t": true} {
		res := do(h, newRequest(exchange{method: "GET", path: "/health", header: header("Authorization", bearer)}))
		text := readAll(t, res.Body)
		if whole := strings.TrimSpace(text) != `{"status":"ok"}`; res.StatusCode != http.StatusOK || whole != want {
			t.Errorf("%q: %d %s", bearer, res.StatusCode, text)
		}
	}
}
