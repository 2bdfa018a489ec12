package kg_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/fault"
	"trails/kg"
)

// A token admits by its secret, which is nowhere in the file; nobody gives more than they have.
func TestTokensOfTheGraph(t *testing.T) {
	g := newGraph(t, mergeSchema)
	token, secret, err := g.Session(ana).IssueToken(t.Context(), kg.NewToken{Name: "ci", Groups: []string{"b", "a", "b"}}, false, kg.Activity{})
	if err != nil {
		t.Fatal(err)
	}
	if len(token.Groups) != 2 || token.Scopes != policy.NewScopes(policy.Runtime) || policy.NameInSecret(secret) != "ci" {
		t.Errorf("issued %+v, %q", token, secret)
	}
	if has, err := g.HasTokens(t.Context()); !has || err != nil {
		t.Error(has, err)
	}
	if _, again, err := g.Session(ana).IssueToken(t.Context(), kg.NewToken{Name: "cj"}, false, kg.Activity{}); err != nil || again[len("trails_cj_"):] == secret[len("trails_ci_"):] {
		t.Errorf("the same secret again, %v", err)
	}
	if _, tried, err := g.Session(ana).IssueToken(t.Context(), kg.NewToken{Name: "tried"}, true, kg.Activity{}); err != nil || tried != "" {
		t.Errorf("a token that was only tried has the secret %q, %v", tried, err)
	}
	for _, name := range []string{"tried", "no"} {
		if _, ok, err := g.Token(t.Context(), name); ok || err != nil {
			t.Errorf("%s is there: %t, %v", name, ok, err)
		}
	}
	govern(t, g.Session(ana), cedar.Starter)
	builder := policy.Principal{ID: "token:x", Scopes: policy.NewScopes(policy.Runtime, policy.Builder), Authenticated: true}
	for name, c := range map[string]struct {
		n    kg.NewToken
		kind fault.Kind
	}{
		"more than the issuer has": {kg.NewToken{Name: "dev", Scopes: policy.AllScopes()}, fault.Denied},
		"expired":                  {kg.NewToken{Name: "late", Expires: time.Unix(1, 0)}, fault.InvalidArguments},
		"no name":                  {kg.NewToken{Name: "../x", Groups: []string{"A"}}, fault.InvalidArguments},
	} {
		if _, _, err := g.Session(builder).IssueToken(t.Context(), c.n, false, kg.Activity{}); !fault.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	found, ok, err := g.Token(t.Context(), "ci")
	if err != nil || !ok || !found.Valid(time.Now()) {
		t.Fatal(found, ok, err)
	}
	if _, err := g.Session(ana).RevokeToken(t.Context(), "ci", false, true, kg.Activity{}); err != nil {
		t.Fatal(err)
	}
	if found, _, err := g.Token(t.Context(), "ci"); err != nil || !found.Valid(time.Now()) {
		t.Error("a dry run revoked it", err)
	}
	if _, err := g.Session(ana).RevokeToken(t.Context(), "ci", false, false, kg.Activity{}); err != nil {
		t.Fatal(err)
	}
	if found, ok, err := g.Token(t.Context(), "ci"); err != nil || !ok || found.Valid(time.Now()) {
		t.Error("it is valid", err)
	}
	verify(t, g)
	for _, path := range []string{g.Path(), g.Path() + "-wal"} {
		if content, err := os.ReadFile(path); err != nil || bytes.Contains(content, []byte(secret)) {
			t.Errorf("%s has the secret, %v", path, err)
		}
	}
}
