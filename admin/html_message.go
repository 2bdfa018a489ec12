package admin

import (
	"fmt"
	"net/url"
	"strings"

	h "trails/admin/html"
	"trails/auth"
	"trails/builtin/view"
	"trails/fault"
)

// main is an error with ways out.
func (d failure) main(p page) h.Node {
	says := h.P(h.Text("It has been logged; the trace id finds it there."))
	if d.Message != "" {
		says = h.P(bdiMessage(d.Message))
	}
	return h.Section(h.Class("notice notice-bad"),
		h.P(h.Class("status"), h.Text(fmt.Sprint(d.Status))), h.H1(h.Text(p.Title)), says,
		h.If(len(d.Fields) > 0, h.Ul(h.Class("fields"), h.Map(d.Fields, func(f fault.FieldError) h.Node {
			said := f.Message
			if f.Node != "" { // else it is about a parameter of the address, which has the name itself
				said = p.colours.mistake(f)
			}
			return h.Li(plainCode(line(f.Field)), space, bdiMessage(said))
		}))),
		h.If(d.DeletedBy != "", h.P(h.Text("It was deleted by commit "), commitLink(d.DeletedBy), h.Text(". "), anchor("", d.History, h.Text("Read its history")), h.Text("."))),
		h.If(len(d.Suggestions) > 0, h.Group{
			h.P(h.Text("Perhaps you look for one of these:")),
			h.Ul(h.Map(d.Suggestions, func(l link) h.Node { return h.Li(l.draw()) })),
		}),
		h.If(d.NotOffered, h.Group{
			h.P(h.Text("You are "), bdiLine(p.Frame.Who), h.Text(textIf(p.Frame.SignedIn,
				". Who has more rights sees more: sign out, above, and sign in with a token that has them.",
				". Who has more rights sees more: open the sign-in link that the server printed when it was started, or sign in with a token that has them."))),
			h.P(anchor("", "/admin/capabilities", h.Text("All that you may call"))),
		}),
		h.P(anchor("", "/admin", h.Text("Go to the overview"))),
		h.If(d.Trace != "", drawTrace(d.Trace)))
}

func drawTrace(id string) h.Node { return h.P(h.Class("faint"), h.Text("Trace "), plainCode(id)) }

// main is the sign-in.
func (d loginData) main(page) h.Node {
	return h.Div(h.Class("sign-in"), h.H1(h.Text("Sign in")),
		h.If(d.Lead != "", lead(h.Text(d.Lead))),
		h.If(d.Lead == "", lead(h.Text("This graph is open to who has a token: one that it issued, one of the identity provider that it trusts, or the one in "), plainCode("TRAILS_MCP_TOKEN"), h.Text(" of the process that serves it."))),
		h.If(d.Message != "", h.Section(h.Class("notice notice-bad"), h.Role("alert"), h.P(h.ID("why"), h.Bdi(h.Text(d.Message))))),
		h.Form(h.Class("form panel"), h.Method("post"), h.Action("/admin/login"), h.EncType("multipart/form-data"),
			hiddenInput("next", d.Next), h.Map(d.Kept, keptInput),
			labelled("", "token", "Token", h.Input(h.Type("password"), h.ID("token"), h.Name("token"), h.AutoComplete("current-password"), h.Required(), h.AutoFocus(),
				h.If(d.Message != "", h.Aria("describedby", "why")))),
			h.Div(h.Class("buttons"), h.Button(h.Class("primary"), h.Text("Sign in")),
				h.If(len(d.Kept) > 0, h.Button(h.Attr("formnovalidate"), h.Data("resumes", ""), h.Text("I signed in in another tab"))),
				h.If(d.Provider != "", d.providerLink()))))
}

// providerLink leads to the identity provider: in another tab while a form waits in this one, whose values would not come along.
func (d loginData) providerLink() h.Node {
	if !d.Waits && len(d.Kept) == 0 {
		return anchor("button", withQuery(auth.ProviderPath, url.Values{"next": {d.Next}}), h.Text("Sign in at "+d.Provider))
	}
	return h.A(h.Class("button"), h.Attr("target", "_blank"), h.Rel("noopener"), h.Href(withQuery(auth.ProviderPath, url.Values{"next": {loginURL}})), h.Text("Sign in at "+d.Provider+", in another tab"))
}

// main asks whether a form is to be sent, and shows what it has.
func (u unsent) main(p page) h.Node {
	return h.Div(h.Class("sign-in"), h.H1(h.Text("Not sent yet")), lead(h.Text("You are signed in again. What you sent before was not done:")),
		h.Form(h.Class("form panel"), h.Method("post"), h.Action(u.Action), h.EncType("multipart/form-data"), h.Map(u.Values, keptInput),
			h.Ul(h.Class("vals"), h.Map(u.Values, func(v hidden) h.Node {
				value := v.Value
				if v.Name == "property" {
					value = p.colours.property(value)
				}
				return h.If(!strings.HasPrefix(v.Name, "_") && v.Value != "", h.Li(bdiLine(p.colours.property(v.Name)+": "+value)))
			})),
			h.Div(h.Class("buttons"), h.Button(h.Class("primary"), h.Text("Send it now")), anchor("button", "/admin", h.Text("Leave it")))))
}

// main says who is signed in.
func (d signedInData) main(page) h.Node {
	if d.Next == loginURL {
		return h.Div(h.Class("sign-in"), h.H1(h.Text("Signed in")), lead(h.Text("You are "), bdiLine(d.Who), h.Text(". Close this tab: your form waits in the one that you came from.")),
			h.P(anchor("", "/admin", h.Text("Go to the overview"))))
	}
	return h.Div(h.Class("sign-in"), h.H1(h.Text("Signed in")), lead(h.Text("You are "), bdiLine(d.Who), h.Text(". "), anchor("", d.Next, h.Text("Go on"))))
}

// main says that the operator is signed in.
func (d operatorData) main(page) h.Node {
	return h.Div(h.Class("sign-in"), h.H1(h.Text("Signed in")),
		lead(h.Text("You are the operator of this server, "), h.Bdi(h.Text(d.ID)), h.Textf(", and may do what needs %v. ", d.Scopes), anchor("", "/admin", h.Text("Go on to the graph"))))
}

// main asks before data is lost.
func (q question) main(p page) h.Node {
	return h.Group{
		pageHead(h.Group{h.H1(h.Bdi(h.Dir("auto"), h.Text(p.Title))), sub(idCode(q.Capability))}),
		h.Section(h.Class(textIf(q.Preview.Harmless(), "notice", "notice notice-bad")), h.Aria("labelledby", "h-lost"), h.H2(h.ID("h-lost"), h.Text("What this would do")),
			q.Preview.draw(p.colours),
			h.Iff(q.Target != nil, func() h.Node {
				return h.Map(q.Target.Incoming, func(in view.Incoming) h.Node { return drawReferring(p.colours, in) })
			}),
			h.P(h.Text(textIf(q.Preview.Counted, "The commit keeps what was, and Undo on it brings it back.", "A commit keeps what was, so that it can be read again; nothing brings it back by itself.")))),
		h.Form(h.Class("form panel"), h.Method("post"), h.Action(q.Action), h.EncType("multipart/form-data"),
			h.Map(q.Hidden, keptInput), hiddenInput("_confirmed", q.Confirmed),
			h.Div(h.Class("buttons"), submit(textIf(q.Preview.Harmless(), "primary", "danger solid"), "_do", "call", q.Button), submit("", "_do", "edit", "Back to the form"))),
	}
}

// drawReferring says which nodes refer to one that is to be deleted, the first of them by name.
func drawReferring(colours *palette, in view.Incoming) h.Node {
	var nodes []h.Node
	for _, n := range in.Nodes[:min(len(in.Nodes), 5)] {
		nodes = append(nodes, nodeLink(n))
	}
	return h.P(h.Text(count(in.Total)+textIf(in.More, "+", "")+" "+in.Type+" refer to it by "), h.B(h.Text(colours.property(in.Property))), h.Text(": "), separated(h.Text(", "), nodes))
}

// main is the result of a form that was sent.
func (d doneData) main(page) h.Node {
	r := d.Result
	return h.Group{
		pageHead(h.Group{h.H1(h.Text(textIf(r.Write && r.Commit == "", "Nothing changed", d.Heading))), sub(idCode(d.Capability))}),
		h.Section(h.Class("notice"), h.Role("status"), focused(), h.Aria("label", "What happened"), h.If(d.Draft != "", h.Data("drafted", d.Draft)),
			h.If(r.Replayed, h.P(h.B(h.Text("This form had been sent before.")), h.Text(" It was done once; this is the first result ("), plainCode("replayed: true"), h.Text(")."))),
			h.If(r.Commit != "", h.P(h.Text("Commit "), commitLink(r.Commit), h.Text(": "), span("plus", count(r.Added)+" added"), h.Text(", "), span("minus", count(r.Removed)+" removed"), h.Text("."))),
			h.If(r.Commit == "" && r.Write, h.P(h.Text("The graph is already like that, so there is no commit."))),
			actions(d.drawNode(),
				h.If(r.Commit != "", anchor("button", commitURL(r.Commit), h.Text("See the commit"))),
				h.If(strings.HasPrefix(d.Capability, "branches_"), anchor("button", branchesURL, h.Text("All branches"))),
				h.If(d.Capability == issueID || d.Capability == revokeID, anchor("button", tokensURL, h.Text("All tokens"))),
				h.If(d.Capability == setBudgetID || d.Capability == removeBudgetID, anchor("button", tokensURL+"#budgets", h.Text("All budgets"))),
				h.If(d.Capability == setPoliciesID, anchor("button", policyURL, h.Text("The policies"))),
				h.If(d.Capability == decideID, anchor("button", requestsURL, h.Text("All requests"))),
				h.If(r.Commit != "" && d.Capability != "undo" && d.Capability != setPoliciesID, undoButton(r.Commit)),
				anchor("button", capabilityURL(d.Capability), h.Text(textIf(d.Op == "create", "Create another", "The form again"))))),
		r.draw(),
	}
}

// drawNode leads to the node that was written, or to what is left of it.
func (d doneData) drawNode() h.Node {
	r := d.Result
	switch {
	case r.Type == "" || r.ID == "":
		return nil
	case r.Deleted:
		return h.Group{anchor("button", nodeURL(r.Type, r.ID)+"/history", h.Text("Its history")), anchor("button", typeURL(r.Type), h.Text("All "+r.Type))}
	}
	return anchor("button primary", nodeURL(r.Type, r.ID), h.Text("Open the "+r.Type))
}
