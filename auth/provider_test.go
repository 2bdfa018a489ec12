package auth_test

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"trails/auth"
	"trails/auth/oidc"
	"trails/auth/oidc/oidctest"
	"trails/auth/policy"
	"trails/fault"
)

const (
	here    = "https://notes.example.org"
	forHere = here + "/mcp"
)

// knowing returns a resolver that knows the tokens of an identity provider, for this server.
func knowing(t *testing.T, i *oidctest.Issuer, o auth.Options) *auth.Resolver {
	t.Helper()
	provider, err := oidc.New(oidc.Options{Issuer: i.URL, Audiences: auth.Audiences(here), ScopePrefix: "notes/", Skew: oidc.DefaultSkew, Transport: i})
	if err != nil {
		t.Fatal(err)
	}
	o.Provider, o.Scopes = provider, policy.NewScopes(policy.Runtime, policy.Builder)
	o.Public = &url.URL{Scheme: "https", Host: "notes.example.org"}
	return auth.New(o)
}

// A token of the identity provider is known over HTTP, over stdio and in the form of the pages, beside those of the graph
// and that of the process.
func TestTokensOfAnIdentityProvider(t *testing.T) {
	i, graph := oidctest.New(t), &issuer{}
	r := knowing(t, i, auth.Options{Issued: graph, Token: "t0ken"})
	token := i.Token(t, forHere, map[string]any{"scope": "notes/runtime dev", "groups": []string{"ops", "editors"}})
	want := policy.Principal{
		ID: "oidc:ana@id.example.org", Owner: "oidc:ana@id.example.org", Issuer: i.URL, Groups: []string{"editors", "ops"},
		Scopes: policy.NewScopes(policy.Runtime), Process: policy.NewScopes(policy.Runtime, policy.Builder), Authenticated: true,
	}
	browser := request(t, "")
	browser.AddCookie(r.SignIn(request(t, ""), token))
	local, knownLocal, err := r.Local(t.Context(), token)
	if err != nil || !knownLocal || !reflect.DeepEqual(local, want) {
		t.Errorf("over stdio: %t, %+v, %v", knownLocal, local, err)
	}
	for name, req := range map[string]*http.Request{"over HTTP": request(t, token), "a browser": browser} {
		if p, known, err := r.Request(req, true); err != nil || !known || !reflect.DeepEqual(p, want) {
			t.Errorf("%s: %t, %+v, %v", name, known, p, err)
		}
	}
	for secret, id := range map[string]string{"t0ken": "token", graph.issue("ci", policy.Runtime): "token:ci"} {
		if p, known, err := r.Request(request(t, secret), false); err != nil || !known || p.ID != id || p.Issuer != "" {
			t.Errorf("%s: %t, %+v, %v", id, known, p, err)
		}
	}
	if !r.Signed(token) || r.Signed("t0ken") || auth.New(auth.Options{}).Signed(token) {
		t.Error("it is not told by its form")
	}
}

// With an identity provider everybody over HTTP shows a token; who starts the process needs none over stdio, and is not
// taken for the caller who shows a wrong one.
func TestAnIdentityProviderClosesTheDoor(t *testing.T) {
	i := oidctest.New(t)
	r := knowing(t, i, auth.Options{ID: "local:ana", Operator: true})
	if asks, err := r.AsksForToken(t.Context()); !asks || err != nil || !r.Knows() {
		t.Errorf("%t, %v", asks, err)
	}
	wrong := i.Token(t, "https://other.example.org", nil)
	for _, secret := range []string{"", wrong, "word"} {
		if p, known, err := r.Request(request(t, secret), true); known || err != nil {
			t.Errorf("%q: %+v, %v", secret, p, err)
		}
	}
	if p, known, err := r.Local(t.Context(), ""); !known || err != nil || p.ID != "local:ana" {
		t.Errorf("the operator: %t, %+v, %v", known, p, err)
	}
	if p, known, err := r.Local(t.Context(), wrong); known || err != nil {
		t.Errorf("over stdio: %+v, %v", p, err)
	}
	if err := r.RefuseLocal(t.Context(), "mcp-stdio", wrong); err.Error() != "Authentication failed: the token is not valid" {
		t.Error(err)
	}
}

// Whatever is wrong with a token, its sender reads the same words, unless it has expired; the reason is recorded. No part
// of the token is anywhere.
func TestARefusalOfAnIdentityProvider(t *testing.T) {
	i := oidctest.New(t)
	end := time.Now().Add(-time.Hour).UTC()
	stranger := oidctest.New(t)
	const where = `, scope="notes/builder notes/runtime", resource_metadata="https://notes.example.org/.well-known/oauth-protected-resource"`
	const notValid = `Bearer error="invalid_token", error_description="the token is not valid"` + where
	for name, c := range map[string]struct {
		token, challenge, id string
		state                auth.TokenState
	}{
		"nothing":          {"", "Bearer " + where[2:], "", auth.TokenMissing},
		"a word":           {"word", notValid, "", auth.TokenWrong},
		"three words":      {"a.b.c", notValid, "", "malformed"},
		"another issuer":   {i.Token(t, forHere, map[string]any{"iss": "https://x.example.org"}), notValid, "", "issuer"},
		"another key":      {stranger.Token(t, forHere, nil), notValid, "", "signature"},
		"another audience": {i.Token(t, "x", nil), notValid, "", "audience"},
		"too early":        {i.Token(t, forHere, map[string]any{"nbf": time.Now().Add(time.Hour).Unix()}), notValid, "", "early"},
		"no subject":       {i.Token(t, forHere, map[string]any{"sub": nil}), notValid, "", "claims"},
		"an expired one": {
			i.Token(t, forHere, map[string]any{"exp": end.Unix()}),
			`Bearer error="invalid_token", error_description="token of oidc:ana@id.example.org expired at ` + end.Format(time.RFC3339) + `; get another from the identity provider"` + where,
			"oidc:ana@id.example.org", auth.TokenExpired,
		},
		"an expired one of another": {i.Token(t, "x", map[string]any{"exp": end.Unix()}), notValid, "", "audience"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []auth.Refusal
			r := knowing(t, i, auth.Options{Refused: func(_ context.Context, r auth.Refusal) { got = append(got, r) }})
			req, err := r.Arrived(request(t, c.token))
			if err != nil {
				t.Fatal(err)
			}
			if _, known, err := r.Request(req, true); known || err != nil {
				t.Fatalf("known %t, %v", known, err)
			}
			err = r.Refuse(req, "http")
			if challenge := r.Challenge(req, fault.Of(err)); challenge != c.challenge || !fault.Is(err, fault.Unauthenticated) {
				t.Errorf("%v:\n%s, want\n%s", err, challenge, c.challenge)
			}
			want := auth.Refusal{State: c.state, Name: c.id, Caller: policy.Anonymous("", policy.Scopes{}), Via: "http", Address: "192.0.2.1"}
			if len(got) != 1 || (got[0].Says != "") != strings.Contains(c.token, ".") {
				t.Fatalf("%+v", got)
			}
			for _, part := range strings.Split(c.token, ".") {
				if len(part) > 8 && strings.Contains(got[0].Says, part) {
					t.Errorf("the log has a part of the token: %s", got[0].Says)
				}
			}
			got[0].Says = ""
			if diff := cmp.Diff(want, got[0], cmp.AllowUnexported(policy.Scopes{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Who has no scope is told by 403 which ones to ask for, with those that they have, and where; at the address for agents
// the metadata is that of this address.
func TestTheChallengeForAScope(t *testing.T) {
	i := oidctest.New(t)
	r := knowing(t, i, auth.Options{})
	p, _, err := r.Request(request(t, i.Token(t, forHere, nil)), false)
	if err != nil {
		t.Fatal(err)
	}
	req, err := r.Arrived(request(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	req = req.WithContext(auth.WithPrincipal(req.Context(), p))
	req.URL.Path = "/mcp"
	denied := policy.Allow(p, policy.Builder, "x")
	if want := "scope denied: x requires builder, which the token of oidc:ana@id.example.org has not; the identity provider https://id.example.org gives scopes, in the claim scope, scopes or scp"; denied.Error() != want {
		t.Errorf("got %v", denied)
	}
	if got, want := r.Challenge(req, fault.Of(denied)), `Bearer error="insufficient_scope", scope="notes/builder notes/runtime", resource_metadata="https://notes.example.org/.well-known/oauth-protected-resource/mcp"`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestTheMetadataOfTheResource(t *testing.T) {
	i := oidctest.New(t)
	r := knowing(t, i, auth.Options{})
	for path, resource := range map[string]string{
		"/.well-known/oauth-protected-resource":      here,
		"/.well-known/oauth-protected-resource/mcp":  forHere,
		"/.well-known/oauth-protected-resource/":     "",
		"/.well-known/oauth-protected-resource/kg":   "",
		"/.well-known/oauth-protected-resourceful":   "",
		"/mcp/.well-known/oauth-protected-resource":  "",
		"/.well-known/oauth-authorization-server":    "",
		"/.well-known/oauth-protected-resource/mcp/": "",
	} {
		req, err := r.Arrived(request(t, ""))
		if err != nil {
			t.Fatal(err)
		}
		req.URL.Path = path
		var want auth.Metadata
		if resource != "" {
			want = auth.Metadata{Resource: resource, Servers: []string{i.URL}, Scopes: []string{"notes/builder", "notes/runtime"}, Methods: []string{"header"}, Name: "trails"}
		}
		got, ok := r.Metadata(req)
		if diff := cmp.Diff(want, got); diff != "" || ok != (resource != "") {
			t.Errorf("%s: %t, %s", path, ok, diff)
		}
		if _, ok := auth.New(auth.Options{}).Metadata(req); ok {
			t.Errorf("%s is there without an identity provider", path)
		}
		if resource == "" {
			continue
		}
		if _, known, err := r.Verify(t.Context(), i.Token(t, resource, nil)); !known || err != nil {
			t.Errorf("a token for the resource %s: %t, %v", resource, known, err)
		}
	}
}

func TestAudiencesOfAnAddress(t *testing.T) {
	for origin, want := range map[string][]string{
		here:                    {here, forHere},
		"http://127.0.0.1:8757": {"http://127.0.0.1:8757", "http://127.0.0.1:8757/mcp", "http://localhost:8757", "http://localhost:8757/mcp"},
	} {
		if diff := cmp.Diff(want, auth.Audiences(origin)); diff != "" {
			t.Errorf("%s: %s", origin, diff)
		}
	}
}

// Answers that last and sign-ins end when the token expires, and go on while the provider is away.
func TestWhatATokenOfAnIdentityProviderBeganEndsWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := oidctest.New(t)
		r := knowing(t, i, auth.Options{})
		token := i.Token(t, forHere, nil)
		browser := request(t, "")
		browser.AddCookie(r.SignIn(request(t, ""), token))
		lasting := map[string]context.Context{}
		for name, req := range map[string]*http.Request{"the program's": request(t, token), "the browser's": browser} {
			ctx, stop := r.Lasting(req, true)
			defer stop()
			lasting[name] = ctx
		}
		time.Sleep(time.Minute)
		i.Leave(true)
		time.Sleep(time.Hour - 10*time.Second) // which is within the skew
		synctest.Wait()
		for name, ctx := range lasting {
			if ctx.Err() != nil {
				t.Errorf("%s answer ended with %v", name, context.Cause(ctx))
			}
		}
		time.Sleep(20 * time.Second)
		synctest.Wait()
		for name, ctx := range lasting {
			if !fault.Is(context.Cause(ctx), fault.Unauthenticated) {
				t.Errorf("%s answer goes on: %v", name, context.Cause(ctx))
			}
		}
		if _, known, err := r.Request(browser, true); known || err != nil {
			t.Errorf("the browser is known: %v", err)
		}
	})
}

// While the provider was never reached, its tokens are refused as what cannot be checked, and no other is.
func TestAnIdentityProviderThatIsAway(t *testing.T) {
	i, graph := oidctest.New(t), &issuer{}
	i.Leave(true)
	r := knowing(t, i, auth.Options{Issued: graph})
	for range 3 {
		if _, known, err := r.Request(request(t, i.Token(t, forHere, nil)), true); known || !fault.Is(err, fault.Unusable) || !strings.Contains(err.Error(), "https://id.example.org is not reached") {
			t.Errorf("known %t, %v", known, err)
		}
	}
	if _, known, err := r.Local(t.Context(), i.Token(t, forHere, nil)); known || !fault.Is(err, fault.Unusable) {
		t.Errorf("over stdio: known %t, %v", known, err)
	}
	if _, known, err := r.Request(request(t, graph.issue("ci", policy.Runtime)), true); !known || err != nil {
		t.Errorf("a token of the graph: known %t, %v", known, err)
	}
	if _, known, err := r.Request(request(t, "word"), true); known || err != nil {
		t.Errorf("a word: known %t, %v", known, err)
	}
}

// The keys of a provider change under a running server.
func TestTheKeysOfAnIdentityProviderChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := oidctest.New(t)
		r := knowing(t, i, auth.Options{})
		if _, known, err := r.Request(request(t, i.Token(t, forHere, nil)), true); !known || err != nil {
			t.Fatalf("known %t, %v", known, err)
		}
		i.Rotate(t, jose.EdDSA)
		time.Sleep(oidc.RefetchAfter)
		if _, known, err := r.Request(request(t, i.Token(t, forHere, nil)), true); !known || err != nil {
			t.Errorf("known %t, %v", known, err)
		}
	})
}
