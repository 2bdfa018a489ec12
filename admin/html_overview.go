package admin

import (
	"fmt"

	"github.com/google/uuid"

	"trails/admin/form"
	h "trails/admin/html"
)

// main is the overview: what is in the graph, what happened last, and how to reach it.
func (d overviewData) main(p page) h.Node {
	head := h.Node(h.Text("no commit yet"))
	if p.Live.Head != "" {
		head = h.Group{h.Text("head "), commitLink(p.Live.Head)}
	}
	fact := func(n, of string) h.Node { return h.Li(h.B(h.Text(n)), h.Text(" "+of)) }
	return h.Group{
		pageHead(h.Group{
			h.H1(h.Bdi(h.Text(firstOf(line(p.Frame.Graph), "Graph")))),
			h.Ul(h.Class("facts"),
				fact(count(d.Total), plural(d.Total, "instance", "instances")), fact(fmt.Sprint(d.AllTypes), plural(int64(d.AllTypes), "type", "types")), fact(count(d.Quads), "statements"),
				h.Li(h.Text("schema version "), h.B(h.Text(fmt.Sprint(d.Version)))), h.If(d.At == "", h.Li(head))),
		}),
		h.If(len(d.Waiting) > 0, section("waiting", h.Text("Waiting for a decision"), anchor("more", requestsURL, h.Text("All requests")), drawRequests(d.Waiting, p.Frame.Types))),
		h.If(d.New, drawOffer()),
		h.If(d.Part != "", h.P(h.Class("notice"), h.Text("You may see a part of this graph. Numbers, commits and calls are of that part; types, properties and nodes that policies hide from you are left out. Somebody who may see all can tell you more."))),
		either(d.isEmpty(), d.drawDoor(), d.drawTypes(p.colours)),
		d.drawViews(),
		d.Activity.draw(),
		h.If(d.At != "", section("commits", h.Text("The last commits until then"), nil, commitLog(d.Commits, p.AsOf))),
		h.If(d.At == "", h.Div(h.Class("columns"),
			h.Div(
				section("commits", h.Text("Recent commits"), anchor("more", "/admin/commits", h.Text("All commits")), commitLog(d.Commits, p.AsOf)),
				h.If(len(d.Calls) > 0, section("calls", h.Text("Other calls"), span("more faint", "that changed nothing, without what these pages read"), d.drawCalls()))),
			h.Div(
				section("connect", h.Text("Connect an agent"), nil, h.Div(h.Class("panel pad"),
					snippet("MCP address", d.MCP),
					snippet("Claude Code", "claude mcp add --transport http trails "+d.MCP+textIf(d.Token, " --header "+tokenHeader, "")),
					snippet("curl", "curl -s "+p.Frame.Address+"/invoke/snapshot "+textIf(d.Token, "-H "+tokenHeader+" ", "")+"-H 'Content-Type: application/json' -d '{}'"),
					h.If(d.Token, h.P(h.Class("faint"), anchor("", tokensURL, h.Text("Issue a token")), h.Text(" for each agent and program, and put it into TRAILS_TOKEN."))))),
				section("health", anchor("", "/admin/doctor", h.Text("Health")), nil, either(d.Part != "", h.P(h.Class("faint"), bdiMessage(d.Part)), d.Doctor.drawOverview()))))),
	}
}

// tokenHeader is the header with a caller's token, as a shell reads it.
const tokenHeader = `"Authorization: Bearer $TRAILS_TOKEN"`

// drawTypes are the types of the graph as cards.
func (d overviewData) drawTypes(colours *palette) h.Node {
	cards := h.Map(d.Types, func(t typeCount) h.Node {
		return h.Li(anchor("card", typeURL(t.Name), h.Data("key", "type-"+t.Name),
			h.Span(h.Class("name "+colours.class(t.Name)), colours.swatch(t.Name), typeText(t.Name), space, span("n", count(t.Count))),
			h.If(t.Description != "", h.P(h.Text(line(t.Description))))))
	})
	return h.Section(h.Aria("labelledby", "h-types"), h.H2(h.ID("h-types"), h.Class("hide"), h.Text("Types")),
		either(len(cards) > 0, h.Ul(h.Class("cards"), cards), empty(h.Text(d.noTypes()))))
}

// noTypes says why no type is shown.
func (d overviewData) noTypes() string {
	switch {
	case d.AllTypes > 0:
		return "All types are abstract, so there are no instances."
	case d.At != "":
		return "The graph had no types then that you may see."
	}
	return "You may see none of its types."
}

// drawDoor is the way into a graph without types: data to import, or a schema to begin with.
func (d overviewData) drawDoor() h.Node {
	examples := h.Map(beginnings, func(b beginning) h.Node {
		return h.Form(h.Class("card"), h.Method("post"), h.Action(capabilityURL("schema_apply")),
			h.B(h.Text(b.name)), h.P(h.Text(b.about)),
			hiddenInput(form.ArgPrefix+"schema", b.schema), hiddenInput(form.ArgPrefix+"message", "begin with "+b.name), hiddenInput(keyName, uuid.NewString()),
			h.P(submit("", doName, doCall, "Begin with "+b.name)))
	})
	whole := h.Form(h.Class("card"), h.Method("post"), h.Action(importURL+"/example"),
		h.B(h.Text("the example")), h.P(h.Text("Components of a program, with what they must do, why, and by which standards: 58 instances to look around in, as one commit that can be taken back.")),
		hiddenInput(keyName, uuid.NewString()), h.P(submit("primary", doName, doCall, "Begin with the example")))
	return h.Group{
		section("door", h.Text("Begin with your data"), nil, drawImportForm("", "", nil)),
		section("schemas", h.Text("or with an example or a schema"), anchor("more", capabilityURL("schema_apply"), h.Text("Write your own")), h.Ul(h.Class("cards"), h.Li(whole), h.Map(examples, func(n h.Node) h.Node { return h.Li(n) }))),
	}
}

// drawCalls are the latest calls without a commit, as a table.
func (d overviewData) drawCalls() h.Node {
	return scrolled("Table of calls", columns("Capability", "Outcome", "Who", "When"), h.TBody(h.Map(d.Calls, func(c call) h.Node {
		return h.Tr(rowHead(capabilityLink(c.Capability, c.Listed)),
			h.Td(outcome(c), h.If(c.DryRun, h.Text(" dry run"))), whoAndWhen(c))
	})))
}

// whoAndWhen are the cells of a call that say who made it, and when.
func whoAndWhen(c call) h.Node {
	return h.Group{
		h.Td(bdiLine(whoIs(c.Author)), h.Br(), faint(line(c.Via))),
		h.Td(timeAt(c.Started), h.Br(), faint(fmt.Sprintf("%.1f ms", c.Millis()))),
	}
}
