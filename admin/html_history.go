package admin

import (
	h "trails/admin/html"
)

// main is the history of one node.
func (d historyData) main(p page) h.Node {
	return h.Group{
		pageHead(h.Group{
			h.H1(h.Bdi(h.Dir("auto"), h.Text("History of "+labelOf(d.Node)))),
			sub(typeBadge(p.colours, d.Type), idCode(line(d.ID)), h.If(!d.Node.Exists, badge("bad", "deleted"))),
		}, actions(h.If(d.Node.Exists, anchor("button", nodeURL(d.Type, d.ID), h.Text("As it is now"))))),
		h.H2(h.Class("hide"), h.Text("Changes, newest first")),
		historyEntries(p.colours, d.Entries, d.Listed, d.Node, d.Newest), d.Pager.draw(),
	}
}
