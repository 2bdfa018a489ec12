package admin

import (
	"fmt"
	"slices"
	"strconv"

	h "trails/admin/html"
	"trails/builtin/view"
)

// main is a neighbourhood: the choice of it, a picture, and the same as tables.
func (d graphData) main(p page) h.Node {
	return h.Group{
		pageHead(h.Group{
			h.H1(h.Bdi(h.Dir("auto"), h.Text("Around "+labelOf(d.RootNode)))),
			sub(nodeLink(d.RootNode)),
		}),
		h.If(d.Graph.Truncated, h.P(h.Class("notice notice-warn"), h.Text(d.whyMore()))),
		d.drawChoice(),
		h.Div(h.ID("around"), h.Attr("data-in-place"), either(d.Figure != nil, h.Iff(d.Figure != nil, func() h.Node { return d.drawFigure(p.colours) }), h.Iff(d.Figure == nil, func() h.Node { return d.drawCanvas(p.colours) }))),
	}
}

// whyMore says why not everything within some steps is there, and what shows it.
func (d graphData) whyMore() string {
	switch {
	case len(d.Nodes) < d.Limit:
		return "There are more links than these: of a node with very many, some are read. Its own picture counts all of them."
	case d.Limit < graphMax:
		return fmt.Sprintf("There is more than these %s nodes: choose more nodes, or fewer steps.", count(d.Limit))
	default:
		return fmt.Sprintf("There is more than these %s nodes, which is the most: choose fewer steps, or one direction.", count(d.Limit))
	}
}

// drawFigure is the picture as SVG, with the card of a node and the legend, and the same as tables.
func (d graphData) drawFigure(colours *palette) h.Node {
	f := d.Figure
	notes := h.Group{
		h.If(f.Left > 0, h.P(h.Class("notice notice-warn"), h.Text(fmt.Sprintf("A picture has at most %d nodes; %s not drawn, which the lists of the groups have. Fold a group, or hide a type or relation.", figureMost, times(f.Left, "node is", "nodes are"))))),
		h.If(d.Between, h.P(h.Class("notice notice-warn"), h.Text(fmt.Sprintf("There are more links between these nodes than the %d that the picture has. Fold a group, or hide a type or relation.", aroundBetween)))),
		h.Map(d.Gone, func(ref string) h.Node {
			return h.P(h.Class("notice"), h.Text(line(ref)+" cannot be expanded: it is not there, or may not be read."))
		}),
		h.If(len(d.Expand) == aroundExpanded, h.P(h.Class("faint"), h.Text(fmt.Sprintf("%d nodes are expanded, which is the most; the next one folds the first.", aroundExpanded)))),
	}
	untimed := 0
	if d.Layout == layoutTime {
		for _, n := range f.Nodes {
			if n.Time == "" {
				untimed++
			}
		}
		if untimed == len(f.Nodes) {
			notes = append(notes, h.P(h.Class("notice"), h.Text("No node of the picture has a date, so there is no timeline.")))
		} else if untimed > 0 {
			notes = append(notes, h.P(h.Class("faint"), h.Text(fmt.Sprintf("%s without a date %s in the table alone; open a group to see the dates of its nodes.", times(untimed, "node or group", "nodes and groups"), textIf(untimed == 1, "is", "are")))))
		}
	}
	return h.Group{
		d.drawLayouts(), notes,
		h.Div(h.Class("around-parts"),
			h.Div(framed(figurePicture, "What is around it, as a picture", "around paths", "", f.draw(colours, d.Layout, "Around "+labelOf(d.RootNode)))),
			h.Div(h.Iff(d.Card != nil, func() h.Node { return d.drawCard(colours) }), d.drawLegend(colours))),
		f.drawTables(colours),
	}
}

// drawLayouts are the layouts to choose from.
func (d graphData) drawLayouts() h.Node {
	return h.Nav(h.Aria("label", "Layouts"), h.Ul(h.Class("chips plain"), h.Map(layouts, func(l struct{ word, says string }) h.Node {
		return h.If(l.word != layoutTime || d.Timed, h.Li(anchor("", d.with(func(v *graphView) { v.Layout = l.word }), h.ID("layout-"+l.word), h.If(l.word == d.Layout, h.Aria("current", "true")), h.Text(l.says))))
	})))
}

// drawCard is a node of the picture in short.
func (d graphData) drawCard(colours *palette) h.Node {
	e := *d.Card
	ref := referenceTo(e.Node)
	summary := ""
	for _, p := range e.Properties { // the longest text says the most
		if p.Class == "" && len(p.Values) > 0 && p.Values[0].Text != e.Node.Label {
			if text := firstOf(p.Label, propertyName(p.Name)) + ": " + cut(p.Values[0].Text, 160); len(text) > len(summary) {
				summary = text
			}
		}
	}
	in, out := 0, 0
	more := false
	for _, g := range linkGroups(e) {
		if g.Incoming {
			in += g.Total
			more = more || g.More
		} else {
			out += g.Total
		}
	}
	isRoot := e.Node.IRI == d.RootNode.IRI
	return h.Section(h.Class("panel pad node-card"), h.ID("card"), h.TabIndex("-1"), h.Aria("labelledby", "h-card"),
		h.H2(h.ID("h-card"), bdiLine(labelOf(e.Node))), h.P(typeBadge(colours, e.Node.Type), space, idCode(line(e.Node.ID))),
		h.If(summary != "", h.P(bdiLine(summary))),
		h.P(h.Class("faint"), h.Text(times(out, "link", "links")+" out, "+count(in)+textIf(more, "+", "")+" in")),
		h.P(h.Class("card-links"), anchor("", pageOf(e.Node), h.Text("Open")),
			h.If(!isRoot, anchor("", d.with(func(v *graphView) { v.Expand = toggled(v.Expand, ref) }), h.ID("expand"), h.Text(textIf(slices.Contains(d.Expand, ref), "Fold", "Expand")))),
			h.If(!isRoot, anchor("", nodeURL(e.Node.Type, e.Node.ID)+"/graph", h.Text("Put in the middle"))),
			anchor("", d.with(func(v *graphView) { v.Card = "" }), h.Text("Close"))))
}

// drawLegend has the relations and the types, each of which is hidden and shown again by its link.
func (d graphData) drawLegend(colours *palette) h.Node {
	entry := func(name, says string, n int64, hidden bool, to string) h.Node {
		return h.Li(h.If(name != "", h.Class(colours.class(name))), h.If(name != "", colours.swatch(name)), h.If(hidden, h.S(typeText(says))), h.If(!hidden, typeText(says)), space, faint(count(n)), space,
			anchor("", to, h.Text(textIf(hidden, "Show", "Hide")), unseen(" "+says)))
	}
	return h.Group{
		h.If(len(d.Kinds) > 0, h.Group{h.H2(h.Text("Types")), h.Ul(h.Class("legend plain"), h.Aria("label", "Types"), h.Map(d.Kinds, func(t typeCount) h.Node {
			return entry(firstOf(t.Name, " "), firstOf(t.Name, "no type"), t.Count, slices.Contains(d.Hide, t.Name), d.with(func(v *graphView) { v.Hide = toggled(v.Hide, t.Name) }))
		}))}),
		h.If(len(d.Relations) > 0, h.Group{h.H2(h.Text("Relations")), h.Ul(h.Class("legend plain"), h.Aria("label", "Relations"), h.Map(d.Relations, func(t typeCount) h.Node {
			return entry("", colours.property(t.Name), t.Count, slices.Contains(d.Without, t.Name), d.with(func(v *graphView) { v.Without = toggled(v.Without, t.Name) }))
		}))}),
	}
}

// drawCanvas is where a script draws what SVG has no room for.
func (d graphData) drawCanvas(colours *palette) h.Node {
	return h.Group{
		h.P(h.Class("faint"), h.Text(fmt.Sprintf("%s are too many for names beside each: a script draws them; ask for fewer to see each.", times(len(d.Nodes), "node", "nodes")))),
		h.Div(h.Class("panel"),
			picture(pictureSize(len(d.Nodes), len(d.Edges))+"; the tables below list them", h.Text("The picture needs scripts; the tables below do not."),
				h.ID("picture"), h.Ask("data-graph", d.Source)),
			legend(colours, d.Kinds)),
		section("nodes", h.Text("Nodes"), nil, d.drawNodes(colours)),
		section("edges", h.Text("Links"), nil, d.drawEdges(colours)),
	}
}

// drawChoice is the form that asks for another neighbourhood.
func (d graphData) drawChoice() h.Node {
	return h.GetForm(nodeURL(d.Type, d.ID)+"/graph", h.Class("filter"),
		labelled("", "depth", "Steps away", h.Select(h.ID("depth"), h.Name("depth"), h.Map(d.Choices.Depths, func(n int) h.Node {
			return option(strconv.Itoa(n), textIf(n == 1, "1, many as groups", strconv.Itoa(n)), n == d.Depth)
		}))),
		labelled("", "direction", "Links", h.Select(h.ID("direction"), h.Name("direction"), h.Map(d.Choices.Directions, func(c struct{ Value, Text string }) h.Node {
			return option(c.Value, c.Text, c.Value == d.Direction)
		}))),
		labelled("", "limit", "From two steps, at most", h.Select(h.ID("limit"), h.Name("limit"), h.Map(d.Choices.Limits, func(n int) h.Node {
			return option(strconv.Itoa(n), strconv.Itoa(n)+" nodes", n == d.Limit)
		}))),
		h.Button(h.Text("Show")))
}

func (d graphData) drawNodes(colours *palette) h.Node {
	return scrolled("Table of nodes", h.THead(h.Tr(column("Node"), column("Type"), numberColumn("Steps"))), h.TBody(h.Map(d.Nodes, func(n view.Neighbour) h.Node {
		typed := faint("none")
		if n.Type != "" {
			typed = typeBadge(colours, n.Type)
		}
		return h.Tr(h.Data("key", n.IRI), rowHead(nodeLink(n.Node)), h.Td(typed), h.Td(h.Class("num"), h.Text(strconv.Itoa(n.Depth))))
	})))
}

func (d graphData) drawEdges(colours *palette) h.Node {
	if len(d.Told) == 0 {
		return empty(h.Text("No links."))
	}
	return h.Group{
		scrolled("Table of links", columns("From", "Property", "To"), h.TBody(h.Map(d.Told, func(e toldEdge) h.Node {
			return h.Tr(h.Td(nodeLink(e.From)), h.Td(h.Text(colours.property(e.Property))), h.Td(nodeLink(e.To)))
		}))),
		h.If(len(d.Told) < len(d.Edges), h.P(h.Class("faint"), h.Text(fmt.Sprintf("The first %d of %d links.", len(d.Told), len(d.Edges))))),
	}
}
