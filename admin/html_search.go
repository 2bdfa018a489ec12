package admin

import (
	h "trails/admin/html"
	"trails/text/fulltext"
)

// main is the page of a search: the hits, with their types to choose from.
func (d *searchData) main(p page) h.Node {
	var said h.Node
	switch {
	case d.Problem != "":
		said = alert(d.Problem)
	case d.Text == "":
		said = empty(h.Text("Type words of names, texts and ids into the box above. \"Phrases\" stand in quotes; the last word may be a beginning."))
	case len(d.Hits) == 0:
		said = empty(h.Map(d.Warnings, func(text string) h.Node { return h.Group{bdiMessage(text), h.Text(". ")} }), h.If(d.Type != "", anchor("", d.address("", ""), h.Text("Search all types"))))
	case d.Instead != "":
		said = h.P(h.Class("notice notice-warn"), h.Text("No text has all of these words. Searched instead: "), bdiLine(d.Instead))
	case d.Matching == "any":
		said = h.P(h.Class("notice notice-warn"), h.Text("No text has all of these words. These have some of them."))
	case d.Partial > 0:
		said = h.P(h.Text("Some of the words only: the last " + times(d.Partial, "hit", "hits") + " here."))
	}
	return h.Group{
		pageHead(h.H1(bdiLine(textIf(d.Text != "", "Search: "+d.Text, "Search")))),
		h.If(len(d.Facets.Links) > 1 || d.Type != "", h.Dl(h.Class("facets"), d.Facets.draw())),
		said,
		h.If(len(d.Hits) > 0, h.Map(d.Warnings, func(text string) h.Node { return h.P(h.Class("notice notice-warn"), bdiLine(text)) })),
		h.Iff(len(d.Hits) > 0, func() h.Node {
			other := *d
			other.Explain = !d.Explain
			return h.P(anchor("faint", other.address(d.Type, ""), h.Text(textIf(d.Explain, "Without explanations", "Why this order?"))))
		}),
		h.If(len(d.Hits) > 0, h.Ol(h.Class("hits panel"), h.Map(d.Hits, func(one hit) h.Node { return one.draw(p.colours, d.Query) }))),
		h.Iff(d.More != nil, func() h.Node {
			return (&pager{Text: times(len(d.Hits), "hit", "hits"), Next: d.More}).draw()
		}),
	}
}

// draw is one hit: its name, its type, and the text that fits.
func (t hit) draw(colours *palette, q fulltext.Query) h.Node {
	return h.Li(t.link(colours, q), h.If(t.Text != "" && t.Text != t.Label,
		h.P(h.Class("text"), h.If(t.Property != "", faint(colours.property(t.Property)+": ")), h.Bdi(h.Dir("auto"), marks(line(t.Text), q)))), h.If(t.Why != "", h.P(h.Class("faint"), bdiLine(t.Why))))
}

// link leads to the node, or names one that has no page.
func (t hit) link(colours *palette, q fulltext.Query) h.Node {
	name := h.Bdi(h.Dir("auto"), marks(line(firstOf(t.Label, t.Name)), q))
	typeName, id, ok := nodeOf(t.Name)
	if !ok {
		return h.Span(h.Title(line(t.Name)), name)
	}
	return anchor(colours.class(typeName), nodeURL(typeName, id), h.Title(line(t.Name)),
		colours.swatch(typeName), space, name, space, faint(typeName))
}

// marks is a text in which the words that were looked for are marked.
func marks(text string, q fulltext.Query) h.Node {
	var out h.Group
	at := 0
	for start, end := range fulltext.Matches(text, q) {
		if start < at {
			continue
		}
		out = append(out, h.Text(text[at:start]), h.Mark(h.Text(text[start:end])))
		at = end
	}
	return append(out, h.Text(text[at:]))
}

// draw is what stands below the box while somebody types.
func (d findData) draw(colours *palette) h.Node {
	return h.Group{
		h.If(len(d.Ways) > 0, h.Ul(h.Aria("label", "Go to"), h.Map(d.Ways, func(w way) h.Node {
			return h.Li(anchor("", w.Href, bdiLine(w.Text), space, faint(w.Kind)))
		}))),
		h.If(len(d.Hits) > 0, h.Ul(h.Aria("label", "Hits"), h.Map(d.Hits, func(one hit) h.Node { return one.draw(colours, d.Query) }))),
		h.If(d.Text != "" && len(d.Ways)+len(d.Hits) == 0, h.P(h.Class("faint"), h.Text("Nothing has these words."))),
		h.If(d.More, h.P(anchor("", (&searchData{Text: d.Text}).address("", ""), h.Text("All hits")))),
	}
}
