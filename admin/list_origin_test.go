package admin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
	"trails/auth/policy"
	"trails/invoke"
)

// A list of what one class of sources said has only that: as a page, beside a condition, in counts by value, as a file, as
// a chart and as a saved view; and each form and link of it keeps the class.
func TestAListOfOneClassOfSources(t *testing.T) {
	f := newFixture(t, []byte("types:\n  Note:\n    label: title\n    properties:\n      title: {type: string}\n      state: {type: string, one_of: [open, done]}\n"), admin.Options{})
	for door, notes := range map[string][]string{policy.Terminal: {"Own"}, "http": {"Made", "Other"}} {
		for _, title := range notes {
			args, err := json.Marshal(map[string]string{"title": title, "state": "open"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.engine.Call(t.Context(), invoke.Call{Capability: "note.create", Args: args, Principal: principal, Via: door}); err != nil {
				t.Fatal(err)
			}
		}
	}
	titles := func(a answer) (got []string) {
		for _, row := range rows(a.byID(t, "list"))[1:] {
			got = append(got, row[0])
		}
		return got
	}
	const address = "/admin/types/Note?origin=agent&sort=title"
	list := f.get(t, address, 200)
	checkPage(t, address, list)
	if got := titles(list); fmt.Sprint(got) != "[Made Other]" {
		t.Errorf("agents said %v", got)
	}
	says(t, list, "said by agents alone", "open 2")
	if got := titles(f.get(t, address+"&where=title%3DOwn", 200)); fmt.Sprint(got) != "[Nothing matches these filters. Show all]" {
		t.Errorf("agents said %v of Own", got)
	}
	if got := titles(f.get(t, "/admin/types/Note?origin=person", 200)); fmt.Sprint(got) != "[Own]" {
		t.Errorf("people said %v", got)
	}
	for _, form := range list.find(func(n *html.Node) bool { return n.Data == "form" && attribute(n, "action") == "/admin/types/Note" }) {
		if got := controlsOf(form).Get("origin"); got != "agent" {
			t.Errorf("the form %s sends the class %q", textOf(form), got)
		}
	}
	others := map[string]string{"anybody": "", "people alone": "person", "imports alone": "import", "other servers alone": "upstream", "unknown sources alone": "unknown"}
	for _, link := range list.find(func(n *html.Node) bool {
		return strings.HasPrefix(attribute(n, "href"), "/admin/types/Note?") && !strings.HasPrefix(textOf(n), "Remove filter")
	}) {
		want, other := others[textOf(link)]
		if !other {
			want = "agent"
		}
		delete(others, textOf(link))
		if to, err := url.Parse(attribute(link, "href")); err != nil || to.Query().Get("origin") != want {
			t.Errorf("%s leads to %v", textOf(link), to)
		}
	}
	if len(others) > 0 {
		t.Errorf("nothing leads to %v", others)
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, address+"&format=csv", nil))
	if got := w.Body.String(); !strings.Contains(got, "Made") || strings.Contains(got, "Own") {
		t.Errorf("the file has %s", got)
	}
	says(t, f.get(t, address+"&by=state&chart=bar", 200), "Note: number of Note by state", "open 2")
	saved := f.keepView(t, 303, "view", strings.TrimPrefix(address, "/admin/"), "title", "By agents", "dashboard", "1")
	if text := mainText(saved); !strings.Contains(text, "Made") || strings.Contains(text, "Own") {
		t.Errorf("the dashboard has %s", text)
	}
	if got := mainText(f.get(t, "/admin/types/Note?origin=robot", http.StatusBadRequest)); !strings.Contains(got, "origin is one of person, agent") {
		t.Errorf("a class that there is not: %s", got)
	}
}
