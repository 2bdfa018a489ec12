package admin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	h "trails/admin/html"
	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/fault"
)

// main are the policies, what they let somebody do, and the form that sets others.
func (d *policyData) main(page) h.Node {
	head := pageHead(h.Group{h.H1(h.Text("Policies")),
		lead(h.Text("Who may read and change what, in Cedar: callers may do what one policy permits and none forbids, within their scopes. Policies do not bind who has the file."))},
		h.If(d.May, actions(anchor("button", "#h-explain", h.Text("Explain")), anchor("button", "#h-edit", h.Text("Change")))))
	if !d.May {
		return h.Group{head, drawWaysOut(d.Viewer, "To see, explain and set policies:", h.Group{h.Text("Where the file is, "), plainCode("trails policy show FILE"), h.Text(" prints them.")})}
	}
	return h.Group{
		head,
		h.If(d.Branch != "", h.P(h.Class("notice notice-warn"), h.Text("Those of "), bdiLine(d.Branch), h.Text(" decide nothing until it is merged: those of main decide."))),
		h.Div(h.ID("policies"), h.Attr("data-live-region"), d.drawSet()),
		d.drawExplain(), d.drawEdit(),
	}
}

// drawSet are the policies that are set, with their lines, and who set them.
func (d *policyData) drawSet() h.Node {
	if d.Set.Text == "" {
		return h.Group{h.Map(d.Set.Warnings, func(w string) h.Node { return empty(bdiMessage(w)) }), h.Iff(d.Viewer.Owns, drawStart)}
	}
	return h.Group{
		h.P(h.Text("Set by "), bdiLine(d.Set.Author), space, timeAt(stampOf(d.Set.Time)), h.Text(" in "), commitLink(d.Set.Commit)),
		h.If(d.Set.Problem != "", alert("This program cannot read them, so nobody whom they bind may do anything: "+d.Set.Problem)),
		drawLines("L", "Policies with the numbers of their lines", linesOf(d.Set.Text, d.Set.Text, nil)),
	}
}

// drawStart is the button with which who has the file begins with policies.
func drawStart() h.Node {
	return h.Form(h.Method("post"), h.Action(capabilityURL(setPoliciesID)), h.EncType("multipart/form-data"), hiddenInput(keyName, uuid.NewString()), hiddenInput("arg.starter", "true"),
		submit("primary", doName, doCall, "Let tokens do what their scopes permit"))
}

// drawLines is a text with the numbers of its lines, which can be linked to.
func drawLines(prefix, label string, lines []policyLine) h.Node {
	return h.Group{
		h.Ol(h.Class("numbered panel"), h.TabIndex("0"), h.Aria("label", label), h.Map(lines, func(l policyLine) h.Node {
			return h.Li(h.ID(fmt.Sprint(prefix, l.Number)), h.If(l.IsWrong || l.IsNew, h.Class(textIf(l.IsWrong, "wrong", "new"))),
				h.If(l.IsNew, unseen("new: ")), h.Code(h.Bdi(h.Text(l.Text))), hiddenBadge(l.Text, "This line has characters that cannot be seen"),
				h.Map(l.Wrong, func(message string) h.Node { return h.P(h.Class("bad-text"), bdiMessage(message)) }))
		})),
		h.If(len(lines) == linesMost, h.P(h.Class("faint"), h.Textf("More than %d lines are not shown; trails policy show has all.", linesMost))),
	}
}

// drawExplain is the question who may do what, with the answer.
func (d *policyData) drawExplain() h.Node {
	q := d.Asked
	list := func(id string, values []string) h.Node {
		return h.DataList(h.ID(id), h.Map(values, func(v string) h.Node { return h.Option(h.Value(v)) }))
	}
	input := func(id, label, value, placeholder string, more ...h.Node) h.Node {
		return labelled("grow", id, label, h.Input(h.ID(id), h.Name(id), h.Value(value), h.Placeholder(placeholder), h.MaxLength("200"), h.AutoComplete("off"), h.Group(more)))
	}
	return section("explain", h.Text("Explain"), nil,
		h.GetForm(policyURL, h.Class("panel pad suppose"),
			h.Div(h.Class("filter"),
				input("as", "Who calls", q.As, "token:NAME or anonymous", h.Required(), h.List("actors")),
				input("groups", "in the groups", q.Groups, "those of the token"),
				h.FieldSet(h.Class("field"), h.Legend(h.Text("with the scopes (else those of the token)")), h.Div(h.Class("choices"), h.Map(policy.AllScopes().List(), func(scope string) h.Node {
					return h.Label(h.Class("choice"), h.Input(h.Type("checkbox"), h.ID("scope-"+scope), h.Name("scopes"), h.Value(scope), h.If(slices.Contains(q.Scopes, scope), h.Checked())), h.Span(h.Text(scope)))
				})))),
			h.Div(h.Class("filter"),
				input("call", "calls", q.Call, "a capability; without it all is listed", h.List("callable")),
				labelled("", "action", "or does", h.Select(h.ID("action"), h.Name("action"), option("", "", q.Action == ""), h.Map(cedar.Actions, func(a policy.Action) h.Node { return option(string(a), string(a), string(a) == q.Action) }))),
				input("on", "to", q.On, `Type::"Note", Branch::"main", Query::"open" or Graph`),
				h.Button(h.Class("primary"), h.Text("Explain"))),
			list("actors", d.Actors), list("callable", d.Does)),
		h.If(d.Unexplained != "", h.P(h.Class("notice notice-bad"), h.Role("alert"), focused(), bdiMessage(d.Unexplained))),
		h.Iff(d.Explained != nil, d.drawExplained))
}

// drawExplained is the answer: allowed or denied and why, or what somebody may do.
func (d *policyData) drawExplained() h.Node {
	e := d.Explained
	who := h.Group{bdiLine(e.As), h.Text(" with "), h.Text(textIf(len(e.Scopes) > 0, strings.Join(e.Scopes, ", "), "no scope")), h.If(len(e.Groups) > 0, h.Group{h.Text(", in "), bdiLine(strings.Join(e.Groups, ", "))})}
	said := h.Map(e.Warnings, func(w string) h.Node { return h.P(h.Class("faint"), bdiMessage(w)) })
	if e.Allowed == nil {
		return h.Section(h.Class("panel pad"), h.ID("explained"), focused(), h.Aria("label", "What it may do"), h.P(who), said,
			h.If(len(e.Rows) > 0, h.Div(h.Class("scroll"), h.Table(columns("", "Name", "Read or call", "Change"), h.TBody(h.Map(e.Rows, d.drawSurveyed))))),
			h.If(e.Cut != "", h.P(h.Class("faint"), bdiLine(e.Cut))))
	}
	return h.Section(h.Class("notice "+textIf(*e.Allowed, "", "notice-bad")), h.ID("explained"), focused(), h.Role("status"), h.Aria("label", "Whether it may"),
		h.P(badge(textIf(*e.Allowed, "good", "bad"), textIf(*e.Allowed, "allowed", "denied")), space, h.B(bdiLine(e.Asked)), h.Text(", to "), who), said,
		h.P(bdiMessage(e.Why)),
		h.If(len(e.Policies) > 0, h.Ul(h.Map(e.Policies, func(name string) h.Node {
			return h.Li(either(lineOf(name) > 0, anchor("", fmt.Sprint("#L", lineOf(name)), h.Text(line(name))), bdiLine(name)))
		}))),
		h.If(e.Way != "", h.P(h.Text("What would change it: "), h.Code(h.Class("breaks"), h.Bdi(h.Text(whole(e.Way)))))))
}

// drawSurveyed is what somebody may do to a thing; each leads to why.
func (d *policyData) drawSurveyed(s surveyed) h.Node {
	on := cedar.Resource{Kind: cedar.Kind(s.Kind), ID: s.Name}
	reads := policy.Read
	if on.Kind == cedar.QueryKind {
		reads = policy.InvokeQuery
	}
	cell := func(may *bool, action policy.Action) h.Node {
		if may == nil {
			return h.Td()
		}
		return h.Td(anchor("", d.Asked.URL(action, on), badge(textIf(*may, "good", "bad"), textIf(*may, "yes", "no")), unseen(" why: "+string(action)+" "+on.String())))
	}
	return h.Tr(h.Td(h.Text(s.Kind)), rowHead(bdiLine(s.Name)), cell(s.Read, reads), cell(s.Change, policy.Change))
}

// drawEdit is the form that checks policies and sets them, with what is wrong or would change.
func (d *policyData) drawEdit() h.Node {
	return section("edit", h.Text("Change"), anchor("more", capabilityURL(setPoliciesID), h.Text("The form of the capability")),
		h.If(d.Problem != "", alert(d.Problem)), d.drawWrong(), h.Iff(d.Plan != nil, d.drawPlan),
		h.Form(h.Class("form panel"), h.Method("post"), h.Action(policyURL), h.EncType("multipart/form-data"), hiddenInput(keyName, d.Key), hiddenInput(seenName, d.Set.Commit), hiddenInput(confirmedName, d.Confirmed),
			h.Div(h.Class("field"), h.Label(h.For("policies-text"), h.Text("Policies, in Cedar")),
				h.Div(h.Class("about"), h.ID("policies-about"), h.P(h.Text("Empty for none: then callers by a token read, and change nothing. They are checked first, and what would change is shown."))),
				h.Textarea(h.ID("policies-text"), h.Name("policies"), h.Class("code"), h.Rows("18"), h.Attr("spellcheck", "false"), h.AutoComplete("off"), h.Attr("autocapitalize", "off"), h.MaxLength("131072"),
					h.Aria("describedby", "policies-about"), h.If(len(d.Wrong) > 0, h.Aria("invalid", "true")), textareaText(d.Text))),
			h.Div(h.Class("field"), h.Label(h.For("policies-message"), h.Text("Why they change")), h.Input(h.ID("policies-message"), h.Name("message"), h.Value(d.Message), h.MaxLength("10000"), h.AutoComplete("off"))),
			h.Div(h.Class("buttons"), submit(textIf(d.Confirmed == "", "primary", ""), doName, doDryRun, textIf(d.Confirmed == "", "Check", "Check again")), h.If(d.Confirmed != "", submit("primary", doName, doCall, "Set these policies")))),
		fold("What policies may speak of", h.Pre(h.TabIndex("0"), h.Text(cedar.Vocabulary))))
}

// drawWrong is what is wrong with the text, at its lines.
func (d *policyData) drawWrong() h.Node {
	if len(d.Wrong) == 0 {
		return nil
	}
	placed := func(f fault.FieldError) bool { return lineOf(f.Source) > 0 }
	anywhere := false
	for _, f := range d.Wrong {
		anywhere = anywhere || placed(f)
	}
	return h.Group{
		h.Section(h.Class("notice notice-bad problems"), h.Role("alert"), focused(), h.Aria("labelledby", "h-wrong"), h.H3(h.ID("h-wrong"), h.Text("Nothing was set")),
			h.Ul(h.Map(d.Wrong, func(f fault.FieldError) h.Node {
				return h.Li(h.If(placed(f), h.Group{anchor("", fmt.Sprint("#D", lineOf(f.Source)), h.Text(line(f.Source))), h.Text(": ")}), bdiMessage(f.Message+f.More()))
			}))),
		h.If(anywhere, drawLines("D", "What was sent, with what is wrong at its lines", linesOf(d.Text, d.Text, d.Wrong))),
	}
}

// drawPlan is what would change: which policies and lines are new, and which go.
func (d *policyData) drawPlan() h.Node {
	p := d.Plan
	names := func(label, kind string, list []string) h.Node {
		return h.If(len(list) > 0, h.P(h.Text(label+" "), h.Map(list, func(name string) h.Node { return h.Group{badge(kind, line(name)), space} })))
	}
	var gone []policyLine
	for _, l := range linesOf(d.Set.Text, d.Text, nil) {
		if l.IsNew && strings.TrimSpace(l.Text) != "" {
			gone = append(gone, l)
		}
	}
	nothing := d.Text == d.Set.Text
	return h.Section(h.Class("notice"), h.ID("plan"), h.Role("status"), focused(), h.Aria("labelledby", "h-plan"),
		h.H3(h.ID("h-plan"), h.Text(textIf(nothing, "These are the policies that are set", "What would change"))),
		h.If(!nothing && d.Text == "", h.P(h.Text("All policies are taken away: callers by a token read, and change nothing."))),
		names("New:", "good", p.New), names("Gone:", "bad", p.Gone), warnings(p.Warnings),
		h.If(!nothing && d.Text != "", drawLines("D", "What was sent, with its new lines", linesOf(d.Text, d.Set.Text, nil))),
		h.If(len(gone) > 0, fold(times(len(gone), "line goes", "lines go"), h.Ul(h.Class("numbered gone"), h.Map(gone, func(l policyLine) h.Node {
			return h.Li(h.Text(fmt.Sprint(l.Number)+": "), h.Code(h.Bdi(h.Text(l.Text))))
		})))))
}
