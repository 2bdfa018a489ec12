package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"trails/auth"
	"trails/auth/oidc"
	"trails/auth/oidc/oidctest"
	"trails/auth/policy"
	"trails/httpapi"
)

// Clients of MCP look for an authorization server, and hear that there is none: with and
// without a token, and whatever they send.
func TestProbesForAnAuthorizationServerAreNotFound(t *testing.T) {
	runtime := policy.NewScopes(policy.Runtime)
	provider, err := oidc.New(oidc.Options{Issuer: "https://id.example.org", Audiences: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, who := range map[string]auth.Options{"a token": {Token: "t", Scopes: runtime}, "no token": {Scopes: runtime}, "an identity provider": {Token: "t", Provider: provider, Scopes: runtime}} {
		h := httpapi.New(&fakeEngine{}, httpapi.Options{Auth: auth.New(who)})
		for _, x := range []exchange{
			{method: "GET", path: auth.MetadataPath},
			{method: "GET", path: auth.MetadataPath + "/mcp"},
			{method: "GET", path: auth.MetadataPath + "/kg"},
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
			if who.Provider != nil && (x.path == auth.MetadataPath || x.path == auth.MetadataPath+"/mcp") {
				continue // see TestTheMetadataForClientsOfOAuth
			}
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

// With an identity provider its address is found without a token, as RFC 9728 says: 401 names the document, and that names
// the provider.
func TestTheMetadataForClientsOfOAuth(t *testing.T) {
	i := oidctest.New(t)
	provider, err := oidc.New(oidc.Options{Issuer: i.URL, Audiences: auth.Audiences("http://localhost"), Transport: i})
	if err != nil {
		t.Fatal(err)
	}
	opts := runtimeOptions()
	opts.Auth = auth.New(auth.Options{Provider: provider, Scopes: policy.NewScopes(policy.Runtime)})
	h := httpapi.New(&fakeEngine{document: "{}"}, opts)
	for path, suffix := range map[string]string{"/schema": "", "/mcp": "/mcp"} {
		res := do(h, newRequest(exchange{method: "GET", path: path}))
		challenge := res.Header.Get("WWW-Authenticate")
		_, rest, _ := strings.Cut(challenge, `resource_metadata="`)
		address, _, _ := strings.Cut(rest, `"`)
		if res.StatusCode != http.StatusUnauthorized || !strings.HasSuffix(address, auth.MetadataPath+suffix) {
			t.Fatalf("%s: %d, %s", path, res.StatusCode, challenge)
		}
		for _, bearer := range []string{"", "Bearer wrong", "Bearer " + i.Token(t, "x", nil)} {
			res = do(h, newRequest(exchange{method: "GET", path: auth.MetadataPath + suffix, header: header("Authorization", bearer)}))
			text := readAll(t, res.Body)
			want := `{"resource":"` + strings.Replace(address, auth.MetadataPath, "", 1) + `","authorization_servers":["` + i.URL + `"],"scopes_supported":["runtime"],"bearer_methods_supported":["header"],"resource_name":"trails"}`
			if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "application/json" || strings.TrimSpace(text) != want {
				t.Errorf("%s: %d %s, want %s", path, res.StatusCode, text, want)
			}
		}
	}
	if res := do(h, newRequest(exchange{method: "POST", path: auth.MetadataPath, body: "{}"})); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", res.StatusCode)
	}
	token := i.Token(t, "http://localhost/mcp", nil)
	if res := do(h, newRequest(exchange{method: "GET", path: "/schema", header: header("Authorization", "Bearer "+token)})); res.StatusCode != http.StatusOK {
		t.Errorf("with a token: %d", res.StatusCode)
	}
	i.Rotate(t, "ES256")
	i.Leave(true)
	other, err := oidc.New(oidc.Options{Issuer: i.URL, Audiences: []string{"a"}, Transport: i})
	if err != nil {
		t.Fatal(err)
	}
	opts.Auth = auth.New(auth.Options{Provider: other, Scopes: policy.NewScopes(policy.Runtime)})
	res := do(httpapi.New(&fakeEngine{document: "{}"}, opts), newRequest(exchange{method: "GET", path: "/schema", header: header("Authorization", "Bearer "+token)}))
	if text := readAll(t, res.Body); res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "the identity provider https://id.example.org is not reached") {
		t.Errorf("while the provider is away: %d %s", res.StatusCode, text)
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
