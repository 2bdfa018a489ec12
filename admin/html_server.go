package admin

import (
	"fmt"

	h "trails/admin/html"
	"trails/gateway"
)

// main is an upstream server: what it offers, and what is not as it was accepted.
func (d serverData) main(page) h.Node {
	problem := d.Problem
	if d.Refusal != "" { // which says it better
		problem = ""
	}
	fact := func(n int64, of string) h.Node { return h.Li(h.B(h.Text(count(n))), h.Text(" "+of)) }
	return h.Group{
		pageHead(h.Group{
			h.H1(bdiLine(d.Name)),
			sub(serverState(d.State, problem), h.If(d.Definition.Pin, badge("", "pinned")), h.If(d.Definition.Required, badge("", "required")), h.If(d.Says != "", bdiMessage(d.Says))),
			h.Ul(h.Class("facts"), fact(d.Calls, plural(d.Calls, "call", "calls")), fact(d.Failed, "failed"),
				h.If(d.Calls != 0, h.Li(h.Text("latency "), h.B(h.Text(count(d.Latency))), h.Text(" ms"))),
				h.Li(h.Text(line(d.Way)+" "), h.Bdi(h.Class("breaks"), plainCode(line(d.Address))))),
		}, actions(h.If(d.mayAccept(), h.Group{
			h.GetForm(serverURL(d.Name), submit("", "refresh", "1", "Ask again, show changes")),
			anchor("button", formURL("trails.meta.gateway.remove", "name", d.Name), h.Text("Remove…")),
		}))),
		h.If(d.Refusal != "", h.Section(h.Class("notice notice-bad"), h.Role("alert"), h.H2(h.Text("It does not say what it offers")), h.P(h.Bdi(h.Text(d.Refusal))))),
		d.drawReview(),
		h.If(d.Refusal == "", section("offers", h.Text("What it offers"), nil, d.drawOffers(), d.Pager.draw())),
		fold("Definition", h.Pre(h.TabIndex("0"), h.Text(d.Defined))),
	}
}

func (d serverData) mayAccept() bool { return d.Listed["trails.meta.gateway.accept"] }

// drawReview is how the offer differs from what was accepted; nothing when that was not asked.
func (d serverData) drawReview() h.Node {
	r := d.Review
	if r == nil {
		return nil
	}
	body := empty(h.Text("All " + count(r.Offers) + " are as they were accepted."))
	if len(r.Changes) > 0 {
		body = h.Group{h.Map(r.Changes, drawOfferChange), d.drawAccept()}
	}
	return section("changes", h.Text("What is not as it was accepted"), span("more faint", "said by the server, and not by us"), h.ID("changes"), body)
}

// drawAccept leads to accepting what is shown, if that is all.
func (d serverData) drawAccept() h.Node {
	if d.Review.More > 0 {
		return h.P(h.Class("faint"), h.Text("And "+count(d.Review.More)+" more; the command line shows them by their names: "), plainCode("trails gateway accept FILE "+d.Name+" TOOL"), h.Text("."))
	}
	return h.If(d.mayAccept(), h.P(anchor("button primary", formURL("trails.meta.gateway.accept", "name", d.Name, "digest", d.Review.Digest), h.Text("Accept what is shown here…"))))
}

// drawOfferChange is one offer that is not as it was accepted.
func drawOfferChange(c gateway.Change) h.Node {
	value := func(text string) h.Node { return h.Bdi(h.Class("text breaks"), h.Text(text)) }
	return h.Article(h.Class("diff panel"),
		h.Header(h.H3(bdiLine(c.Name)), faint(string(c.Kind)), badge("warn", string(c.Standing))),
		h.If(len(c.Differences) > 0, h.Table(h.Caption(h.Class("hide"), h.Text("Differences")), columns("Where", "Accepted", "Offered"), h.TBody(h.Map(c.Differences, func(d gateway.Difference) h.Node {
			where := "all of it"
			if d.Path != "" {
				where = line(d.Path)
			}
			return h.Tr(rowHead(h.Bdi(h.Class("breaks"), h.Text(where))),
				h.Td(h.If(d.Before != "", h.Del(unseen("was "), value(d.Before)))), h.Td(h.If(d.After != "", h.Ins(unseen("is "), value(d.After)))))
		})))),
		h.If(c.More > 0, h.P(h.Class("legend faint"), h.Text("and "+count(c.More)+" more "+plural(c.More, "difference", "differences")))))
}

func (d serverData) drawOffers() h.Node {
	if len(d.Offers) == 0 {
		return empty(h.Text("Nothing."))
	}
	return h.Div(h.Class("scroll"), h.TabIndex("0"), h.Role("region"), h.Aria("label", "Table of what it offers"),
		h.Table(h.Class("caps"), columns("Id", "Kind", "What it says", "Standing"), h.TBody(h.Map(d.Offers, offerRow.draw))))
}

// draw is one offer.
func (o offerRow) draw() h.Node {
	id := faint("no id")
	switch {
	case o.Href() != "":
		id = anchor("id", o.Href(), h.Bdi(h.Class("breaks"), h.Text(line(o.ID))))
	case o.ID != "":
		id = h.Bdi(h.Class("id breaks"), h.Text(line(o.ID)))
	}
	return h.Tr(rowHead(id), h.Td(h.Text(line(o.Kind))), h.Td(bdiLine(o.Description)), h.Td(
		h.If(o.Standing != "", badge(textIf(o.Standing == gateway.IsAccepted, "good", "warn"), string(o.Standing))),
		h.If(o.Held, h.Group{space, badge("bad", "held back")})))
}

// main is a tool of a server.
func (d toolData) main(page) h.Node {
	text := func(name, title, text string, more h.Node) h.Node {
		return section(name, h.Text(title), hiddenWarning(text), h.Pre(h.TabIndex("0"), h.Bdi(h.Text(text))), more)
	}
	var schemas h.Group
	for i, s := range d.Schemas {
		schemas = append(schemas, text(fmt.Sprintf("schema-%d", i), s.Title, s.Text, h.If(s.Cut, onlyTheBeginning())))
	}
	return h.Group{
		pageHead(h.Group{h.H1(h.Bdi(h.Class("breaks"), h.Text(line(d.Name)))), sub(idCode(line(d.ID)))},
			actions(anchor("button primary", formURL("tool_execute", "tool_id", d.ID, "args", "{}"), h.Text("Try or call it")))),
		h.If(d.Description != "", text("says", "What it says of itself", d.Description, nil)),
		schemas,
	}
}

// main is a part of a kept result.
func (d artifactData) main(page) h.Node {
	next := d.NextHref()
	part := h.Node(h.Group{
		whatAgentsRead(d.Text, d.Tokens),
		h.If(d.Left != "", h.P(h.Class("soft"), h.Text("Left: "), bdiLine(d.Left))),
		h.If(next != "", h.P(anchor("button", next, h.Rel("next"), h.Text("Read on")))),
	})
	if d.Problem != "" {
		part = alert(d.Problem)
	}
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Kept result")), sub(h.Code(h.Class("id"), h.Bdi(h.Class("breaks"), h.Text(line(d.Handle)))))}),
		h.GetForm(artifactURL(d.Handle), h.Class("filter"),
			h.Div(h.Class("field grow"), h.Label(h.For("selector"), h.Text("Selector, as "), plainCode("tool_view"), h.Text(" takes it")),
				h.Input(h.ID("selector"), h.Name("selector"), h.Value(d.Selector), h.MaxLength("4000"), h.AutoComplete("off"), h.Attr("spellcheck", "false"))),
			h.Button(h.Text("Show"))),
		h.P(anchor("", artifactURL(d.Handle), h.Text("The beginning")), h.Text(" · "), anchor("", d.At(`{"type":"stats"}`), h.Text("Figures"))),
		part,
	}
}
