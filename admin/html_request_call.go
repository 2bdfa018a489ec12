package admin

import (
	"encoding/json"
	"strings"
	"unicode"

	h "trails/admin/html"
	"trails/text/jsontext"
)

// drawCall is a call that waits: its arguments, what it would do, and the decision.
func (d *deciding) drawCall(p page) h.Node {
	q := d.Asked
	members, _ := jsontext.Members(json.RawMessage(strings.Map(visible, q.Args)))
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Request "+count(q.Number)), space, q.drawState()), lead(q.drawSentence(d.wants(p.Frame.Types))), q.drawWhy()}, nil),
		h.Dl(h.Class("props panel"),
			prop("Asked by", bdiLine(q.Agent)), prop("When", timeAt(stampOf(q.Asked)), space, faint("UTC")),
			prop("Call", bdiLine(q.Call)),
			prop("Branch", either(q.Target != "", bdiLine(q.Target), faint("a branch that is gone")), h.If(q.Head != "", h.Group{h.Text(" at "), commitLink(q.Head)})),
			q.drawDecision()),
		h.If(d.Problem != "", alert(d.Problem)),
		h.If(q.State == requestLapsed, h.Div(h.Class("notice notice-warn"), h.Role("note"),
			h.P(h.Text(textIf(q.Target != "", "The branch has moved since this was asked for. Below is what the call would do now, and an approval is of that.", "The branch is gone since this was asked for."))))),
		h.Iff(d.Call != nil, func() h.Node { return d.drawWould(p.colours) }),
		section("arguments", h.Text("Arguments"), nil, h.Div(h.Class("panel pad"), either(len(members) > 0, shownObject(members, 0).draw(), faint("none")))),
		h.Iff(q.isOpen(), func() h.Node { return d.drawCallForm() }),
	}
}

// visible returns a mark for a character that cannot be seen, such as one that turns the direction of what follows: whoever
// decides has to see what is asked for.
func visible(c rune) rune {
	if unicode.Is(unicode.Cf, c) {
		return unicode.ReplacementChar
	}
	return c
}

// drawWould is what the call would do.
func (d *deciding) drawWould(colours *palette) h.Node {
	return section("would", h.Text("What it would do"), nil, h.Div(h.Class("panel pad"), d.Call.Preview.draw(colours)))
}

// drawCallForm is the decision about a call.
func (d *deciding) drawCallForm() h.Node {
	approves := d.MayApprove && d.Call != nil
	return h.Form(h.Class("merge"), h.Method("post"), h.Action(d.Asked.URL()), h.EncType("multipart/form-data"), hiddenInput(keyName, d.Key),
		h.Iff(approves, func() h.Node { return hiddenInput(lookedAtName, d.Call.Head) }),
		h.If(!d.MayApprove, h.P(h.Class("notice"), h.Text("Sign in to decide this, or ask somebody with the scope builder."))),
		h.If(d.MayDecline, h.Div(h.Class("filter panel pad merge-do"),
			labelled("grow", "reason", "Reason", h.Input(h.ID("reason"), h.Name("reason"), h.Value(d.Reason), h.MaxLength("2000"), h.AutoComplete("off"))),
			submit("", doName, doDecline, "Decline"),
			h.If(approves, submit("primary", doName, doCall, "Approve")))))
}

// drawDecision says who decided, when, why, and what was committed.
func (q request) drawDecision() h.Node {
	return h.Group{
		h.If(q.Decider != "", h.Group{prop("Decided by", bdiLine(q.Decider)), prop("Decided", timeAt(stampOf(q.Decided)), space, faint("UTC")), h.If(q.Reason != "", prop("Reason", bdiLine(q.Reason)))}),
		h.If(q.Commit != "", prop("Commit", commitLink(q.Commit))),
	}
}
