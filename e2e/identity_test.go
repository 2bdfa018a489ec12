package e2e_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"trails/auth/oidc/oidctest"
	"trails/e2e/testrun"
)

// caches keeps what a server caches away from the user's own directory.
func caches(t *testing.T) string { return "XDG_CACHE_HOME=" + t.TempDir() }

// A client of MCP that knows an address alone finds the identity provider, gets a token for the address and works with it.
func TestTheTypeScriptClientFindsTheIdentityProvider(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	tools, file, issuer := toolsOfNode(t), writableFile(t), oidctest.Start(t)
	address := startWeb(t, []string{"TRAILS_MCP_SCOPES=runtime,builder", caches(t)}, file, "--oidc-issuer", issuer.URL).base + "/mcp"
	tools.check(t, "client/oauth.mjs", "http", address, issuer.URL)
	if log := must(t, "log", file, "-o", "json"); !strings.Contains(log, `"oidc:robot@`+issuer.URL+` via `) {
		t.Errorf("the commit is by somebody else: %s", log)
	}
}

// A provider that goes away stops nobody whom a server knows, not even when the server starts again; a new key and a
// token that cannot be checked are told apart from a wrong one.
func TestAnIdentityProviderComesAndGoes(t *testing.T) {
	t.Parallel()
	file, issuer, cache := notesFile(t), oidctest.Start(t), caches(t)
	start := func() *web {
		return startWeb(t, []string{cache}, file, "--oidc-issuer", issuer.URL, "--oidc-audience", "notes")
	}
	status := func(w *web, secret string) int {
		t.Helper()
		w.token = secret
		status, _, err := w.do(http.MethodGet, "/schema", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return status
	}
	issuer.Leave(true)
	token := issuer.Token(t, "notes", nil)
	w := start()
	if got := status(w, token); got != http.StatusServiceUnavailable {
		t.Errorf("before it was reached: %d", got)
	}
	if got := status(w, ""); got != http.StatusUnauthorized {
		t.Errorf("without a token: %d", got)
	}
	if code, body, err := w.do(http.MethodGet, "/ready", nil, nil); err != nil || code != http.StatusOK {
		t.Errorf("ready: %d %s, %v", code, body, err)
	}
	issuer.Leave(false)
	for deadline := time.Now().Add(patience); status(w, token) != http.StatusOK; time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it is not asked again")
		}
	}
	issuer.Leave(true)
	if got := status(w, issuer.Token(t, "other", nil)); got != http.StatusUnauthorized {
		t.Errorf("for another audience: %d", got)
	}
	again := start()
	if got := status(again, token); got != http.StatusOK {
		t.Errorf("after a restart without it: %d", got)
	}
	issuer.Rotate(t, "RS256")
	issuer.Leave(false)
	young := issuer.Token(t, "notes", nil)
	for deadline := time.Now().Add(patience); status(again, young) != http.StatusOK; time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the new key is not found")
		}
	}
	if got := status(again, token); got != http.StatusUnauthorized {
		t.Errorf("by the key that was withdrawn: %d", got)
	}
}

// What a token gives is what both it and the process have, whoever issued it.
func TestScopesOfAnIdentityProvider(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	file, issuer := notesFile(t), oidctest.Start(t)
	w := startWeb(t, []string{"TRAILS_MCP_SCOPES=runtime,builder", "TRAILS_OIDC_SCOPE_PREFIX=kg/", "TRAILS_OIDC_AUDIENCE=other notes", "TRAILS_OIDC_ISSUER=" + issuer.URL, caches(t)}, file)
	for scope, want := range map[string][2]int{
		"kg/runtime": {http.StatusOK, http.StatusForbidden}, "kg/builder kg/runtime dev": {http.StatusOK, http.StatusOK}, "openid": {http.StatusForbidden, http.StatusForbidden},
	} {
		w.token = issuer.Token(t, "notes", map[string]any{"scope": scope})
		for n, path := range []string{"/invoke/commits_list", "/invoke/trails_meta_token_list"} {
			status, body, err := w.post(path, []byte("{}"), nil)
			var problem struct{ Detail string }
			_ = json.Unmarshal(body, &problem) // which only a refusal has
			if err != nil || status != want[n] || status == http.StatusForbidden && !strings.Contains(problem.Detail, "the identity provider "+issuer.URL+" gives scopes") {
				t.Errorf("%s with %q: %d %s, %v", path, scope, status, body, err)
			}
		}
	}
}
