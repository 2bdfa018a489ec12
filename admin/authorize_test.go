package admin_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"trails/admin"
	"trails/auth"
	"trails/auth/oauth"
	"trails/auth/policy"
	"trails/httpapi"
	"trails/kg"
)

// newConsent serves pages with an authorization server, and signs ana in by a token of hers.
func newConsent(t *testing.T) (g *guarded, server *oauth.Server) {
	t.Helper()
	f := newNotes(t)
	_, token, err := f.engine.Graph().Session(policy.Local("root", "")).IssueToken(t.Context(), kg.NewToken{Name: "ana"}, false, kg.Activity{})
	if err != nil {
		t.Fatal(err)
	}
	const issuer = "http://127.0.0.1:8757"
	who := auth.New(auth.Options{Issued: f.engine.Graph(), Scopes: policy.NewScopes(policy.Runtime, policy.Builder), Server: issuer})
	server = oauth.New(oauth.Options{Issuer: issuer, Graph: f.engine.Graph(), Auth: who})
	g = &guarded{fixture: f, Handler: httpapi.New(f.engine, httpapi.Options{Auth: who, OAuth: server, Admin: admin.New(f.engine, admin.Options{Auth: who, OAuth: server})})}
	for _, c := range g.do(t, http.MethodPost, "/admin/login", url.Values{"token": {token}}).Cookies() {
		if c.Value != "" {
			g.cookie = c.Name + "=" + c.Value
		}
	}
	return g, server
}

const consentBack = "https://claude.ai/back"

// asked are the parameters of a client with a name.
func asked(t *testing.T, server *oauth.Server, name string) url.Values {
	t.Helper()
	answer, err := server.Register([]byte(`{"client_name":"` + name + `","redirect_uris":["` + consentBack + `"]}`))
	if err != nil {
		t.Fatal(err)
	}
	id := registeredID(t, answer)
	return url.Values{
		"client_id": {id}, "redirect_uri": {consentBack}, "response_type": {"code"}, "state": {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl"},
		"code_challenge": {strings.Repeat("A", 43)}, "code_challenge_method": {"S256"},
	}
}

// A person sees who asks, from where and for what, and it is up to them.
func TestThePageOfConsent(t *testing.T) {
	g, server := newConsent(t)
	values := asked(t, server, `<script>alert(1)</script>\u202ebank`)
	page := g.do(t, http.MethodGet, "/admin/authorize?"+values.Encode(), nil)
	for _, want := range []string{"&lt;script&gt;", "claude.ai", "token:ana", `name="trails_scope" value="runtime" checked`} {
		if page.StatusCode != http.StatusOK || !strings.Contains(page.text, want) {
			t.Errorf("%d, without %s: %s", page.StatusCode, want, mainText(page))
		}
	}
	if strings.Contains(page.text, "<script>alert") || strings.Contains(page.text, "\u202e") || strings.Contains(page.text, `value="builder"`) {
		t.Errorf("the page is %s", page.text)
	}
	if policy := page.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self' https://claude.ai;") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("the policy of the page is %s", policy)
	}
	form := func(decision string, scopes ...string) url.Values {
		out := url.Values{"trails_decision": {decision}, "trails_scope": scopes}
		for name, value := range values {
			out[name] = value
		}
		return out
	}
	post := func(form url.Values, headers ...string) (answer, url.Values) {
		t.Helper()
		res := g.do(t, http.MethodPost, "/admin/authorize", form, headers...)
		u, err := url.Parse(res.Header.Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		if u.Host != "" && !strings.HasPrefix(u.String(), consentBack+"?") {
			t.Errorf("the browser is sent to %s", u)
		}
		return res, u.Query()
	}
	if res, _ := post(form("allow", "runtime"), "Sec-Fetch-Site", "cross-site"); res.StatusCode != http.StatusForbidden {
		t.Errorf("another site allows: %d", res.StatusCode)
	}
	if res, back := post(form("allow", "runtime", "builder")); res.StatusCode != http.StatusOK || back.Has("code") || !strings.Contains(res.text, "builder cannot be given") {
		t.Errorf("more than she has: %d %s", res.StatusCode, mainText(res))
	}
	if res, _ := post(form("allow")); res.StatusCode != http.StatusOK || !strings.Contains(res.text, "tick at least one") {
		t.Errorf("nothing: %d %s", res.StatusCode, mainText(res))
	}
	if _, back := post(form("refuse", "runtime")); back.Get("error") != "access_denied" || back.Has("code") {
		t.Errorf("refused: %v", back)
	}
	if res, back := post(form("allow", "runtime")); res.StatusCode != http.StatusSeeOther || policy.NameInSecret(back.Get("code")) == "" || back.Get("state") != values.Get("state") {
		t.Errorf("allowed: %d %v", res.StatusCode, back)
	}
	if list := g.do(t, http.MethodGet, "/admin/tokens", nil); strings.Contains(list.text, "trails_grant-") {
		t.Error("a page has a secret")
	}
	wrong := form("allow", "runtime")
	wrong.Set("redirect_uri", "https://evil.example/")
	if res, _ := post(wrong); res.StatusCode != http.StatusBadRequest || res.Header.Get("Location") != "" {
		t.Errorf("another redirect: %d, %s", res.StatusCode, res.Header.Get("Location"))
	}
}

// Who has no more than runtime sees on the page of tokens what they gave, and ends it there; what others gave they neither see
// nor end.
func TestAPersonEndsWhatTheyGave(t *testing.T) {
	g, server := newConsent(t)
	gives := func(who policy.Principal) string {
		t.Helper()
		r, _, err := server.Request(t.Context(), asked(t, server, "Claude"), who)
		if err != nil {
			t.Fatal(err)
		}
		back, err := server.Allow(t.Context(), r, policy.NewScopes(policy.Runtime))
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(back)
		if err != nil {
			t.Fatal(err)
		}
		return policy.NameInSecret(u.Query().Get("code"))
	}
	if _, _, err := g.fixture.engine.Graph().Session(policy.Local("root", "")).IssueToken(t.Context(), kg.NewToken{Name: "eve"}, false, kg.Activity{}); err != nil {
		t.Fatal(err)
	}
	person := func(name string) policy.Principal {
		return policy.Principal{ID: "token:" + name, Scopes: policy.NewScopes(policy.Runtime), Authenticated: true}
	}
	own, other := gives(person("ana")), gives(person("eve"))
	page := func() answer { return g.do(t, http.MethodGet, "/admin/tokens", nil) }
	if a := page(); !strings.Contains(a.text, own) || strings.Contains(a.text, other) {
		t.Errorf("the page has other access than hers: %s", mainText(a))
	}
	end := func(name string, headers ...string) int {
		return g.do(t, http.MethodPost, "/admin/tokens", url.Values{"name": {name}}, headers...).StatusCode
	}
	for what, got := range map[string]int{"what another gave": end(other), "a token": end("eve"), "nothing": end("grant-none")} {
		if got != http.StatusNotFound {
			t.Errorf("%s is ended: %d", what, got)
		}
	}
	if got := end(own, "Sec-Fetch-Site", "cross-site"); got != http.StatusForbidden {
		t.Errorf("another site ends it: %d", got)
	}
	if got := end(own); got != http.StatusSeeOther || strings.Contains(page().text, own) {
		t.Errorf("it stays: %d", got)
	}
	for name, revoker := range map[string]string{own: "token:ana", other: "", "eve": ""} {
		if token, ok, err := g.fixture.engine.Graph().Token(t.Context(), name); err != nil || !ok || token.Revoker != revoker {
			t.Errorf("%s is revoked by %q, want %q: %t, %v", name, token.Revoker, revoker, ok, err)
		}
	}
}

// A browser that comes from the client's page comes again, with its cookie; who is not signed in is asked, on the same
// address, which may have a token of the client in its state.
func TestWhoComesFromAClientIsAskedToSignIn(t *testing.T) {
	g, server := newConsent(t)
	g.cookie = ""
	values := asked(t, server, "A")
	first := g.do(t, http.MethodGet, "/admin/authorize?"+values.Encode(), nil)
	next, found := strings.CutPrefix(first.Header.Get("Refresh"), "0; url=")
	if first.StatusCode != http.StatusOK || !found {
		t.Fatalf("%d, %v", first.StatusCode, first.Header)
	}
	page := g.do(t, http.MethodGet, next, nil)
	if page.StatusCode != http.StatusOK || !strings.Contains(page.text, `name="token"`) || !strings.Contains(page.text, "A program asks to use this graph") || page.Header.Get("Refresh") != "" {
		t.Errorf("%d %s", page.StatusCode, mainText(page))
	}
	if opener := page.Header.Get("Cross-Origin-Opener-Policy"); opener != "unsafe-none" {
		t.Errorf("the client's window loses this one: %s", opener)
	}
	if res := g.do(t, http.MethodPost, "/admin/authorize", values); res.StatusCode != http.StatusForbidden {
		t.Errorf("nobody decides: %d", res.StatusCode)
	}
	if res := newGuarded(t).do(t, http.MethodGet, "/admin/authorize?"+values.Encode(), nil); res.StatusCode != http.StatusNotFound {
		t.Errorf("without an authorization server: %d", res.StatusCode)
	}
	if res := g.do(t, http.MethodGet, "/admin/tokens?state="+url.QueryEscape(values.Get("state")), nil); res.StatusCode != http.StatusBadRequest {
		t.Error("a token in another address is accepted")
	}
}

func registeredID(t *testing.T, answer any) string {
	t.Helper()
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	var client struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal(text, &client); err != nil {
		t.Fatal(err)
	}
	return client.ID
}
