package admin_test

import (
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
    properties:
      name: {type: string, required: true}
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
	paths := []string{"/admin", "/admin/types/Thing", "/admin/commits", "/admin/commits/head"}
	for _, id := range ids {
		page := "/admin/types/Thing/" + url.PathEscape(id)
		paths = append(paths, page, page+"/history", page+"/graph")
	}
	for _, path := range paths {
		a := f.get(t, path, 200)
		checkPage(t, path, a)
		if elements := a.find(func(n *html.Node) bool { return n.Data == "img" || n.Data == "b" && textOf(n) == "bold" }); len(elements) > 0 {
			t.Errorf("%s: a label became markup", path)
		}
		if len(a.text) > 400_000 {
			t.Errorf("%s has %d bytes", path, len(a.text))
		}
		checkAttributes(t, path, a)
	}
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
