package admin_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trails/admin"
	"trails/auth"
	"trails/auth/policy"
	"trails/e2e/testrun"
	"trails/httpapi"
)

// newOperated is the pages behind the edge of a process without a token, and the address of
// its sign-in link. All that is logged, at every level, is in the log.
func newOperated(t *testing.T) (g *guarded, link string, log *bytes.Buffer) {
	f, log := newNotes(t), &bytes.Buffer{}
	all := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	who := auth.New(auth.Options{ID: "local:ana", Scopes: policy.NewScopes(policy.Runtime, policy.Builder), Operator: true})
	whole := httpapi.New(f.engine, httpapi.Options{Auth: who, Log: all, Admin: admin.New(f.engine, admin.Options{Auth: who, Log: all})})
	local := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = "127.0.0.1:4711"
		whole.ServeHTTP(w, r)
	})
	return &guarded{Handler: local, fixture: f}, admin.OperatorPath + "?key=" + who.OperatorKey(), log
}

// The session that the sign-in link opens is the operator's, and nobody else comes by it.
func TestTheSignInLinkOpensTheSessionOfTheOperator(t *testing.T) {
	testrun.Alone(t)
	g, link, log := newOperated(t)
	if a := g.do(t, "GET", "/admin/operator?key=guess", nil); a.StatusCode != http.StatusForbidden || len(a.Cookies()) > 0 {
		t.Errorf("a guess: %d", a.StatusCode)
	}
	for name, ahead := range map[string][]string{"HEAD": nil, "GET": {"Sec-Purpose", "prefetch;prerender"}, "POST": nil} {
		if a := g.do(t, name, link, nil, ahead...); a.StatusCode < 400 || len(a.Cookies()) > 0 {
			t.Errorf("%s %v: %d %v", name, ahead, a.StatusCode, a.Cookies())
		}
	}
	if a := g.do(t, "GET", "/admin/capabilities/trails.meta.schema.plan", nil); a.StatusCode == http.StatusOK {
		t.Errorf("without the link: %d", a.StatusCode)
	}
	a := g.do(t, "GET", link, nil)
	says(t, a, "You are the operator of this server, local:ana, and may do what needs builder, runtime")
	key := link[strings.Index(link, "=")+1:]
	if a.StatusCode != http.StatusOK || a.Header.Get("Referrer-Policy") != "no-referrer" || a.Header.Get("Cache-Control") != "no-store" || strings.Contains(a.text, key) {
		t.Errorf("%d %v", a.StatusCode, a.Header)
	}
	if a.Header.Get("Refresh") != "0; url=/admin" {
		t.Errorf("it goes on to %q", a.Header.Get("Refresh"))
	}
	if a := g.do(t, "GET", "/admin", nil); !strings.Contains(a.text, "Sign out") {
		t.Error("the session is not shown")
	}
	form := g.do(t, "GET", "/admin/capabilities/trails.meta.schema.plan", nil).form(t, "/admin/capabilities/trails.meta.schema.plan")
	form.Set("arg.schema", "types: {}")
	form.Set("_do", "call")
	if a := g.do(t, "POST", form.action, form.Values); a.StatusCode >= 400 {
		t.Errorf("the operator may not build: %d\n%s", a.StatusCode, mainText(a))
	}
	if a := g.do(t, "POST", form.action, form.Values, "Sec-Fetch-Site", "same-site"); a.StatusCode != http.StatusForbidden {
		t.Errorf("a page at another port of this machine used the session: %d", a.StatusCode)
	}
	if a := g.do(t, "POST", "/invoke/trails.meta.schema.plan", nil, "Content-Type", "application/json"); a.StatusCode == http.StatusOK {
		t.Errorf("the cookie of the pages lets programs build: %d", a.StatusCode)
	}
	if a := g.do(t, "GET", link, nil); a.StatusCode != http.StatusSeeOther {
		t.Errorf("who is signed in and loads it again: %d", a.StatusCode)
	}
	old := g.cookie
	g.cookie = ""
	if a := g.do(t, "GET", link, nil); a.StatusCode != http.StatusForbidden || len(a.Cookies()) > 0 {
		t.Errorf("a second browser: %d", a.StatusCode)
	}
	g.cookie = old
	g.do(t, "POST", "/admin/logout", nil)
	g.cookie = old
	if a := g.do(t, "GET", "/admin", nil); strings.Contains(a.text, "Sign out") {
		t.Error("the session did not end")
	}
	if strings.Contains(log.String(), key) || !strings.Contains(log.String(), "sign-in link was used") {
		t.Errorf("the log has the key, or not that it was used:\n%s", log)
	}
	rebound := httptest.NewRecorder()
	g.ServeHTTP(rebound, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://evil.example"+link, nil))
	if rebound.Code != http.StatusForbidden {
		t.Errorf("at another name: %d", rebound.Code)
	}
}
