package admin

import (
	"strconv"
	"strings"

	h "trails/admin/html"
)

// Href is the page that shows the view.
func (v savedView) Href() string {
	if strings.HasPrefix(v.View, "types/") {
		return "/admin/" + v.View
	}
	return v.storedLine.Href()
}

// main is the dashboard, and beneath it all saved views.
func (d dashboardData) main(p page) h.Node {
	none := empty(h.Text("No view is on the dashboard. Open a list, filter and sort it, draw a chart if you like, and choose “Save view”. Of a stored query draw the chart, choose “Keep this chart with the query”, and give it a place among the saved views of this page."))
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Dashboard")), lead(h.Text("Saved views of the graph, kept in the file."))}),
		h.If(d.Done != "", h.P(h.Class("notice"), h.Role("status"), h.Text("Done, as commit "), commitLink(d.Done), h.Text(". "), undoButton(d.Done))),
		either(len(d.Tiles) > 0, h.Div(h.Class("tiles"), h.Map(d.Tiles, func(t tile) h.Node { return t.draw(p.colours) })), none),
		h.If(d.Left > 0, h.P(h.Class("faint"), h.Text("It draws the first "+count(dashboardMost)+" views; "+count(d.Left)+" more are in the list."))),
		h.If(len(d.Views) > 0, section("views", h.Text("Saved views"), nil, d.drawViews())),
	}
}

// draw is one view on the dashboard.
func (t tile) draw(colours *palette) h.Node {
	id := "tile-" + t.Name
	body := h.Node(nil)
	switch {
	case t.Broken != "":
		body = alert(t.Broken)
	case t.Drawn != nil:
		body = h.Group{warnings(t.Drawn.Warnings), t.Drawn.drawTile(t.Title())}
	case t.List != nil:
		body = h.Group{warnings(t.List.Warnings), t.List.drawRows(), h.P(h.Class("faint"), h.Text(t.List.Pager.Text))}
	case t.Answer.Chart != nil:
		body = t.Answer.Chart.drawTile(t.Title())
	default:
		body = h.Group{t.Answer.drawContent(colours), t.Answer.drawCut()}
	}
	return h.Section(h.Class(textIf(t.columns() > tileColumns, "panel tile wide", "panel tile")), h.Aria("labelledby", id), h.H2(h.ID(id), anchor("", t.Href(), bdiLine(t.Title()))), body)
}

// tileColumns is how many columns of a table a tile has room for; one with more has a row of the dashboard for itself.
const tileColumns = 4

// columns is how many columns the table of a tile has, 0 where it has none.
func (t tile) columns() int {
	switch {
	case t.Broken != "" || t.Drawn != nil:
		return 0
	case t.List != nil:
		return 1 + len(t.List.Columns)
	case t.Answer.Chart != nil:
		return 0
	}
	return len(t.Answer.Columns)
}

// drawRows are the rows of a list, without what changes the list.
func (d listData) drawRows() h.Node {
	if len(d.Rows) == 0 {
		return h.P(h.Class("faint"), h.Text("No row fits."))
	}
	d.Tickable = false
	d.First.Href = ""
	for i := range d.Columns {
		d.Columns[i].Href = ""
	}
	return d.drawTable()
}

// drawTile is the picture with what is said of it.
func (c *drawnChart) drawTile(title string) h.Node {
	if len(c.Points) == 0 {
		return h.P(h.Class("faint"), h.Text("There is nothing to draw: no row has a value of "+c.X+"."))
	}
	picture, notes := c.picture()
	return h.Group{h.If(picture != nil, h.Div(h.Class("panel chart"), h.TabIndex("0"), h.Role("region"), h.Aria("label", "Chart: "+title), picture)), h.Map(notes, func(note string) h.Node { return h.P(h.Class("faint"), h.Text(note)) })}
}

// drawViews are all views, each with the forms that change it.
func (d dashboardData) drawViews() h.Node {
	return scrolled("Table of saved views", columns("View", "Change"), h.TBody(h.Map(d.Views, func(v savedView) h.Node {
		forms := h.Node(faint("Changing it needs the scope builder, which a token gives."))
		if d.May {
			forms = changeForm(v.Name, v.Title(), textIf(v.Dashboard > 0, strconv.Itoa(v.Dashboard), ""))
		}
		return h.Tr(rowHead(h.Group{anchor("", v.Href(), bdiLine(v.Title())), h.Br(), faint(v.Name), h.If(v.Broken != "", h.P(h.Class("bad-text"), h.Bdi(h.Text(v.Broken))))}), h.Td(forms))
	})))
}

// drawViews are the saved views on the overview.
func (d overviewData) drawViews() h.Node {
	return h.If(len(d.Views) > 0, section("views", h.Text("Saved views"), anchor("more", dashboardURL, h.Text("Dashboard")), h.Ul(h.Class("chips"), h.Map(d.Views, func(v savedView) h.Node {
		return h.Li(anchor("", v.Href(), bdiLine(v.Title()), h.If(v.Broken != "", h.Group{space, badge("bad", "broken")})))
	}))))
}

// drawSaveView is the form that keeps the list as it is shown.
func (d listData) drawSaveView() h.Node {
	if !d.Listed["trails.meta.query.add"] {
		return h.Details(h.Class("menu"), h.Name(oneMenu), h.ID("save-view"), h.Summary(h.Text("Save view")), h.Div(h.Class("menu-body"), h.P(h.Class("faint"), h.Text("Saving a view needs the scope builder, which a token gives. The address of this page has the whole view."))))
	}
	return h.Details(h.Class("menu"), h.Name(oneMenu), h.ID("save-view"), h.Summary(h.Text("Save view")),
		saveForm("menu-body", strings.TrimPrefix(d.at(0).href(), "/admin/"), "", true))
}

// saveForm is the form that keeps a list, by its address, under a name.
func saveForm(class, address, title string, onDashboard bool) h.Node {
	return h.Form(h.Class(class), h.Method("post"), h.Action(dashboardURL), h.Attr("hx-boost", "false"),
		hiddenInput("view", address),
		labelled("", "view-title", "Name", h.Input(h.ID("view-title"), h.Name("title"), h.Value(title), h.MaxLength("200"), h.Required(), h.AutoComplete("off"))),
		h.Label(h.Input(h.Type("checkbox"), h.Name("dashboard"), h.Value("1"), h.If(onDashboard, h.Checked())), h.Text(" On the dashboard")),
		h.P(h.Class("faint"), h.Text("Its conditions, order, columns and chart are kept in the file.")),
		h.Button(h.Class("primary"), h.Text("Save")))
}

// changeForm is the form that gives a saved view another name or place, or deletes it.
func changeForm(name, title, place string) h.Node {
	id := "view-" + name
	return h.Form(h.Class("filter"), h.Method("post"), h.Action(dashboardURL), hiddenInput("name", name),
		labelled("grow", id+"-title", "Name", h.Input(h.ID(id+"-title"), h.Name("title"), h.Value(title), h.MaxLength("200"), h.Required())),
		labelled("", id+"-place", "Place on the dashboard", h.Input(h.ID(id+"-place"), h.Name("place"), h.Value(place), h.Attr("inputmode", "numeric"), h.Attr("size", "4"), h.Placeholder("none"))),
		submit("", "do", "change", "Change"), submit("danger", "do", "delete", "Delete"))
}

// viewRefused is a saved view that was not kept, with the form that was sent.
type viewRefused struct {
	Problem string
	Form    h.Node
}

// main says why, and shows the form again.
func (d viewRefused) main(page) h.Node {
	return h.Group{pageHead(h.H1(h.Text("The view was not saved"))), alert(d.Problem), h.Div(h.Class("panel pad"), d.Form), h.P(anchor("", dashboardURL, h.Text("Go to the dashboard")))}
}
