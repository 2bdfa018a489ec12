package admin_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"trails/admin"
	"trails/auth"
	"trails/auth/oidc"
	"trails/auth/oidc/oidctest"
	"trails/auth/policy"
	"trails/httpapi"
)

// providing answers the token endpoint of an issuer with tokens for the latest nonce.
type providing struct {
	*oidctest.Issuer
	t     *testing.T
	nonce string
}

func (p *providing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path != "/token" {
		return p.Issuer.RoundTrip(r)
	}
	w := httptest.NewRecorder()
	_, err := w.WriteString(`{"access_token":"` + p.Token(p.t, "http://127.0.0.1:8757", nil) + `","id_token":"` + p.Token(p.t, "pages", map[string]any{"nonce": p.nonce}) + `"}`)
	return w.Result(), err
}

// provided returns the pages of a server that knows an identity provider, and that provider.
func provided(t *testing.T) (*guarded, *providing) {
	t.Helper()
	at := &providing{Issuer: oidctest.New(t), t: t}
	provider, err := oidc.New(oidc.Options{Issuer: at.URL, Audiences: []string{"http://127.0.0.1:8757"}, ClientID: "pages", Transport: at})
	if err != nil {
		t.Fatal(err)
	}
	f := newNotes(t)
	who := auth.New(auth.Options{Provider: provider, Scopes: policy.NewScopes(policy.Runtime)})
	return &guarded{fixture: f, Handler: httpapi.New(f.engine, httpapi.Options{Auth: who, Admin: admin.New(f.engine, admin.Options{Auth: who})})}, at
}

// signInAt goes to the provider by a link of the sign-in, and comes back with the session.
func (g *guarded) signInAt(t *testing.T, at *providing, link string) answer {
	t.Helper()
	began := g.do(t, http.MethodGet, link, nil)
	u, err := url.Parse(began.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	at.nonce = u.Query().Get("nonce")
	g.cookie = began.Cookies()[0].Name + "=" + began.Cookies()[0].Value
	return g.do(t, http.MethodGet, "/admin/login/provider?"+url.Values{"state": {u.Query().Get("state")}, "code": {"c"}}.Encode(), nil)
}

// A form that was sent without a session is here again after a sign-in at the provider, which happens in another tab, because
// no address that leads there and back has room for what was typed.
func TestAFormIsHereAgainAfterTheSignInAtTheProvider(t *testing.T) {
	g, at := provided(t)
	g.fixture.starter(t)
	path := "/admin/capabilities/note.create"
	for name, sent := range map[string]url.Values{"as typed": {"arg.title": {"Kept"}}, "too much to keep": {"arg.title": {strings.Repeat("x", 2<<20)}}} {
		g.cookie = ""
		lost := g.do(t, http.MethodPost, path, sent)
		link := regexp.MustCompile(`<a [^>]*target="_blank"[^>]*href="([^"]*)"[^>]*>Sign in at id.example.org, in another tab`).FindStringSubmatch(lost.text)
		if link == nil {
			t.Fatalf("%s: the provider takes the tab of the form: %s", name, lost.text)
		}
		in := g.signInAt(t, at, html.UnescapeString(link[1]))
		says(t, in, "Close this tab: your form waits")
		if in.Header.Get("Refresh") != "" {
			t.Errorf("%s: the other tab goes on to %s", name, in.Header.Get("Refresh"))
		}
		if name != "as typed" {
			continue
		}
		if back := g.do(t, http.MethodPost, "/admin/login", lost.form(t, "/admin/login").Values).form(t, path); back.Get("arg.title") != "Kept" {
			t.Errorf("got %v", back.Values)
		}
	}
}

// A browser signs in at the identity provider and comes back to where it was; another browser does not with its answer, and
// no answer counts twice.
func TestABrowserSignsInAtTheProvider(t *testing.T) {
	g, at := provided(t)
	login := g.do(t, http.MethodGet, "/admin/login?next=/admin/commits", nil)
	if !strings.Contains(login.text, `href="/admin/login/provider?next=%2Fadmin%2Fcommits"`) || !strings.Contains(login.text, "Sign in at id.example.org") {
		t.Fatal(mainText(login))
	}
	begin := func() (cookie, answer string) {
		t.Helper()
		res := g.do(t, http.MethodGet, "/admin/login/provider?next=/admin/commits", nil)
		u, err := url.Parse(res.Header.Get("Location"))
		if err != nil || u.Host != "id.example.org" || u.Query().Get("redirect_uri") != "http://127.0.0.1:8757/admin/login/provider" {
			t.Fatalf("%d, the browser is sent to %s", res.StatusCode, u)
		}
		at.nonce = u.Query().Get("nonce")
		c := res.Cookies()[0]
		if c.SameSite != http.SameSiteLaxMode || !c.HttpOnly {
			t.Errorf("the cookie is %v", c)
		}
		return c.Name + "=" + c.Value, "/admin/login/provider?" + url.Values{"state": {u.Query().Get("state")}, "code": {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl"}}.Encode()
	}
	cookie, answer := begin()
	if res := g.do(t, http.MethodGet, answer, nil); res.StatusCode != http.StatusForbidden || len(res.Cookies()) > 0 {
		t.Errorf("another browser: %d", res.StatusCode)
	}
	g.cookie = cookie
	in := g.do(t, http.MethodGet, answer, nil)
	if in.StatusCode != http.StatusOK || in.Header.Get("Refresh") != "0; url=/admin/commits" || !strings.Contains(in.text, "oidc:ana@id.example.org") || strings.Contains(in.text, "eyJ") {
		t.Fatalf("%d %v %s", in.StatusCode, in.Header, mainText(in))
	}
	if res := g.do(t, http.MethodGet, answer, nil); res.StatusCode != http.StatusForbidden {
		t.Errorf("the answer a second time: %d", res.StatusCode)
	}
	for _, c := range in.Cookies() {
		if c.Value != "" {
			g.cookie = c.Name + "=" + c.Value
		}
	}
	if res := g.do(t, http.MethodGet, "/admin/commits", nil); res.StatusCode != http.StatusOK {
		t.Errorf("after that: %d", res.StatusCode)
	}
	cookie, answer = begin()
	if _, other := begin(); other == answer {
		t.Error("two sign-ins are one")
	}
	g.cookie = cookie
	if res := g.do(t, http.MethodGet, strings.Replace(answer, "state=", "state=x", 1), nil); res.StatusCode != http.StatusForbidden {
		t.Errorf("another state: %d", res.StatusCode)
	}
}
