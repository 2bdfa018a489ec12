package admin

import (
	"fmt"

	h "trails/admin/html"
)

// Bounds and sizes of the picture of a tree, in units of the picture.
const (
	treeDrawn = 400 // nodes and links up to which there is a picture
	treeOpen  = 2   // steps that are unfolded at first
	treeRow   = 34
	treeGap   = 50
)

func (d treeData) main(p page) h.Node {
	name, ofType := labelOf(d.Node), d.Node.IRI == ""
	to := func(by, direction string) string { return treeURL(d.Node, by, direction) }
	head := h.Group{h.H1(h.Bdi(h.Dir("auto"), h.Text("Beneath "+name))), sub(nodeLink(d.Node), h.Span(h.Text(times(d.Count, "node", "nodes"))), h.If(d.By != "", h.Span(h.Text("by "), h.B(h.Text(line(d.Doc.relation(d.By)))))))}
	if ofType {
		name = d.Type + " by " + line(d.Doc.relation(d.By))
		to = func(by, direction string) string { return treesAt(d.Type, by, direction) }
		head = h.Group{h.H1(h.Text(name)), sub(typeBadge(p.colours, d.Type), h.Span(h.Text(times(d.Count, "node", "nodes"))), h.Span(h.Text(times(len(d.Roots), "tree", "trees"))))}
	}
	ways := func(direction, says string) h.Node {
		return anchor(textIf(d.Direction == direction, "badge good", "badge"), to(d.By, direction), h.If(d.Direction == direction, h.Aria("current", "true")), h.Text(says))
	}
	more := fmt.Sprintf("There is more: a tree has what is up to %d steps away, among the first %d nodes around.", depthMax, graphMax)
	nothing := "Nothing is beneath it by this relation. Choose another one, or the other direction."
	if ofType {
		more = fmt.Sprintf("There is more: the trees are made of the first %s nodes that have a value of %s.", count(graphMax), d.Doc.relation(d.By))
		nothing = "No " + d.Type + " has a value of " + d.Doc.relation(d.By) + ", so there is no tree. Choose another relation."
	}
	return h.Group{
		pageHead(head),
		h.P(ways("in", "what refers to it"), space, ways("out", "what it refers to")),
		h.If(len(d.Relations) > 0, h.Nav(h.Aria("label", "Relations"), h.Ul(h.Class("chips plain"), h.Map(d.Relations, func(name string) h.Node {
			return h.Li(anchor("", to(name, d.Direction), h.If(name == d.By, h.Aria("current", "true")), h.Text(line(d.Doc.relation(name)))))
		})))),
		h.If(d.Truncated, h.P(h.Class("notice notice-warn"), h.Text(more))),
		either(d.Count == 0, empty(h.Text(nothing)), h.Group{
			h.Iff(d.Size <= treeDrawn, func() h.Node {
				return section("picture", h.Text("Picture"), nil, framed(figurePicture, "The tree as a picture", "around paths", "", d.drawPicture(p.colours, name)))
			}),
			h.If(d.Size > treeDrawn, h.P(h.Class("faint"), h.Text("This is too much for a picture; the list has all."))),
			section("tree", h.Text("As a list"), nil, h.Div(h.Class("panel pad tree"), h.Ul(h.Map(d.Roots, func(b branchOfTree) h.Node { return b.draw(0) })))),
		}),
	}
}

// draw is a node with what is beneath it, which can be folded.
func (b branchOfTree) draw(depth int) h.Node {
	if len(b.Below) == 0 {
		return h.Li(nodeLink(b.Node), h.If(b.Again, h.Group{space, faint("stands elsewhere in the tree, too")}))
	}
	return h.Li(nodeLink(b.Node), h.Details(h.If(depth < treeOpen, h.Attr("open")), h.Summary(h.Text(count(len(b.Below))+" beneath")),
		h.Ul(h.Map(b.Below, func(c branchOfTree) h.Node { return c.draw(depth + 1) }))))
}

// drawPicture has a line for each node without others beneath it, and the nodes above in the middle of theirs.
func (d treeData) drawPicture(colours *palette, name string) h.Node {
	var links, boxes h.Group
	down, deepest := rows{treeRow/2 + 4, treeRow}, 0
	var place func(b branchOfTree, depth int) float64
	place = func(b branchOfTree, depth int) (y float64) {
		deepest = max(deepest, depth)
		x := float64(depth * (pathBox + treeGap))
		var ends []float64
		for _, c := range b.Below {
			ends = append(ends, place(c, depth+1))
		}
		y = down.place(ends)
		for _, end := range ends {
			links = append(links, curve(x+pathBox, y, x+pathBox+treeGap/2, x+pathBox+treeGap/2, x+pathBox+treeGap, end))
		}
		boxes = append(boxes, pathNode(b.Node, x, y).draw(colours))
		return y
	}
	for _, root := range d.Roots {
		place(root, 0)
	}
	width, height := float64(deepest*(pathBox+treeGap)+pathBox+2), down.next-treeRow/2+4
	return drawing(-1, width, height, fmt.Sprintf("%s beneath %s; the list beneath has them, too", times(d.Count, "node", "nodes"), name), links, boxes)
}
