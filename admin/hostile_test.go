package admin_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
	"trails/e2e/testrun"
)

const hostileSchema = `
base: "urn:trails:hostile:"
types:
  Thing:
    label: name
    description: 'A "thing"><img src=x onerror=alert(1)>'
    properties:
      name: {type: string, required: true, description: 'Its "name"><img src=x onerror=alert(1)>'}
      note: {type: string, many: true}
      home: {type: uri}
      near: {class: Thing, many: true}
`

// hostile are labels that somebody might use to break a page or to deceive its reader.
var hostile = map[string]string{
	"markup":             `<script>alert(1)</script><b>bold</b>`,
	"an attribute":       `"><img src=x onerror=alert(1)>'`,
	"a template":         `{{.Frame.Trace}} ${x} <%= y %>`,
	"turned around":      "evil\u202egnp.exe",
	"isolates":           "a\u2066b\u2069c\u200f",
	"nothing seen":       "\u200b\u200b\ufeff",
	"line breaks":        "one\ntwo\r\nthree\u2028four",
	"controls":           "bell\u0007 escape\u001b[31m",
	"a megabyte":         strings.Repeat("W", 1_000_000),
	"right to left":      "שלום עולם",
	"entities":           "&lt;b&gt; &amp;amp;",
	"a comment":          "<!-- --><![CDATA[ ]]>",
	"a script's address": "javascript:alert(1)",
}

func newHostile(t *testing.T) (fixture, []string) {
	t.Helper()
	f := newFixture(t, []byte(hostileSchema), admin.Options{})
	var ids []string
	for name, label := range hostile {
		id := name + `/a b%c?d#e'"<>\é`
		f.call(t, "thing.create", map[string]any{"id": id, "name": label, "note": []string{label}, "home": "javascript:alert(1)", "message": label[:min(len(label), 1000)]})
		ids = append(ids, id)
	}
	for _, id := range ids {
		f.call(t, "thing.update", map[string]any{"id": id, "near": ids})
	}
	return f, ids
}

func TestHostileLabelsAreTextOnEveryPage(t *testing.T) {
	testrun.Alone(t)
	f, ids := newHostile(t)
	paths := []string{"/admin", "/admin/search?q=bold", "/admin/search?q=alert", "/admin/types/Thing", "/admin/commits", "/admin/commits/head", "/admin/schema", "/admin/capabilities", "/admin/api", "/admin/doctor", "/admin/capabilities/thing.create"}
	for _, id := range ids {
		page := "/admin/types/Thing/" + url.PathEscape(id)
		paths = append(paths, page, page+"/history", page+"/graph", page+"?at=head", page+"?property=near",
			"/admin/capabilities/thing.update?"+url.Values{"id": {id}}.Encode(), "/admin/capabilities/thing.delete?"+url.Values{"id": {id}}.Encode())
	}
	for _, path := range paths {
		checkHostile(t, path, f.get(t, path, 200))
	}
}

// What an address says is shown by many pages again: in their fields, in links, and in what they say is wrong.
func TestHostileAddressesAreTextOnEveryPage(t *testing.T) {
	testrun.Alone(t)
	f, _ := newHostile(t)
	for name, text := range hostile {
		if name == "a megabyte" {
			continue // no server takes such an address
		}
		segment := url.PathEscape(text)
		for _, path := range []string{
			"/admin/types/" + segment, "/admin/types/Thing/" + segment, "/admin/types/" + segment + "/a/history", "/admin/types/Thing/" + segment + "/graph", "/admin/commits/" + segment,
			"/admin/diff?" + url.Values{"from": {text}, "node": {text}, "type": {text}}.Encode(), "/admin/merge?" + url.Values{"source": {text}, "target": {text}}.Encode(),
			"/admin/types/Thing?" + url.Values{"branch": {text}}.Encode(), "/admin/branches?" + url.Values{"branch": {text}}.Encode(),
			"/admin/schema/" + segment, "/admin/requests/" + segment, "/admin/requests?" + url.Values{"before": {text}}.Encode(), "/admin/gateway/" + segment, "/admin/gateway/tools/" + segment, "/admin/gateway/artifacts/" + segment, "/admin/capabilities/" + segment, "/admin/capabilities/" + segment + "/history",
			"/admin/types/Thing?" + url.Values{"where": {"name=" + text}, "search": {text}, "col": {"note"}}.Encode(), "/admin/types/Thing?" + url.Values{"property": {text}, "value": {text}}.Encode(),
			"/admin/types/Thing?" + url.Values{text: {text}}.Encode(), "/admin/types/Thing?" + url.Values{"at": {text}}.Encode(),
			"/admin/search?" + url.Values{"q": {text}}.Encode(), "/admin/search?" + url.Values{"q": {"bold"}, "type": {text}}.Encode(), "/admin/search?" + url.Values{"q": {"bold"}, "cursor": {text}}.Encode(),
			"/admin/gateway?" + url.Values{"query": {text}}.Encode(), "/admin/gateway?" + url.Values{"path": {text}}.Encode(), "/admin/login?" + url.Values{"next": {text}}.Encode(),
			"/admin/capabilities/thing.create?" + url.Values{"name": {text}, "home": {text}, "near": {text}}.Encode(), "/admin/capabilities/query?" + url.Values{"query": {text}}.Encode(),
			"/admin/query?" + url.Values{"query": {"#+ id: a\n#+ description: " + text + "\n" + text}, "run": {"1"}}.Encode(),
		} {
			if a := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)); a.StatusCode/100 != 3 {
				checkHostile(t, path, a)
			}
		}
		a := f.do(t, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/admin/suggest?"+url.Values{"type": {"Thing"}, "list": {text}, "q": {text}}.Encode(), nil))
		if n := a.find(func(n *html.Node) bool { return n.Data == "img" || n.Data == "script" || n.Data == "b" }); len(n) > 0 {
			t.Errorf("%s became markup in what is suggested: %s", name, a.text)
		}
	}
}

// checkHostile holds that no text became markup, and that none is shown at any length.
func checkHostile(t *testing.T, path string, a answer) {
	t.Helper()
	checkPage(t, path, a)
	if elements := a.find(func(n *html.Node) bool { return n.Data == "img" || n.Data == "b" && textOf(n) == "bold" }); len(elements) > 0 {
		t.Errorf("%s: a text became markup", path)
	}
	if len(a.text) > 400_000 {
		t.Errorf("%s has %d bytes", path, len(a.text))
	}
	checkAttributes(t, path, a)
}

// checkAttributes holds that no attribute carries what a reader would see turned around.
func checkAttributes(t *testing.T, path string, a answer) {
	t.Helper()
	for _, n := range a.find(func(*html.Node) bool { return true }) {
		for _, name := range []string{"title", "aria-label", "alt"} {
			if v := attribute(n, name); strings.ContainsAny(v, "\n\r\u2028\u202e\u2066\u200f") || len(v) > 800 {
				t.Errorf("%s: %s=%q", path, name, v)
			}
		}
	}
	for _, n := range a.find(tag("title")) {
		if text := n.FirstChild.Data; strings.ContainsAny(text, "\n\r\u2028\u202e") || len(text) > 800 {
			t.Errorf("%s: title %q", path, text)
		}
	}
}

func TestALabelOfWhichNothingIsSeenIsShownByItsID(t *testing.T) {
	testrun.Alone(t)
	f, ids := newHostile(t)
	for _, id := range ids {
		if !strings.HasPrefix(id, "nothing seen") {
			continue
		}
		a := f.get(t, "/admin/types/Thing/"+url.PathEscape(id), 200)
		if got := textOf(a.find(tag("h1"))[0]); !strings.HasPrefix(got, "nothing seen/a b") {
			t.Errorf("the heading is %q", got)
		}
		if !strings.Contains(mainText(a), "hidden characters") {
			t.Error("the page does not say that there are hidden characters")
		}
	}
}

func TestTheGraphsJSONHoldsOneLineLabels(t *testing.T) {
	testrun.Alone(t)
	f, ids := newHostile(t)
	a := f.get(t, "/admin/types/Thing/"+url.PathEscape(ids[0])+"/graph.json", 200)
	if a.Header.Get("Content-Type") != "application/json" || strings.Contains(a.text, "<script") || strings.ContainsAny(a.text, "\u202e\u2066") || len(a.text) > 50_000 {
		t.Errorf("got %s of %d bytes: %.300s", a.Header.Get("Content-Type"), len(a.text), a.text)
	}
}
