package admin

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"trails/admin/chart"
	h "trails/admin/html"
)

// draw is the picture of the figure in a layout. A figure without times has no timeline and is drawn around instead.
func (f *figure) draw(colours *palette, layout, name string) h.Node {
	if layout == layoutTime && len(f.timed()) > 0 {
		return f.drawTimes(colours, name)
	}
	a := f.arrange(layout)
	var links, names, boxes h.Group
	for i, l := range f.Links {
		links, names = append(links, f.drawLink(colours, a, l)), append(names, f.drawName(colours, a, i, l))
	}
	for i, n := range f.Nodes {
		boxes = append(boxes, n.draw(colours, a.X[i], a.Y[i]))
	}
	return f.frame(name, -1, a.Width+30, a.Height, links, h.G(h.Class("names"), names), boxes) // links within the last column bend there
}

// frame is the picture around what is drawn.
func (f *figure) frame(name string, left, width, height float64, inner ...h.Node) h.Node {
	return drawing(left, width, height, fmt.Sprintf("%s: %s and %s; the tables have them, too", name, times(len(f.Nodes), "node", "nodes"), times(len(f.Links), "link", "links")), inner...)
}

// figureName is how many characters of a link's name there is room for between two columns.
const figureName = 11

// drawLink is a curve from box to box with a point where the link ends.
func (f *figure) drawLink(colours *palette, a arrangement, l figureLink) h.Node {
	fromX, fromY, toX, toY := a.X[l.From], a.Y[l.From], a.X[l.To], a.Y[l.To]
	right := fromX < toX
	start, end := fromX+figureBox/2, toX-figureBox/2
	bend, bendTo := start+figureGap/2, end-figureGap/2
	switch {
	case fromX == toX: // a bow at the right of the column
		end = toX + figureBox/2
		bend, bendTo = start+36, end+36
	case !right:
		start, end = fromX-figureBox/2, toX+figureBox/2
		bend, bendTo = start-figureGap/2, end+figureGap/2
	}
	return h.G(h.TitleEl(h.Text(labelOf(f.Nodes[l.From].Node)+" — "+colours.property(l.Property)+" → "+labelOf(f.Nodes[l.To].Node))),
		curve(start, fromY, bend, bendTo, end, toY), linkEnd(end, toY))
}

// drawName is the name of the link by which a node was reached, beside the node. Names are over all links.
func (f *figure) drawName(colours *palette, a arrangement, i int, l figureLink) h.Node {
	child := -1
	if a.Lead[l.From] == i {
		child = l.From
	} else if a.Lead[l.To] == i {
		child = l.To
	}
	if child < 0 || l.Inner {
		return nil
	}
	text := cut(colours.property(l.Property), figureName)
	if a.X[l.From] < a.X[l.To] {
		text += " →"
	} else {
		text = "← " + text
	}
	x, at := a.X[child]-figureBox/2-6, "end"
	if other := l.From + l.To - child; a.X[other] > a.X[child] {
		x, at = a.X[child]+figureBox/2+6, "start"
	}
	return h.SVGLabel(x, a.Y[child]-5, at, "property", text)
}

// draw is the box of a node with its middle at this place, which leads to what a click on it does.
func (n figureNode) draw(colours *palette, x, y float64) h.Node {
	return box{Type: n.Type, Label: labelOf(n.Node), Class: textIf(n.Group, " group", "") + textIf(n.Here, " here", ""), Href: n.Click, Key: n.Key, X: x - figureBox/2, Y: y, Wide: figureBox, Bold: n.Here}.draw(colours)
}

// Sizes of a timeline.
const (
	timesLeft = 92  // width of the dates
	timesWide = 420 // from the first time to the last
	timesRow  = 26
)

// timed are the indexes of the nodes with a time, the earliest first.
func (f *figure) timed() (out []int) {
	for i, n := range f.Nodes {
		if n.Time != "" {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return chart.CompareTimes(f.Nodes[a].Time, f.Nodes[b].Time) })
	return out
}

// dayOf is the day of a time as it is written.
func dayOf(time string) string {
	day, _, _ := strings.Cut(line(time), "T")
	return day
}

// drawTimes has a row for each node with a time, with its mark as far to the right as it is late.
func (f *figure) drawTimes(colours *palette, name string) h.Node {
	list := f.timed()
	first, last := chart.Instant(f.Nodes[list[0]].Time), chart.Instant(f.Nodes[list[len(list)-1]].Time)
	span := max(last.Unix()-first.Unix(), int64(time.Hour/time.Second)) // a Duration has room for 292 years
	var drawn h.Group
	for i, at := range list {
		n := &f.Nodes[at]
		y := float64(i*timesRow) + timesRow/2 + 4
		x := timesLeft + float64(chart.Instant(n.Time).Unix()-first.Unix())/float64(span)*timesWide
		text := h.Node(h.SVGLabel(x+10+markWide, y+4, "start", textIf(n.Here, "here", ""), cut(labelOf(n.Node), 24)))
		if n.Click != "" {
			text = h.A(h.Href(n.Click), h.Data("node", n.Key), text)
		}
		drawn = append(drawn, h.G(h.Class(colours.class(n.Type)),
			h.Path(h.Class("link"), h.Attr("d", fmt.Sprintf("M%d %sH%s", timesLeft, h.Length(y), h.Length(x)))),
			h.Circle(h.Attr("cx", h.Length(x)), h.Attr("cy", h.Length(y)), h.Attr("r", "4")), typeMark(x+10, y+4, colours.mark(n.Type)),
			h.SVGLabel(timesLeft-10, y+4, "end", "property", dayOf(n.Time)), text))
	}
	return f.frame(name, 0, timesLeft+timesWide+230, float64(len(list)*timesRow)+8, drawn)
}

// drawTables are the nodes and the links of the picture.
func (f *figure) drawTables(colours *palette) h.Node {
	timed := len(f.timed()) > 0
	nodes := h.Map(f.Nodes, func(n figureNode) h.Node {
		return h.Tr(h.Data("key", n.Key), rowHead(n.cell()), h.Td(either(n.Type != "", typeBadge(colours, n.Type), faint("none"))), h.If(timed, h.Td(h.If(n.Time != "", timeAt(n.Time)))))
	})
	head := h.THead(h.Tr(column("Node"), column("Type"), h.If(timed, column("Time"))))
	links := h.Map(f.Links, func(l figureLink) h.Node {
		from, to := l.From, l.To
		if l.Inner {
			from, to = f.told(from, l.Of), f.told(to, l.Of)
		}
		return h.Tr(h.Td(f.Nodes[from].cell()), h.Td(h.Text(colours.property(l.Property))), h.Td(f.Nodes[to].cell()))
	})
	return h.Group{
		section("nodes", h.Text("Nodes"), nil, scrolled("Table of nodes", head, h.TBody(nodes))),
		section("edges", h.Text("Links"), nil, either(len(links) > 0, scrolled("Table of links", columns("From", "Property", "To"), h.TBody(links)), empty(h.Text("No links.")))),
	}
}

// told is the end of an inner link: the box of a group stands for the node that the group is about.
func (f *figure) told(end, of int) int {
	if n := f.Nodes[end]; n.Group && !strings.HasSuffix(n.Key, moreKey) {
		return of
	}
	return end
}

// cell is the node in a table.
func (n figureNode) cell() h.Node {
	if n.Group {
		return either(n.Page != "", anchor("", n.Page, h.Text(labelOf(n.Node))), h.Text(labelOf(n.Node)))
	}
	return nodeLink(n.Node)
}
