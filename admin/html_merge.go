package admin

import (
	"fmt"
	"net/url"

	h "trails/admin/html"
	"trails/builtin/view"
)

// main is the form of a merge, or the choice of what is merged.
func (m *merge) main(p page) h.Node {
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Merge")), lead(h.Text("What one branch changed becomes part of another, as one commit. What both changed differently is decided here."))},
			h.If(m.Source != "", actions(anchor("button", withQuery(diffURL, url.Values{"to": {m.Source}}), h.Text("What it changed"))))),
		m.drawChoice(),
		h.If(m.Problem != "", alert(m.Problem)), mistakes(p.colours, m.Mistakes),
		h.Iff(m.Source != "", func() h.Node { return m.drawForm(p.colours) }),
	}
}

// drawChoice chooses what is merged into what.
func (m *merge) drawChoice() h.Node {
	choice := func(id, label, chosen string) h.Node {
		var options h.Group
		known := chosen == ""
		for _, b := range m.Branches {
			options, known = append(options, option(b.Name, b.Name, b.Name == chosen)), known || b.Name == chosen
		}
		return labelled("", id, label, h.Select(h.ID(id), h.Name(id), h.If(!known, option(chosen, chosen, true)), options))
	}
	return h.GetForm(mergeURL, h.Class("filter"), choice("source", "Merge", m.Source), choice("target", "into", m.Target), h.Button(h.Text("Preview")))
}

// drawForm is what would be merged, with the clashes to decide.
func (m *merge) drawForm(colours *palette) h.Node {
	p := m.Preview
	if p.Outcome == "up_to_date" {
		return empty(bdiLine(m.Target), h.Text(" has all of "), bdiLine(m.Source), h.Text(" already."))
	}
	return h.Form(h.Class("merge"), h.Method("post"), h.Action(mergeURL), h.EncType("multipart/form-data"),
		hiddenInput("source", m.Source), hiddenInput("target", m.Target), hiddenInput(keyName, m.Key), hiddenInput(seenName, m.Seen),
		m.drawDecisions(colours),
		h.Div(h.Class("filter panel pad merge-do"),
			labelled("grow", "message", "Message", h.Input(h.ID("message"), h.Name("message"), h.Value(m.Message), h.Placeholder("merge "+line(m.Source)+" into "+line(m.Target)), h.MaxLength("10000"), h.AutoComplete("off"))),
			m.drawMass(), submit("", doName, doDryRun, "Preview"), submit("primary", doName, doCall, textIf(m.Asks, "Ask for approval", "Merge"))))
}

// drawDecisions are the clashes with what was decided about them, and what the merge would change.
func (m *merge) drawDecisions(colours *palette) h.Node {
	p := m.Preview
	return h.Group{
		h.If(len(p.Clashes) > 0, section("clashes", h.Text(times(max(p.ClashCount, len(p.Clashes)), "clash", "clashes")), nil, m.drawClashes(colours),
			h.Div(h.Class("filter"), labelled("", "take", "All without a decision", h.Select(h.ID("take"), h.Name("take"), option("", "are to be decided", m.Take == ""),
				option("ours", "stay as on "+line(m.Target), m.Take == "ours"), option("theirs", "become as on "+line(m.Source), m.Take == "theirs"), option("base", "become as before both", m.Take == "base")))))),
		h.If(len(m.Kept) > 0, section("kept", h.Text("Decided before"), nil, h.Ul(h.Class("panel pad vals"), h.Map(m.Kept, func(text string) h.Node {
			return h.Li(h.Label(h.Input(h.Type("checkbox"), h.Name("kept"), h.Value(text), h.Checked()), space, bdiLine(text)))
		})))),
		section("outcome", h.Text("What would change"), nil, m.drawOutcome(colours)),
	}
}

// drawMass asks whether so much may be removed.
func (m *merge) drawMass() h.Node {
	return h.If(m.Mass != "" || m.AllowMass, h.Label(h.Input(h.Type("checkbox"), h.Name("mass"), h.Value("1"), h.If(m.AllowMass, h.Checked())), h.Text(" Remove "+textIf(m.Mass != "", "these "+m.Mass, "all")+" statements")))
}

// drawOutcome is what the merge would do to the target.
func (m *merge) drawOutcome(colours *palette) h.Node {
	p := m.Preview
	if p.Outcome != "merged" {
		return empty(h.Text("That is known when every clash is decided."))
	}
	text := summary(p.Lines)
	return h.Group{
		h.P(h.If(text != "" && !p.Changes.more(), h.Text("This "+text+": ")), plusMinus(p.Added, p.Removed), h.Text(" statements of "+times(p.NodeCount, "node", "nodes"))),
		h.Map(p.Lines, func(n view.NodeChange) h.Node {
			node, target, source := m.source(), state{Branch: m.Target}, m.source()
			if n.What == "removed" {
				node = target
			}
			return nodeChangeBetween(colours, n, node, target, source)
		}),
		p.Changes.drawMore(),
	}
}

// source is the state that is merged.
func (m *merge) source() state {
	if m.Commit != "" {
		return state{At: m.Commit}
	}
	return state{Branch: m.Source}
}

// node links to a node on the source, by its label.
func (m *merge) node(name string) h.Node {
	typeName, id, ok := nodeOf(name)
	if !ok {
		return bdiLine(name)
	}
	return anchor("node", withQuery(nodeURL(typeName, id), url.Values{"branch": {m.Source}}), h.Title(line(name)), bdiLine(firstOf(m.Labels[name], name)))
}

// drawClashes are the clashes, each with the ways to decide it.
func (m *merge) drawClashes(colours *palette) h.Node {
	var out h.Group
	for i, c := range m.Preview.Clashes {
		out = append(out, m.drawClash(colours, c, i))
	}
	return out
}

func (m *merge) drawClash(colours *palette, c mergeClash, place int) h.Node {
	choice := m.Decided[c.Name()]
	side := func(take, title string, values []string, own h.Node) h.Node {
		id := fmt.Sprintf("take-%d-%s", place, take)
		shown := h.Node(faint(textIf(c.Kind == "property", "no value", "as it is there")))
		if len(values) > 0 {
			shown = h.Ul(h.Class("vals"), h.Map(values, func(text string) h.Node { return h.Li(h.Bdi(h.Class("text"), h.Dir("auto"), h.Text(text))) }))
		}
		return h.Div(h.Class("side-by-side"),
			h.Label(h.For(id), h.Input(h.Type("radio"), h.ID(id), h.Name(clashField("take", place)), h.Value(take), h.If(choice.Take == take, h.Checked())), space, bdiLine(title)),
			either(own != nil, own, shown))
	}
	own := h.Input(h.Name(clashField("value", place)), h.Aria("label", "Another value of "+line(c.Name())), h.Value(choice.Value), h.AutoComplete("off"))
	return h.FieldSet(h.Class("clash panel"), hiddenInput(clashField("clash", place), c.Name()),
		h.Legend(h.Class("hide"), h.Text(line(c.Name()))),
		h.Div(h.Class("clash-head"), badge(textIf(c.Taken != "", "good", "warn"), textIf(c.Taken != "", "decided", "to be decided")), h.H3(m.node(c.Node), h.If(c.Property != "", h.Group{space, h.Bdi(h.Text(colours.property(c.Property)))})), h.Bdi(h.Class("faint"), h.Text(whole(c.Message)))),
		h.Div(h.Class("clash-sides"),
			side("base", "Before both", c.Base, nil), side("ours", m.Target, c.Ours, nil), side("theirs", m.Source, c.Theirs, nil),
			h.If(c.Property != "", side(valueTaken, "Another value", nil, own))))
}
