package e2e_test

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"trails/auth/policy"
	"trails/e2e/testrun"
	"trails/kg"
)

// grants gives clients access in the names of two people, by the authorization server of an address, in every state that an
// access token can have.
func grants(t *testing.T, file, issuer string) (known, wrong []credential) {
	t.Helper()
	must(t, "token", "create", file, "one-scope")
	must(t, "token", "create", file, "two-scopes", "--scopes", "runtime,builder")
	must(t, "token", "create", file, "gone", "--scopes", "runtime,builder")
	g, err := kg.Open(t.Context(), file, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	now := time.Now()
	runtime, both := policy.NewScopes(policy.Runtime), policy.NewScopes(policy.Runtime, policy.Builder)
	for _, c := range []struct {
		name, person string
		scopes       policy.Scopes
		change       func(*policy.Token)
		has          []string // nil if it is refused
	}{
		{"a grant", "two-scopes", both, nil, []string{"runtime", "builder"}},
		{"a grant of less than the person has", "two-scopes", runtime, nil, []string{"runtime"}},
		{"a grant of more than the person has", "one-scope", policy.AllScopes(), nil, []string{"runtime"}},
		{"a grant of a scope that the person has not", "one-scope", policy.NewScopes(policy.Builder), nil, []string{}},
		{"a grant that was revoked", "two-scopes", both, nil, nil},
		{"a grant that has expired", "two-scopes", both, func(t *policy.Token) { t.Expires = now.Add(-time.Minute) }, nil},
		{"a grant with an access token that has expired", "two-scopes", both, func(t *policy.Token) { t.Grant.Until = now.Add(-time.Minute) }, nil},
		{"a grant with a code that was not used", "two-scopes", both, func(t *policy.Token) { t.Grant.Until = time.Time{} }, nil},
		{"a grant by another server", "two-scopes", both, func(t *policy.Token) { t.Grant.Issuer = "https://other.example.org" }, nil},
		{"a grant of somebody who was revoked later", "gone", both, nil, nil},
		{"a grant of nobody", "nobody", both, nil, nil},
	} {
		granted := policy.Token{
			Name: policy.GrantPrefix + strings.ToLower(rand.Text()[:10]), Scopes: c.scopes, Created: now.Truncate(time.Microsecond), Creator: policy.TokenActor + c.person, Expires: now.Add(time.Hour),
			Grant: &policy.Grant{Person: policy.TokenActor + c.person, Client: "https://client.example.org/", Host: "client.example.org", Issuer: issuer, Code: sha256.Sum256([]byte(c.name)), Until: now.Add(time.Hour)},
		}
		secret := policy.Secret(granted.Name, rand.Text())
		granted.Hash = sha256.Sum256([]byte(secret))
		if c.change != nil {
			c.change(&granted)
		}
		if err := g.Session(policy.Principal{ID: granted.Grant.Person}).Grant(t.Context(), granted, kg.Activity{Capability: "grant.give", Via: "http"}); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if strings.HasSuffix(c.name, "was revoked") {
			must(t, "token", "revoke", file, granted.Name)
		}
		if c.has == nil {
			wrong = append(wrong, credential{name: c.name, secret: secret})
		} else {
			known = append(known, credential{c.name, secret, true, c.has})
		}
	}
	must(t, "token", "revoke", file, "gone")
	return known, wrong
}

// Each address is asked with tokens and grants in every state: those that are not valid are refused everywhere, and those that
// are nowhere for being unknown; over MCP with and without sessions, too. What a grant may call is what both it and its person
// have.
func TestEveryAddressKnowsEveryStateOfAToken(t *testing.T) {
	testrun.Alone(t)
	const public = "https://notes.example.org"
	file := notesFile(t)
	known, wrong := credentials(t, file)
	granted, refused := grants(t, file, public)
	process := []string{"TRAILS_MCP_SCOPES=runtime,builder,dev"}
	w, kept := startWeb(t, process, file, "--oauth", "--public-url", public), startWeb(t, process, file, "--oauth", "--public-url", public, "--stateful")
	asked := 0
	from := func() http.Header { // as many addresses as requests, because one that shows many wrong tokens waits
		asked++
		return http.Header{"X-Forwarded-For": {fmt.Sprintf("192.0.%d.%d", asked/250, asked%250+1)}, "X-Forwarded-Proto": {"https"}}
	}
	w.token = known[len(known)-1].secret
	routes, scopes := everyRoute(t, w), capabilities(t, w)
	for _, c := range slices.Concat(known[:1], granted, wrong, refused) {
		w.token = c.secret
		for _, route := range routes {
			method, path := route[0], route[1]
			if openToAll[path] || authorization[path] || strings.HasPrefix(path, "/.well-known/oauth-") {
				continue // it asks for no token
			}
			r, err := http.NewRequestWithContext(t.Context(), method, w.base+path, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			r.Header = from()
			r.Header.Set("Authorization", "Bearer "+c.secret)
			r.Header.Set("Content-Type", "application/json")
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close() // some do not end
			if (res.StatusCode == http.StatusUnauthorized) == c.known {
				t.Errorf("%s: %s %s: %s", c.name, method, path, res.Status)
			}
		}
	}
	for _, c := range slices.Concat(known[:1], granted, wrong, refused) {
		kept.token = c.secret
		session, opened := openStateful(t, kept, from())
		if (opened == passed) != c.known {
			t.Errorf("%s: a session: %s", c.name, opened)
		}
		if !c.known {
			continue
		}
		w.token = c.secret
		for name, d := range map[string]door{"/mcp": w, "a session": session} {
			for id, scope := range scopes {
				if _, err := tool(d, id, map[string]any{}); errors.Is(err, errGone) || ofMCP(err) != c.may(scope) {
					t.Errorf("%s: %s over %s, which requires %s: %v", c.name, id, name, scope, err)
				}
			}
		}
		for id, scope := range scopes {
			status, body, err := w.post("/invoke/"+id, []byte("{}"), from())
			if got := ofHTTP(status, body); err != nil || got != c.may(scope) {
				t.Errorf("%s: %s, which requires %s: %s: %d, %v", c.name, id, scope, got, status, err)
			}
		}
	}
}
