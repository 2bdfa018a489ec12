package admin

import (
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"time"

	h "trails/admin/html"
	"trails/auth/policy"
	"trails/builtin/view"
	"trails/rdf"
)

// main is the log.
func (d commitsData) main(p page) h.Node {
	other := anchor("button", "/admin/commits?schema=1", h.Text("Only schema changes"))
	if d.Schema {
		other = anchor("button", commitsURL, h.Text("All commits"))
	}
	list := commitLog(d.Commits, nil)
	switch {
	case d.Wrong != "":
		list = nil
	case len(d.Commits) == 0 && len(d.Filter) > 0:
		list = empty(bdiMessage(firstOf(d.Note, "No commit fits.")), space, anchor("", commitsURL, h.Text("Show all commits")))
	}
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Commits")), lead(h.Text("Every write is one commit: who, when, why, and what changed."))}, actions(other, anchor("button", commitGraphURL, h.Text("As a graph")))),
		d.drawFilter(p.Frame), h.If(d.Wrong != "", alert(d.Wrong)), d.drawDays(), d.drawChips(),
		list, h.If(len(d.Commits) > 0 && d.Note != "", h.P(h.Class("faint"), bdiMessage(d.Note))), d.Pager.draw(),
	}
}

// drawFilter is the form that chooses commits, folded where the page is narrow. What its field When has goes before days that are chosen.
func (d commitsData) drawFilter(f frame) h.Node {
	given := d.Filter.Get
	choice := func(name, any string, of ...string) h.Node {
		return h.Select(h.ID(name), h.Name(name), option("", any, given(name) == ""), h.Map(of, func(one string) h.Node { return option(one, one, given(name) == one) }))
	}
	text := func(name, example string) h.Node {
		return h.Input(h.ID(name), h.Name(name), h.Value(given(name)), h.Attr("placeholder", example))
	}
	day := func(name, label, value string) h.Node {
		return labelled("", name, label, h.Input(h.Type("date"), h.ID(name), h.Name(name), h.Value(value), h.Attr("max", d.Today.Format(time.DateOnly))))
	}
	when := given("when")
	if from, to := datesOf(when); when == from+".."+to || when == from {
		when = "" // the days have it
	}
	return h.Details(h.Class("narrow-fold"), h.If(d.Wrong != "", h.Attr("open")), h.Summary(h.Text("Choose commits")), h.Form(h.Method("get"), h.Action(commitsURL), h.Class("filter"), h.Role("search"), h.Aria("label", "Choose commits"), h.If(d.Schema, hiddenInput("schema", "1")),
		labelled("", "when", "When", h.Input(h.ID("when"), h.Name("when"), h.Value(when), h.Attr("placeholder", "yesterday, 2026-01.."), h.Attr("list", "whens")), h.DataList(h.ID("whens"), h.Map([]string{"today", "yesterday", "last 7 days", "last 30 days"}, func(word string) h.Node { return option(word, word, false) }))),
		day("from", "From", d.From), day("to", "To", d.To),
		h.If(len(f.Branches) > 1, labelled("", "of-branch", "Branch", h.Select(h.ID("of-branch"), h.Name("branch"), h.Map(f.Branches, func(name string) h.Node {
			return option(name, name, branchNamed(name) == f.Branch)
		})))),
		labelled("", "author", "Who", text("author", "part of a name")),
		labelled("", "type", "Type", choice("type", "any", d.Types...)),
		labelled("", "origin", "Origin", choice("origin", "any", policy.OriginNames()...)),
		labelled("", "door", "Door", choice("door", "any", "page", "terminal", "script", "mcp", "http")),
		labelled("", "call", "Call", text("call", "load")),
		h.Button(h.Text("Filter"))))
}

// drawDays are the latest days with how many commits each has, as links to those.
func (d commitsData) drawDays() h.Node {
	counts, most, all := map[string]int64{}, int64(1), int64(0)
	for _, day := range d.Days {
		counts[day.Day], most, all = day.Commits, max(most, day.Commits), all+day.Commits
	}
	if all == 0 {
		return nil
	}
	var days h.Group
	for back := daysShown - 1; back >= 0; back-- {
		at := d.Today.AddDate(0, 0, -back)
		day := at.Format(time.DateOnly)
		n := counts[day]
		label := at.Format("Monday 2 January") + ": " + times(n, "commit", "commits")
		inside := h.Group{h.Span(h.Class("day"), h.Aria("hidden", "true"), h.Text(strconv.Itoa(at.Day()))), unseen(label)}
		if n == 0 {
			days = append(days, h.Li(h.Span(h.Title(label), inside)))
			continue
		}
		level := 1 + (n*3+most-1)/most
		days = append(days, h.Li(anchor("some-"+strconv.FormatInt(min(level, 4), 10), d.with("when", day), h.Title(label), h.If(d.Filter.Get("when") == day, h.Aria("current", "true")), inside)))
	}
	return h.Nav(h.Class("days"), h.Aria("label", "All commits of the last "+strconv.Itoa(daysShown)+" days, by day"), h.Ol(days))
}

// with is the address of the log with another value of a parameter; "" leaves it out.
func (d commitsData) with(name, value string) string {
	values := maps.Clone(d.Filter)
	if values.Set(name, value); value == "" {
		values.Del(name)
	}
	if d.Schema {
		values.Set("schema", "1")
	}
	return withQuery(commitsURL, values)
}

// drawChips are the filters of the log, each a link to the log without it.
func (d commitsData) drawChips() h.Node {
	var chips []chip
	for _, f := range commitFilters {
		if value := d.Filter.Get(f.name); value != "" {
			chips = append(chips, chip{f.label, value, d.with(f.name, "")})
		}
	}
	return listData{Chips: chips}.drawChips()
}

// main is one commit: who made it how, and what changed.
func (d commitData) main(p page) h.Node {
	c := d.Commit
	neighbour := func(id *string, rel, text string) h.Node {
		if id == nil {
			return nil
		}
		return anchor("button", commitURL(*id), h.Rel(rel), h.Text(text))
	}
	draw := func(n view.NodeChange) h.Node { return d.drawNode(p.colours, n) }
	var data, definitions []view.NodeChange // people look for the data first
	for _, n := range d.Nodes {
		if n.Graph == string(rdf.SchemaGraph) {
			definitions = append(definitions, n)
		} else {
			data = append(data, n)
		}
	}
	return h.Group{
		pageHead(h.Group{
			h.H1(h.Bdi(h.Text(firstOf(line(c.What), line(c.Message), "Commit "+c.ID)))),
			h.If(c.What != "" && c.Message != "", lead(h.Bdi(h.Dir("auto"), h.Text("“"+line(c.Message)+"”")))),
			sub(h.Span(plusMinus(c.Added, c.Removed), h.Text(" statements")), h.Span(h.Text("schema version "+fmt.Sprint(c.SchemaVersion))),
				h.If(d.SchemaChanged, badge("warn", "changes the schema"))),
		}, actions(anchor("button", withQuery("/admin", url.Values{"at": {c.ID}}), h.Text("As of this commit")), undoButton(c.ID),
			neighbour(d.Previous, "prev", "Older"), neighbour(d.Next, "next", "Newer"))),
		h.Dl(h.Class("props panel"),
			prop("Commit", idCode(c.ID)),
			h.If(c.Parent != "", prop("Parent", commitLink(c.Parent))),
			h.If(c.Merged != "", prop("Merges", commitLink(c.Merged))),
			prop("Author", authorLink(c.Author)),
			prop("When", timeAt(c.Time), space, faint("UTC")),
			d.drawCall()),
		section("changed", h.Text("What changed"), nil,
			stepsOf(d.Steps), h.Map(data, draw), h.If(len(definitions) > 0, h.Details(h.ID("definitions"), h.If(len(data)+len(d.Steps) == 0, h.Attr("open")),
				h.Summary(h.Text("The schema, as it is stored: "+times(len(definitions), "node", "nodes"))), h.Map(definitions, draw))),
			h.If(len(d.Nodes) == 0, empty(h.Text("No statement changed."))), d.Pager.draw()),
	}
}

// stepsOf lists what became of the schema.
func stepsOf(steps []string) h.Node {
	return h.If(len(steps) > 0, h.Ul(h.Class("panel pad steps"), h.Map(steps, func(step string) h.Node { return h.Li(bdiLine(step)) })))
}

// drawCall is the call that made the commit.
func (d commitData) drawCall() h.Node {
	call := d.Activity
	if call == nil {
		return h.Div(h.Class("prop"), h.Dt(h.Text("Call")), h.Dd(h.Class("faint"), h.Text("Not recorded")))
	}
	return h.Group{
		prop("Call", callOf(*call, d.Listed)),
		h.If(call.Agent != "", prop("Agent", bdiLine(call.Agent))),
		h.If(call.Client != "", prop("Client", bdiLine(call.Client))),
		h.If(call.Law() != "", prop("Rights", bdiLine(call.Law()))),
		h.If(call.TraceID != "", prop("Trace", idCode(line(call.TraceID)))),
	}
}

// drawNode is what the commit did to one node.
func (d commitData) drawNode(colours *palette, change view.NodeChange) h.Node {
	n := change.Node
	var links []h.Node
	if n.Type != "" && n.ID != "" {
		links = append(links, anchor("faint", nodeURL(n.Type, n.ID)+"/history", h.Text("History"), unseen(" of "+labelOf(n))))
		if change.What != "removed" {
			links = append(links, anchor("faint", nodeAt(n.Type, n.ID, d.Commit.ID), h.Text("As it was then"), unseen(": "+labelOf(n))))
		}
	}
	return nodeChange(colours, change, links...)
}

// nodeChange is what becomes of one node.
func nodeChange(colours *palette, change view.NodeChange, links ...h.Node) h.Node {
	return nodeChangeBetween(colours, change, state{}, state{}, state{}, links...)
}

// nodeChangeBetween is nodeChange with links to the states that have the node, and the values before and after; the zero
// value is the state of the page.
func nodeChangeBetween(colours *palette, change view.NodeChange, node, before, after state, links ...h.Node) h.Node {
	kinds, n := map[string]string{"made": "good", "removed": "bad"}, change.Node
	return h.Article(h.Class("diff panel"),
		h.Header(badge(kinds[change.What], change.What), h.H3(&within{node, nodeLink(n)}), h.If(n.Type != "", typeBadge(colours, n.Type)),
			h.If(change.Graph != "", h.Span(faint("in the graph "), bdiLine(change.Graph))), h.Group(links)),
		changeTable(colours, change.Changes, before, after))
}
