package admin

import (
	"fmt"
	"strconv"

	h "trails/admin/html"
	"trails/builtin/view"
)

// main is a neighbourhood: the choice of it, a picture, and the same as tables.
func (d graphData) main(p page) h.Node {
	return h.Group{
		pageHead(h.Group{
			h.H1(h.Bdi(h.Dir("auto"), h.Text("Around "+labelOf(d.RootNode)))),
			sub(h.Span(h.Textf("%d nodes", len(d.Nodes))), h.Span(h.Textf("%d links", len(d.Edges))), h.If(d.Truncated, badge("warn", "there is more"))),
		}),
		d.drawChoice(),
		h.Div(h.Class("panel"),
			picture(pictureSize(len(d.Nodes), len(d.Edges))+"; the tables below list them", h.Text("The picture needs scripts; the tables below do not."),
				h.Class("picture full"), h.ID("picture"), h.Ask("data-graph", d.Source)),
			legend(p.colours, d.Types)),
		section("nodes", h.Text("Nodes"), nil, d.drawNodes(p.colours)),
		section("edges", h.Text("Links"), nil, d.drawEdges()),
	}
}

// drawChoice is the form that asks for another neighbourhood.
func (d graphData) drawChoice() h.Node {
	return h.GetForm(nodeURL(d.Type, d.ID)+"/graph", h.Class("filter"),
		labelled("", "depth", "Steps away", h.Select(h.ID("depth"), h.Name("depth"), h.Map(d.Choices.Depths, func(n int) h.Node {
			return h.Option(h.If(n == d.Depth, h.Selected()), h.Text(strconv.Itoa(n)))
		}))),
		labelled("", "direction", "Links", h.Select(h.ID("direction"), h.Name("direction"), h.Map(d.Choices.Directions, func(c struct{ Value, Text string }) h.Node {
			return option(c.Value, c.Text, c.Value == d.Direction)
		}))),
		labelled("", "limit", "At most", h.Select(h.ID("limit"), h.Name("limit"), h.Map(d.Choices.Limits, func(n int) h.Node {
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

func (d graphData) drawEdges() h.Node {
	if len(d.Told) == 0 {
		return empty(h.Text("No links."))
	}
	return h.Group{
		scrolled("Table of links", columns("From", "Property", "To"), h.TBody(h.Map(d.Told, func(e toldEdge) h.Node {
			return h.Tr(h.Td(nodeLink(e.From)), h.Td(h.Text(line(e.Property))), h.Td(nodeLink(e.To)))
		}))),
		h.If(len(d.Told) < len(d.Edges), h.P(h.Class("faint"), h.Text(fmt.Sprintf("The first %d of %d links.", len(d.Told), len(d.Edges))))),
	}
}
