package admin_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trails/admin"
	"trails/auth"
	"trails/auth/policy"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/httpapi"
	"trails/invoke"
)

const secret = "open sesame"

// guarded is the pages behind the whole edge of a process that has a token.
type guarded struct {
	http.Handler
	fixture fixture
	cookie  string
}

func newGuarded(t testing.TB) *guarded {
	t.Helper()
	f := newNotes(t)
	f.starter(t)
	return &guarded{Handler: edge(f.engine), fixture: f}
}

// bothEngines is what pages and everything else need of the call path.
type bothEngines interface {
	admin.Engine
	httpapi.Engine
}

// edge serves pages and everything else as `trails serve` does.
func edge(e bothEngines, more ...policy.Scope) http.Handler {
	who := auth.New(auth.Options{Token: secret, Scopes: policy.NewScopes(append(more, policy.Runtime)...)})
	return httpapi.New(e, httpapi.Options{Auth: who, Admin: admin.New(e, admin.Options{Auth: who})})
}

// do sends a request as a browser with this session would.
func (g *guarded) do(t testing.TB, method, path string, form url.Values, headers ...string) answer {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, values := range form {
		for _, v := range values {
			if err := w.WriteField(name, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, &body)
	r.Host = "127.0.0.1:8757"
	r.Header.Set("Content-Type", w.FormDataContentType())
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if g.cookie != "" {
		r.Header.Set("Cookie", g.cookie)
	}
	a := fixture{Handler: g}.do(t, r)
	for _, c := range a.Cookies() {
		if c.Name == "trails-session" {
			g.cookie = c.Name + "=" + c.Value
		}
	}
	return a
}

func (g *guarded) signIn(t testing.TB) {
	t.Helper()
	if a := g.do(t, "POST", "/admin/login", url.Values{"token": {secret}}); a.StatusCode != http.StatusSeeOther {
		t.Fatalf("got %d", a.StatusCode)
	}
}

func TestPagesAskForTheToken(t *testing.T) {
	testrun.Alone(t)
	g := newGuarded(t)
	for _, path := range []string{"/admin", "/admin/capabilities", "/admin/capabilities/note.create", "/admin/suggest?type=Note", "/admin/types/Note"} {
		a := g.do(t, "GET", path, nil)
		if want := "/admin/login?next=" + url.QueryEscape(path); a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != want {
			t.Errorf("%s: got %d to %s", path, a.StatusCode, a.Header.Get("Location"))
		}
	}
	a := g.do(t, "GET", "/admin/login?next=/admin/commits", nil)
	if strings.Contains(a.text, "Note") || a.StatusCode != http.StatusOK {
		t.Errorf("%d: the sign-in tells of the graph:\n%s", a.StatusCode, a.text)
	}
	form := a.form(t, "/admin/login")
	form.Set("token", "guess")
	if a := g.do(t, "POST", "/admin/login", form.Values); a.StatusCode != http.StatusForbidden || len(a.Cookies()) > 0 {
		t.Errorf("got %d, %v", a.StatusCode, a.Cookies())
	}
	form.Set("token", secret)
	a = g.do(t, "POST", "/admin/login", form.Values)
	if a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != "/admin/commits" {
		t.Errorf("got %d to %s", a.StatusCode, a.Header.Get("Location"))
	}
	c := a.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Secure || len(c.Value) < 32 {
		t.Errorf("the cookie is %v", c)
	}
	if a := g.do(t, "GET", "/admin", nil); a.StatusCode != http.StatusOK || strings.Count(a.text, "Authorization: Bearer $TRAILS_TOKEN") != 2 || len(linked(a, "/admin/tokens")) != 2 {
		t.Errorf("%d: an agent is not connected with a token:\n%s", a.StatusCode, a.text)
	}
	for _, path := range []string{"/kg", "/commits"} {
		if a := g.do(t, "GET", path, nil); a.StatusCode != http.StatusOK {
			t.Errorf("the pages link to %s, which answers %d", path, a.StatusCode)
		}
	}
	if a := g.do(t, "POST", "/invoke/health", nil); a.StatusCode != http.StatusUnauthorized {
		t.Errorf("the cookie of the pages lets programs write: %d", a.StatusCode)
	}
	if a := g.do(t, "POST", "/admin/login", url.Values{"token": {secret}}, "X-Forwarded-Proto", "https"); a.Cookies()[0].Secure {
		t.Error("a header that anybody can send made the cookie one that a browser does not keep here")
	}
	old := g.cookie
	g.do(t, "POST", "/admin/logout", nil)
	g.cookie = old
	if a := g.do(t, "GET", "/admin", nil); a.StatusCode != http.StatusSeeOther {
		t.Errorf("the session did not end: %d", a.StatusCode)
	}
}

func TestNextIsOneOfOurPages(t *testing.T) {
	g := newGuarded(t)
	for _, next := range []string{"https://evil.example/", "//evil.example/admin", "/\\evil.example", "/invoke/health", "javascript:alert(1)", "/admin\r\nX: y", "/administrator", ""} {
		a := g.do(t, "POST", "/admin/login", url.Values{"token": {secret}, "next": {next}})
		if got := a.Header.Get("Location"); got != "/admin" {
			t.Errorf("%q leads to %s", next, got)
		}
	}
}

func TestAFormWhoseSessionWasLostIsHereAgainAfterTheSignIn(t *testing.T) {
	g := newGuarded(t)
	g.signIn(t)
	path := "/admin/capabilities/note.create"
	form := g.do(t, "GET", path, nil).form(t, path)
	form.Set("arg.title", `Kept "as" <it> was`)
	form.Set("arg.body", "two\r\nlines")
	form.Values["arg.tags"] = []string{"a", "b"}
	form.Set("_do", "call")
	before := g.fixture.commits(t)
	g.Handler = edge(g.fixture.engine) // the process was started again
	a := g.do(t, "POST", path, form.Values)
	if a.StatusCode != http.StatusForbidden {
		t.Fatalf("got %d", a.StatusCode)
	}
	says(t, a, "You are not signed in any more", "nothing was sent")
	again := a.form(t, "/admin/login")
	again.Set("token", "wrong")
	a = g.do(t, "POST", "/admin/login", again.Values)
	again = a.form(t, "/admin/login")
	again.Set("token", secret)
	a = g.do(t, "POST", "/admin/login", again.Values)
	says(t, a, "Create Note")
	a.form(t, "/admin/logout")
	back := a.form(t, path)
	if back.Get("arg.title") != `Kept "as" <it> was` || back.Get("arg.body") != "two\r\nlines" || back.Values["arg.tags"][1] != "b" {
		t.Errorf("got %v", back.Values)
	}
	if g.fixture.commits(t) != before {
		t.Fatal("it was sent by itself")
	}
	back.Set("_do", "call")
	if a := g.do(t, "POST", path, back.Values); a.StatusCode != http.StatusSeeOther {
		t.Errorf("got %d", a.StatusCode)
	}
	if g.fixture.commits(t) != before+1 {
		t.Error("it was not written")
	}
}

// TestEachFormOfAPageIsHereAgainAfterTheSignIn holds for every address that takes a form: what was typed stands in a form
// again, or is asked about, and nothing was done.
func TestEachFormOfAPageIsHereAgainAfterTheSignIn(t *testing.T) {
	g := newGuarded(t)
	g.signIn(t)
	g.fixture.call(t, "branches_create", map[string]any{"name": "draft"})
	g.fixture.call(t, "create", map[string]any{"type": "Note", "branch": "draft", "data": map[string]any{"title": "On the draft"}})
	made := g.fixture.call(t, "create", map[string]any{"type": "Note", "id": "kept", "data": map[string]any{"title": "Kept at first"}})
	note := fmt.Sprint(made["iri"])
	g.fixture.call(t, "note.update", map[string]any{"id": "kept", "title": "On main"})
	g.fixture.call(t, "delete", map[string]any{"type": "Note", "id": "kept", "ask": true})
	typed := map[string]url.Values{
		"/admin/types/Note/selected":      {"node": {note}, "property": {"title"}, "value": {"Kept"}, "change": {"set"}},
		"/admin/undo":                     {"commit": {"head"}},
		"/admin/merge":                    {"source": {"draft"}, "target": {"main"}, "message": {"Kept <it>"}},
		"/admin/schema/edit":              {"on": {"new-type"}, "title": {"Kept"}},
		"/admin/import":                   {"text": {"title\tbody\nKept\tx\n"}, "type": {"Note"}},
		"/admin/query":                    {"query": {"SELECT ?kept WHERE { }"}},
		"/admin/dashboard":                {"title": {"Kept <it>"}, "view": {"types/Note"}},
		"/admin/restore":                  {"type": {"Note"}, "id": {"kept"}, "version": {fmt.Sprint(made["commit"])}},
		"/admin/requests/1":               {"reason": {"Kept <it>"}},
		"/admin/policy":                   {"policies": {"// Kept"}},
		"/admin/capabilities/note.create": {"arg.title": {"Kept <it>"}},
	}
	tried := http.NewServeMux()
	for _, pattern := range admin.ShownForms() {
		tried.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
	}
	untried := admin.ShownForms()
	for path, values := range typed {
		_, pattern := tried.Handler(httptest.NewRequestWithContext(t.Context(), "POST", path, nil))
		untried = slices.DeleteFunc(untried, func(p string) bool { return p == pattern })
		t.Run(path, func(t *testing.T) {
			before := g.fixture.commits(t)
			g.Handler = edge(g.fixture.engine, policy.Builder) // the process was started again
			values = maps.Clone(values)
			values.Set("_do", "call")
			a := g.do(t, "POST", path, values)
			if a.StatusCode != http.StatusForbidden {
				t.Fatalf("got %d", a.StatusCode)
			}
			again := a.form(t, "/admin/login")
			again.Set("token", secret)
			a = g.do(t, "POST", "/admin/login", again.Values)
			if a.StatusCode == http.StatusSeeOther {
				a = g.do(t, "GET", a.Header.Get("Location"), nil)
			}
			want := map[string]string{"/admin/undo": "Take back", "/admin/query": "?kept", "/admin/import": "Import pasted.txt"}[path]
			if !strings.Contains(a.text, cmp.Or(want, "Kept")) {
				t.Errorf("%d, and what was typed is lost: %s", a.StatusCode, mainText(a))
			}
			if path == "/admin/dashboard" {
				if back := a.form(t, path); back.Get("title") != "Kept <it>" || back.Get("view") != "types/Note" {
					t.Errorf("the form to send has %v", back.Values)
				}
			}
			if g.fixture.commits(t) != before {
				t.Error("it was sent by itself")
			}
		})
	}
	if len(untried) > 0 {
		t.Errorf("nothing is typed at %q", untried)
	}
}

// TestWhoSignedInElsewhereGoesOnWithoutAToken holds that a session of another tab is enough to have the form again.
func TestWhoSignedInElsewhereGoesOnWithoutAToken(t *testing.T) {
	g := newGuarded(t)
	path := "/admin/capabilities/note.create"
	again := g.do(t, "POST", path, url.Values{"arg.title": {"Kept"}}).form(t, "/admin/login")
	if a := g.do(t, "POST", "/admin/login", again.Values); a.StatusCode != http.StatusForbidden {
		t.Fatalf("without a session: %d", a.StatusCode)
	}
	g.signIn(t)
	if back := g.do(t, "POST", "/admin/login", again.Values).form(t, path); back.Get("arg.title") != "Kept" {
		t.Errorf("got %v", back.Values)
	}
}

// TestAFormThatIsTooLargeToBeKeptSaysHowItIsNotLost holds that the limit of the sign-in page is not told as that of the form.
func TestAFormThatIsTooLargeToBeKeptSaysHowItIsNotLost(t *testing.T) {
	g := newGuarded(t)
	a := g.do(t, "POST", "/admin/import", url.Values{"text": {strings.Repeat("x", 2<<20)}})
	if a.StatusCode != http.StatusForbidden {
		t.Errorf("got %d", a.StatusCode)
	}
	says(t, a, "more than the 1 MiB that this page keeps", "go back to the form")
	a.form(t, "/admin/login")
}

func TestAPageElsewhereCannotSendAForm(t *testing.T) {
	g := newGuarded(t)
	g.signIn(t)
	before := g.fixture.commits(t)
	form := url.Values{"_do": {"call"}, "arg.title": {"Forged"}}
	for _, header := range [][2]string{{"Origin", "https://evil.example"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "null"}} {
		if a := g.do(t, "POST", "/admin/capabilities/note.create", form, header[0], header[1]); a.StatusCode != http.StatusForbidden {
			t.Errorf("%v: got %d", header, a.StatusCode)
		}
	}
	if g.fixture.commits(t) != before {
		t.Error("a forged form was written")
	}
	if a := g.do(t, "POST", "/admin/capabilities/note.create", form, "Origin", "http://127.0.0.1:8757", "Sec-Fetch-Site", "same-origin"); a.StatusCode != http.StatusSeeOther {
		t.Errorf("our own form: got %d", a.StatusCode)
	}
}

// emptyEngine is a graph with nothing in it, for tests in which time passes.
type emptyEngine struct{}

func (emptyEngine) Call(context.Context, invoke.Call) (invoke.Result, error) {
	return invoke.Result{Structured: json.RawMessage(`{}`)}, nil
}

func (emptyEngine) Read(context.Context, string, invoke.Call) (invoke.Document, error) {
	return invoke.Document{}, fault.New(fault.NotFound, "nothing")
}

func (emptyEngine) Tools(context.Context, policy.Principal) (invoke.Tools, error) {
	return invoke.Tools{}, nil
}

func (emptyEngine) ToolsOn(context.Context, policy.Principal, string) (invoke.Tools, error) {
	return invoke.Tools{}, nil
}

func (emptyEngine) Ready(context.Context) error { return nil }

func (emptyEngine) SeesAll(context.Context, policy.Principal) (bool, error) { return true, nil }

func (emptyEngine) Follow(context.Context, invoke.Call, time.Duration, func(*invoke.Result) error) error {
	return nil
}

func (emptyEngine) WatchOn(context.Context, policy.Principal, string) <-chan invoke.Change {
	return nil
}

func TestGuessingIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &guarded{Handler: edge(emptyEngine{})}
		try := func(token string) answer { return g.do(t, "POST", "/admin/login", url.Values{"token": {token}}) }
		guesses := 0
		for try("guess").StatusCode == http.StatusForbidden {
			guesses++
		}
		if guesses != 10 {
			t.Errorf("%d guesses at once", guesses)
		}
		began := time.Now()
		a := try("guess")
		if took := time.Since(began); a.StatusCode != http.StatusTooManyRequests || a.Header.Get("Retry-After") == "" || took < time.Second {
			t.Errorf("got %d after %s", a.StatusCode, took)
		}
		began = time.Now()
		if a := try(secret); a.StatusCode != http.StatusSeeOther || time.Since(began) > 0 {
			t.Errorf("the token itself got %d after %s", a.StatusCode, time.Since(began))
		}
		if a := try("guess"); a.StatusCode != http.StatusTooManyRequests {
			t.Errorf("after a sign-in a guess got %d", a.StatusCode)
		}
	})
}

func TestSessionsEndWhenNobodyUsesThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &guarded{Handler: edge(emptyEngine{})}
		g.signIn(t)
		for range 3 {
			time.Sleep(11 * time.Hour)
			if a := g.do(t, "GET", "/admin/capabilities", nil); a.StatusCode != http.StatusOK {
				t.Fatalf("got %d", a.StatusCode)
			}
		}
		time.Sleep(13 * time.Hour)
		if a := g.do(t, "GET", "/admin/capabilities", nil); a.StatusCode != http.StatusSeeOther {
			t.Errorf("got %d", a.StatusCode)
		}
	})
}

func TestTheNumberOfSessionsIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &guarded{Handler: edge(emptyEngine{})}
		g.signIn(t)
		first := g.cookie
		for range 1000 {
			time.Sleep(time.Second)
			g.cookie = ""
			g.signIn(t)
		}
		if a := g.do(t, "GET", "/admin/capabilities", nil); a.StatusCode != http.StatusOK {
			t.Errorf("the latest: got %d", a.StatusCode)
		}
		g.cookie = first
		if a := g.do(t, "GET", "/admin/capabilities", nil); a.StatusCode != http.StatusSeeOther {
			t.Errorf("the oldest: got %d", a.StatusCode)
		}
	})
}
