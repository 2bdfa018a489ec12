package oidc_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"trails/auth/oidc"
	"trails/auth/oidc/oidctest"
	"trails/auth/policy"
	"trails/fault"
)

// atProvider plays the token endpoint of an issuer: what it gives, and what it was sent last.
type atProvider struct {
	*oidctest.Issuer
	status      int
	access, id  string
	form        url.Values
	user, proof string
}

func (a *atProvider) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path != "/token" {
		return a.Issuer.RoundTrip(r)
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if a.form, err = url.ParseQuery(string(text)); err != nil {
		return nil, err
	}
	a.user, a.proof, _ = r.BasicAuth()
	w := httptest.NewRecorder()
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(map[string]string{"access_token": a.access, "id_token": a.id})
	return w.Result(), nil
}

// A person signs in at the provider for this server, and comes back with its token; whatever does not belong together is
// refused.
func TestAPersonSignsInAtTheProvider(t *testing.T) {
	i := oidctest.New(t)
	at := &atProvider{Issuer: i}
	p := provider(t, i, func(o *oidc.Options) { o.Transport, o.ClientID, o.ClientSecret = at, "pages", "s3cret" })
	begin := func() (oidc.SignIn, url.Values) {
		t.Helper()
		address, in, err := p.Begin(t.Context(), "https://notes.example.org/back", policy.NewScopes(policy.Runtime))
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(address)
		if err != nil || !strings.HasPrefix(address, i.URL+"/authorize?") {
			t.Fatalf("the person is sent to %s", address)
		}
		return in, u.Query()
	}
	in, asked := begin()
	for name, want := range map[string]string{"response_type": "code", "client_id": "pages", "redirect_uri": "https://notes.example.org/back", "scope": "openid runtime", "code_challenge_method": "S256"} {
		if asked.Get(name) != want {
			t.Errorf("%s is %q", name, asked.Get(name))
		}
	}
	finish := func(in oidc.SignIn, asked, answer url.Values, change func()) (string, oidc.Caller, error) {
		at.status = http.StatusOK
		at.id = i.Token(t, "pages", map[string]any{"nonce": asked.Get("nonce")})
		at.access = i.Token(t, audience, map[string]any{"groups": []string{"team"}})
		if change != nil {
			change()
		}
		return p.Finish(t.Context(), in, answer)
	}
	answer := url.Values{"state": {asked.Get("state")}, "code": {"c"}, "iss": {i.URL}}
	token, who, err := finish(in, asked, answer, nil)
	if err != nil || token != at.access || who.ID != "oidc:ana@id.example.org" || len(who.Groups) != 1 {
		t.Fatalf("%+v, %v", who, err)
	}
	sum := sha256.Sum256([]byte(at.form.Get("code_verifier")))
	if base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") || at.user != "pages" || at.proof != "s3cret" || at.form.Has("client_secret") || at.form.Get("code") != "c" {
		t.Errorf("the provider was sent %v by %s", at.form, at.user)
	}
	other, otherAsked := begin()
	if otherAsked.Get("state") == asked.Get("state") || otherAsked.Get("nonce") == asked.Get("nonce") {
		t.Error("two sign-ins have the same secrets")
	}
	for name, c := range map[string]struct {
		in     oidc.SignIn
		answer url.Values
		change func()
		reason oidc.Reason // "" for the fault Unusable
	}{
		"the answer to another sign-in":      {other, answer, nil, oidc.BadClaims},
		"none that began":                    {oidc.SignIn{}, url.Values{"code": {"c"}}, nil, oidc.BadClaims},
		"the answer of another provider":     {in, url.Values{"state": answer["state"], "code": {"c"}, "iss": {"https://evil.example"}}, nil, oidc.OtherIssuer},
		"an ID token of another sign-in":     {in, answer, func() { at.id = i.Token(t, "pages", map[string]any{"nonce": otherAsked.Get("nonce")}) }, oidc.BadClaims},
		"an ID token without a nonce":        {in, answer, func() { at.id = i.Token(t, "pages", nil) }, oidc.BadClaims},
		"an ID token for another client":     {in, answer, func() { at.id = i.Token(t, "other", map[string]any{"nonce": asked.Get("nonce")}) }, oidc.BadClaims},
		"an ID token given to another":       {in, answer, func() { at.id = i.Token(t, "pages", map[string]any{"nonce": asked.Get("nonce"), "azp": "other"}) }, oidc.OtherAudience},
		"an ID token that has expired":       {in, answer, func() { at.id = i.Token(t, "pages", map[string]any{"nonce": asked.Get("nonce"), "exp": 1}) }, oidc.BadClaims},
		"an ID token that is none":           {in, answer, func() { at.id = "x" }, oidc.Malformed},
		"no ID token":                        {in, answer, func() { at.id = "" }, ""},
		"no token for this server":           {in, answer, func() { at.access = i.Token(t, "other", nil) }, ""},
		"an access token of another subject": {in, answer, func() { at.access = i.Token(t, audience, map[string]any{"sub": "eve"}) }, ""},
		"a provider that refuses":            {in, answer, func() { at.status = http.StatusBadRequest }, ""},
		"an error":                           {in, url.Values{"state": answer["state"], "error": {"server_error"}}, nil, ""},
	} {
		_, _, err := finish(c.in, asked, c.answer, c.change)
		var wrong *oidc.Invalid
		switch {
		case c.reason == "" && !fault.Is(err, fault.Unusable), c.reason != "" && (!errors.As(err, &wrong) || wrong.Reason != c.reason):
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := finish(in, asked, url.Values{"state": answer["state"], "error": {"access_denied"}}, nil); !fault.Is(err, fault.Denied) {
		t.Errorf("a person who refuses: %v", err)
	}
	i.Leave(true)
	away := provider(t, i, func(o *oidc.Options) { o.ClientID = "pages" })
	if _, _, err := away.Begin(t.Context(), "https://notes.example.org/back", policy.Scopes{}); !fault.Is(err, fault.Unusable) {
		t.Errorf("while the provider is away: %v", err)
	}
}
