package auth_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"trails/auth"
	"trails/auth/policy"
	"trails/fault"
)

// TestASignInToTheProcessCountsInEachGraph has a process of two graphs: its sign-ins count in both, and those of a graph
// there alone.
func TestASignInToTheProcessCountsInEachGraph(t *testing.T) {
	runtime := policy.NewScopes(policy.Runtime)
	process := auth.New(auth.Options{ID: "local:ana", Scopes: runtime, Token: "secret", Instance: "8757"})
	graph := func(id string) *auth.Resolver {
		return auth.New(auth.Options{ID: "local:ana", Scopes: runtime, Token: "secret", Process: process, Path: "/graphs/" + id, Instance: "8757-" + id})
	}
	a, b := graph("a"), graph("b")
	with := func(cookies ...*http.Cookie) *http.Request {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://localhost:8757/", nil)
		for _, c := range cookies {
			r.AddCookie(c)
		}
		return r
	}
	known := func(r *auth.Resolver, req *http.Request) bool {
		_, in, err := r.SignedIn(req)
		if err != nil {
			t.Error(err)
		}
		return in
	}
	all, ofA := process.SignIn(with(), "secret"), a.SignIn(with(), "secret")
	for _, c := range []struct {
		name       string
		cookie     *http.Cookie
		in         *auth.Resolver
		want       bool
		path, kind string
	}{
		{"the process, at a", all, a, true, "/", "__Host-"}, {"the process, at b", all, b, true, "/", "__Host-"},
		{"a, at a", ofA, a, true, "/graphs/a", "__Secure-"}, {"a, at b", ofA, b, false, "/graphs/a", "__Secure-"}, {"a, at the process", ofA, process, false, "/graphs/a", "__Secure-"},
	} {
		if got := known(c.in, with(c.cookie)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if c.cookie.Path != c.path || c.cookie.Name[:len(c.kind)] != c.kind {
			t.Errorf("%s: the cookie is %v", c.name, c.cookie)
		}
	}
	if gone := a.SignOut(with(ofA, all)); gone.Name != ofA.Name || gone.Path != ofA.Path || known(process, with(ofA)) || !known(a, with(all)) {
		t.Errorf("signing out of a graph ended %v", gone)
	}
	if gone := b.SignOut(with(all)); gone.Name != all.Name || known(a, with(all)) {
		t.Errorf("signing out of the process at a graph ended %v", gone)
	}
}

// TestWrongTokensOfAProcessAreCountedTogether tries tokens at one graph after the other.
func TestWrongTokensOfAProcessAreCountedTogether(t *testing.T) {
	process := auth.New(auth.Options{Token: "secret"})
	late := 0
	for range 12 {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set("Authorization", "Bearer guess")
		if fault.Is(auth.New(auth.Options{Token: "secret", Process: process}).Refuse(r, "http"), fault.Exhausted) {
			late++
		}
	}
	if late == 0 {
		t.Error("each graph counts from the start")
	}
}
