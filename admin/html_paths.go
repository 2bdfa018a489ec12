package admin

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	h "trails/admin/html"
	"trails/builtin/view"
)

// Sizes of the picture of paths, in units of the picture. Each path has a line of its own, so that no label is over
// another one.
const (
	pathRow = 40
	pathBox = 124 // width of a node
	pathGap = 86  // width of a link between two nodes
)

func (d pathsData) main(p page) h.Node {
	about := h.Group{h.H1(h.Text("How are two nodes connected?")), lead(h.Text("The paths between two nodes, the shortest first, by links of any kind in either direction."))}
	if d.Found != nil {
		about = h.Group{h.H1(h.Text("How two nodes are connected")), sub(nodeLink(d.Found.From), h.Span(h.Text("and")), nodeLink(d.Found.To))}
	}
	return h.Group{
		pageHead(about),
		d.drawForm(),
		h.Iff(d.Found != nil, func() h.Node {
			return h.Group{
				h.If(d.Found.Note != "", h.P(h.Class("notice"), h.Role("status"), h.Text(d.Found.Note), h.If(len(d.Found.Paths) == d.Limit && d.Limit < pathsMost, h.Group{space, d.more()}))),
				h.If(len(d.Found.Paths) > 0, h.Group{
					section("picture", h.Text("Picture"), nil, framed(figurePicture, "The paths as a picture", "around paths", "", d.draw(p.colours))),
					section("paths", h.Text(times(len(d.Found.Paths), "path", "paths")), nil, h.Ol(h.Class("panel pad paths"), h.Map(d.Found.Paths, func(path view.Path) h.Node { return pathLine(p.colours, path) }))),
				}),
			}
		}),
	}
}

// more leads to the same page with as many paths as it can have.
func (d pathsData) more() h.Node {
	return anchor("", withQuery(pathsURL, url.Values{"from": {d.From}, "to": {d.To}, "steps": {strconv.Itoa(d.Steps)}, "limit": {strconv.Itoa(pathsMost)}}), h.Text(fmt.Sprintf("Show up to %d", pathsMost)))
}

// drawForm asks for the two nodes.
func (d pathsData) drawForm() h.Node {
	pick := func(name, label, value string) h.Node {
		list := name + "-list"
		wrong := d.Problem.Field == name
		return labelled("grow", name, label,
			h.Span(h.Class("combo"),
				h.Input(h.Type("text"), h.ID(name), h.Name(name), h.Value(value), h.Placeholder("Type a name"), h.Required(), h.If(wrong, h.Aria("invalid", "true")), h.If(name == "to" && d.From != "" && value == "", h.AutoFocus()),
					typeAhead(name+"-known", withQuery("/admin/suggest", url.Values{"list": {list}}), list)),
				listbox(list, label)),
			knownList(name+"-known", nil))
	}
	return h.GetForm(pathsURL, h.Class("filter"),
		pick("from", "From", d.From), pick("to", "To", d.To),
		labelled("", "steps", "Steps", h.Select(h.ID("steps"), h.Name("steps"), h.Map([]int{1, 2, 3, 4}, func(n int) h.Node {
			return option(strconv.Itoa(n), "up to "+strconv.Itoa(n), n == d.Steps)
		}))),
		h.Button(h.Class("primary"), h.Text("Show")),
		h.If(d.Problem.Message != "", h.P(h.Class("filter-error"), h.Role("alert"), bdiMessage(d.Problem.Message))))
}

// pathLine is a path as a sentence.
func pathLine(colours *palette, p view.Path) h.Node {
	var out h.Group
	for i, n := range p.Nodes {
		if i > 0 {
			link := p.Links[i-1]
			link.Property = colours.property(link.Property)
			out = append(out, h.Text(link.Arrow()))
		}
		out = append(out, nodeLink(n))
	}
	return h.Li(out)
}

// draw is the picture: both ends once, and a line for each path.
func (d pathsData) draw(colours *palette) h.Node {
	longest := 0
	for _, p := range d.Found.Paths {
		longest = max(longest, len(p.Links))
	}
	last := float64(longest * (pathBox + pathGap))
	width, height := last+pathBox+2, float64(len(d.Found.Paths)*pathRow+8)
	middle := height / 2
	var links, boxes h.Group
	for i, p := range d.Found.Paths {
		y := float64(i*pathRow) + pathRow/2 + 4
		for k, l := range p.Links {
			from, to := float64(k*(pathBox+pathGap)+pathBox), float64((k+1)*(pathBox+pathGap))
			fromY, toY := y, y
			if k == 0 {
				fromY = middle
			}
			if k == len(p.Links)-1 {
				to, toY = last, middle
			}
			links = append(links, pathLink(colours, l, from, fromY, to, toY, y))
			if k > 0 {
				boxes = append(boxes, pathNode(p.Nodes[k], from-pathBox, y).draw(colours))
			}
		}
	}
	return drawing(-1, width, height, fmt.Sprintf("%s between %s and %s; the list beneath has them, too", times(len(d.Found.Paths), "path", "paths"), labelOf(d.Found.From), labelOf(d.Found.To)),
		links, boxes, pathNode(d.Found.From, 0, middle).draw(colours), pathNode(d.Found.To, last, middle).draw(colours))
}

// pathNode is a node of a path or a tree, which leads to its page.
func pathNode(n view.Node, x, y float64) box {
	return box{Type: n.Type, Label: labelOf(n), Href: pageOf(n), X: x, Y: y, Wide: pathBox}
}

// pathLink is one link of a path whose line is at y, with its property above the line and the arrow in the direction of
// the link.
func pathLink(colours *palette, l view.PathLink, from, fromY, to, toY, y float64) h.Node {
	const bend, letter = 16.0, 7.4
	d := fmt.Sprintf("M%s %sC%s %s %s %s %s %s", h.Length(from), h.Length(fromY), h.Length(from+bend/2), h.Length(fromY), h.Length(from+bend/2), h.Length(y), h.Length(from+bend), h.Length(y)) +
		fmt.Sprintf("L%s %sC%s %s %s %s %s %s", h.Length(to-bend), h.Length(y), h.Length(to-bend/2), h.Length(y), h.Length(to-bend/2), h.Length(toY), h.Length(to), h.Length(toY))
	name := cut(colours.property(l.Property), int((to-from-bend)/letter)-2)
	if name += " →"; l.Back {
		name = "← " + strings.TrimSuffix(name, " →")
	}
	return h.G(h.Path(h.Class("link"), h.Attr("d", d)), h.SVGLabel(from+bend, y-5, "start", "property", name))
}
