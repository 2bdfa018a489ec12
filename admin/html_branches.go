package admin

import (
	"net/url"

	h "trails/admin/html"
)

// main is the list of branches, with the form that makes one.
func (d branchesData) main(p page) h.Node {
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Branches")), lead(h.Text("A branch is a place to work where main does not change: look at it, compare it, merge it, or throw it away."))},
			h.If(p.Frame.Head != "", actions(anchor("button", diffURL, h.Text("Compare")), anchor("button", mergeURL, h.Text("Merge"))))),
		h.Ol(h.Class("log panel"), h.Map(d.Branches, branchState.draw)), d.Pager.draw(), d.drawCreate(), d.drawTags(),
	}
}

// draw is a branch, what it did last, and what can be done with it.
func (b branchState) draw() h.Node {
	about := h.Span(h.Text("from "), bdiLine(b.From), h.Text(" at "), anchor("id", b.address(commitURL(b.Fork)), h.Text(b.Fork)))
	last := h.Node(faint("no commit"))
	if b.Last.ID != "" {
		last = h.Group{anchor("", b.address(commitURL(b.Last.ID)), h.Bdi(h.Text(commitName(b.Last)))), space,
			faint("by "), h.Bdi(h.Class("faint"), h.Text(line(whoIs(b.Last.Author)))), space, h.Span(h.Class("faint"), timeAt(b.Last.Time))}
	}
	return h.Li(h.Data("key", b.Name),
		h.Div(h.Class("what"),
			h.Span(h.Class("msg"), anchor("", b.address("/admin"), bdiLine(b.Name)), h.If(b.Protected, h.Group{space, badge("", "protected")}), h.If(b.From != "", h.Group{space, b.Ahead.draw("good", "ahead"), space, b.Behind.draw("warn", "behind")})),
			h.If(b.Head != "", anchor("id", b.address(commitURL(b.Head)), h.Text(b.Head)))),
		h.Div(h.Class("last"), last),
		h.Div(h.Class("by"), h.If(b.From != "", about), anchor("", b.address("/admin/commits"), h.Text("Commits"), unseen(" of "+b.Name)),
			h.If(b.From != "", h.Group{
				anchor("", withQuery(diffURL, url.Values{"to": {b.Name}}), h.Text("What it changed"), unseen(": "+b.Name)),
				anchor("", withQuery(mergeURL, url.Values{"source": {b.Name}, "target": {b.From}}), h.Text("Merge into "+line(b.From)), unseen(": "+b.Name)),
				b.form("branches_rename", "Rename…"), b.form("branches_reset", "Reset…"), b.form("branches_delete", "Delete…"),
			}),
			h.If(b.Protects, either(b.Protected, b.form("branches_protect", "Let everybody write…", "protected", "false"), b.form("branches_protect", "Protect…")))))
}

// form links to the form of a capability about the branch, with more fields filled in.
func (b branchState) form(capability, text string, more ...string) h.Node {
	return anchor("", formURL(capability, append([]string{"name", b.Name}, more...)...), h.Text(text), unseen(" "+b.Name))
}

// drawTags are the tags, with the forms that make and delete them.
func (d branchesData) drawTags() h.Node {
	list := empty(h.Text("No commit has a tag."))
	if len(d.Tags) > 0 {
		list = h.Ol(h.Class("log panel"), h.Map(d.Tags, tag.draw))
	}
	return section("tags", h.Text("Tags"), anchor("", capabilityURL("tags_create"), h.Text("New tag…")), list)
}

// draw is a tag, the commit that it names, and who made it.
func (t tag) draw() h.Node {
	return h.Li(h.Data("key", "tag "+t.Name),
		h.Div(h.Class("what"), h.Span(h.Class("msg"), bdiLine(t.Name)), anchor("id", withQuery(commitURL(t.Commit), url.Values{"branch": {t.Branch}}), h.Text(t.Commit))),
		h.Div(h.Class("by"), bdiLine(whoIs(t.Author)), timeAt(stampOf(t.Tagged)), anchor("", formURL("tags_delete", "name", t.Name), h.Text("Delete…"), unseen(" "+t.Name))))
}

// address is a page on the branch.
func (b branchState) address(path string) string {
	return withQuery(path, url.Values{"branch": {b.Name}})
}

// draw is how far a branch is from another.
func (d distance) draw(kind, direction string) h.Node {
	return badge(textIf(d.Commits > 0, kind, ""), count(d.Commits)+textIf(d.More, "+", "")+" "+direction)
}

// drawCreate is the form that makes a branch; it is that of the capability.
func (d branchesData) drawCreate() h.Node {
	return section("new", h.Text("New branch"), nil,
		h.Form(h.Class("filter panel pad"), h.Method("post"), h.Action(capabilityURL("branches_create")), hiddenInput(keyName, d.Key),
			labelled("grow", "new-name", "Name", h.Input(h.ID("new-name"), h.Name("arg.name"), h.Required(), h.MaxLength("64"), h.AutoComplete("off"), h.Attr("spellcheck", "false"))),
			labelled("", "new-from", "From", h.Select(h.ID("new-from"), h.Name("arg.from"), h.Map(d.All, func(b branch) h.Node { return option(b.Name, b.Name, b.From == "") }))),
			submit("primary", doName, doCall, "Create")))
}
