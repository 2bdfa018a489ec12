package admin

import (
	"net/url"
	"strings"

	h "trails/admin/html"
	"trails/builtin/view"
	"trails/fault"
)

// main is what the call would change, and the button that makes it.
func (p *proposal) main(shown page) h.Node {
	button := submit("primary", doName, doCall, p.Button)
	if p.Mass != "" {
		button = h.Group{hiddenInput("mass", "1"), submit("danger solid", doName, doCall, "Yes, remove "+p.Mass+" statements")}
	}
	return h.Group{
		pageHead(h.H1(bdiLine(p.Title))),
		h.If(p.Problem != "", alert(p.Problem)), mistakes(shown.colours, p.Mistakes), p.drawClashes(shown.colours),
		h.If(p.Mass != "", h.P(h.Class("notice notice-warn"), h.Role("note"), h.Text("This removes "+p.Mass+" statements."))),
		warnings(p.Outcome.Warnings),
		h.Form(h.Class("form panel"), h.ID("proposal"), h.Method("post"), h.Action(p.Action), hiddenInput(keyName, p.Key), h.Map(p.Hidden, keptInput),
			h.Div(h.Class("buttons"), h.If(p.Problem == "" && (p.Mass != "" || p.changes()), button), anchor("button", p.Back.Href, h.Text("Back")))),
		h.If(p.Problem == "", p.drawSummary()),
		h.If(len(p.Steps) > 0, section("steps", h.Text("What is taken back of the schema"), nil, stepsOf(p.Steps))),
		section("changed", h.Text(textIf(p.Problem == "", "What will change", "What would change")), h.If(p.changes(), plusMinus(p.Outcome.Added, p.Outcome.Removed)),
			either(len(p.Changes) > 0, h.Map(p.Changes, func(n view.NodeChange) h.Node { return nodeChange(shown.colours, n) }), empty(h.Text("No node of the data."))),
			h.If(p.More, h.P(h.Class("faint"), h.Text("More nodes change than are shown here.")))),
	}
}

// mistakes lists what would not fit, each with its node.
func mistakes(colours *palette, list []fault.FieldError) h.Node {
	return h.If(len(list) > 0, h.Ul(h.ID("not-fitting"), h.Class("steps"), h.Map(list, func(f fault.FieldError) h.Node {
		said := colours.mistake(f)
		return h.Li(h.If(f.Node != "" && !strings.HasPrefix(said, f.Node), h.Group{namedNode(f.Node), h.Text(": ")}), bdiMessage(said))
	})))
}

// namedNode links to the page of a node that has one.
func namedNode(name string) h.Node {
	if n := nodeNamed(name); n.Type != "" {
		return anchor("node", pageOf(n), bdiLine(name))
	}
	return bdiLine(name)
}

// drawClashes lists what later commits did, so that the call would overwrite it, each with its commit.
func (p *proposal) drawClashes(colours *palette) h.Node {
	return h.If(len(p.Clashes) > 0, h.Group{
		h.P(h.Text("Undo those commits first, the newest first, or change the nodes yourself.")),
		h.Ul(h.Class("steps"), h.Map(p.Clashes, func(c clash) h.Node {
			what := c.What
			if rest, begins := strings.CutPrefix(what, c.Property+" "); begins && c.Property != "" {
				what = colours.property(c.Property) + " " + rest
			}
			return h.Li(h.If(c.Node != "", h.Group{namedNode(c.Node), h.Text(": ")}), bdiMessage(what), h.If(c.Commit != "", h.Group{h.Text(", by commit "), commitLink(c.Commit), h.Text(" · "), undoLink(c.Commit)}))
		})),
	})
}

// drawSummary says what will become of how many nodes of each type; nothing when there are more than are shown.
func (p *proposal) drawSummary() h.Node {
	if p.More && !p.FromOutcome || len(p.Changes) == 0 {
		return nil
	}
	text := summary(p.Changes)
	return h.If(text != "", h.P(h.Class("lead"), h.Text("This "+text+", as one commit that can be taken back.")))
}

// changes reports that the dry run would have changed something.
func (p *proposal) changes() bool { return p.Outcome.Added+p.Outcome.Removed > 0 }

// undoLink is undoButton as a word in a line.
func undoLink(commit string) h.Node {
	return anchor("faint", undoAddress(commit), h.Text("Undo"), unseen(" "+commit))
}

// undoButton leads to what taking back a commit would change.
func undoButton(commit string) h.Node {
	return anchor("button", undoAddress(commit), h.Text("Undo…"))
}

func undoAddress(commit string) string { return withQuery(undoURL, url.Values{"commit": {commit}}) }

// restoreAddress leads to what making a node what it was as of a commit would change.
func restoreAddress(commit string, of view.Node) string {
	return withQuery(restoreURL, url.Values{"version": {commit}, "type": {of.Type}, "id": {of.ID}})
}
