package auth_test

import (
	"crypto/sha256"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"trails/auth"
	"trails/auth/policy"
)

// A client has what its person gave and has: never more than the process, the grant and the person's own token.
func TestAClientHasNoMoreThanItsPerson(t *testing.T) {
	now := time.Now()
	const server, secret = "https://notes.example.org", "trails_grant-1_x"
	tokens := func(change func(own, grant *policy.Token)) *issuer {
		own := policy.Token{Name: "ana", Scopes: policy.NewScopes(policy.Runtime), Groups: []string{"editors"}, Created: now.Add(-time.Hour)}
		grant := policy.Token{
			Name: "grant-1", Hash: sha256.Sum256([]byte(secret)), Scopes: policy.AllScopes(), Created: now,
			Grant: &policy.Grant{Person: "token:ana", Groups: []string{"owners"}, Host: "claude.ai", Issuer: server, Until: now.Add(time.Hour)},
		}
		change(&own, &grant)
		return &issuer{tokens: map[string]policy.Token{"ana": own, "grant-1": grant}}
	}
	request := func(i *issuer) (policy.Principal, bool) {
		t.Helper()
		r := auth.New(auth.Options{Issued: i, Server: server, Scopes: policy.NewScopes(policy.Runtime, policy.Builder)})
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		req.Header.Set("Authorization", "Bearer "+secret)
		req.Header.Set("User-Agent", "other/1.0")
		p, known, err := r.Request(req, false)
		if err != nil {
			t.Fatal(err)
		}
		return p, known
	}
	p, known := request(tokens(func(_, _ *policy.Token) {}))
	if !known || p.Scopes != policy.NewScopes(policy.Runtime) || !slices.Equal(p.Groups, []string{"editors"}) || p.Author() != "token:ana via claude.ai (grant-1)" {
		t.Errorf("%+v, %t", p, known)
	}
	for name, change := range map[string]func(own, grant *policy.Token){
		"its person is a client":                        func(own, _ *policy.Token) { own.Grant = &policy.Grant{} },
		"its person has expired":                        func(own, _ *policy.Token) { own.Expires = now.Add(-time.Second) },
		"its person was revoked":                        func(own, _ *policy.Token) { own.Revoked = now },
		"its person's name is somebody else's now":      func(own, grant *policy.Token) { own.Created = grant.Created.Add(time.Second) },
		"its person is of a provider that is not there": func(_, grant *policy.Token) { grant.Grant.Person = "oidc:ana@id.example.org" },
		"it is of another server":                       func(_, grant *policy.Token) { grant.Grant.Issuer = "https://other.example" },
		"its access token has expired":                  func(_, grant *policy.Token) { grant.Grant.Until = now },
	} {
		if _, known := request(tokens(change)); known {
			t.Errorf("%s: it is admitted", name)
		}
	}
}
