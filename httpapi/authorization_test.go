package httpapi_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"trails/auth"
	"trails/auth/oauth"
	"trails/auth/policy"
	"trails/httpapi"
	"trails/kg"
)

// authorizing serves an authorization server at an address, with the token of an access token's form that it does not know.
func authorizing(t *testing.T, issuer, path string) http.Handler {
	t.Helper()
	file := filepath.Join(t.TempDir(), "graph.trails")
	if err := kg.Create(t.Context(), file, kg.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	g, err := kg.Open(t.Context(), file, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	public, err := auth.ParsePublic(issuer)
	if err != nil {
		t.Fatal(err)
	}
	who := auth.New(auth.Options{Issued: g, Scopes: policy.NewScopes(policy.Runtime), Server: issuer, Closed: true, Public: public})
	return httpapi.New(&fakeEngine{document: "{}"}, httpapi.Options{Auth: who, Path: path, OAuth: oauth.New(oauth.Options{Issuer: issuer, Graph: g, Auth: who})})
}

// A client that is refused finds the way to the authorization server, and its addresses, as the standards say.
func TestClientsFindTheAuthorizationServer(t *testing.T) {
	h := authorizing(t, "https://notes.example.org", "")
	ask := func(method, path, media, body string) (*http.Response, string) {
		t.Helper()
		x := exchange{method: method, path: path, body: body, header: header("Host", "notes.example.org")}
		if media != "" {
			x.header.Set("Content-Type", media)
		}
		r := newRequest(x)
		r.Host = "notes.example.org"
		res := do(h, r)
		return res, readAll(t, res.Body)
	}
	res, _ := ask("GET", "/schema", "", "")
	if challenge := res.Header.Get("WWW-Authenticate"); res.StatusCode != http.StatusUnauthorized || challenge != `Bearer scope="runtime", resource_metadata="https://notes.example.org/.well-known/oauth-protected-resource"` {
		t.Errorf("%d, %s", res.StatusCode, challenge)
	}
	var m struct {
		Servers []string `json:"authorization_servers"`
		Issuer  string   `json:"issuer"`
		Token   string   `json:"token_endpoint"`
	}
	for _, path := range []string{auth.MetadataPath + "/mcp", auth.ServerPath} {
		res, text := ask("GET", path, "", "")
		if err := json.Unmarshal([]byte(text), &m); err != nil || res.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", path, res.StatusCode, text)
		}
	}
	if len(m.Servers) != 1 || m.Servers[0] != "https://notes.example.org" || m.Issuer != m.Servers[0] || m.Token != m.Issuer+"/token" {
		t.Errorf("%+v", m)
	}
	const coded = "application/x-www-form-urlencoded"
	for _, c := range []struct {
		method, path, media, body string
		status                    int
		says                      string
	}{
		{"GET", "/.well-known/openid-configuration", "", "", 404, ""},
		{"GET", "/authorize?client_id=x", "", "", 404, "oauth-authorization-server"},
		{"GET", auth.ServerPath + "/mcp", "", "", 404, ""},
		{"GET", "/token", "", "", 405, ""},
		{"POST", "/token", "application/json", "{}", 400, `"error":"invalid_request"`},
		{"POST", "/token", coded, "grant_type=password", 400, `"error":"unsupported_grant_type"`},
		{"POST", "/token", coded, "grant_type=authorization_code&code=x", 400, `"error":"invalid_grant"`},
		{"POST", "/token", coded, "grant_type=refresh_token&refresh_token=" + strings.Repeat("x", 20<<10), 400, `"error":"invalid_request"`},
		{"POST", "/revoke", coded, "token=x", 200, "{}"},
		{"POST", "/revoke", coded, "", 400, `"error":"invalid_request"`},
		{"POST", "/register", "application/json", `{"redirect_uris":["https://claude.ai/back"]}`, 201, `"token_endpoint_auth_method":"none"`},
		{"POST", "/register", "application/json", `{}`, 400, `"error":"invalid_redirect_uri"`},
		{"POST", "/register", "application/json", `{"client_name":"` + strings.Repeat("x", 17<<10) + `"}`, 413, ""},
	} {
		res, text := ask(c.method, c.path, c.media, c.body)
		if res.StatusCode != c.status || !strings.Contains(text, c.says) || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s %.40s: %d %s", c.method, c.path, c.body, res.StatusCode, text)
		}
	}
}

// The documents of a server below a path are at the root of the host, too, with the path behind: a proxy takes it off or not.
func TestDocumentsAtTheRootOfTheHost(t *testing.T) {
	h := authorizing(t, "https://notes.example.org/team", "/team")
	for path, want := range map[string]string{
		"/.well-known/oauth-authorization-server/team":       `"issuer":"https://notes.example.org/team"`,
		"/team/.well-known/oauth-authorization-server":       `"issuer":"https://notes.example.org/team"`,
		"/.well-known/oauth-authorization-server":            `"issuer":"https://notes.example.org/team"`,
		"/.well-known/oauth-protected-resource/team/mcp":     `"resource":"https://notes.example.org/team/mcp"`,
		"/.well-known/oauth-protected-resource/team":         `"resource":"https://notes.example.org/team"`,
		"/.well-known/oauth-protected-resource/teams":        "",
		"/.well-known/oauth-authorization-server/team/admin": "",
		"/.well-known/openid-configuration/team":             "",
	} {
		r := newRequest(exchange{method: "GET", path: path})
		r.Host = "notes.example.org"
		res := do(h, r)
		text := readAll(t, res.Body)
		if want == "" && res.StatusCode != http.StatusNotFound || want != "" && (res.StatusCode != http.StatusOK || !strings.Contains(text, want)) {
			t.Errorf("%s: %d %s", path, res.StatusCode, text)
		}
	}
}
