package admin

import (
	"fmt"
	"net/url"

	h "trails/admin/html"
)

// Measures of the picture, in pixels. The style sheet has the height of a row, too.
const (
	graphRowHeight = 36
	graphLaneWidth = 16
)

// main is the picture with its commits beside it.
func (d commitGraph) main(page) h.Node {
	about := "Each branch has a lane and a colour; a merge has two lines down. Newest first."
	if d.Hidden > 0 {
		about += " " + times(d.Hidden, "branch is", "branches are") + " left out."
	}
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Graph of commits")), lead(h.Text(about))}, actions(anchor("button", "/admin/commits", h.Text("As a list")), anchor("button", branchesURL, h.Text("Branches")))),
		h.Div(h.Class("commit-graph panel"), d.draw(), h.Ol(h.Map(d.Rows, d.drawRow))),
		d.Pager.draw(),
	}
}

// draw is the picture alone: the list beside it says the same.
func (d commitGraph) draw() h.Node {
	width, height := d.Lanes*graphLaneWidth+graphLaneWidth/2, len(d.Rows)*graphRowHeight
	var commits h.Group
	for i, r := range d.Rows {
		x, y := place(i, r.Lane)
		commits = append(commits, h.Circle(h.Class(laneColour(r.Lane)), h.Attr("cx", fmt.Sprint(x)), h.Attr("cy", fmt.Sprint(y)), h.Attr("r", textIf(r.Merged != "", "6", "4"))))
	}
	return h.SVG(h.Attr("width", fmt.Sprint(width)), h.Attr("height", fmt.Sprint(height)), h.Attr("viewBox", fmt.Sprintf("0 0 %d %d", width, height)), h.Aria("hidden", "true"),
		h.Map(d.Edges, graphEdge.draw), commits)
}

// laneColour is the class of a lane.
func laneColour(lane int) string { return fmt.Sprintf("lane hue-%d", lane%hues+1) }

// place is the middle of a commit.
func place(row, lane int) (x, y int) {
	return lane*graphLaneWidth + graphLaneWidth*3/4, row*graphRowHeight + graphRowHeight/2
}

// draw is a line down. It changes its lane just above the commit that a branch was made from, or just below a merge.
func (e graphEdge) draw() h.Node {
	x, y := place(e.From, e.FromLane)
	toX, toY := place(e.To, e.ToLane)
	const half = graphRowHeight / 2
	path, lane := fmt.Sprintf("M%d %dV%dC%d %d %d %d %d %d", x, y, toY-graphRowHeight, x, toY-half, toX, toY-half, toX, toY), e.FromLane
	if e.Merges {
		path, lane = fmt.Sprintf("M%d %dC%d %d %d %d %d %dV%d", x, y, x, y+half, toX, y+half, toX, y+graphRowHeight, toY), e.ToLane
	}
	return h.Path(h.Class(laneColour(lane)), h.Attr("d", path))
}

// drawRow is a commit in words.
func (d commitGraph) drawRow(r graphRow) h.Node {
	on := func(path string) string { return withQuery(path, url.Values{"branch": {r.Branch}}) }
	heads := h.Map(r.Heads, func(name string) h.Node {
		return anchor("badge", withQuery("/admin", url.Values{"branch": {name}}), bdiLine(name))
	})
	return h.Li(h.Data("key", r.ID), heads,
		h.Span(h.Class("msg"), anchor("", on(commitURL(r.ID)), h.Bdi(h.Text(commitName(r.Commit))))),
		h.If(len(r.Heads) == 0, h.Span(h.Class("hide"), h.Text("on "), bdiLine(r.Branch))),
		h.If(r.Merged != "", h.Span(h.Class("hide"), h.Text("merges "+r.Merged))),
		h.Span(h.Class("by faint"), bdiLine(whoIs(r.Author)), space, timeAt(r.Time)))
}
