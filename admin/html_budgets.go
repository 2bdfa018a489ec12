package admin

import (
	h "trails/admin/html"
)

// draw is the section of budgets.
func (d budgetsData) draw() h.Node {
	list := empty(h.Text("There is no budget: callers may use what their scopes allow, in turns with others."))
	if len(d.Rows) > 0 {
		list = wideTable(columns("For", "Calls of", "Limit", "Caller", "Used", "Left", "Refilled", "Set by", "Change"), h.TBody(h.Map(d.Rows, budget.draw)))
	}
	return section("budgets", h.Text("Budgets"), anchor("more", capabilityURL(setBudgetID), h.Text("New budget…")),
		h.P(h.Class("faint"), h.Text("What callers may use in a minute, an hour or a day of UTC. The operator is not limited unless named. Used contains what running servers have reserved.")),
		list, h.If(d.Cut != "", h.P(h.Class("faint"), bdiLine(d.Cut))))
}

// draw is one limit of a budget.
func (b budget) draw() h.Node {
	whose := bdiLine(b.Actor)
	switch b.Actor {
	case "":
		whose = h.Text("all callers together")
	case "*":
		whose = h.Text("each caller")
	}
	name := " of " + textIf(b.Actor == "", "all", b.Actor)
	return h.Tr(h.Data("key", "budget "+b.Actor+" "+b.Capability+" "+b.Per+" "+b.Measure+" "+b.Caller),
		rowHead(whose), h.Td(either(b.Capability == "", h.Text("everything"), plainCode(line(b.Capability)))),
		h.Td(h.Text(b.Limit.String()+" "+b.Measure+" per "+b.Per)), h.Td(h.If(b.Actor == "*", bdiLine(b.Caller))),
		h.Td(h.Text(b.Used.String())), h.Td(either(b.Left == "0", badge("bad", "0"), h.Text(b.Left.String()))), h.Td(timeAt(stampOf(b.Refills))),
		h.Td(bdiLine(b.Author), space, timeAt(stampOf(b.Set))),
		h.Td(anchor("", formURL(setBudgetID, b.arguments()...), h.Text("Change…"), unseen(name)), space,
			anchor("", formURL(removeBudgetID, b.arguments()...), h.Text("Remove…"), unseen(name))))
}
