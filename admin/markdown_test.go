package admin_test

import (
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
)

func TestTextsInMarkdownAreDrawnUnlessTheyAreWantedAsTheyAre(t *testing.T) {
	f := newFixture(t, []byte("types: {Note: {label: title, key: code, iri: key, properties: {title: {type: string}, code: {type: string, required: true}, body: string}}}"), admin.Options{})
	f.call(t, "note.create", map[string]any{"code": "a", "title": "*A*", "body": "# Head\n\nSome **bold** <img src=x> [out](https://example.org/)\n\n- one\n- two"})
	f.call(t, "note.create", map[string]any{"code": "b", "title": "B", "body": "plain words"})
	drawn := func(a answer) int {
		return len(a.find(func(n *html.Node) bool { return attribute(n, "class") == "markdown" }))
	}
	a := f.get(t, "/admin/types/Note/a", 200)
	checkPage(t, "markdown", a)
	if drawn(a) == 0 || len(a.find(tag("img"))) > 0 || len(linked(a, "https://example.org/")) != 1 {
		t.Errorf("%d texts are drawn: %s", drawn(a), mainText(a))
	}
	says(t, a, "Texts as they are", "Some bold <img src=x>")
	a = f.get(t, "/admin/types/Note/a?raw=1", 200)
	says(t, a, "Draw texts as Markdown", "Some **bold** <img src=x>")
	if drawn(a) != 0 {
		t.Error("a raw text is drawn")
	}
	if a = f.get(t, "/admin/types/Note/b", 200); drawn(a) != 0 || len(linked(a, "/admin/types/Note/b?raw=1")) != 0 {
		t.Error("a plain text is drawn")
	}
	f.get(t, "/admin/types/Note/b?raw=yes", 400)
}
