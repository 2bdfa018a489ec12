package auth_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"trails/auth"
	"trails/auth/policy"
)

// issuer has tokens by name, and fails with err if it is set.
type issuer struct {
	mu     sync.Mutex // guards tokens
	tokens map[string]policy.Token
	err    error
}

func (i *issuer) Token(_ context.Context, name string) (policy.Token, bool, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	t, ok := i.tokens[name]
	return t, ok, i.err
}

func (i *issuer) HasTokens(context.Context) (bool, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.tokens) > 0, i.err
}

// issue issues a token, and returns its secret.
func (i *issuer) issue(name string, scopes ...policy.Scope) string {
	secret := policy.Secret(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.tokens == nil {
		i.tokens = map[string]policy.Token{}
	}
	i.tokens[name] = policy.Token{Name: name, Hash: sha256.Sum256([]byte(secret)), Scopes: policy.NewScopes(scopes...), Groups: []string{"editors", "ops"}}
	return secret
}

// change changes a token that was issued.
func (i *issuer) change(name string, how func(*policy.Token)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	t := i.tokens[name]
	how(&t)
	i.tokens[name] = t
}

func request(t *testing.T, bearer string) *http.Request {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.Header.Set("User-Agent", "")
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	return r
}

// A token of the graph is known with its groups and the scopes that it and the process have, over HTTP and stdio, while it is valid.
func TestTokensOfTheGraph(t *testing.T) {
	both := policy.NewScopes(policy.Runtime, policy.Builder)
	for _, c := range []struct {
		name   string
		opts   auth.Options
		shown  func(*issuer) string
		known  bool
		scopes policy.Scopes
	}{
		{"the right one", auth.Options{Scopes: both}, func(i *issuer) string { return i.issue("ci", policy.Builder, policy.Dev) }, true, policy.NewScopes(policy.Builder)},
		{"beside the token of the process", auth.Options{Scopes: both, Token: "t"}, func(i *issuer) string { return i.issue("ci", policy.Runtime) }, true, policy.NewScopes(policy.Runtime)},
		{"none, where there are some", auth.Options{Scopes: both}, func(i *issuer) string { i.issue("ci"); return "" }, false, policy.Scopes{}},
		{"another secret of the same name", auth.Options{Scopes: both}, func(i *issuer) string { i.issue("ci"); return policy.Secret("ci", "BBCDEFGHIJKLMNOPQRSTUVWXYZ") }, false, policy.Scopes{}},
		{"a token where there are none", auth.Options{Scopes: both}, func(*issuer) string { return policy.Secret("ci", "ABCDEFGHIJKLMNOPQRSTUVWXYZ") }, false, policy.Scopes{}},
		{"a name that was not issued", auth.Options{Scopes: both}, func(i *issuer) string { i.issue("ci"); return policy.Secret("cj", "ABCDEFGHIJKLMNOPQRSTUVWXYZ") }, false, policy.Scopes{}},
		{"a revoked one", auth.Options{Scopes: both}, func(i *issuer) string {
			defer i.change("ci", func(t *policy.Token) { t.Revoked = time.Now() })
			return i.issue("ci")
		}, false, policy.Scopes{}},
		{"an expired one", auth.Options{Scopes: both}, func(i *issuer) string {
			defer i.change("ci", func(t *policy.Token) { t.Expires = time.Now() })
			return i.issue("ci")
		}, false, policy.Scopes{}},
		{"one that expires later", auth.Options{Scopes: both}, func(i *issuer) string {
			defer i.change("ci", func(t *policy.Token) { t.Expires = time.Now().Add(time.Hour) })
			return i.issue("ci", policy.Runtime)
		}, true, policy.NewScopes(policy.Runtime)},
	} {
		t.Run(c.name, func(t *testing.T) {
			graph := &issuer{}
			secret := c.shown(graph)
			c.opts.Issued = graph
			r := auth.New(c.opts)
			want := policy.Principal{}
			if c.known && c.opts.Token != secret {
				want = policy.Principal{ID: "token:ci", Owner: "token:ci", Scopes: c.scopes, Process: both, Groups: []string{"editors", "ops"}, Authenticated: true}
			}
			if p, known, err := r.Request(request(t, secret), false); err != nil || known != c.known || !reflect.DeepEqual(p, want) {
				t.Errorf("over HTTP: known %t as %+v, %v", known, p, err)
			}
			if secret == "" {
				return // over stdio the caller is who started the process
			}
			if p, known, err := r.Local(t.Context(), secret); err != nil || known != c.known || !reflect.DeepEqual(p, want) {
				t.Errorf("over stdio: known %t as %+v, %v", known, p, err)
			}
		})
	}
}

// Nobody is taken for somebody else when the file cannot be read.
func TestTokensOfAGraphThatCannotBeRead(t *testing.T) {
	away := errors.New("away")
	graph := &issuer{}
	secret := graph.issue("ci", policy.Runtime)
	graph.err = away
	r := auth.New(auth.Options{Issued: graph, Scopes: policy.NewScopes(policy.Runtime)})
	for _, bearer := range []string{secret, ""} {
		if _, known, err := r.Request(request(t, bearer), true); known || !errors.Is(err, away) {
			t.Errorf("known %t, %v", known, err)
		}
	}
	if _, known, err := r.Local(t.Context(), secret); known || !errors.Is(err, away) {
		t.Errorf("known %t, %v", known, err)
	}
}

// A browser that signed in with a token of the graph is signed out when that is revoked, and an answer that lasts ends.
func TestWhatATokenBeganEndsWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		graph := &issuer{}
		secret := graph.issue("ci", policy.Runtime)
		r := auth.New(auth.Options{Issued: graph, Scopes: policy.NewScopes(policy.Runtime)})
		browser := request(t, "")
		browser.AddCookie(r.SignIn(request(t, ""), secret))
		if p, known, err := r.Request(browser, true); err != nil || !known || p.ID != "token:ci" {
			t.Fatalf("known %t as %+v, %v", known, p, err)
		}
		lasting := map[string]context.Context{}
		for name, req := range map[string]*http.Request{"the program's": request(t, secret), "the browser's": browser} {
			ctx, stop := r.Lasting(req, true)
			defer stop()
			lasting[name] = ctx
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		for name, ctx := range lasting {
			if ctx.Err() != nil {
				t.Errorf("%s answer ended with %v", name, context.Cause(ctx))
			}
		}
		graph.change("ci", func(t *policy.Token) { t.Revoked = time.Now() })
		time.Sleep(10 * time.Second)
		synctest.Wait()
		for name, ctx := range lasting {
			if context.Cause(ctx) == nil {
				t.Errorf("%s answer goes on", name)
			}
		}
		if _, known, err := r.Request(browser, true); err != nil || known {
			t.Errorf("the browser is known, %v", err)
		}
	})
}

// What nobody had to show a token for ends when the graph issues its first one.
func TestTheFirstTokenClosesTheDoor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		graph := &issuer{}
		r := auth.New(auth.Options{Issued: graph, Scopes: policy.NewScopes(policy.Runtime)})
		if p, known, err := r.Request(request(t, ""), false); err != nil || !known || p.Authenticated {
			t.Fatalf("known %t as %+v, %v", known, p, err)
		}
		ctx, stop := r.Lasting(request(t, ""), false)
		defer stop()
		graph.issue("ci")
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if ctx.Err() == nil {
			t.Error("the answer goes on")
		}
		if _, known, err := r.Request(request(t, ""), false); err != nil || known {
			t.Errorf("known %t, %v", known, err)
		}
	})
}

func TestTheNameInASecret(t *testing.T) {
	for secret, want := range map[string]string{
		"trails_ci_ABC": "ci", "trails_a-b-9_X": "a-b-9", "trails_ci": "", "ci_ABC": "", "": "", "trails__ABC": "", "trails_CI_ABC": "", "trails_../etc_ABC": "",
		policy.Secret("deploy", "XYZ"): "deploy",
	} {
		if got := policy.NameInSecret(secret); got != want {
			t.Errorf("%q is of %q, want %q", secret, got, want)
		}
	}
}
