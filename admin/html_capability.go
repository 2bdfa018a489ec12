package admin

import (
	"fmt"
	"net/url"
	"strings"

	"trails/admin/form"
	h "trails/admin/html"
	"trails/builtin/view"
)

// main is the form of a capability, with what came of it so far.
func (d formData) main(p page) h.Node {
	c := d.Capability
	return h.Group{
		pageHead(h.Group{
			h.H1(h.Bdi(h.Dir("auto"), h.Text(p.Title))),
			sub(idCode(c.ID), effect(c), badge("", string(c.PolicyRequired.Scope))),
			lead(h.Text(c.Description)),
		}, h.Iff(d.Target != nil, func() h.Node {
			n := d.Target.Node
			return actions(anchor("button", nodeURL(n.Type, n.ID), h.Text("Back to "+labelOf(n))))
		})),
		h.Div(h.Class("columns"),
			h.Div(d.drawMade(), d.drawMessage(), d.drawConflict(p.colours), d.drawProblems(), d.drawPreview(p.colours), h.Iff(d.Result != nil, func() h.Node { return d.Result.draw() }), d.drawForm()),
			d.drawAbout()),
	}
}

// drawMessage is what went wrong as a whole.
func (d formData) drawMessage() h.Node {
	bad := func(heading string, attributes h.Node, body ...h.Node) h.Node {
		return h.Section(h.Class("notice notice-bad"), h.Role("alert"), attributes, h.H2(h.Text(heading)), h.Group(body))
	}
	switch {
	case d.Gone:
		return bad("It is not there", nil, h.P(bdiMessage(d.Message)),
			h.If(d.DeletedBy != "", h.P(h.Text("Commit "), commitLink(d.DeletedBy), h.Text(" deleted it."))),
			h.If(len(d.Main) > 0, h.P(h.Text("What you wrote is still here, below."))))
	case d.Message != "":
		return bad("It was not done", focused(), h.P(h.Bdi(h.Text(d.Message))))
	}
	return nil
}

// drawMade says that the form was opened from another one, or that it just got a node.
func (d formData) drawMade() h.Node {
	switch {
	case d.Outer != "":
		return h.P(h.Class("notice"), h.Text("When it is made, you are back in “"+d.OuterTitle+"”, with all that you wrote there, and it is chosen."))
	case d.Into != "":
		return h.P(h.Class("notice"), h.Role("status"), h.Text("It was made, and is chosen below. The rest of this form is not saved yet."))
	}
	return nil
}

// focused are the attributes of what a page begins at.
func focused() h.Node { return h.Group{h.TabIndex("-1"), h.AutoFocus()} }

// drawProblems lists what is wrong, each linked to its field.
func (d formData) drawProblems() h.Node {
	n := len(d.Form.Problems)
	if n == 0 {
		return nil
	}
	help := d.help()
	return h.Section(h.Class("notice notice-bad problems"), h.ID("problems"), h.Role("alert"), focused(), h.Aria("labelledby", "h-problems"),
		h.H2(h.ID("h-problems"), h.Textf("%d %s to mend", n, plural(n, "thing", "things"))),
		h.Ul(h.Map(d.Form.Problems, func(p form.Problem) h.Node {
			called := help.called(p.Of)
			rest, begins := strings.CutPrefix(p.Message, called+" ") // then it is not said twice
			return h.Li(h.If(p.Field != "", h.Group{anchor("", fragment(p.Field), h.B(h.Text(called))), h.Text(textIf(begins, " ", ": "))}), h.Bdi(h.Text(rest)))
		})))
}

func (d formData) drawPreview(colours *palette) h.Node {
	if d.Preview == nil {
		return nil
	}
	return h.Section(h.Class("notice"), h.ID("preview"), h.Role("status"), h.TabIndex("-1"), h.Aria("labelledby", "h-preview"),
		h.If(len(d.Form.Problems) == 0, h.AutoFocus()),
		h.H2(h.ID("h-preview"), h.Text("Preview: nothing was changed")), d.Preview.draw(colours))
}

// help is what the fields of the form need beside themselves.
func (d formData) help() fieldHelp {
	return fieldHelp{Upload: d.Upload, Options: d.Options, Labels: d.Labels, Makes: d.Makes, Into: d.Into, SuggestURL: d.suggestURL, Words: d.Capability.InputShape.NodeType != ""}
}

// drawForm is the form itself, or the question which instance it is about.
func (d formData) drawForm() h.Node {
	if d.Pick {
		return d.drawPick()
	}
	help := d.help()
	fields := func(list []form.Field) h.Node {
		return h.Map(list, func(f form.Field) h.Node { return drawField(f, help) })
	}
	return h.Form(h.Class("form panel"), h.ID("form"), h.Method("post"), h.Action(capabilityURL(d.Capability.ID)), h.EncType("multipart/form-data"), h.Attr("novalidate"),
		h.Iff(d.Target != nil, func() h.Node {
			n := d.Target.Node
			return h.Ask("data-changed", withQuery("/admin/changed", url.Values{"type": {n.Type}, "id": {n.ID}, "seen": {d.Seen}}))
		}),
		h.If(d.Draft != "", h.Group{h.Data("draft", d.Draft), h.If(d.Posted, h.Attr("data-posted"))}), h.If(d.Made != "", h.Data("drafted", d.Made)),
		h.Button(h.Class("hide"), h.Name("_do"), h.Value("call"), h.TabIndex("-1"), h.Aria("hidden", "true"), h.Text(d.Verb())), // what Enter presses
		hiddenInput("_key", d.Key), hiddenInput("_seen", d.Seen), h.If(d.Outer != "", hiddenInput(outerName, d.Outer)),
		h.Iff(d.Target != nil, func() h.Node {
			return h.Group{hiddenInput("arg.id", d.Target.Node.ID), h.Iff(d.Op == "delete", d.Target.drawLost)}
		}),
		fields(d.Main),
		h.If(len(d.More) > 0, h.Details(h.Class("fold"), h.If(d.MoreOpen(), h.Attr("open")), h.Summary(h.Text("More")), fields(d.More))),
		h.Div(h.Class("buttons"),
			submit(textIf(d.Op == "delete", "danger", "primary"), "_do", "call", d.Verb()),
			h.If(d.Writes, submit("", "_do", "dry-run", "Preview")),
			h.If(d.Outer != "", submit("quiet", "_do", doBack, "Back without it"))))
}

// drawPick asks which instance is to be changed.
func (d formData) drawPick() h.Node {
	suggest := withQuery("/admin/suggest", url.Values{"list": {"pick-list"}, "type": {d.Type}})
	return h.GetForm(capabilityURL(d.Capability.ID), h.Class("form panel"), h.Attr("novalidate"),
		labelled("", "pick", "Which "+d.Type+"?",
			h.Span(h.Class("combo"),
				h.Input(h.Type("text"), h.ID("pick"), h.Name("id"), h.Value(d.Form.Fields[0].Rows[0].Text), h.Placeholder("Type to search"), typeAhead("pick-known", suggest, "pick-list")),
				listbox("pick-list", d.Type)),
			knownList("pick-known", d.Options["id"])),
		h.Div(h.Class("buttons"), h.Button(h.Class("primary"), h.Text("Continue"))))
}

// drawAbout says what the call means.
func (d formData) drawAbout() h.Node {
	c := d.Capability
	row := func(name string, value ...h.Node) h.Node { return h.Div(h.Dt(h.Text(name)), h.Dd(value...)) }
	return h.Aside(h.Aria("labelledby", "h-call"), h.Div(h.Class("panel pad about-call"), h.H2(h.ID("h-call"), h.Text("About this call")),
		h.Dl(h.Class("members"),
			row("Effect", h.Text(d.Effect+textIf(d.Asks, "; asks before it does", ""))),
			h.If(len(c.Preconditions) > 0, row("Needs", h.Ul(h.Class("vals"), h.Map(c.Preconditions, func(text string) h.Node { return h.Li(h.Text(line(text))) })))),
			row("Repeated", h.Text(textIf(c.Idempotent, "leaves the graph as once does", "does it again"))),
			row("Cost grows with", h.Text(d.Cost())),
			row("Kind", h.Text(fmt.Sprint(c.Kind()))),
			row("Version", anchor("", capabilityURL(c.ID)+"/history", plainCode(c.Version))))))
}

// drawLost is what a deletion removes.
func (t *target) drawLost() h.Node {
	return h.Dl(h.Class("members"), h.Map(t.Properties, func(p view.Property) h.Node {
		return h.If(len(p.Values) > 0, h.Div(h.Dt(h.Text(firstOf(p.Label, propertyName(p.Name)))), h.Dd(h.Ul(h.Class("vals inline"), cellItems(p.Values)))))
	}))
}

// cellItems are values as items of a list.
func cellItems(cells []view.Cell) h.Node {
	return h.Map(cells, func(c view.Cell) h.Node { return h.Li(cell(c)) })
}

// drawConflict is what the instance became, next to what was filled in.
func (d formData) drawConflict(colours *palette) h.Node {
	if d.Conflict == nil {
		return nil
	}
	c := d.Conflict
	what := h.P(h.Text("It is not as this form showed it. Nothing of yours was written."))
	if by := c.Changed; by != nil {
		message := line(by.Message)
		what = h.P(h.Text("Commit "), commitLink(by.ID), h.Text(" by "), h.Bdi(h.B(h.Text(line(whoIs(by.Author))))), h.Text(" changed it, "), timeAt(by.Time),
			h.If(message != "", h.Group{h.Text(": "), h.Bdi(h.Text(message))}), h.Text(". Nothing of yours was written."))
	}
	return h.Section(h.Class("notice notice-warn"), h.ID("conflict"), h.Role("alert"), focused(), h.Aria("labelledby", "h-conflict"),
		h.H2(h.ID("h-conflict"), h.Text("It changed meanwhile")), what,
		h.If(c.Same, h.P(h.Text("It already is as you want it."))),
		h.If(len(c.Rows) > 0, h.Div(h.Class("diff panel"), h.Table(columns("Property", "Theirs, as it is now", "Yours"), h.TBody(h.Map(c.Rows, func(r conflictRow) h.Node { return r.draw(colours) }))))),
		h.P(h.Text("The form below has your changes on top of theirs: send it again to make them. Or "),
			anchor("", formURL(d.Capability.ID, "id", d.Target.Node.ID), h.Text("take theirs and start over")), h.Text(".")))
}

// draw is one property, theirs and yours.
func (r conflictRow) draw(colours *palette) h.Node {
	theirs := h.Map(r.Theirs, func(c view.Cell) h.Node { return h.Group{cell(c), space} })
	var yours h.Node
	switch {
	case r.Removed:
		yours = faint("removed")
	case r.Kept:
		yours = faint("not touched: theirs stays")
	case r.Same:
		yours = faint("the same")
	default:
		yours = h.Map(r.Yours, func(text string) h.Node { return h.Ins(typedText(text, r.Dated)) })
	}
	return h.Tr(h.Data("property", r.Property), rowHead(h.Text(colours.property(r.Property))), h.Td(h.Data("label", "Theirs"), either(len(theirs) > 0, theirs, faint("not set"))), h.Td(h.Data("label", "Yours"), yours))
}
