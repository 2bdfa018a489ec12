package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"trails/auth"
	"trails/auth/policy"
	"trails/fault"
	"trails/httpapi"
)

// Pages of the sites that are named send requests and see the answers, refusals included; pages of others do not.
func TestOnlyNamedSitesMayUseTheServer(t *testing.T) {
	const app, other = "https://app.example.org", "https://evil.example"
	who := auth.New(auth.Options{Token: "t", Scopes: policy.NewScopes(policy.Runtime), Origins: []string{app}})
	pages := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	s := httpapi.New(&fakeEngine{document: "{}"}, httpapi.Options{Auth: who, Admin: pages, MCP: pages})
	for _, c := range []struct {
		name, method, path, origin, bearer string
		preflight                          string // the method that it asks for
		status                             int
		seen                               bool
	}{
		{"a read of the site", "GET", "/schema", app, "Bearer t", "", 200, true},
		{"a call of the site", "POST", "/invoke/x", app, "Bearer t", "", 200, true},
		{"a query of the site", "GET", "/sparql?query=ASK%7B%7D", app, "Bearer t", "", 200, true},
		{"an agent on the site", "POST", "/mcp", app, "Bearer t", "", 200, true},
		{"the site without a token", "GET", "/schema", app, "", "", 401, true},
		{"a preflight of the site", "OPTIONS", "/invoke/x", app, "", "POST", 204, true},
		{"a preflight of the site for MCP", "OPTIONS", "/mcp", app, "", "POST", 204, true},
		{"no preflight", "OPTIONS", "/schema", app, "Bearer t", "", 405, true},
		{"the site at the pages", "GET", "/admin", app, "", "", 200, false},
		{"a form of the site to the pages", "OPTIONS", "/admin/login", app, "", "POST", 200, false},
		{"another site reads", "GET", "/schema", other, "Bearer t", "", 200, false},
		{"another site calls", "POST", "/invoke/x", other, "Bearer t", "", 403, false},
		{"a preflight of another site", "OPTIONS", "/invoke/x", other, "", "POST", 401, false},
		{"a name that ends like it", "POST", "/invoke/x", "https://app.example.org.evil.example", "Bearer t", "", 403, false},
		{"the site without TLS", "POST", "/invoke/x", "http://app.example.org", "Bearer t", "", 403, false},
		{"no site", "POST", "/invoke/x", "null", "Bearer t", "", 403, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := newRequest(exchange{method: c.method, path: c.path, body: "{}", header: header("Origin", c.origin, "Sec-Fetch-Site", "cross-site", "Authorization", c.bearer, "Content-Type", "application/json")})
			if c.preflight != "" {
				req.Header.Set("Access-Control-Request-Method", c.preflight)
			}
			res := do(s, req)
			allowed := res.Header.Get("Access-Control-Allow-Origin")
			if res.StatusCode != c.status || (allowed == c.origin) != c.seen || !c.seen && allowed != "" || res.Header.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("got %s, allowed %q", res.Status, allowed)
			}
			if c.seen && !strings.Contains(strings.Join(res.Header.Values("Vary"), ","), "Origin") {
				t.Errorf("a cache gives the answer to others: %v", res.Header)
			}
			if preflight := c.status == 204; preflight != (res.Header.Get("Access-Control-Allow-Headers") != "") || preflight && !strings.Contains(res.Header.Get("Access-Control-Allow-Methods"), c.preflight) {
				t.Errorf("a preflight is answered with %v", res.Header)
			}
		})
	}
}

func TestParseOrigin(t *testing.T) {
	for text, want := range map[string]string{
		"https://app.example.org": "https://app.example.org", "https://APP.example.org:443/": "https://app.example.org", "https://app.example.org:8443": "https://app.example.org:8443",
		"http://localhost:3000": "http://localhost:3000", "http://127.0.0.1:80": "http://127.0.0.1", "http://[::1]:5173": "http://[::1]:5173",
		"*": "", "null": "", "app.example.org": "", "https://": "", "https://*.example.org": "", "https://app.example.org/path": "", "https://a@app.example.org": "",
		"https://app.example.org?x": "", "http://app.example.org": "", "ftp://app.example.org": "", "": "",
	} {
		got, err := auth.ParseOrigin(text)
		if got != want || (want == "") != fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}
