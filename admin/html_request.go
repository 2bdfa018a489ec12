package admin

import (
	"net/url"

	h "trails/admin/html"
)

// main is what is asked for and what it would do, with the decision.
func (d *deciding) main(p page) h.Node {
	q := d.Asked
	if d.isCall() {
		return d.drawCall(p)
	}
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Request "+count(q.Number)), space, q.drawState()), lead(q.drawSentence("")), q.drawWhy()},
			actions(anchor("button", withQuery(diffURL, url.Values{"from": {q.Head}, "to": {q.Merges}}), h.Text("Compare as asked")))),
		h.Dl(h.Class("props panel"),
			prop("Asked by", bdiLine(q.Agent)), prop("When", timeAt(stampOf(q.Asked)), space, faint("UTC")),
			prop("Source", h.If(q.Source != q.Merges, h.Group{bdiLine(q.Source), h.Text(" at ")}), commitLink(q.Merges)),
			prop("Target", either(q.Target != "", bdiLine(q.Target), faint("a branch that is gone")), h.Text(" at "), commitLink(q.Head)),
			q.drawDecision()),
		h.If(d.Problem != "", alert(d.Problem)),
		h.If(q.State == requestLapsed, q.drawLapsed()),
		h.Iff(q.State == requestWaits || q.State == requestLapsed, func() h.Node { return d.drawForm(p.colours) }),
	}
}

// drawForm is the preview of a request that waits, with what its reader may decide.
func (d *deciding) drawForm(colours *palette) h.Node {
	waits := d.Asked.State == requestWaits
	return h.Form(h.Class("merge"), h.Method("post"), h.Action(d.Asked.URL()), h.EncType("multipart/form-data"), hiddenInput(keyName, d.Key),
		h.Iff(waits, func() h.Node { return d.drawDecisions(colours) }),
		h.If(waits && !d.MayApprove, h.P(h.Class("notice"), h.Text("Somebody with the scope builder decides this."))),
		h.If(d.MayDecline, h.Div(h.Class("filter panel pad merge-do"),
			labelled("grow", "reason", "Reason", h.Input(h.ID("reason"), h.Name("reason"), h.Value(d.Reason), h.MaxLength("2000"), h.AutoComplete("off"))),
			h.If(waits && d.MayApprove, h.Group{d.drawMass(), submit("", doName, doDryRun, "Preview")}),
			submit("", doName, doDecline, "Decline"),
			h.If(waits && d.MayApprove, submit("primary", doName, doCall, "Approve")))))
}

// drawSentence says who wants what; wants is what another call than a merge would do.
func (q request) drawSentence(wants string) h.Node {
	on := either(q.Target != "", bdiLine(q.Target), h.Text("a branch that is gone"))
	who := h.Group{bdiLine(whoIs(q.Agent)), h.Text(textIf(q.Decider == "", " wants to ", " wanted to "))}
	if q.Call != mergeID {
		return h.Group{who, bdiLine(wants), h.Text(" on "), on}
	}
	return h.Group{who, h.Text("merge "), bdiLine(q.Source), h.Text(" into "), on}
}

// drawWhy is the reason that was given for a request.
func (q request) drawWhy() h.Node {
	if q.Message == "" {
		return sub(h.Text("No reason was given."))
	}
	return lead(h.Bdi(h.Dir("auto"), h.Text("“"+line(q.Message)+"”")))
}

// drawState is what became of the request, in a word.
func (q request) drawState() h.Node {
	switch q.State {
	case requestWaits:
		return badge("warn", "waits")
	case requestLapsed:
		return badge("bad", "lapsed")
	case requestMerged:
		return badge("good", textIf(q.Call == mergeID, "merged", "done"))
	}
	return badge("", line(q.State))
}

// drawLapsed says why a request cannot be approved any more, and what happened since.
func (q request) drawLapsed() h.Node {
	since := func(from, to string) h.Node {
		return h.Li(anchor("", withQuery(diffURL, url.Values{"from": {from}, "to": {to}}), h.Text("What changed on "), bdiLine(to)))
	}
	return h.Div(h.Class("notice notice-warn"), h.Role("note"),
		h.P(h.Text("The request has lapsed, because a branch has moved or is gone since it was asked for. Whoever asked can ask again.")),
		h.Ul(h.If(q.Target != "", since(q.Head, q.Target)), h.If(q.Source != q.Merges, since(q.Merges, q.Source))))
}
