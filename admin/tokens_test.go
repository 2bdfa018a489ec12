package admin_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
	"trails/auth"
	"trails/auth/policy"
)

const issue = "/admin/capabilities/trails.meta.token.create"

var secretOf = regexp.MustCompile(`trails_[a-z0-9-]+_[A-Z2-7]{26}`)

// shownSecret is the secret that a page shows.
func shownSecret(t *testing.T, a answer) string {
	t.Helper()
	secret := secretOf.FindString(a.text)
	if secret == "" {
		t.Fatalf("no secret is shown:\n%s", mainText(a))
	}
	return secret
}

// as serves the same pages to somebody else.
func (f fixture) as(who policy.Principal) fixture {
	pages := admin.New(f.engine, admin.Options{})
	return fixture{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages.ServeHTTP(w, r.WithContext(auth.WithPrincipal(r.Context(), who)))
	}), f.engine}
}

// The forms of the page and of the capability answer alike: the secret is on one page, once, and a second call is not made.
func TestTheSecretOfATokenIsShownOnce(t *testing.T) {
	for _, from := range []string{"/admin/tokens", issue} {
		f := newNotes(t)
		form := f.get(t, from, 200).form(t, issue)
		form.Set("arg.name", "ci")
		form.Values["arg.scopes"] = []string{"runtime", "builder"}
		form.Values["arg.groups"] = []string{"robots", ""}
		form.Set("arg.expires", "90d")
		if a := f.press(t, form, "_do=dry-run"); secretOf.MatchString(a.text) {
			t.Errorf("%s: a dry run shows a secret", from)
		}
		sent := f.send(t, form, call)
		place := sent.Header.Get("Location")
		head := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodHead, place, nil)) // shows nothing, takes nothing
		if head.StatusCode != 200 {
			t.Fatalf("%s: HEAD %d", from, head.StatusCode)
		}
		a := f.get(t, place, 200)
		secret := shownSecret(t, a)
		says(t, a, "Token issued", "it is shown this once", "Authorization: Bearer "+secret, "TRAILS_TOKEN="+secret, "robots", "All tokens",
			`claude mcp add --transport http trails http://example.com/mcp --header "Authorization: Bearer `+secret+`"`)
		warned := a.find(func(n *html.Node) bool { return attribute(n, "class") == "notice notice-warn" })
		if rows := a.find(func(n *html.Node) bool { return n.Data == "dt" && textOf(n) == "warnings" }); len(warned) != 1 || len(rows) > 0 {
			t.Errorf("%s: %d notices and %d rows warn that there are no policies", from, len(warned), len(rows))
		}
		if got := a.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control: %s", from, got)
		}
		if strings.Contains(place+sent.text, secret) || slices.ContainsFunc(addresses(a), func(to string) bool { return strings.Contains(to, secret) }) {
			t.Errorf("%s: the secret is in an address", from)
		}
		for name, again := range map[string]answer{"loaded again": f.get(t, place, 200), "sent again": f.press(t, form, call), "the list": f.get(t, "/admin/tokens", 200)} {
			if strings.Contains(again.text, secret) {
				t.Errorf("%s: %s, the page shows the secret again", from, name)
			}
			if name != "the list" {
				says(t, again, "The secret was shown before, and is not kept", "Revoke…")
			}
		}
		form.Set("_key", "another")
		if a := f.send(t, form, call); a.StatusCode != http.StatusConflict || !strings.Contains(mainText(a), "there is a token ci") {
			t.Errorf("%s: a second form for the same name: %d %s", from, a.StatusCode, mainText(a))
		}
		if n := len(f.call(t, "trails.meta.token.list", map[string]any{})["rows"].([]any)); n != 1 {
			t.Errorf("%s: there are %d tokens", from, n)
		}
	}
}

func TestThePageOfTokensListsAndRevokesThem(t *testing.T) {
	f := newNotes(t)
	says(t, f.get(t, "/admin/tokens", 200), "The graph has issued no token. From the first one on, callers over HTTP have to show one.")
	f.call(t, "trails.meta.token.create", map[string]any{"name": "ci", "scopes": []string{"builder", "runtime"}, "groups": []string{"robots", "build"}, "expires": "2099-01-31"})
	f.call(t, "trails.meta.token.create", map[string]any{"name": "web"})
	a := f.get(t, "/admin/tokens", 200)
	says(t, a, "ci valid", "builder runtime", "Groups: build, robots", "expires 31 Jan 2099", "web valid", "does not expire", "never used", "issued by local:ana")
	if main := a.byID(t, "main"); attribute(main, "data-live") != "any" || !hasAttribute(a.byID(t, "tokens"), "data-live-region") {
		t.Error("the list does not follow what others do, or the form does")
	}
	if got := linked(a, "/admin/tokens"); len(got) == 0 {
		t.Error("the navigation does not lead there")
	}
	done := func() []string { return a.leads("/admin/capabilities/trails.meta.token.revoke?") }
	if got := done(); len(got) != 4 {
		t.Errorf("revoking and forgetting are linked as %q", got)
	}
	for _, path := range done() {
		f.get(t, path, 200)
	}
	says(t, f.press(t, f.blank(t, "trails.meta.token.revoke", "?name=ci"), call), "Token revoked", "All tokens")
	a = f.get(t, "/admin/tokens", 200)
	says(t, a, "ci revoked", "revoked by local:ana")
	if got := done(); !slices.Equal(got, []string{"/admin/capabilities/trails.meta.token.revoke?forget=true&name=ci",
		"/admin/capabilities/trails.meta.token.revoke?name=web", "/admin/capabilities/trails.meta.token.revoke?forget=true&name=web"}) {
		t.Errorf("what can be done is linked as %q", got)
	}
	f.press(t, f.blank(t, "trails.meta.token.revoke", "?forget=true&name=ci"), call)
	if a := f.get(t, "/admin/tokens", 200); strings.Contains(mainText(a), "ci revoked") {
		t.Error("it is still there")
	}
}

// Who has more tokens than a page shows gets to all of them.
func TestThePageOfTokensHasPages(t *testing.T) {
	f := newNotes(t)
	for _, a := range "abcdefgh" {
		for _, b := range "abcdefg" {
			f.call(t, "trails.meta.token.create", map[string]any{"name": string(a) + string(b)})
		}
	}
	a := f.get(t, "/admin/tokens", 200)
	says(t, a, "1–50 of 56", "ha valid")
	a = f.get(t, attribute(a.byID(t, "page-next"), "href"), 200)
	says(t, a, "51–56 of 56", "hg valid")
	if strings.Contains(mainText(a), "ha valid") {
		t.Error("the second page has what the first has")
	}
}

// Nobody is offered a scope that they lack, and who lacks builder is told the way out.
func TestThePageOfTokensIsForBuilders(t *testing.T) {
	f := newNotes(t)
	f.call(t, "trails.meta.token.create", map[string]any{"name": "not-for-all"})
	offered := func(a answer) (out []string) {
		for _, n := range a.find(func(n *html.Node) bool { return attribute(n, "name") == "arg.scopes" }) {
			out = append(out, attribute(n, "value"))
		}
		return out
	}
	if got := offered(f.get(t, "/admin/tokens", 200)); !slices.Equal(got, []string{"builder", "dev", "runtime"}) {
		t.Errorf("somebody with all scopes is offered %q", got)
	}
	builder := f.as(policy.Principal{ID: "token:b", Scopes: policy.NewScopes(policy.Runtime, policy.Builder), Authenticated: true})
	if got := offered(builder.get(t, "/admin/tokens", 200)); !slices.Equal(got, []string{"builder", "runtime"}) {
		t.Errorf("a builder is offered %q", got)
	}
	for name, c := range map[string]struct {
		who  policy.Principal
		says string
	}{
		"without the scope": {policy.Principal{ID: "token:ci", Scopes: policy.NewScopes(policy.Runtime), Authenticated: true}, "You are token:ci, who has runtime."},
		"not signed in":     {policy.Anonymous("", policy.NewScopes(policy.Runtime, policy.Builder)), "You have not signed in"},
	} {
		a := f.as(c.who).get(t, "/admin/tokens", 200)
		says(t, a, "This needs the scope builder", c.says, "trails token create FILE NAME", "sign-in link")
		if strings.Contains(a.text, "not-for-all") || len(offered(a)) > 0 {
			t.Errorf("%s: the page has tokens, or a form", name)
		}
		checkPage(t, "/admin/tokens", a)
	}
}

// No log has a secret.
func TestTheSecretOfATokenIsNotLogged(t *testing.T) {
	g, link, log := newOperated(t)
	g.do(t, "GET", link, nil)
	form := g.do(t, "GET", "/admin/tokens", nil).form(t, issue)
	form.Set("arg.name", "ci")
	form.Set("_do", "call")
	place := g.do(t, "POST", form.action, form.Values).Header.Get("Location")
	secret := shownSecret(t, g.do(t, "GET", place, nil))
	if !strings.Contains(log.String(), "sign-in link was used") || strings.Contains(log.String(), secret[len("trails_ci_"):]) {
		t.Errorf("nothing is logged, or the secret is:\n%s", log)
	}
}
