package admin

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	h "trails/admin/html"
	"trails/auth/policy"
	"trails/builtin/view"
	"trails/schema"
)

// oneMenu is the name that the menus of a list share, so that one that is opened closes the others without scripts, too.
const oneMenu = "list-menu"

// main is the list of a type's instances, with its filters.
func (d listData) main(p page) h.Node {
	t := d.Schema
	var extends h.Node
	if len(t.Extends) > 0 {
		extends = h.Span(h.Text("extends "), h.Map(t.Extends, func(name string) h.Node { return h.Group{typeBadge(p.colours, name), space} }))
	}
	mayCreate := p.AsOf == nil && !t.Abstract
	return h.Group{
		pageHead(h.Group{
			h.H1(h.Class(p.colours.class(d.Type)), p.colours.swatch(d.Type), h.Text(" "+d.Type)),
			h.If(t.Description != "", lead(h.Text(line(t.Description)))),
			sub(extends, anchor("", "/admin/schema"+fragment(d.Type), h.Text("Schema")), anchor("", "/admin/capabilities"+fragment(d.Capacity), h.Text("Capabilities")),
				h.If(!t.Abstract, anchor("", typeQueryURL(d.Type), h.Text("Query"))),
				h.Map(d.Trees, func(by treeRelation) h.Node {
					return anchor("", treesAt(d.Type, by.Name, by.Direction), h.Text("Tree by "+line(by.Title)))
				})),
		}, actions(h.If(mayCreate, anchor("button primary", capabilityURL(d.Capacity+".create"), h.Text("New "+d.Type))))),
		h.Div(h.ID("list"), h.Data("announce", d.Announce),
			h.Attr("hx-boost", "true"), h.Attr("hx-target", "#list"), h.Attr("hx-select", "#list"), h.Attr("hx-swap", "outerHTML show:none"),
			h.Div(h.Class("filters"), d.drawSearch(), d.drawFilter(), d.drawOrigins(), d.drawColumns(), d.drawChartForm(), d.drawFiles(p.Twins), h.If(p.AsOf == nil, d.drawSaveView())),
			h.Div(h.ID("found"), h.Attr("data-live-region"), d.drawChips(), d.drawFacets(), warnings(d.Warnings), d.Drawn.draw(), d.drawEditing(), d.drawTable(), h.If(d.Tickable && len(d.Rows) > 0, d.drawSelected()), d.Pager.draw()),
			h.P(h.ID("edited"), h.Class("edited"), h.Role("status"))),
	}
}

// drawSearch is the form that looks for a label.
func (d listData) drawSearch() h.Node {
	wrong, value := d.Problems.Search, d.Search
	if wrong.Message != "" {
		value = wrong.Value
	}
	return h.GetForm(typeURL(d.Type), h.Class("filter grow"), h.Role("search"), h.Aria("label", "This list"), d.drawKept(), d.keptOrigin(),
		labelled("grow"+wrong.class(" "), "search", "Words of the label",
			h.Input(h.Type("search"), h.ID("search"), h.Name("search"), h.Value(value), h.MaxLength("200"), h.AutoComplete("off"), wrong.attributes("search-error"))),
		h.Button(h.Text("Search")), wrong.draw("search-error", ""))
}

// drawFilter is the form that adds a filter.
func (d listData) drawFilter() h.Node {
	wrong := d.Problems.Filter
	return h.GetForm(typeURL(d.Type), h.Class("filter"), d.drawKept(), d.keptSearch(),
		labelled("", "property", "Property", h.Select(h.ID("property"), h.Name("property"), h.Map(d.Paths, func(g pathGroup) h.Node {
			options := h.Map(g.Paths, func(p titled) h.Node { return option(p.Path, p.Title, p.Path == wrong.Property) })
			if g.Reference == "" {
				return options
			}
			return h.OptGroup(h.Attr("label", g.Reference), options)
		}))),
		labelled("", "op", "Comparison", h.Select(h.ID("op"), h.Name("op"), h.Map(conditionOps, func(o conditionOp) h.Node {
			return option(o.op, o.says, o.op == wrong.Op)
		}))),
		labelled(wrong.class(""), "value", "Value",
			h.Input(h.ID("value"), h.Name("value"), h.Value(wrong.Value), h.List("values"), h.MaxLength("2000"), h.AutoComplete("off"), h.Placeholder("2023, a text, an id…"), wrong.attributes("value-error"))),
		h.DataList(h.ID("values"), h.Map(d.Options, func(v string) h.Node { return h.Option(h.Value(v)) })),
		h.Button(h.Text("Filter")), wrong.draw("value-error", ". The list is shown without this filter."))
}

// class, attributes and draw say of an input that it is wrong, and why.
func (p problemAt) class(before string) string { return textIf(p.Message != "", before+"wrong", "") }

func (p problemAt) attributes(id string) h.Node {
	return h.If(p.Message != "", h.Group{h.Aria("invalid", "true"), h.Aria("describedby", id)})
}

func (p problemAt) draw(id, more string) h.Node {
	return h.If(p.Message != "", h.P(h.Class("filter-error"), h.ID(id), h.Role("alert"), bdiMessage(p.Message), h.Text(more)))
}

// drawColumns is the form that chooses columns.
func (d listData) drawColumns() h.Node {
	return h.Details(h.Class("menu"), h.Name(oneMenu), h.ID("columns"), h.Summary(h.Text("Columns")), h.GetForm(typeURL(d.Type), h.Class("menu-body"),
		d.keptFilters(), d.keptSearch(), d.keptOrder(), d.keptChart(),
		h.Map(d.All, func(p schema.PropertyDocument) h.Node {
			return h.Label(h.Input(h.Type("checkbox"), h.Name("col"), h.Value(p.Name), h.If(d.Shows(p.Name), h.Checked())), h.Text(" "+titleOf(p)+textIf(p.Name == d.Label, ", once more", "")))
		}),
		h.Button(h.Text("Show these")),
		h.If(len(d.listView.Columns) > 0, h.A(h.Attr("data-first-columns"), h.Href(d.atFirst().href()), h.Text("As at first")))))
}

// drawOrigins are links to what one class of sources alone said.
func (d listData) drawOrigins() h.Node {
	return h.Details(h.Class("menu"), h.Name(oneMenu), h.ID("origins"), h.Summary(h.Text("Said by")), h.Ul(h.Class("menu-body plain"),
		h.Map(append([]string{""}, policy.OriginNames()...), func(name string) h.Node {
			one := d.at(0)
			one.Origin = name
			return h.Li(anchor("", one.href(), h.If(name == d.Origin, h.Aria("current", "true")), h.Text(saidBy(name))))
		})))
}

// drawFiles are the links to all rows of the list as files.
func (d listData) drawFiles(twins []twin) h.Node {
	return h.Details(h.Class("menu"), h.Name(oneMenu), h.ID("files"), h.Summary(h.Text("Download")), h.Div(h.Class("menu-body"), h.Attr("hx-boost", "false"),
		h.P(h.Class("faint"), h.Text("All rows of this list, with these columns, as")),
		h.Ul(h.Class("plain"), h.Map(twins, func(t twin) h.Node {
			return h.Li(anchor("", t.Href, h.Type(t.MIME), h.Download(d.Type), h.Text(t.Label)))
		}))))
}

// drawKept are the parameters that a form about a filter keeps.
func (v listView) drawKept() h.Node {
	return h.Group{v.keptFilters(), v.keptColumns(), v.keptOrder(), v.keptChart()}
}

func (v listView) keptColumns() h.Node {
	return h.Map(v.Columns, func(name string) h.Node { return hiddenInput("col", name) })
}

func (v listView) keptChart() h.Node {
	var out h.Group
	q := url.Values{}
	v.Chart.set(q)
	for _, name := range slices.Sorted(maps.Keys(q)) {
		out = append(out, hiddenInput(name, q.Get(name)))
	}
	return out
}

func (v listView) keptFilters() h.Node {
	return h.Group{h.Map(v.Where, func(c condition) h.Node { return hiddenInput("where", c.String()) }), h.If(v.Edit, hiddenInput("edit", "1"))}
}

func (v listView) keptSearch() h.Node {
	return h.Group{h.If(v.Search != "", hiddenInput("search", v.Search)), v.keptOrigin()}
}

func (v listView) keptOrigin() h.Node { return h.If(v.Origin != "", hiddenInput("origin", v.Origin)) }

func (v listView) keptOrder() h.Node {
	sort, descending := v.sortParameters()
	return h.Group{h.If(sort != "", hiddenInput("sort", sort)), h.If(descending, hiddenInput("desc", "1"))}
}

// drawChips are the filters of the list, each a link to the list without it.
func (d listData) drawChips() h.Node {
	return h.If(len(d.Chips) > 0, h.Ul(h.Class("chips"), h.Aria("label", "Active filters"), h.Map(d.Chips, func(c chip) h.Node {
		return h.Li(anchor("", c.Href, unseen("Remove filter: "), faint(c.Text), space, bdiLine(c.Value), space, h.Span(h.Class("x"), h.Aria("hidden", "true"), h.Text("×"))))
	})))
}

// drawFacets are the values of properties with few, each a link to the list of those that have it.
func (d listData) drawFacets() h.Node {
	return h.If(len(d.Facets) > 0, h.Dl(h.Class("facets"), h.Map(d.Facets, facetLinks.draw)))
}

// draw is one property with its values.
func (f facetLinks) draw() h.Node {
	if f.Bars {
		return h.Div(h.Class("facet"), h.Dt(h.Text(f.Title)), h.Dd(f.drawBars()), h.If(f.Note != "", h.Dd(faint(f.Note))))
	}
	return h.Div(h.Class("facet"), h.Dt(h.Text(f.Title)), h.Map(f.Links, func(l facetLink) h.Node {
		return h.Dd(anchor("", l.Href, h.If(l.Current, h.Aria("current", "true")), bdiLine(l.Value), space, faint(l.Count)))
	}), h.If(f.Note != "", h.Dd(faint(f.Note))))
}

// Sizes of a picture of years or months.
const (
	barWide = 16
	barHigh = 36
)

// drawBars has a bar for each year or month, which is a link to its nodes.
func (f facetLinks) drawBars() h.Node {
	most := 1
	for _, l := range f.Links {
		most = max(most, l.Number)
	}
	wide := float64(max(len(f.Links)*barWide, 2*len("2006-01")*7))
	var bars h.Group
	for i, l := range f.Links {
		x, high := float64(i*barWide), max(1, float64(l.Number)/float64(most)*barHigh)
		rect := func(class string, y, high float64) h.Node {
			return h.Rect(h.Class(class), h.Attr("x", h.Length(x)), h.Attr("y", h.Length(y)), h.Attr("width", h.Length(barWide-2)), h.Attr("height", h.Length(high)))
		}
		bars = append(bars, h.A(h.Href(l.Href), h.Data("value", l.Value), h.Data("count", strconv.Itoa(l.Number)), h.If(l.Current, h.Aria("current", "true")), h.TitleEl(h.Text(l.Value+": "+l.Count)),
			rect("room", 0, barHigh), rect("bar", barHigh-high, high)))
	}
	first, last := f.Links[0].Value, f.Links[len(f.Links)-1].Value
	return h.SVG(h.Class("bars"), h.Attr("viewBox", fmt.Sprintf("0 0 %s %d", h.Length(wide), barHigh+14)), h.Attr("width", h.Length(wide)), h.Attr("height", strconv.Itoa(barHigh+14)),
		h.Data("property", f.Property), h.Ask("data-range", f.Unbound), h.Role("group"), h.Aria("label", f.Title+" from "+first+" to "+last), bars,
		h.SVGLabel(0, barHigh+12, "start", "", first), h.SVGLabel(wide, barHigh+12, "end", "", last))
}

// drawEditing is what a browser without scripts has in the place of cells that can be changed where they are.
func (d listData) drawEditing() h.Node {
	if d.Edit {
		return h.P(h.Class("faint"), h.Text("✎ leads to the field of its cell. "), anchor("", d.edited(false).href(), h.Text("Without these links")))
	}
	return h.If(d.mayEdit(), h.NoScript(h.P(anchor("", d.edited(true).href(), h.Text("Change single cells")))))
}

func (d listData) drawTable() h.Node {
	rows := h.Node(h.Map(d.Rows, d.drawRow))
	if len(d.Rows) == 0 {
		none := h.Node(h.Text("No " + d.Type + " yet."))
		if len(d.Chips) > 0 {
			none = h.Group{h.Text("Nothing matches these filters. "), anchor("", typeURL(d.Type), h.Text("Show all"))}
		}
		rows = h.Tr(h.Td(h.Class("empty"), h.ColSpan("99"), none))
	}
	return h.Div(h.Class("scroll"), h.TabIndex("0"), h.Role("region"), h.Aria("label", d.Type+" instances"), h.Table(h.Class("list-table"),
		h.Caption(h.Class("hide"), h.Text(d.Type+": "+d.Pager.Text)),
		h.THead(h.Tr(h.If(d.Tickable, h.Th(h.Scope("col"), h.Class("tick"), h.Input(h.Type("checkbox"), h.Attr("hidden"), h.Aria("label", "Choose all rows of this page")), unseen("Choose"))), d.First.draw(), h.Map(d.Columns, heading.draw))),
		h.TBody(h.Attr("hx-boost", "false"), rows)))
}

// drawSelected is the form that changes the rows that are ticked.
func (d listData) drawSelected() h.Node {
	return h.Form(h.ID("selected"), h.Class("filter selected"), h.Method("post"), h.Action(typeURL(d.Type)+"/selected"), h.Attr("hx-boost", "false"), h.Aria("label", "The rows that are ticked"),
		h.Span(h.ID("ticked"), h.Class("ticked faint"), h.Role("status")),
		h.If(d.mayEdit(), h.P(h.Class("all-at-once faint"), h.Text("Double-click a cell of one of them to change it in all. Or:"))),
		labelled("", "change", "Rows that are ticked", h.Select(h.ID("change"), h.Name("change"),
			option("set", "set", true), option("clear", "remove the value of", false), option("delete", "delete", false))),
		labelled("", "of", "Property", h.Select(h.ID("of"), h.Name("property"), h.Map(d.All, func(p schema.PropertyDocument) h.Node { return option(p.Name, titleOf(p), false) }))),
		labelled("grow", "to", "New value", h.Input(h.ID("to"), h.Name("value"), h.List("values"), h.MaxLength("10000"), h.AutoComplete("off"))),
		h.Button(h.Text("Preview…")),
		hiddenInput(listName, d.query().Encode()),
		labelled("", "as-file", "Or save them as", h.Select(h.ID("as-file"), h.Name(fileName), h.Map(view.ListForms, func(f view.ListForm) h.Node { return option(f.Name, f.Label, false) }))),
		h.Button(h.Name(downloadName), h.Value("1"), h.Text("Download")))
}

// The fields of the form of the rows that are ticked that save them: the parameters of the list, the form of the file, and the
// button.
const (
	listName     = "list"
	fileName     = "file"
	downloadName = "download"
)

// draw is a column's head: one link sorts by it alone, another one by it after the columns that sort already. A click
// with Shift follows the second one.
func (c heading) draw() h.Node {
	arrows := map[string]string{"ascending": "▲", "descending": "▼"}
	name := h.Text(firstOf(c.Title, "Instance"))
	if c.Href != "" {
		place := textIf(c.Place > 0, strconv.Itoa(c.Place), "")
		name = h.Group{
			anchor("", c.Href, h.ID("sort-"+c.Name), h.If(c.Title != c.Name, h.Title(c.Name)), h.If(c.Too != "", h.Data("too", "too-"+c.Name)), h.Text(c.Title),
				h.If(c.Sort != "", h.Group{space, h.Span(h.Class("arrow"), h.Aria("hidden", "true"), h.Text(arrows[c.Sort]+place)), h.If(place != "", unseen(" sorts at place "+place))})),
			h.If(c.Too != "", h.Group{space, anchor("sort-too", c.Too, h.ID("too-"+c.Name), h.Text(textIf(c.Place > 0, "⇅", "+")),
				unseen(textIf(c.Place > 0, " turn the direction of ", " sort also by ")+c.Title))}),
		}
	}
	return h.Th(h.Scope("col"), h.Data("property", c.Name), h.If(c.Title != "", h.Data("title", c.Title)), h.If(c.Sort != "", h.Aria("sort", c.Sort)), h.If(c.Number, h.Class("num")), name)
}

func (d listData) drawRow(r view.Row) h.Node {
	label, tick := labelOf(r.Node), h.Node(nil)
	if d.Tickable {
		tick = h.Td(h.Class("tick"), h.Input(h.Type("checkbox"), h.Name("node"), h.Value(r.Node.IRI), h.Attr("form", "selected"), h.Aria("label", "Choose "+label)))
	}
	edit := d.editURL(r.Node)
	return h.Tr(h.Data("key", r.Node.IRI), h.If(edit != "", h.Ask("data-edit", edit)), tick, rowHead(nodeLink(r.Node)), h.Map(d.Columns, func(c heading) h.Node {
		cells, more := r.Cells[c.Name], r.More[c.Name]
		return h.Td(h.If(c.Number, numeric), h.Iff(len(cells) > 0, func() h.Node {
			return h.Group{h.Ul(valuesInline, cellItems(cells)), h.Iff(more > 0, func() h.Node { return h.Group{space, faint("+" + count(more))} })}
		}), h.Iff(d.Edit && edit != "" && !strings.Contains(c.Name, "."), func() h.Node {
			return h.Group{space, anchor("edit-cell", edit+fragment(fieldID(c.Name)), h.Span(h.Aria("hidden", "true"), h.Text("✎")), unseen("Change "+c.Title+" of "+label))}
		}))
	}))
}

// Attributes of cells, made once for all of them.
var (
	numeric      = h.Class("num")
	valuesInline = h.Class("vals inline")
)
