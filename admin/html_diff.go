package admin

import (
	"maps"
	"net/url"
	"slices"

	h "trails/admin/html"
	"trails/builtin/view"
)

// main is what differs, with the form that asks for another difference.
func (d diffData) main(p page) h.Node {
	d.Branches = p.Frame.Branches
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Differences")), d.drawBetween()}, actions(h.Map(diffForms, func(f struct{ Form, Text string }) h.Node {
			asked := maps.Clone(d.Asked)
			asked.Set("form", f.Form)
			return anchor("button", withQuery(diffURL, asked), h.If(d.Asked.Get("form") == f.Form, h.Aria("current", "true")), h.Text(f.Text))
		}))),
		d.drawChoice(), warnings(d.Warnings), d.drawClashes(),
		h.If(len(d.Definitions) > 0, section("definitions", h.Text("Definitions"), nil, h.Ul(h.Class("panel pad"), h.Map(d.Definitions, func(text string) h.Node { return h.Li(bdiLine(text)) })))),
		section("nodes", h.Text("What differs"), nil, d.drawBody(p.colours)),
		d.Pager.draw(),
	}
}

// drawClashes are what has to be decided before the branch is merged.
func (d diffData) drawClashes() h.Node {
	asked := url.Values{"source": {d.Asked.Get("to")}}
	if from := d.Asked.Get("from"); d.isBranch(from) {
		asked.Set("target", from)
	}
	return h.If(len(d.Clashes) > 0, section("clashes", h.Text(times(d.ClashCount, "clash", "clashes")+" of a merge"), anchor("more", withQuery(mergeURL, asked), h.Text("Decide and merge")),
		h.Ul(h.Class("panel pad"), h.Map(d.Clashes, func(c mergeClash) h.Node {
			return h.Li(h.B(bdiLine(c.Name())), h.Text(": "), bdiMessage(c.Message))
		}))))
}

// drawBetween says which commits are compared.
func (d diffData) drawBetween() h.Node {
	from, to := d.Asked.Get("from"), d.Asked.Get("to")
	side := func(word, given, id string, asked url.Values) h.Node {
		return h.Span(h.Text(word), h.If(d.isBranch(given), h.Group{bdiLine(given), space}), either(id != "", anchor("id", withQuery(commitURL(id), asked), h.Text(id)), h.Text("nothing")))
	}
	return sub(side("from ", from, d.From, d.on(firstOf(from, to))), side("to ", to, d.To, d.on(to)))
}

// isBranch reports a name of a branch.
func (d diffData) isBranch(name string) bool {
	return slices.Contains(d.Branches, name)
}

// on is the query of an address of this branch, empty for a commit.
func (d diffData) on(name string) url.Values {
	if d.isBranch(name) {
		return url.Values{"branch": {name}}
	}
	return url.Values{}
}

// drawChoice is the form that asks what to compare.
func (d diffData) drawChoice() h.Node {
	input := func(id, label, placeholder string) h.Node {
		return labelled("", id, label, h.Input(h.ID(id), h.Name(id), h.Value(d.Asked.Get(id)), h.Placeholder(placeholder), h.List("states"), h.MaxLength("100"), h.AutoComplete("off"), h.Attr("spellcheck", "false")))
	}
	return h.GetForm(diffURL, h.Class("filter"),
		input("from", "From", "where it was made"), input("to", "To", "the newest commit"), input("node", "Only the node", "Type/id"), input("type", "Only the type", "any"),
		statesList(d.Branches), h.Button(h.Text("Compare")))
}

// statesList are the branches that a browser offers where a branch or a commit is typed.
func statesList(branches []string) h.Node {
	return h.DataList(h.ID("states"), h.Map(branches, func(name string) h.Node { return h.Option(h.Value(name)) }))
}

func (d diffData) drawBody(colours *palette) h.Node {
	switch {
	case d.Text != "":
		return snippet("It makes the second state of the first", d.Text)
	case len(d.Nodes) == 0:
		return empty(h.Text("No statement differs."))
	}
	return h.Map(d.Nodes, func(n view.NodeChange) h.Node { return d.drawNode(colours, n) })
}

// drawNode is what differs of one node, with its page in the second state, or in the first if it was removed.
func (d diffData) drawNode(colours *palette, n view.NodeChange) h.Node {
	before, after := d.side(d.Asked.Get("from"), d.From), d.side(d.Asked.Get("to"), d.To)
	node := after
	if n.What == "removed" {
		node = before
	}
	return nodeChangeBetween(colours, n, node, before, after)
}

// side is one of the two states: the branch that was given, or else the commit.
func (d diffData) side(given, commit string) state {
	s := state{Branch: d.on(firstOf(given, d.Asked.Get("to"))).Get("branch")}
	if !d.isBranch(given) {
		s.At = commit
	}
	return s
}
