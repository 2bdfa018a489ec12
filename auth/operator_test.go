package auth_test

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"trails/auth"
	"trails/auth/policy"
)

func fromLoopback(t *testing.T) *http.Request {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin/operator", nil)
	r.RemoteAddr = "127.0.0.1:4711"
	return r
}

// TestTheSignInLinkLetsOneBrowserInOnce attacks the link of the operator.
func TestTheSignInLinkLetsOneBrowserInOnce(t *testing.T) {
	scopes := policy.NewScopes(policy.Runtime, policy.Builder)
	open := auth.Options{ID: "local:ana", Owner: "local:ana", Scopes: scopes, Operator: true}
	locked := open
	locked.Token = "secret"
	nobody := open
	nobody.Operator = false
	for _, c := range []struct {
		name string
		opts auth.Options
		use  func(*testing.T, *auth.Resolver, string) (*http.Request, string)
		in   bool
	}{
		{"the right key", open, func(t *testing.T, _ *auth.Resolver, key string) (*http.Request, string) { return fromLoopback(t), key }, true},
		{"after another one was tried", open, func(t *testing.T, r *auth.Resolver, key string) (*http.Request, string) {
			if _, _, err := r.SignInOperator(fromLoopback(t), key[1:]); err == nil {
				t.Error("a part of the key let somebody in")
			}
			return fromLoopback(t), key
		}, true},
		{"no key", open, func(t *testing.T, _ *auth.Resolver, _ string) (*http.Request, string) { return fromLoopback(t), "" }, false},
		{"the key again", open, func(t *testing.T, r *auth.Resolver, key string) (*http.Request, string) {
			_, _, _ = r.SignInOperator(fromLoopback(t), key)
			return fromLoopback(t), key
		}, false},
		{"the key of the link before", open, func(t *testing.T, r *auth.Resolver, key string) (*http.Request, string) {
			r.OperatorKey()
			return fromLoopback(t), key
		}, false},
		{"from another machine", open, func(t *testing.T, _ *auth.Resolver, key string) (*http.Request, string) {
			r := fromLoopback(t)
			r.RemoteAddr = "192.0.2.1:4711"
			return r, key
		}, false},
		{"too late", open, func(t *testing.T, _ *auth.Resolver, key string) (*http.Request, string) {
			time.Sleep(auth.OperatorLinkLife)
			return fromLoopback(t), key
		}, false},
		{"where there is a token", locked, func(t *testing.T, _ *auth.Resolver, key string) (*http.Request, string) { return fromLoopback(t), key }, false},
		{"where there is no operator", nobody, func(t *testing.T, _ *auth.Resolver, key string) (*http.Request, string) { return fromLoopback(t), key }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := auth.New(c.opts)
				req, key := c.use(t, r, r.OperatorKey())
				cookie, p, err := r.SignInOperator(req, key)
				if (err == nil) != c.in {
					t.Fatalf("got %v, want in=%t", err, c.in)
				}
				if !c.in {
					return
				}
				if want := (policy.Principal{ID: "local:ana", Owner: "local:ana", Scopes: scopes, Authenticated: true, Owns: true}); !reflect.DeepEqual(p, want) {
					t.Errorf("got %+v", p)
				}
				next := fromLoopback(t)
				next.AddCookie(cookie)
				if got, known, err := r.Request(next, true); err != nil || !known || !reflect.DeepEqual(got, p) {
					t.Errorf("the session is of %+v", got)
				}
				if got, known, err := r.Request(next, false); err != nil || !known || got.Authenticated {
					t.Errorf("the cookie counts where browsers do not: %+v", got)
				}
			})
		})
	}
	t.Run("a hundred at once", func(t *testing.T) {
		r := auth.New(open)
		key := r.OperatorKey()
		var in atomic.Int64
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				if _, _, err := r.SignInOperator(fromLoopback(t), key); err == nil {
					in.Add(1)
				}
			})
		}
		all.Wait()
		if in.Load() != 1 {
			t.Errorf("%d were let in", in.Load())
		}
	})
	t.Run("guesses are slowed as wrong tokens are", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r, began := auth.New(open), time.Now()
			for range 40 {
				_, _, _ = r.SignInOperator(fromLoopback(t), "guess")
			}
			if time.Since(began) < 20*time.Second {
				t.Errorf("forty guesses took %v", time.Since(began))
			}
		})
	})
}

// TestWhoStartedTheProcess is over stdio, of every way to be known.
func TestWhoStartedTheProcess(t *testing.T) {
	for _, c := range []struct {
		name                 string
		opts                 auth.Options
		shown                string
		known, authenticated bool
	}{
		{"without a token", auth.Options{}, "", true, false},
		{"the operator", auth.Options{Operator: true}, "", true, true},
		{"a token that nobody shows", auth.Options{Token: "t"}, "", false, false},
		{"a token in the messages", auth.Options{Token: "t"}, "t", true, true},
		{"a token in the environment", auth.Options{Token: "t", Shown: "t"}, "", true, true},
		{"a wrong one in the environment", auth.Options{Token: "t", Shown: "x"}, "", false, false},
		{"a wrong one in the messages beside the right one", auth.Options{Token: "t", Shown: "t"}, "x", false, false},
		{"a right one in the messages beside a wrong one", auth.Options{Token: "t", Shown: "x"}, "t", true, true},
		{"one that is not asked for", auth.Options{Shown: "x"}, "", true, false},
		{"an operator is nobody where a token is asked for", auth.Options{Token: "t", Operator: true}, "", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if p, known, err := auth.New(c.opts).Local(t.Context(), c.shown); err != nil || known != c.known || p.Authenticated != c.authenticated {
				t.Errorf("known %t as %+v", known, p)
			}
		})
	}
}
