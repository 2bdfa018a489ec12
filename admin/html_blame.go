package admin

import (
	h "trails/admin/html"
)

// drawBlame are the values of the node with who said each: commit, person, time and call.
func (d instanceData) drawBlame() h.Node {
	return section("blame", h.Text("Who said this"), anchor("more", nodeURL(d.Type, d.ID), h.Text("The values alone")),
		h.Dl(h.Class("props panel"), h.Map(d.Blame, func(p blamedProperty) h.Node {
			return h.Div(h.Class("prop"), h.Dt(h.Text(line(p.Name)), span("kind", d.kindOf(p.Name))),
				h.Dd(h.Ul(h.Class("vals blamed"), h.Map(p.Values, blamed.draw))))
		})), d.Pager.draw())
}

func (b blamed) draw() h.Node {
	value := h.Node(cutCell(b.Value))
	if typeName, id, ok := nodeOf(b.Value.Text); ok && b.Reference {
		value = anchor("node", nodeURL(typeName, id), bdiLine(b.Value.Text))
	}
	return h.Li(value,
		h.Div(h.Class("by"), anchor("", commitURL(b.Commit.ID), h.Bdi(h.Text(firstOf(line(b.Commit.Message), b.Commit.ID)))), bdiLine(b.Commit.Author), span("origin", b.Origin), timeAt(b.Commit.Time),
			h.If(b.Call != "", capabilityLink(b.Call, b.CallHasItsPage)), h.If(b.Graph != "", h.Span(h.Text("in the graph "), bdiLine(b.Graph)))))
}
