package main

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"trails/auth/oidc/oidctest"
	"trails/auth/policy"
	"trails/kg"
)

// Wherever callers put a token, be it right, wrong, expired, revoked or the one of the process, nothing of it is in the
// log, in the file or in an answer; and each of these calls is answered.
func TestNoTokenIsLoggedRecordedOrAnswered(t *testing.T) {
	file := newNotes(t)
	const process = `pr0cess/"secret"<1>`
	secrets := issueEach(t, file)
	secrets["process"], secrets["wrong"], secrets["nobody"] = process, policy.Secret("ci", strings.Repeat("WRONG2", 4)+"AA"), policy.Secret("nobody", strings.Repeat("NOBODY", 4)+"AA")
	log := filepath.Join(t.TempDir(), "log")
	issuer := oidctest.Start(t)
	secrets["expired JWT"] = issuer.Token(t, "x", map[string]any{"exp": 1})
	secrets["stranger's JWT"] = oidctest.New(t).Token(t, "x", nil)
	base, stop := serveLogging(t, file, log, process, "--oidc-issuer", issuer.URL, "--oidc-audience", "x")
	var calls sync.WaitGroup
	for what, secret := range secrets {
		inMCP := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + jsonText(secret) + `","arguments":{"token":"` + jsonText(secret) + `"},"_meta":{"trails/bearer":"` + jsonText(secret) + `"}}}`
		inArguments := `{"text":["` + jsonText(secret) + `"],"` + jsonText(secret) + `":1,"token":"Bearer ` + jsonText(secret) + `"}`
		for _, c := range []struct{ method, path, media, body string }{
			{http.MethodGet, "/schema", "", ""},
			{http.MethodGet, "/schema?token=" + url.QueryEscape(secret), "", ""},
			{http.MethodGet, "/kg/Note?access_token=" + url.QueryEscape(secret), "", ""},
			{http.MethodGet, "/" + url.PathEscape(secret), "", ""},
			{http.MethodGet, "/invoke/" + strings.ReplaceAll(url.PathEscape(secret), "_", "%5F"), "", ""},
			{http.MethodGet, "/admin/login?next=" + url.QueryEscape("/admin?token="+secret), "", ""},
			{http.MethodGet, "/admin?token=" + url.QueryEscape(secret), "", ""},
			{http.MethodPost, "/admin/login", "application/x-www-form-urlencoded", "token=" + url.QueryEscape(secret)},
			{http.MethodPost, "/invoke/search", "application/json", inArguments},
			{http.MethodPost, "/invoke/nothing", "application/json", inArguments},
			{http.MethodPost, "/mcp", "application/json", inMCP},
			{http.MethodPost, "/sparql", "application/sparql-query", "SELECT"},
			{http.MethodPost, formOfNotes, "application/x-www-form-urlencoded", "title=" + url.QueryEscape(secret)},
		} {
			for _, authorization := range []string{"", "Bearer " + secret, "Bearer " + secrets["right"]} {
				if c.path == formOfNotes && authorization != "" {
					continue // it would be data
				}
				calls.Go(func() { // together, because answers to wrong tokens are delayed
					answer := answerOf(t, c.method, base+c.path, c.media, c.body, authorization, secret)
					if part := hiddenPart(secret); strings.Contains(answer, part) {
						t.Errorf("the %s token is in the answer to %s %s: %s", what, c.method, c.path, answer)
					}
				})
			}
		}
	}
	calls.Wait()
	stop()
	left, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(left), `"msg":"request"`) || !strings.Contains(string(left), `"msg":"request refused"`) {
		t.Fatalf("%v: %s", err, left)
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, text...)
	}
	for what, secret := range secrets {
		if strings.Contains(string(left), hiddenPart(secret)) {
			t.Errorf("the %s token is in the log or in the file", what)
		}
	}
}

// formOfNotes shows what was sent to it again, to a browser that has to sign in first.
const formOfNotes = "/admin/capabilities/note.create"

// hiddenPart is what is secret of a token.
func hiddenPart(secret string) string {
	if parts := strings.Split(secret, "."); len(parts) == 3 { // a JWT
		return parts[2]
	}
	return secret[strings.LastIndexByte(secret, '_')+1:]
}

func jsonText(text string) string { return strings.ReplaceAll(text, `"`, `\"`) }

// issueEach issues tokens of a graph, one in each state.
func issueEach(t *testing.T, file string) map[string]string {
	t.Helper()
	g, err := kg.Open(t.Context(), file, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	const expiry = 2 * time.Second // a busy machine issues a token before
	s, secrets := g.Session(policy.Local("ana", "")).For(policy.Administer), map[string]string{}
	for what, expires := range map[string]time.Time{"right": {}, "revoked": {}, "expired": {}} {
		if what == "expired" {
			expires = time.Now().Add(expiry)
		}
		_, secrets[what], err = s.IssueToken(t.Context(), kg.NewToken{Name: what, Scopes: policy.NewScopes(policy.Runtime), Expires: expires}, false, kg.Activity{ID: what})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.RevokeToken(t.Context(), "revoked", false, false, kg.Activity{ID: "revoke"}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(expiry)
	return secrets
}

// serveLogging serves a graph with all of its log in a file, until stop.
func serveLogging(t *testing.T, file, log, token string, flags ...string) (base string, stop func()) {
	t.Helper()
	out, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("trails", append([]string{"serve", file, "--addr", "127.0.0.1:0"}, flags...)...)
	cmd.Env, cmd.Stderr = append(cmd.Environ(), "XDG_CACHE_HOME="+t.TempDir(), "TRAILS_LOG=debug,json", "TRAILS_MCP_TOKEN="+token), out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		text, _ := os.ReadFile(log)
		if base = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(string(text)); base != "" {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return base, func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		_ = out.Close()
	}
}

// answerOf is the status, the headers and the body of an answer. The program of the caller is called as the secret.
func answerOf(t *testing.T, method, address, media, body, authorization, secret string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return ""
	}
	r.Header.Set("User-Agent", secret)
	r.Header.Set("Accept", "*/*")
	r.Header.Set("Content-Type", media)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	res, err := http.DefaultTransport.RoundTrip(r) // without following redirects
	if err != nil {
		t.Error(err)
		return ""
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
		return ""
	}
	var all strings.Builder
	_ = res.Header.Write(&all)
	return res.Status + "\n" + all.String() + string(text)
}
