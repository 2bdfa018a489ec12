package admin

import (
	"fmt"

	h "trails/admin/html"
)

// Sizes of the schema as a graph, in units of the picture. A type has a line for each property that refers to others, so
// that no label is over another one.
const (
	schemaWide = 180 // width of a type
	schemaGap  = 80  // between two columns
	schemaHead = 28  // height of a type's name
	schemaLine = 20  // height of a property
)

// draw is the picture, and the table of the same links.
func (g schemaGraph) draw(colours *palette) h.Node {
	if len(g.Types) == 0 {
		return nil
	}
	return section("graph", h.Text("Types and what they refer to"), nil,
		h.If(g.Why != "", h.P(h.Class("faint"), h.Text(g.Why))),
		h.If(len(g.Types) > schemaDrawn, h.P(h.Class("faint"), h.Text(fmt.Sprintf("The picture has the first %d of %d types; the table has all.", schemaDrawn, len(g.Types))))),
		framed(figurePicture, "The schema as a picture", "around paths", "", g.drawPicture(colours)),
		either(len(g.Edges) > 0, h.Details(h.Class("fold"), h.ID("schema-links"), h.Summary(h.Text("The links as a table")),
			scrolled("Links of the schema", h.THead(h.Tr(column("From"), column("Property"), column("To"), numberColumn("Links"))),
				h.TBody(h.Map(g.Edges, func(e schemaEdge) h.Node {
					return h.Tr(rowHead(typeAnchor(e.From)), h.Td(anchor("", e.href(), h.Text(e.Property))), h.Td(typeAnchor(e.To)), h.Td(h.Class("num"), orElse(counted(e.Count), faint("not counted"))))
				})))), h.P(h.Class("faint"), h.Text("No type refers to another one."))))
}

// counted is a number, "" if it is not known.
func counted(n int64) string {
	if n < 0 {
		return ""
	}
	return count(n)
}

func (g schemaGraph) drawPicture(colours *palette) h.Node {
	types := g.Types[:min(len(g.Types), schemaDrawn)]
	type place struct{ x, y float64 }
	places, lines := map[string]place{}, map[string][]schemaEdge{}
	for _, e := range g.Edges {
		lines[e.From] = append(lines[e.From], e)
	}
	var bottom [schemaColumns]float64
	height, columns := 0.0, 0
	for _, t := range types {
		places[t.Name] = place{float64(t.Column * (schemaWide + schemaGap)), bottom[t.Column] + 6}
		bottom[t.Column] += float64(schemaHead+schemaLine*len(lines[t.Name])) + 22
		height, columns = max(height, bottom[t.Column]), max(columns, t.Column+1)
	}
	var boxes, links h.Group
	for _, t := range types {
		at := places[t.Name]
		var inside h.Group
		for i, e := range lines[t.Name] {
			y := at.y + schemaHead + float64(i*schemaLine)
			n := counted(e.Count)
			inside = append(inside, h.A(h.Href(e.href()),
				h.SVGLabel(at.x+10, y+14, "start", "", cut(e.Property, 18)), h.SVGLabel(at.x+schemaWide-8, y+14, "end", "property", n)))
			for _, name := range e.Targets {
				if to, drawn := places[name]; drawn {
					links = append(links, schemaLink(at.x+schemaWide, y+10, to.x, to.y+schemaHead/2))
				}
			}
		}
		boxes = append(boxes, h.G(h.Class(colours.class(t.Name)),
			rounded(at.x, at.y, schemaWide, float64(schemaHead+schemaLine*len(lines[t.Name]))+4),
			h.A(h.Href(typeURL(t.Name)), h.SVGLabel(at.x+10, at.y+18, "start", "here", cut(t.Name, 16))), h.SVGLabel(at.x+schemaWide-8, at.y+18, "end", "property", counted(t.Count)), inside))
	}
	width := float64(columns*(schemaWide+schemaGap)) - schemaGap + 46 // links between types of the last column bend there
	return drawing(-2, width, height, fmt.Sprintf("%s and %s; the table beneath has them, too", times(len(g.Types), "type", "types"), times(len(g.Edges), "property that refers", "properties that refer")),
		links, boxes)
}

// schemaLink leads from the right of a property to the left of a type in a later column, or else to its right.
func schemaLink(x, y, toX, toY float64) h.Node {
	end, bend := toX, toX-schemaGap/2
	if toX < x {
		end, bend = toX+schemaWide, max(x, toX+schemaWide)+schemaGap/2
	}
	return h.Group{curve(x, y, x+schemaGap/2, bend, end, toY), linkEnd(end, toY)}
}
