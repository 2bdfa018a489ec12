package admin

import (
	"fmt"
	"net/url"

	h "trails/admin/html"
	"trails/builtin/view"
)

// main is the log.
func (d commitsData) main(page) h.Node {
	other := anchor("button", "/admin/commits?schema=1", h.Text("Only schema changes"))
	if d.Schema {
		other = anchor("button", "/admin/commits", h.Text("All commits"))
	}
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Commits")), lead(h.Text("Every write is one commit: who, when, why, and what changed."))}, actions(other, anchor("button", commitGraphURL, h.Text("As a graph")))),
		commitLog(d.Commits), d.Pager.draw(),
	}
}

// main is one commit: who made it how, and what changed.
func (d commitData) main(p page) h.Node {
	c := d.Commit
	neighbour := func(id *string, rel, text string) h.Node {
		if id == nil {
			return nil
		}
		return anchor("button", commitURL(*id), h.Rel(rel), h.Text(text))
	}
	return h.Group{
		pageHead(h.Group{
			h.H1(h.Bdi(h.Text(firstOf(line(c.Message), "Commit "+c.ID)))),
			sub(h.Span(plusMinus(c.Added, c.Removed), h.Text(" statements")), h.Span(h.Text("schema version "+fmt.Sprint(c.SchemaVersion))),
				h.If(d.SchemaChanged, badge("warn", "changes the schema"))),
		}, actions(anchor("button", withQuery("/admin/schema", url.Values{"at": {c.ID}}), h.Text("As of this commit")), undoButton(c.ID),
			neighbour(d.Previous, "prev", "Older"), neighbour(d.Next, "next", "Newer"))),
		h.Dl(h.Class("props panel"),
			prop("Commit", idCode(c.ID)),
			h.If(c.Parent != "", prop("Parent", commitLink(c.Parent))),
			h.If(c.Merged != "", prop("Merges", commitLink(c.Merged))),
			prop("Author", bdiLine(c.Author)),
			prop("When", timeAt(c.Time), space, faint("UTC")),
			d.drawCall()),
		section("changed", h.Text("What changed"), nil,
			either(len(d.Nodes) > 0, h.Map(d.Nodes, func(n view.NodeChange) h.Node { return d.drawNode(p.colours, n) }), empty(h.Text("No statement changed."))), d.Pager.draw()),
	}
}

// drawCall is the call that made the commit.
func (d commitData) drawCall() h.Node {
	call := d.Activity
	if call == nil {
		return h.Div(h.Class("prop"), h.Dt(h.Text("Call")), h.Dd(h.Class("faint"), h.Text("Not recorded")))
	}
	return h.Group{
		prop("Call", callOf(*call, d.Listed)),
		h.If(call.Agent != "", prop("Agent", bdiLine(call.Agent))),
		h.If(call.TraceID != "", prop("Trace", idCode(line(call.TraceID)))),
	}
}

// drawNode is what the commit did to one node.
func (d commitData) drawNode(colours *palette, change view.NodeChange) h.Node {
	n := change.Node
	var links []h.Node
	if n.Type != "" && n.ID != "" {
		links = append(links, anchor("faint", nodeURL(n.Type, n.ID)+"/history", h.Text("History"), unseen(" of "+labelOf(n))))
		if change.What != "removed" {
			links = append(links, anchor("faint", nodeAt(n.Type, n.ID, d.Commit.ID), h.Text("As it was then"), unseen(": "+labelOf(n))))
		}
	}
	return nodeChange(colours, change, links...)
}

// nodeChange is what becomes of one node.
func nodeChange(colours *palette, change view.NodeChange, links ...h.Node) h.Node {
	kinds, n := map[string]string{"made": "good", "removed": "bad"}, change.Node
	return h.Article(h.Class("diff panel"),
		h.Header(badge(kinds[change.What], change.What), h.H3(nodeLink(n)), h.If(n.Type != "", typeBadge(colours, n.Type)), h.Group(links)),
		changeTable(change.Changes))
}
