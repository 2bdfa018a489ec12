package admin

import (
	"strings"

	h "trails/admin/html"
)

// drawAround is the picture of what is around a node on its page, nothing when it has no neighbours: what refers to it on
// the left, what it refers to on the right.
func (d instanceData) drawAround(colours *palette) h.Node {
	s := surroundings{each: aroundPage, click: pageOf, unfold: func(g linkGroup, _ string, _ bool) string { return g.All }}
	s.addAround(d.Entity, true)
	if len(s.Nodes) < 2 {
		return nil
	}
	to := func(href, text string) h.Node { return anchor("", href, h.Text(text)) }
	return section("around", h.Text("Around it"), h.Span(h.Class("more"), separated(h.Text(" · "), []h.Node{
		to(pathsFrom(d.Node), "How is it connected to …"), to(treeURL(d.Node, "", ""), "As a tree"), to(nodeURL(d.Type, d.ID)+"/graph", "Open groups, expand nodes"),
	})),
		framed(figurePicture, "What is around it, as a picture", "around paths near", "", s.draw(colours, layoutAround, "Around "+labelOf(d.Node))),
		h.If(s.Left > 0, h.P(h.Class("faint"), h.Text(times(s.Left, "more is", "more are")+" in the lists of this page."))))
}

// cut is at most so many characters of a text on one line.
func cut(text string, most int) string {
	text = line(text)
	if len(firstRunes(text, most)) == len(text) {
		return text
	}
	return strings.TrimSpace(firstRunes(text, most-1)) + "…"
}
