package admin_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
	"trails/e2e/testrun"
	"trails/invoke/invoketest"
)

// TestEveryLinkOfThePagesLeadsSomewhere starts at the overview and follows every
// link and every picture, style and script that is ours.
func TestEveryLinkOfThePagesLeadsSomewhere(t *testing.T) {
	testrun.Alone(t)
	f := newExample(t)
	f.call(t, "requirement.update", map[string]any{"id": "R-001", "priority": 3})
	f.call(t, "standard.delete", map[string]any{"id": unreferenced(t, f)})
	f.call(t, "trails.meta.token.create", map[string]any{"name": "crawler"})
	f.call(t, "trails.meta.policy.apply", map[string]any{"policies": "permit (principal, action, resource);\n"})
	if n := crawl(t, f); n < 100 {
		t.Errorf("only %d pages were found", n)
	}
}

// A graph without a commit has pages, too.
func TestEveryLinkOfAnEmptyGraphLeadsSomewhere(t *testing.T) {
	testrun.Alone(t)
	if n := crawl(t, newFixture(t, nil, admin.Options{})); n < 30 {
		t.Errorf("only %d pages were found", n)
	}
}

// crawl follows all links from the overview on, and returns how many there are.
func crawl(t *testing.T, f fixture) int {
	t.Helper()
	seen, queue, earlier := map[string]string{"/admin": "the start"}, []string{"/admin"}, ""
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		a := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		invoketest.CommitsAreTold(t, f.engine.Graph(), fmt.Sprint(a.Header)+a.text)
		// A deleted instance's page says so.
		if a.StatusCode != http.StatusOK && a.StatusCode != http.StatusGone {
			t.Errorf("%s, linked from %s: %d %s", path, seen[path], a.StatusCode, mainText(a))
			continue
		}
		if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
			continue
		}
		checkPage(t, path, a)
		if n := onTheWire(t, f, a); n > mostOnTheWire {
			t.Errorf("%s has %d bytes on the wire with its styles and scripts, and may have %d", path, n, mostOnTheWire)
		}
		for _, next := range addresses(a) {
			next, _, _ = strings.Cut(next, "#")
			if _, ok := seen[next]; ok || !strings.HasPrefix(next, "/admin") || strings.Contains(next, "&") || strings.Count(next, "%2C") > 1 {
				continue // filters and orders of a list can be combined without end
			}
			if _, at, of := strings.Cut(next, "?at="); of && earlier == "" {
				earlier = at
			} else if of && at != earlier {
				continue // the graph of one earlier commit is enough
			}
			seen[next] = path
			queue = append(queue, next)
		}
	}
	return len(seen)
}

// unreferenced is a Standard that nothing refers to; there is one after this.
func unreferenced(t *testing.T, f fixture) string {
	t.Helper()
	f.call(t, "standard.create", map[string]any{"name": "gone", "title": "Gone soon", "url": "https://example.org/gone"})
	return "gone"
}

// addresses are what a page links to and loads, without what other doors answer.
func addresses(a answer) []string {
	var out []string
	for _, n := range a.find(func(*html.Node) bool { return true }) {
		for _, name := range []string{"href", "src", "data-graph"} {
			if v := attribute(n, name); strings.HasPrefix(v, "/") {
				out = append(out, v)
			}
		}
	}
	return out
}

// checkPage holds a page to what every page promises.
func checkPage(t *testing.T, path string, a answer) {
	t.Helper()
	if problems := pageProblems(a); len(problems) > 0 {
		t.Errorf("%s: %s", path, strings.Join(problems, "; "))
	}
}

func pageProblems(a answer) []string {
	var out []string
	say := func(text string) {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	ids := map[string]bool{}
	for _, n := range a.find(func(*html.Node) bool { return true }) {
		if n.Data == "style" || n.Data == "script" && (attribute(n, "src") == "" || n.FirstChild != nil) {
			say("an inline " + n.Data)
		}
		for _, at := range n.Attr {
			if at.Key == "style" || strings.HasPrefix(at.Key, "on") {
				say("an attribute " + at.Key)
			}
		}
		if id := attribute(n, "id"); id != "" && ids[id] {
			say("two elements have the id " + id)
		} else {
			ids[id] = true
		}
		if n.Data == "a" {
			checkLink(n, say)
		}
		if n.Data == "th" && attribute(n, "scope") == "" {
			say("a head of a table without its scope")
		}
	}
	for _, one := range []string{"main", "h1", "title", "header", "footer"} {
		if one == "header" || one == "footer" {
			if len(a.find(tag(one))) == 0 {
				say("no " + one)
			}
			continue
		}
		if n := len(a.find(func(n *html.Node) bool { return n.Data == one && n.Namespace == "" })); n != 1 { // SVG has titles, too
			say("not one " + one)
		}
	}
	return out
}

// checkLink holds a link to what may be sent a browser to.
func checkLink(n *html.Node, say func(string)) {
	href := attribute(n, "href")
	u, err := url.Parse(href)
	if err != nil || href == "" {
		say("a link to " + href)
		return
	}
	switch {
	case u.Scheme == "" && (strings.HasPrefix(href, "/") && !strings.HasPrefix(href, "//") || strings.HasPrefix(href, "#")):
	case (u.Scheme == "http" || u.Scheme == "https") && strings.Contains(attribute(n, "rel"), "noopener"):
	default:
		say("a link to " + href)
	}
	if textOf(n) == "" {
		say("a link without a text to " + href)
	}
}

// mostOnTheWire bounds a page with the styles and scripts that are ours, packed, in bytes.
const mostOnTheWire = 60 << 10

// wires are the sizes of packed files by their address.
var wires = map[string]int{}

// onTheWire is the size of a page with the styles and scripts that are ours, as a browser gets them.
func onTheWire(t *testing.T, f fixture, page answer) int {
	t.Helper()
	get := func(path string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		a := f.do(t, r)
		if a.Header.Get("Content-Encoding") != "gzip" || !slices.Contains(a.Header.Values("Vary"), "Accept-Encoding") || a.Header.Get("Cache-Control") == "" && strings.Contains(path, "/static/") {
			t.Errorf("%s: %v", path, a.Header)
		}
		return len(a.text)
	}
	var text bytes.Buffer
	z := gzip.NewWriter(&text)
	if _, err := z.Write([]byte(page.text)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	n := text.Len()
	for _, file := range page.find(func(n *html.Node) bool {
		return n.Data == "script" || n.Data == "link" && attribute(n, "rel") == "stylesheet"
	}) {
		address := attribute(file, "src") + attribute(file, "href")
		if address == "" || strings.Contains(address, ".min.") {
			continue // of a library
		}
		if wires[address] == 0 {
			wires[address] = get(address)
		}
		n += wires[address]
	}
	return n
}

func TestPagesArePacked(t *testing.T) {
	f := newExample(t)
	for path, want := range map[string]bool{"/admin": true, "/admin/types/Requirement": true, "/admin/commits": true} {
		for _, takes := range []string{"gzip", ""} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			r.Header.Set("Accept-Encoding", takes)
			a := f.do(t, r)
			if got := a.Header.Get("Content-Encoding") == "gzip"; got != (want && takes != "") || a.Header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s for %q: %v", path, takes, a.Header)
			}
			if takes != "" {
				z, err := gzip.NewReader(strings.NewReader(a.text))
				if err != nil {
					t.Fatal(err)
				}
				if text, err := io.ReadAll(z); err != nil || !strings.HasSuffix(strings.TrimSpace(string(text)), "</html>") {
					t.Errorf("%s is cut short: %v", path, err)
				}
			}
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/admin/import", strings.NewReader("text="))
	r.Header.Set("Accept-Encoding", "gzip")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if a := f.do(t, r); a.Header.Get("Content-Encoding") != "" {
		t.Error("the answer to a form is packed")
	}
}
