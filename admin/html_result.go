package admin

import (
	h "trails/admin/html"
	"trails/builtin/view"
)

// draw is a value of a result.
func (s shown) draw() h.Node {
	switch {
	case s.Null:
		return faint("none")
	case len(s.Columns) > 0:
		return h.Group{
			scrolled("Table", columnLines(s.Columns), h.TBody(h.Map(s.Rows, func(row []shown) h.Node {
				return h.Tr(h.Map(row, func(c shown) h.Node { return h.Td(c.draw()) }))
			}))), s.drawMore(),
		}
	case len(s.Members) > 0:
		return h.Dl(h.Class("members"), h.Map(s.Members, func(m shownMember) h.Node {
			return h.Div(h.If(len(m.Value.Columns) > 0, h.Class("wide")), h.Dt(h.Text(line(m.Name))), h.Dd(m.Value.draw()))
		}))
	case len(s.Items) > 0:
		return h.Group{h.Ul(h.Class("vals"), h.Map(s.Items, func(item shown) h.Node { return h.Li(item.draw()) })), s.drawMore()}
	case s.Commit != "":
		return commitLink(s.Commit)
	}
	return h.Bdi(h.Class("text"), h.Dir("auto"), orElse(s.Text, faint("empty")))
}

func (s shown) drawMore() h.Node {
	return h.If(s.More > 0, h.P(h.Class("faint"), h.Textf("and %d more", s.More)))
}

// columnLines are the heads of a table whose columns have names of the graph.
func columnLines(names []string) h.Node {
	return h.THead(h.Tr(h.Map(names, func(name string) h.Node { return column(line(name)) })))
}

// draw is what a call answered, and the same call elsewhere.
func (r *resultView) draw() h.Node {
	return h.Group{
		r.Issued.draw(), warnings(r.Warnings),
		section("result", h.Text("Result"), h.If(r.Replayed, badge("warn", "replayed: true")),
			h.Div(h.Class("panel pad"), r.Shown.draw()),
			fold("As JSON", h.Pre(h.TabIndex("0"), h.Text(r.JSON)), h.If(r.Cut, onlyTheBeginning()))),
		r.Same.draw(),
	}
}

// onlyTheBeginning says that a text is cut.
func onlyTheBeginning() h.Node { return h.P(h.Class("faint"), h.Text("Only the beginning is shown.")) }

// draw is the same call by other ways; nothing when there is none.
func (c *sameCall) draw() h.Node {
	if c == nil {
		return nil
	}
	ways := h.Group{snippet("MCP, tools/call", c.MCP), snippet("curl", c.Curl), snippet("Command line", c.CLI)}
	return section("same", h.Text("The same call elsewhere"), nil,
		either(c.Long, empty(h.Text("The arguments are too long to be shown as a command.")), ways))
}

// draw is what a dry run said.
func (p *preview) draw(colours *palette) h.Node {
	return h.Group{
		h.Iff(p.Counted, p.drawCounts),
		h.Iff(p.Counted, func() h.Node {
			return h.Map(p.Warnings, func(text string) h.Node { return h.P(h.Class("bad-text"), bdiMessage(text)) })
		}),
		h.If(len(p.Rest.Members) > 0, p.Rest.draw()),
		h.If(len(p.Rows) > 0, h.Div(h.Class("diff panel"), h.Table(columns("Property", "Now", "Then"), h.TBody(h.Map(p.Rows, func(r previewRow) h.Node { return r.draw(colours) }))))),
		p.Plan.draw(),
		h.If(len(p.Rows) == 0, h.Map(p.Nodes, func(n view.NodeChange) h.Node { return nodeChange(colours, n) })),
		h.If(len(p.Rows) == 0, p.Changes.drawMore()),
	}
}

// drawMore says how many statements are not shown.
func (w wouldChange) drawMore() h.Node {
	return h.If(len(w.Rows) > 0 && w.more(), h.P(h.Class("faint"), h.Text("The first "+count(len(w.Rows))+" of "+count(w.Total)+" statements are shown.")))
}

func (p *preview) drawCounts() h.Node {
	if p.Nothing() {
		return h.P(h.Text("Nothing would change."))
	}
	text := summary(p.Nodes)
	return h.P(h.If(text != "" && !p.Changes.more(), h.Text("This "+text+": ")), h.If(p.Records != 0, h.Text(times(p.Records, "record", "records")+": ")),
		span("plus", times(p.Added, "statement", "statements")+" added"), h.Text(", "), span("minus", count(p.Removed)+" removed"), h.Text("."))
}

// draw is a property before and after.
func (r previewRow) draw(colours *palette) h.Node {
	old := h.Map(r.Old, func(c view.Cell) h.Node { return h.Del(unseen("was "), cell(c)) })
	now := h.Map(r.New, func(text string) h.Node { return h.Ins(unseen("would be "), typedText(text, r.Dated)) })
	return h.Tr(rowHead(h.Text(colours.property(r.Property))), h.Td(either(len(old) > 0, old, faint("not set"))), h.Td(either(r.Removed, faint("removed"), now)))
}

// typedText is what somebody typed, a day or time as other values of its kind are shown.
func typedText(text string, isDated bool) h.Node {
	if isDated {
		return timeAt(text)
	}
	return h.Bdi(h.Dir("auto"), h.Text(line(text)))
}

// draw is the plan of a schema change; nothing when there is none.
func (p *planAnswer) draw() h.Node {
	if p == nil {
		return nil
	}
	steps := h.Map(p.Rows, func(r view.PlanRow) h.Node {
		return h.Li(bdiLine(r.Step), space, badge(textIf(r.Safe(), "good", "bad"), line(r.Effect)), p.drawNodes(r))
	})
	return h.Group{
		h.If(p.Blocked, h.P(h.Class("bad-text"), h.Text("Data stands against it."))),
		h.Ol(h.Class("steps"), either(len(steps) > 0, steps, h.Li(h.Class("faint"), h.Text("No step.")))),
	}
}

// drawNodes are the nodes that a step of a plan names, each with its label and the reason.
func (p *planAnswer) drawNodes(r view.PlanRow) h.Node {
	return h.Map(r.Nodes, func(named view.PlanNode) h.Node {
		n, has := p.nodes[named[0]]
		return h.P(h.Class(textIf(r.Safe(), "soft", "bad-text")),
			either(has, anchor("node", pageOf(n), bdiLine(named[0])), bdiLine(named[0])),
			h.If(has && n.Label != named[0], h.Group{h.Text(" “"), bdiLine(n.Label), h.Text("”")}),
			h.If(named[0] != "" && named[1] != "", h.Text(": ")), bdiMessage(named[1]))
	})
}
