package admin

import (
	"slices"
	"strconv"

	"trails/admin/chart"
	h "trails/admin/html"
)

// draw is the chart, what it leaves out, and the table of its numbers.
func (c *drawnChart) draw() h.Node {
	if c == nil {
		return nil
	}
	if len(c.Points) == 0 {
		return section("chart", h.Text("Chart"), h.P(h.Class("empty"), h.Text("There is nothing to draw: no row has a value of "+c.X+".")))
	}
	picture, notes := c.picture()
	return section("chart", h.Text(c.Name), nil, h.Iff(picture != nil, func() h.Node { return framed(chartPicture, "Chart: "+c.Name, "chart", c.Address, picture) }),
		h.Map(notes, func(note string) h.Node { return h.P(h.Class("faint"), h.Text(note)) }), c.drawNumbers("numbers"))
}

// picture is the drawing, nil if there can be none, and what is said of it.
func (c *drawnChart) picture() (picture h.Node, notes []string) {
	notes = slices.Clone(c.Notes)
	if why, ok := c.Drawable(); !ok {
		return nil, append(notes, why)
	}
	drawn, left := c.Draw()
	if left != "" {
		notes = append(notes, left)
	}
	return drawn, notes
}

// drawNumbers is the table beneath the chart, in an element with this id.
func (c *drawnChart) drawNumbers(id string) h.Node {
	split := false
	for _, p := range c.Points {
		split = split || p.Series != ""
	}
	return h.Details(h.Class("fold"), h.ID(id), h.Summary(h.Text("The numbers")), h.Div(h.Class("scroll"), h.TabIndex("0"), h.Role("region"), h.Aria("label", "The numbers of the chart"),
		h.Table(h.Caption(h.Class("hide"), h.Text(c.Name)),
			h.THead(h.Tr(h.Th(h.Scope("col"), h.Text(c.X)), h.If(split, h.Th(h.Scope("col"), h.Text("Part"))), h.Th(h.Scope("col"), h.Class("num"), h.Text(c.Y)))),
			h.TBody(h.Map(c.Points, func(p chart.Point) h.Node {
				name := h.Node(h.Text(firstOf(line(p.Label), "(none)")))
				if p.Href != "" {
					name = anchor("", p.Href, name)
				}
				return h.Tr(rowHead(name), h.If(split, h.Td(h.Text(line(p.Series)))), h.Td(h.Class("num"), h.Text(strconv.FormatFloat(p.Value, 'f', -1, 64))))
			})))))
}

// drawChartForm is the form that asks for a chart of the list.
func (d listData) drawChartForm() h.Node {
	c := d.Chart
	paths := func(chosen string) h.Node {
		return h.Map(d.Paths, func(g pathGroup) h.Node {
			options := h.Map(g.Paths, func(p titled) h.Node { return option(p.Path, p.Title, p.Path == chosen) })
			if g.Reference == "" {
				return options
			}
			return h.OptGroup(h.Attr("label", g.Reference), options)
		})
	}
	return h.Details(h.Class("menu"), h.Name(oneMenu), h.ID("chart-menu"), h.Summary(h.Text("Chart")), h.GetForm(typeURL(d.Type), h.Class("menu-body"),
		d.keptFilters(), d.keptSearch(), d.keptColumns(), d.keptOrder(),
		labelled("", "by", "Chart by", h.Select(h.ID("by"), h.Name("by"), paths(firstOf(c.By, d.grouping())))),
		labelled("", "split", "In parts by", h.Select(h.ID("split"), h.Name("split"), option("", "nothing", c.Split == ""), paths(c.Split))),
		labelled("", "sum", "Show", h.Select(h.ID("sum"), h.Name("sum"), option("", "the number of rows", c.Sum == ""),
			h.Map(d.numbersOf(), func(p titled) h.Node { return option(p.Path, "the sum of "+p.Title, p.Path == c.Sum) }))),
		labelled("", "kind", "As", h.Select(h.ID("kind"), h.Name("chart"), kindOptions(c.Kind))),
		h.Button(h.Class("primary"), h.Text("Draw")),
		h.If(c.By != "", h.P(anchor("", d.withoutChart().href(), h.Text("Without a chart"))))))
}

// kindOptions are the kinds of charts to choose from.
func kindOptions(chosen chart.Kind) h.Node {
	out := h.Group{option("", "what fits", chosen == "")}
	for _, k := range chart.Kinds {
		out = append(out, option(string(k.Kind), k.Name, k.Kind == chosen))
	}
	return out
}

// grouping is the property that most likely groups the list: one that lists its values, else a reference.
func (d listData) grouping() (name string) {
	for _, p := range d.All {
		if len(p.OneOf) > 0 {
			return p.Name
		}
		if name == "" && p.Class != "" {
			name = p.Name
		}
	}
	return name
}
