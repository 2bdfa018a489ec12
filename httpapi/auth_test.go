package httpapi_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"trails/auth"
	"trails/auth/policy"
	"trails/httpapi"
)

func TestTheTokenGuardsEverythingButHealth(t *testing.T) {
	opts := runtimeOptions()
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	opts.MCP, opts.SSE, opts.Messages, opts.Metrics, opts.Admin = ok, ok, ok, ok, ok
	var h http.Handler
	for _, path := range []string{"/", "/capabilities", "/kg", "/kg/T", "/kg/T/1", "/schema", "/stats", "/doctor", "/prov", "/commits", "/commits/1", "/mcp", "/sse", "/messages", "/metrics", "/administrator", "/nowhere"} {
		opts.Auth = auth.New(auth.Options{Token: "s3cret", Scopes: policy.NewScopes(policy.Runtime)})
		h = httpapi.New(&fakeEngine{document: "{}"}, opts) // which has seen no wrong tokens yet
		for _, credentials := range []string{"", "Bearer", "Bearer ", "Bearer s3cre", "Bearer s3cret2", "Basic s3cret", "s3cret"} {
			res := do(h, newRequest(exchange{method: "GET", path: path, header: header("Authorization", credentials)}))
			want := "Bearer"
			if strings.HasPrefix(credentials, "Bearer s") {
				want = `Bearer error="invalid_token", error_description="the token is not valid"`
			}
			if res.StatusCode != 401 || res.Header.Get("WWW-Authenticate") != want {
				t.Errorf("GET %s with %q: got %d, WWW-Authenticate %q", path, credentials, res.StatusCode, res.Header.Get("WWW-Authenticate"))
			}
		}
	}
	for _, credentials := range []string{"Bearer s3cret", "bearer s3cret", "Bearer  s3cret "} {
		if res := do(h, newRequest(exchange{method: "GET", path: "/schema", header: header("Authorization", credentials)})); res.StatusCode != 200 {
			t.Errorf("with %q: got %d", credentials, res.StatusCode)
		}
	}
	if res := do(h, newRequest(exchange{method: "GET", path: "/health"})); res.StatusCode != 200 {
		t.Errorf("GET /health: got %d, want 200", res.StatusCode)
	}
}

func TestThePrincipalIsWhoTheTokenSays(t *testing.T) {
	scopes := policy.NewScopes(policy.Runtime, policy.Builder)
	for _, c := range []struct {
		name        string
		opts        httpapi.Options
		credentials string
		want        policy.Principal
	}{
		{"without a token everybody is anonymous", httpapi.Options{Auth: auth.New(auth.Options{Scopes: scopes})}, "Bearer what", policy.Anonymous("", scopes)},
		{"the token makes a caller known", httpapi.Options{Auth: auth.New(auth.Options{Scopes: scopes, Token: "t"})}, "Bearer t", policy.Principal{ID: "token", Scopes: scopes, Authenticated: true}},
		{"by the name that the process gives", httpapi.Options{Auth: auth.New(auth.Options{Scopes: scopes, Token: "t", ID: "token:ci"})}, "Bearer t", policy.Principal{ID: "token:ci", Scopes: scopes, Authenticated: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			engine := &fakeEngine{}
			do(httpapi.New(engine, c.opts), newRequest(exchange{method: "POST", path: "/invoke/x", header: header("Authorization", c.credentials, "User-Agent", "")}))
			if got := engine.lastCall().Principal; !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestHealthHasTheRuntimeScopeWhateverTheProcessHas(t *testing.T) {
	engine := &fakeEngine{}
	do(httpapi.New(engine, httpapi.Options{Auth: auth.New(auth.Options{})}), newRequest(exchange{method: "GET", path: "/health"}))
	if c := engine.lastCall(); c.Capability != "health" || !c.Principal.Scopes.Has(policy.Runtime) || c.Principal.Authenticated {
		t.Errorf("got %+v", c)
	}
}

func TestThePagesAreReachedWithoutTheTokenAndKnowIt(t *testing.T) {
	scopes := policy.NewScopes(policy.Runtime)
	for _, c := range []struct {
		name, token, credentials string
		want                     policy.Principal
		known                    bool
	}{
		{"a process without a token knows everybody as nobody", "", "", policy.Anonymous("", scopes), true},
		{"without the token nobody is known", "t", "", policy.Principal{}, false},
		{"nor with a wrong one", "t", "Bearer x", policy.Principal{}, false},
		{"a program may show it as everywhere", "t", "Bearer t", policy.Principal{ID: "token", Scopes: scopes, Authenticated: true}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got policy.Principal
			var known bool
			page := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got, known = auth.PrincipalOf(r.Context()), auth.Known(r.Context())
			})
			h := httpapi.New(&fakeEngine{}, httpapi.Options{Admin: page, Auth: auth.New(auth.Options{Token: c.token, Scopes: scopes})})
			for _, path := range []string{"/admin", "/admin/", "/admin/types/Note"} {
				do(h, newRequest(exchange{method: "GET", path: path, header: header("Authorization", c.credentials, "User-Agent", "")}))
				if !reflect.DeepEqual(got, c.want) || known != c.known {
					t.Errorf("%s: got %+v, known %t", path, got, known)
				}
			}
		})
	}
}

func TestABrowserThatSignedInMayReadAndNoMore(t *testing.T) {
	who := auth.New(auth.Options{Token: "t", Scopes: policy.NewScopes(policy.Runtime)})
	session := who.SignIn(newRequest(exchange{method: "GET", path: "/"}), "t")
	signedIn, other := session.Name+"="+session.Value, session.Name+"=2"
	opts := httpapi.Options{Auth: who}
	for _, c := range []struct {
		method, cookie, bearer string
		status                 int
		who                    string
	}{
		{"GET", signedIn, "", 200, "token"},
		{"HEAD", signedIn, "", 200, "token"},
		{"GET", other, "", 401, ""},
		{"GET", "", "", 401, ""},
		{"POST", signedIn, "", 401, ""},
		{"GET", signedIn, "Bearer t", 200, "token"},
		{"POST", signedIn, "Bearer t", 200, "token"},
	} {
		engine := &fakeEngine{document: "{}"}
		path := "/schema"
		if c.method == "POST" {
			path = "/invoke/x"
		}
		res := do(httpapi.New(engine, opts), newRequest(exchange{method: c.method, path: path, header: header("Cookie", c.cookie, "Authorization", c.bearer)}))
		if got := engine.lastCall().Principal.ID; res.StatusCode != c.status || got != c.who {
			t.Errorf("%s with cookie %q and %q: got %d as %q, want %d as %q", c.method, c.cookie, c.bearer, res.StatusCode, got, c.status, c.who)
		}
	}
}
