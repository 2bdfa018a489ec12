package admin

import (
	"fmt"
	"strings"

	h "trails/admin/html"
	"trails/builtin/view"
)

// The picture of what is around a node: what refers to it on the left, what it refers to on the right, a line for each
// neighbour or group, so that no label is over another. It is made here and needs no script. Sizes are in units of the
// picture.
const (
	aroundWide   = 640
	aroundCentre = 320 // half the width
	aroundRow    = 26  // height of a line
	aroundBox    = 160 // width of the node in the middle
	aroundLabel  = 22  // characters of a label
	aroundEach   = 8   // neighbours by one property that are shown one by one
	aroundMost   = 14  // lines of one side
)

// spoke is a line of the picture: a neighbour, or a group of them.
type spoke struct {
	Property, Label, Type, Href string
}

// spokes are the lines of both sides, and how many neighbours or groups have none.
func (d instanceData) spokes() (in, out []spoke, more int) {
	add := func(side *[]spoke, s spoke) {
		if len(*side) == aroundMost {
			more++
			return
		}
		*side = append(*side, s)
	}
	nodes := func(side *[]spoke, property string, list []view.Node) {
		for _, n := range list {
			add(side, spoke{property, labelOf(n), n.Type, pageOf(n)})
		}
	}
	for _, g := range d.Incoming {
		if len(g.Nodes) == g.Total && !g.More && g.Total <= aroundEach {
			nodes(&in, g.Property, g.Nodes)
			continue
		}
		total := count(g.Total) + textIf(g.More, "+", "")
		add(&in, spoke{g.Property, "▸ " + total + " " + firstOf(g.Type, "without a type"), g.Type, d.AllOf(g)})
	}
	for _, p := range d.Links {
		var refs []view.Node
		for _, c := range p.Values {
			if c.Ref != nil {
				refs = append(refs, *c.Ref)
			}
		}
		if p.Total <= aroundEach {
			nodes(&out, p.Name, refs)
			continue
		}
		add(&out, spoke{p.Name, "▸ " + count(p.Total) + " " + p.Class, p.Class, d.MorePath(p.Name)})
	}
	return in, out, more
}

// drawAround is the picture, nothing when the node has no neighbours.
func (d instanceData) drawAround(colours *palette) h.Node {
	in, out, more := d.spokes()
	lines := max(len(in), len(out))
	if lines == 0 {
		return nil
	}
	height := (lines + 1) * aroundRow
	middle := float64(height) / 2
	var drawn h.Group
	for _, side := range []struct {
		list     []spoke
		incoming bool
	}{{in, true}, {out, false}} {
		first := middle - float64(len(side.list)-1)*aroundRow/2
		before := ""
		for i, s := range side.list {
			drawn = append(drawn, s.draw(colours, first+float64(i)*aroundRow, middle, side.incoming, s.Property != before))
			before = s.Property
		}
	}
	name := labelOf(d.Node)
	return section("around", h.Text("Around it"), h.Span(h.Class("more"), anchor("", pathsFrom(d.Node), h.Text("How is it connected to …")), h.Text(" · "), anchor("", treeURL(d.Node, "", ""), h.Text("As a tree")), h.Text(" · "), anchor("", nodeURL(d.Type, d.ID)+"/graph", h.Text("Further away"))),
		h.Div(h.Class("panel around"), h.TabIndex("0"), h.Role("region"), h.Aria("label", "What is around it, as a picture"),
			h.SVG(h.Attr("viewBox", fmt.Sprintf("0 0 %d %d", aroundWide, height)), h.Attr("width", fmt.Sprint(aroundWide)), h.Attr("height", fmt.Sprint(height)),
				h.Role("group"), h.Aria("label", fmt.Sprintf("%s, with %d links in and %d out; the lists of this page have them, too", name, len(in), len(out))),
				drawn,
				h.G(h.Class(colours.class(d.Type)),
					rect(aroundCentre-aroundBox/2, middle-15, aroundBox, 30),
					h.SVGLabel(aroundCentre, middle+4, "middle", "here", cut(name, aroundBox/9))))),
		h.If(more > 0, h.P(h.Class("faint"), h.Text(count(more)+" more are in the lists of this page."))))
}

// draw is one line: the curve from the node in the middle, the property where it begins, and the neighbour.
func (s spoke) draw(colours *palette, y, middle float64, incoming, named bool) h.Node {
	side, anchorAt := 1.0, "start"
	if incoming {
		side, anchorAt = -1, "end"
	}
	from, to := aroundCentre+side*aroundBox/2, aroundCentre+side*(aroundBox/2+64)
	bend := (from + to) / 2
	text := h.Node(h.SVGLabel(to+side*14, y+4, anchorAt, "", cut(s.Label, aroundLabel)))
	if s.Href != "" {
		text = h.A(h.Href(s.Href), text)
	}
	return h.G(h.Class(colours.class(s.Type)),
		h.Path(h.Class("link"), h.Attr("d", fmt.Sprintf("M%s %sC%s %s %s %s %s %s", h.Length(from), h.Length(middle), h.Length(bend), h.Length(middle), h.Length(bend), h.Length(y), h.Length(to), h.Length(y)))),
		h.Circle(h.Attr("cx", h.Length(to+side*5)), h.Attr("cy", h.Length(y)), h.Attr("r", "4")),
		h.If(named, h.SVGLabel(to-side*4, y-5, map[bool]string{true: "start", false: "end"}[incoming], "property", cut(s.Property, 11))),
		text)
}

func rect(x, y, width, height float64) h.Node {
	return h.Rect(h.Attr("x", h.Length(x)), h.Attr("y", h.Length(y)), h.Attr("width", h.Length(width)), h.Attr("height", h.Length(height)), h.Attr("rx", "7"))
}

// cut is at most so many characters of a text on one line.
func cut(text string, most int) string {
	text = line(text)
	if first := firstRunes(text, most-1); len(first) < len(text) {
		return strings.TrimSpace(first) + "…"
	}
	return text
}
