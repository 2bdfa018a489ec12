package admin

import (
	"net/url"

	h "trails/admin/html"
)

// drawBlame are the values of the node with who said each: commit, person, time and call.
func (d instanceData) drawBlame() h.Node {
	return section("blame", h.Text("Who said this"), anchor("more", nodeURL(d.Type, d.ID), h.Text("The values alone")),
		h.Dl(h.Class("props panel"), h.Map(d.Blame, func(p blamedProperty) h.Node {
			return h.Div(h.Class("prop"), h.ID(blameID(p.Name)), h.Dt(h.Text(d.Doc.relation(p.Name)), span("kind", d.kindOf(p.Name))),
				h.Dd(h.Ul(h.Class("vals blamed"), h.Map(p.Values, blamed.draw))))
		})), d.Pager.draw())
}

// blameID is the id of a property where it is said who said its values.
func blameID(property string) string { return "who-" + url.PathEscape(property) }

// whoSaid leads to who said the values of a property.
func (d instanceData) whoSaid(property string) h.Node {
	return anchor("who faint", withQuery(nodeURL(d.Type, d.ID), url.Values{"blame": {"1"}})+"#"+blameID(property), h.Text("Who said this"), unseen(": "+line(property)))
}

func (b blamed) draw() h.Node {
	return h.Li(cutCell(b.Value),
		h.Div(h.Class("by"), anchor("", commitURL(b.Commit.ID), h.Bdi(h.Text(firstOf(line(b.Commit.Message), b.Commit.ID)))), authorLink(b.Commit.Author), span("origin", b.Origin), timeAt(b.Commit.Time),
			h.If(b.Call != "", capabilityLink(b.Call, b.CallHasItsPage)), h.If(b.Graph != "", h.Span(h.Text("in the graph "), bdiLine(b.Graph)))))
}
