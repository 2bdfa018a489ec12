package auth_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/auth"
	"trails/auth/policy"
	"trails/fault"
)

// Who shows the right secret of a token is told what became of it, and nobody else is. What is recorded has the name that
// a secret claims, and never the secret.
func TestARefusalSaysWhatTheTokenWas(t *testing.T) {
	graph := new(issuer)
	old, gone := graph.issue("old", policy.Runtime), graph.issue("gone", policy.Runtime)
	graph.issue("ci", policy.Runtime)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	graph.change("old", func(t *policy.Token) { t.Expires = at })
	graph.change("gone", func(t *policy.Token) { t.Revoked = at })
	const notValid = `Bearer error="invalid_token", error_description="the token is not valid"`
	for _, c := range []struct {
		name, secret, challenge string
		want                    auth.Refusal
	}{
		{"nothing is shown", "", "Bearer", auth.Refusal{State: auth.TokenMissing}},
		{"a word", "wrong", notValid, auth.Refusal{State: auth.TokenWrong}},
		{"of a name that is not there", policy.Secret("no", "x"), notValid, auth.Refusal{State: auth.TokenWrong, Name: "no"}},
		{"of a valid token", policy.Secret("ci", "x"), notValid, auth.Refusal{State: auth.TokenWrong, Name: "ci"}},
		{"another of one that expired", policy.Secret("old", "x"), notValid, auth.Refusal{State: auth.TokenWrong, Name: "old"}},
		{"another of one that was revoked", policy.Secret("gone", "x"), notValid, auth.Refusal{State: auth.TokenWrong, Name: "gone"}},
		{
			"the one that expired", old, `Bearer error="invalid_token", error_description="token old expired at 2026-01-02T03:04:05Z; somebody with the scope builder issues another"`,
			auth.Refusal{State: auth.TokenExpired, Name: "old"},
		},
		{
			"the one that was revoked", gone, `Bearer error="invalid_token", error_description="token gone was revoked; somebody with the scope builder issues another"`,
			auth.Refusal{State: auth.TokenRevoked, Name: "gone"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []auth.Refusal
			r := auth.New(auth.Options{Issued: graph, Refused: func(_ context.Context, r auth.Refusal) { got = append(got, r) }})
			req := request(t, c.secret)
			err := r.Refuse(req, "http")
			if challenge := r.Challenge(req, fault.Of(err)); challenge != c.challenge || !fault.Is(err, fault.Unauthenticated) {
				t.Errorf("%v: challenge %s, want %s", err, challenge, c.challenge)
			}
			c.want.Via, c.want.Address, c.want.Caller = "http", "192.0.2.1", policy.Anonymous("", policy.Scopes{})
			if diff := cmp.Diff([]auth.Refusal{c.want}, got, cmp.AllowUnexported(policy.Scopes{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestChallengesOfFaults(t *testing.T) {
	runtime := policy.Principal{ID: "token:ci", Scopes: policy.NewScopes(policy.Runtime), Authenticated: true}
	for want, err := range map[string]error{
		`Bearer error="insufficient_scope", scope="builder"`: policy.Allow(runtime, policy.Builder, "x"),
		"Bearer": policy.Allow(policy.Anonymous("", policy.Scopes{}), policy.Builder, "x"),
		`Bearer error="invalid_token", error_description="so a b"`: fault.New(fault.Unauthenticated, "Authentication failed: so \"\\a\u00e9 b\n").With("token", "wrong"),
		"": fault.New(fault.Denied, "no"),
	} {
		if got := auth.New(auth.Options{}).Challenge(request(t, ""), fault.Of(err)); got != want {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
}

// However many wrong tokens come from however many addresses, few are told, and those that are not are counted.
func TestAFloodOfRefusalsIsToldInPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told, left := 0, 0
		r := auth.New(auth.Options{Token: "t0ken", Refused: func(_ context.Context, r auth.Refusal) { told, left = told+1, left+r.Left }})
		refuse := func(address, secret string) {
			req := request(t, secret)
			req.RemoteAddr = address + ":1"
			if err := r.RefuseAtOnce(req, "http"); err == nil {
				t.Fatal("it is not refused")
			}
		}
		for i := range 100 {
			refuse("192.0.2.1", fmt.Sprint("wrong", i))
			refuse("192.0.2.1", policy.Secret(fmt.Sprint("n", i), "x"))
			refuse("192.0.2.1", "")
		}
		if told != 2 {
			t.Errorf("of one address %d were told", told)
		}
		for i := range 10_000 {
			refuse(fmt.Sprintf("198.51.%d.%d", i/256, i%256), "")
		}
		if told != 60 {
			t.Errorf("of many addresses %d were told", told)
		}
		time.Sleep(time.Hour)
		for i := range 10_000 {
			refuse(fmt.Sprintf("198.51.%d.%d", i/256, i%256), "")
		}
		if told != 120 {
			t.Errorf("an hour later %d were told", told)
		}
		time.Sleep(time.Hour)
		refuse("192.0.2.1", "")
		if all := 300 + 20_000 + 1; told+left != all {
			t.Errorf("%d were told and %d left out, of %d", told, left, all)
		}
	})
}

// A token in an address is refused by its form, by its value and by the name of RFC 6750, however it is written.
func TestAnAddressWithATokenIsRefused(t *testing.T) {
	r := auth.New(auth.Options{Token: "pass word/1"})
	secret := policy.Secret("ci", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	for address, refused := range map[string]bool{
		"/kg?token=" + secret:                                  true,
		"/kg?" + secret + "=1":                                 true,
		"/" + secret:                                           true,
		"/trails%5Fci%5FABCDEFGHIJKLMNOPQRSTUVWXYZ":            true,
		"/admin/login?next=" + url.QueryEscape("/a?t="+secret): true,
		"/kg?access_token=":                                    true,
		"/kg?x=pass+word%2F1":                                  true,
		"/kg?id_token=eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl": true,
		"/kg?token=word":       false,
		"/kg?q=trails_ci_and":  false,
		"/kg?q=bearer+of+news": false,
	} {
		err := r.CheckAddress(httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))
		if fault.Is(err, fault.InvalidArguments) != refused || (err != nil) != refused {
			t.Errorf("%s: %v", address, err)
		}
	}
}
