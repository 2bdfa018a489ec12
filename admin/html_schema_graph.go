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
					return h.Tr(rowHead(typeAnchor(e.From)), h.Td(anchor("", e.href(), h.Text(colours.property(e.Property)))), h.Td(e.drawTo()), h.Td(h.Class("num"), orElse(counted(e.Count), faint("not counted"))))
				})))), h.P(h.Class("faint"), h.Text("No type refers to another one."))))
}

// drawTo says to what the property leads.
func (e schemaEdge) drawTo() h.Node {
	if e.To == "" {
		return faint("any node")
	}
	return typeAnchor(e.To)
}

// name is the name of the property in the picture, where a line says to what it leads unless that may be any node.
func (e schemaEdge) name(colours *palette) string {
	if e.To == "" {
		return cut(colours.property(e.Property), 12) + " → any"
	}
	return cut(colours.property(e.Property), 18)
}

// counted is a number, "" if it is not known.
func counted(n int64) string {
	if n < 0 {
		return ""
	}
	return count(n)
}

// drawPicture has a box for each type, or for several that are alike.
func (g schemaGraph) drawPicture(colours *palette) h.Node {
	boxes := g.boxes(g.Types[:min(len(g.Types), schemaDrawn)])
	type place struct{ x, y float64 }
	places, at := map[string]place{}, make([]place, len(boxes))
	var bottom [schemaColumns]float64
	height, columns := 0.0, 0
	for i, b := range boxes {
		at[i] = place{float64(b.Column * (schemaWide + schemaGap)), bottom[b.Column] + 6}
		if len(b.Types) == 1 {
			places[b.Types[0].Name] = at[i]
		}
		bottom[b.Column] += b.height() + 18
		height, columns = max(height, bottom[b.Column]), max(columns, b.Column+1)
	}
	var drawn, links h.Group
	for i, b := range boxes {
		x, y := at[i].x, at[i].y
		drawn = append(drawn, b.draw(colours, x, y))
		for k, e := range b.Edges {
			for _, name := range e.Targets {
				if to, known := places[name]; known {
					links = append(links, schemaLink(x+schemaWide, y+schemaHead+float64(k*schemaLine)+10, to.x, to.y+schemaHead/2))
				}
			}
		}
	}
	width := float64(columns*(schemaWide+schemaGap)) - schemaGap + 46 // links between types of the last column bend there
	return drawing(-2, width, height, fmt.Sprintf("%s and %s; the table beneath has them, too", times(len(g.Types), "type", "types"), times(len(g.Edges), "property that refers", "properties that refer")),
		links, drawn)
}

// height is that of the box: a head, a line for each property, and one for each of several types.
func (b *schemaBox) height() float64 {
	lines := len(b.Edges)
	if len(b.Types) > 1 {
		lines += len(b.Types)
	}
	return float64(schemaHead+schemaLine*lines) + 4
}

// draw is the box with its left upper corner at this place.
func (b *schemaBox) draw(colours *palette, x, y float64) h.Node {
	first := &b.Types[0]
	several := len(b.Types) > 1
	middle := y + 18
	// row is the next line: a name and a number, which lead to an address where that is not "".
	row := func(left float64, class, href, name string, n int64) h.Node {
		both := h.Group{h.SVGLabel(x+left, middle, "start", class, name), h.SVGLabel(x+schemaWide-8, middle, "end", "property", counted(n))}
		if href == "" {
			return both
		}
		return h.A(h.Href(href), both)
	}
	frame := rounded(x, y, schemaWide, b.height())
	var lines h.Group
	if several {
		lines = h.Group{frame, h.SVGLabel(x+10, middle, "start", "here", times(len(b.Types), "type", "types"))}
	} else {
		lines = h.Group{frame, row(10, "here", typeURL(first.Name), cut(first.Name, 16), first.Count)}
	}
	middle += schemaHead - 18 + 14 - schemaLine
	for i := range b.Edges {
		e := &b.Edges[i]
		middle += schemaLine
		lines = append(lines, row(10, "", textIf(several, "", e.href()), e.name(colours), e.Count)) // there is no list of several types
	}
	if !several {
		return h.G(h.Class(colours.class(first.Name)), lines)
	}
	for _, t := range b.Types {
		middle += schemaLine
		lines = append(lines, h.G(h.Class(colours.class(t.Name)), typeMark(x+10, middle, colours.mark(t.Name)), row(14+markWide, "", typeURL(t.Name), cut(t.Name, 15), t.Count)))
	}
	return h.G(h.Class("hue-0 group"), lines)
}

// schemaLink leads from the right of a property to the left of a type in a later column, or else to its right.
func schemaLink(x, y, toX, toY float64) h.Node {
	end, bend := toX, toX-schemaGap/2
	if toX < x {
		end, bend = toX+schemaWide, max(x, toX+schemaWide)+schemaGap/2
	}
	return h.Group{curve(x, y, x+schemaGap/2, bend, end, toY), linkEnd(end, toY)}
}
