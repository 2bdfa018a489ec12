package admin

import (
	"strings"

	"trails/admin/form"
	h "trails/admin/html"
	"trails/auth/policy"
)

// main is the list of tokens, with the form that issues one.
func (d tokensData) main(page) h.Node {
	head := pageHead(h.Group{h.H1(h.Text("Tokens")),
		lead(h.Text("With a token a person or a program is known to this graph, and has its scopes until it expires or is revoked. Secrets are not kept: each is shown once, when the token is issued."))})
	if !d.May {
		return h.Group{head, h.Iff(len(d.Given) > 0, d.drawGiven), drawWaysOut(d.Viewer, "To list, issue and revoke tokens, and to set budgets:", h.Group{h.Text("Where the file is, "), plainCode("trails token create FILE NAME"), h.Text(" issues one.")})}
	}
	list := empty(h.Text("The graph has issued no token. From the first one on, callers over HTTP have to show one."))
	if len(d.Tokens) > 0 {
		list = h.Ol(h.Class("log panel"), h.Map(d.Tokens, token.draw))
	}
	return h.Group{
		head, h.If(d.Policies.Text == "", h.Group{warnings(d.Policies.Warnings), h.Iff(d.Viewer.Owns, drawStart)}),
		h.Div(h.ID("tokens"), h.Attr("data-live-region"), list, h.If(d.Cut != "", h.P(h.Class("faint"), bdiLine(d.Cut))), d.Pager.draw()),
		d.drawIssue(), d.Budgets.draw(),
	}
}

// drawGiven are the programs to which the viewer gave access, with a button that ends it.
func (d tokensData) drawGiven() h.Node {
	return section("given", h.Text("Programs that you connected"), nil, h.Ol(h.Class("log panel"), h.Map(d.Given, func(t grant) h.Node {
		return h.Li(h.Data("key", "token "+t.Name),
			h.Div(h.Class("what"), h.Span(h.Class("msg"), bdiLine(t.Client), space, plainCode(t.Name)),
				h.Span(h.Map(strings.Fields(t.Scopes), func(scope string) h.Node { return h.Group{badge("", scope), space} }))),
			h.Form(h.Method("post"), h.Action(tokensURL), h.EncType("multipart/form-data"), hiddenInput("name", t.Name), submit("", "", "", "End the access")))
	})))
}

// drawWaysOut says that what a page does needs the scope builder, and what a viewer without it does instead.
func drawWaysOut(viewer policy.Principal, does string, byFile h.Node) h.Node {
	who := h.Node(h.Text("You have not signed in, and only who has may do what needs it."))
	if viewer.Authenticated {
		who = h.Group{h.Text("You are "), bdiLine(viewer.ID), h.Textf(", who has %v.", viewer.Scopes)}
	}
	return h.Section(h.Class("notice"), h.Aria("labelledby", "h-ways"), h.H2(h.ID("h-ways"), h.Text("This needs the scope builder")),
		h.P(who, h.Text(" "+does)),
		h.Ul(
			h.Li(h.Text("Ask somebody who has it to do it for you, or to give you a token that has it.")),
			h.Li(h.Text("If you start this server, do so with builder in TRAILS_MCP_SCOPES, and open the sign-in link that it prints, or sign in with the token of TRAILS_MCP_TOKEN.")),
			h.Li(byFile)))
}

// draw is a token, who has issued it, and what can be done with it.
func (t token) draw() h.Node {
	kinds := map[string]string{"valid": "good", "expired": "warn", "revoked": "bad"}
	stamp := func(before, at, never string) h.Node {
		return either(at != "", h.Span(h.Text(before), timeAt(stampOf(at))), h.Span(h.Text(never)))
	}
	return h.Li(h.Data("key", "token "+t.Name),
		h.Div(h.Class("what"), h.Span(h.Class("msg"), bdiLine(t.Name), space, badge(kinds[t.State], line(t.State))),
			h.Span(h.Map(strings.Fields(t.Scopes), func(scope string) h.Node { return h.Group{badge("", scope), space} }))),
		h.If(t.Groups != "", h.Div(h.Class("last"), h.Text("Groups: "), bdiLine(strings.Join(strings.Fields(t.Groups), ", ")))),
		h.Div(h.Class("by"),
			stamp(textIf(t.State == "expired", "expired ", "expires "), t.Expires, "does not expire"), stamp("last used ", t.Used, "never used"),
			h.Span(h.Text(textIf(t.Client != "", "given by ", "issued by ")), bdiLine(t.Creator), h.If(t.Client != "", h.Group{h.Text(" to "), plainCode(line(t.Client))}), space, timeAt(stampOf(t.Created))),
			h.If(t.Revoked != "", h.Span(h.Text("revoked by "), bdiLine(t.Revoker), space, timeAt(stampOf(t.Revoked)))),
			h.If(t.Revoked == "", anchor("", t.URL(), h.Text("Revoke…"), unseen(" "+t.Name))),
			anchor("", t.URL("forget", "true"), h.Text("Forget…"), unseen(" "+t.Name))))
}

// drawIssue is the form that issues a token; it is that of the capability, with the scopes of the viewer to choose from.
func (d tokensData) drawIssue() h.Node {
	return section("new", h.Text("New token"), anchor("more", capabilityURL(issueID), h.Text("Its form, with a dry run")),
		h.Form(h.Class("form panel"), h.Method("post"), h.Action(capabilityURL(issueID)), h.EncType("multipart/form-data"), hiddenInput(keyName, d.Key),
			h.Button(h.Class("hide"), h.Name(doName), h.Value(doCall), h.TabIndex("-1"), h.Aria("hidden", "true"), h.Text("Issue")), // what Enter presses
			h.Map(d.Fields, func(f form.Field) h.Node {
				if f.Name == "scopes" {
					return drawScopes(f, d.Viewer.Scopes.List())
				}
				return drawField(f, fieldHelp{})
			}),
			h.Div(h.Class("buttons"), submit("primary", doName, doCall, "Issue"))))
}

// drawScopes are the scopes that somebody may give.
func drawScopes(f form.Field, own []string) h.Node {
	return h.Div(h.Class("field"), h.Data("field", f.Name), h.FieldSet(h.Aria("describedby", f.DescribedBy()),
		h.Legend(fieldName(f, fieldHelp{})),
		h.Div(h.Class("about"), h.ID(f.ID+"-about"), h.P(h.Text(f.Description+" These are yours, and nobody gives more."))),
		h.Div(h.Class("choices"), h.Map(own, func(scope string) h.Node {
			return h.Label(h.Class("choice"),
				h.Input(h.Type("checkbox"), h.ID(f.ID+"-"+scope), h.Name(form.ArgPrefix+f.Name), h.Value(scope), h.If(scope == string(policy.Runtime), h.Checked())), h.Span(h.Text(scope)))
		}))))
}

// draw is the secret of a new token with what to do with it, or that it was shown before; nothing if no token was issued.
// A script takes the secret off the page when it is left, so that going back does not show it.
func (t *issuedToken) draw() h.Node {
	if t == nil {
		return nil
	}
	const gone = "The secret was shown before, and is not kept. If it did not reach whoever needs it, revoke the token and issue another."
	again := actions(anchor("button", token{Name: t.Name}.URL(), h.Text("Revoke…"), unseen(" "+t.Name)))
	if t.Secret == "" {
		return section("secret", h.Text("Its secret"), nil, h.Div(h.Class("notice notice-warn"), h.P(h.Text(gone)), again))
	}
	header := "Authorization: Bearer " + t.Secret
	return section("secret", h.Text("Its secret"), nil, h.Div(h.Class("panel pad once"), h.Data("once", gone),
		h.P(h.B(h.Text("Copy it now: it is shown this once.")), h.Text(" The graph keeps a hash, by which it knows the token again.")),
		h.Div(h.Class("secret"), snippet("Secret of "+t.Name, t.Secret)),
		snippet("Programs send it in a header", header),
		snippet("Clients over stdio have it in their environment", "TRAILS_TOKEN="+t.Secret),
		snippet("Claude Code", "claude mcp add --transport http trails "+t.MCP+` --header "`+header+`"`)))
}
