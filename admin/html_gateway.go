package admin

import (
	h "trails/admin/html"
)

// main is the gateway: its servers, what an agent finds, what was called and what is kept.
func (d gatewayData) main(page) h.Node {
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Gateway")), lead(h.Text("What an agent finds and calls by "), plainCode("tool_browse"), h.Text(", "), plainCode("tool_execute"), h.Text(" and "), plainCode("tool_view"),
			h.Text(": the file's own tools, and those of the upstream servers that it names."))},
			actions(h.If(d.Listed["trails.meta.gateway.add"], anchor("button", formURL("trails.meta.gateway.add"), h.Text("Add a server"))))),
		section("servers", h.Text("Servers"), span("more faint", "as they stand in this process; none is started by this list"),
			d.drawServers(), d.drawEmbeddings(), h.If(d.Settings != "", fold("Settings", h.Pre(h.TabIndex("0"), h.Text(d.Settings))))),
		section("find", h.Text("What an agent finds"), anchor("more", pathURL("/"), h.Text("The catalog as a tree")),
			h.GetForm(gatewayURL, h.Class("filter"), h.Role("search"), h.Aria("label", "Tools"),
				labelled("grow", "query", "What is to be done, in words", h.Input(h.Type("search"), h.ID("query"), h.Name("query"), h.Value(d.Query), h.MaxLength("400"), h.AutoComplete("off"))),
				h.Button(h.Text("Find tools"))),
			d.Found.draw()),
		section("recent", h.Text("Recent calls"), span("more faint", "of tools of servers, among the latest activities"), d.drawCalls()),
		section("kept", h.Text("Kept results"), span("more faint", count(d.Artifacts.Count)+" for you, "+count(d.Artifacts.Bytes)+" bytes"), d.Artifacts.draw()),
	}
}

func (d gatewayData) drawServers() h.Node {
	if len(d.Upstreams) == 0 {
		return empty(h.Text("The file names no upstream server. The command line adds one: "), plainCode("trails gateway add FILE NAME --stdio COMMAND"), h.Text("."))
	}
	return scrolled("Table of servers",
		h.THead(h.Tr(column("Server"), column("State"), column("Reached by"), numberColumn("Calls"), numberColumn("Failed"), numberColumn("Latency"))),
		h.TBody(h.Map(d.Upstreams, serverLine.draw)))
}

// draw is a server in the table of them.
func (s serverLine) draw() h.Node {
	latency := faint("none")
	if s.Calls != 0 {
		latency = h.Text(count(s.Latency) + " ms")
	}
	mark := func(is bool, text string) h.Node { return h.If(is, h.Group{space, badge("", text)}) }
	return h.Tr(
		rowHead(anchor("id", serverURL(s.Name), h.Text(line(s.Name))), mark(s.Definition.Pin, "pinned"), mark(s.Definition.Required, "required"),
			h.If(s.Says != "", h.Group{h.Br(), h.Span(h.Class("faint"), bdiMessage(s.Says))})),
		h.Td(serverState(s.State, s.Problem)), h.Td(h.Text(line(s.Way)+" "), h.Bdi(plainCode(line(s.Address)))),
		h.Td(h.Class("num"), h.Text(count(s.Calls))), h.Td(h.Class("num"), h.Text(count(s.Failed))), h.Td(h.Class("num"), latency))
}

func (d gatewayData) drawEmbeddings() h.Node {
	e := d.Embeddings
	if e == nil {
		return nil
	}
	return h.P(h.Text("Embeddings: "), serverState(e.State, e.Problem), space, faint(times(e.Vectors, "vector", "vectors")+" in memory"))
}

// draw is what a search found; nothing when nothing was looked for.
func (f *found) draw() h.Node {
	if f == nil {
		return nil
	}
	answer := h.Node(h.Group{
		h.If(len(f.Cards) > 0, h.Div(h.Class("panel pad"), h.Ul(h.Class("vals"), h.Aria("label", "Found"), h.Map(f.Cards, func(c card) h.Node {
			return h.Li(anchor("id", c.Href(), bdiLine(c.ID)))
		})))),
		whatAgentsRead(f.Text, f.Tokens),
	})
	if f.Problem != "" {
		answer = alert(f.Problem)
	}
	return h.Div(h.ID("found"), f.drawTrail(), answer)
}

// drawTrail leads from the root of the tree to the path.
func (f *found) drawTrail() h.Node {
	var trail h.Group
	for i, l := range f.Trail {
		switch {
		case i > 1:
			trail = append(trail, h.Text(" / "))
		case i > 0:
			trail = append(trail, space) // the root is a slash itself
		}
		trail = append(trail, l.draw())
	}
	return h.If(len(trail) > 0, h.Nav(h.Aria("label", "Path"), h.P(trail)))
}

func (d gatewayData) drawCalls() h.Node {
	if len(d.Calls) == 0 {
		return empty(h.Text("No tool of a server was called lately."))
	}
	return scrolled("Table of calls", columns("Tool", "Outcome", "Who", "When"), h.TBody(h.Map(d.Calls, func(c call) h.Node {
		return h.Tr(rowHead(anchor("id", toolURL(c.Capability), h.Text(line(c.Capability)))), h.Td(outcome(c), h.If(c.DryRun, h.Text(" dry run"))), whoAndWhen(c))
	})))
}

// draw is the table of kept results.
func (l artifactList) draw() h.Node {
	if len(l.Rows) == 0 {
		return empty(h.Text("No result is kept for you. One that is too long to be passed on to an agent is."))
	}
	noBreak := func(text string) h.Node { return h.Bdi(h.Class("nowrap"), h.Text(line(text))) }
	return h.Group{
		scrolled("Table of kept results",
			h.THead(h.Tr(column("Handle"), column("Tool"), column("Type"), numberColumn("Bytes"), column("Made"), column("Kept until"))),
			h.TBody(h.Map(l.Rows, func(r artifactRow) h.Node {
				return h.Tr(rowHead(anchor("id", artifactURL(r.Handle), noBreak(r.Handle))), h.Td(noBreak(r.Tool)), h.Td(h.Text(line(r.MediaType))),
					h.Td(h.Class("num"), h.Text(count(r.Bytes))), h.Td(timeAt(r.Created)), h.Td(timeAt(r.Expires)))
			}))),
		h.If(l.Next != "", h.P(anchor("button", l.NextHref(), h.Text("Older")))),
	}
}
