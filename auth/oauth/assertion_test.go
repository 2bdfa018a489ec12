package oauth_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"trails/auth"
	"trails/auth/oauth"
	"trails/auth/oidc"
	"trails/auth/oidc/oidctest"
	"trails/auth/policy"
)

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

// An assertion of the provider gives its client access in the name of one of its people, once; whatever was made for another
// server, client or purpose does not.
func TestAssertionsOfTheProvider(t *testing.T) {
	i := oidctest.New(t)
	provider, err := oidc.New(oidc.Options{Issuer: i.URL, Audiences: auth.Audiences(issuer), Transport: i, Skew: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t)
	off := s.Server
	fresh := func() { // which has counted no wrong tokens
		s.who = auth.New(auth.Options{Issued: s.graph, Provider: provider, Scopes: policy.NewScopes(policy.Runtime, policy.Builder), Server: issuer, Closed: true})
		s.Server = oauth.New(oauth.Options{Issuer: issuer, Graph: s.graph, Auth: s.who, Assertions: provider})
	}
	fresh()
	claims := func(changes map[string]any) []byte {
		t.Helper()
		all := map[string]any{"jti": "1", "client_id": "https://claude.ai/client", "resource": issuer + "/mcp", "exp": time.Now().Add(time.Minute).Unix(), "groups": []string{"team"}}
		for name, value := range changes {
			all[name] = value
		}
		text, err := json.Marshal(i.Claims(issuer, all))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	jag := func(changes map[string]any) string {
		t.Helper()
		return i.SignAs(t, "oauth-id-jag+jwt", claims(changes))
	}
	form := func(assertion string, changes ...string) url.Values {
		return with(url.Values{"grant_type": {jwtBearer}, "assertion": {assertion}, "client_id": {"https://claude.ai/client"}}, changes...)
	}
	tokens, err := s.token(form(jag(nil)))
	if err != nil || tokens.Refresh != "" || tokens.Scope != "runtime" {
		t.Fatalf("%+v, %v", tokens, err)
	}
	p, ok := s.admits(tokens.Access)
	if !ok || p.ID != "oidc:ana@id.example.org" || !slices.Equal(p.Groups, []string{"team"}) || !strings.HasPrefix(p.Author(), "oidc:ana@id.example.org via claude.ai (grant-") {
		t.Errorf("the caller is %+v", p)
	}
	for name, c := range map[string]struct {
		form url.Values
		code string
	}{
		"a second use":                {form(jag(nil)), "invalid_grant"},
		"another type":                {form(i.SignAs(t, "JWT", claims(map[string]any{"jti": "a"}))), "invalid_grant"},
		"another server":              {form(jag(map[string]any{"jti": "b", "aud": "https://other.example"})), "invalid_grant"},
		"two servers":                 {form(jag(map[string]any{"jti": "c", "aud": []string{issuer, "https://other.example"}})), "invalid_grant"},
		"the address of agents":       {form(jag(map[string]any{"jti": "d", "aud": issuer + "/mcp"})), "invalid_grant"},
		"another client":              {form(jag(map[string]any{"jti": "e"}), "client_id", "https://evil.example/client"), "invalid_grant"},
		"no client":                   {form(jag(map[string]any{"jti": "f", "client_id": nil}), "client_id", "-"), "invalid_grant"},
		"another resource":            {form(jag(map[string]any{"jti": "g", "resource": "https://other.example"})), "invalid_grant"},
		"no name":                     {form(jag(map[string]any{"jti": nil})), "invalid_grant"},
		"a long life":                 {form(jag(map[string]any{"jti": "h", "exp": time.Now().Add(48 * time.Hour).Unix()})), "invalid_grant"},
		"nothing":                     {form("x"), "invalid_grant"},
		"no scope":                    {form(jag(map[string]any{"jti": "j", "scope": "openid"})), "invalid_scope"},
		"a client that reads as more": {form(jag(map[string]any{"jti": "k", "client_id": "a (grant-b)"}), "client_id", "a (grant-b)"), "invalid_client"},
	} {
		_, err := s.token(c.form)
		s.refuses(name, err, c.code)
		fresh()
	}
	if !slices.Contains(s.Metadata().Grants, jwtBearer) || slices.Contains(off.Metadata().Grants, jwtBearer) {
		t.Error("the metadata do not say whether assertions count")
	}
	s.Server = off
	_, err = s.token(form(jag(map[string]any{"jti": "z"})))
	s.refuses("where they do not count", err, "unsupported_grant_type")
}
