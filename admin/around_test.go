package admin_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
)

// The picture of a node has a line for each neighbour, or one for all that a property leads to when they are many, each
// a link; and none of it needs a script.
func TestThePictureOfANodeGroupsManyNeighbours(t *testing.T) {
	f := newFixture(t, []byte(`
types:
  Hub: {label: title, key: code, iri: key, properties: {title: {type: string}, code: {type: string, required: true}, near: {class: Hub, many: true}}}
  Leaf: {label: title, key: code, iri: key, properties: {title: {type: string}, code: {type: string, required: true}, uses: {class: Hub}, made_by: {class: Hub}}}
`), admin.Options{})
	f.call(t, "hub.create", map[string]any{"code": "h", "title": "<b>The hub</b>"})
	f.call(t, "hub.create", map[string]any{"code": "n", "title": "Next", "near": []string{"h"}})
	f.call(t, "hub.update", map[string]any{"id": "h", "near": []string{"n"}})
	for i := range 40 {
		f.call(t, "leaf.create", map[string]any{"code": fmt.Sprint(i), "title": fmt.Sprint("Leaf ", i), "uses": "h"})
	}
	f.call(t, "leaf.update", map[string]any{"id": "3", "made_by": "h"})
	a := f.get(t, "/admin/types/Hub/h", 200)
	checkPage(t, "picture", a)
	svg := a.find(func(n *html.Node) bool {
		return n.Data == "svg" && attribute(n, "viewbox")+attribute(n, "viewBox") != "" && attribute(n, "aria-label") != ""
	})
	if len(svg) != 1 {
		t.Fatalf("%d pictures", len(svg))
	}
	var texts, links []string
	for n := range svg[0].Descendants() {
		switch n.Data {
		case "text":
			texts = append(texts, textOf(n))
		case "a":
			links = append(links, attribute(n, "href"))
		}
	}
	for _, want := range []string{"▸ 40 Leaf", "Leaf 3", "Next", "<b>The hub</b>", "uses", "made_by", "near"} {
		if !slices.Contains(texts, want) {
			t.Errorf("%q is not in the picture: %q", want, texts)
		}
	}
	for _, want := range []string{"/admin/types/Leaf?where=uses%3DHub%2Fh", "/admin/types/Leaf/3", "/admin/types/Hub/n"} {
		if !slices.Contains(links, want) {
			t.Errorf("%s is not linked: %q", want, links)
		}
	}
	if strings.Contains(a.text, "cytoscape.min.js") {
		t.Error("the page loads a library for the picture")
	}
	if a := f.get(t, "/admin/types/Leaf/1", 200); !strings.Contains(a.text, "▸") && len(a.find(tag("svg"))) == 0 {
		t.Error("a leaf has no picture")
	}
}
