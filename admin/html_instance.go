package admin

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	h "trails/admin/html"
	"trails/admin/markdown"
	"trails/admin/static"
	"trails/builtin/view"
)

// main is one node: its properties, what refers to it, its history, and the same for programs. With Only it is the
// values of one property.
func (d instanceData) main(p page) h.Node {
	var types h.Group
	for _, name := range d.Types {
		if name != d.Type {
			types = append(types, typeBadge(p.colours, name))
		}
	}
	return h.Group{
		pageHead(h.Group{
			h.H1(h.Bdi(h.Dir("auto"), h.Text(labelOf(d.Node)))),
			sub(typeBadge(p.colours, d.Type), types, idCode(line(d.ID)), h.Code(h.Class("id faint"), h.Text(line(d.Node.IRI)))),
			h.Iff(d.Only == "" && d.Blame == nil, d.drawSummary),
		}, actions(
			h.Button(h.Type("button"), h.Class("icon"), h.Data("star", labelOf(d.Node)), h.Data("type", d.Type), h.Aria("pressed", "false"), h.Title("Star: the search box shows it first"), h.Attr("hidden"), h.Text("☆"), unseen("Star")),
			anchor("button", withQuery(nodeURL(d.Type, d.ID), url.Values{"blame": {"1"}}), h.Text("Who said this")),
			h.If(p.AsOf == nil, h.Group{
				anchor("button", formURL(d.Capacity+".update", "id", d.ID), h.Text("Edit")),
				anchor("button danger", formURL(d.Capacity+".delete", "id", d.ID), h.Text("Delete")),
			}))),
		h.If(len(d.Versions.Commits) > 1, d.drawVersions(state{Branch: branchNamed(p.Frame.Branch)})),
		h.Div(h.Class("columns"),
			h.Div(h.Iff(d.Blame == nil, d.drawProperties), h.Iff(d.Blame != nil, d.drawBlame), h.If(d.Only == "", h.Group{d.drawAround(p.colours), d.drawIncoming(p.colours), d.drawHistory(p.colours)})),
			h.Div(h.If(d.Only == "", h.Group{d.drawRecord(), d.drawPrograms()}))),
	}
}

// drawSummary says in a line what stands around the node, and who changed it last.
func (d instanceData) drawSummary() h.Node {
	var parts []string
	refers := 0
	for _, p := range d.Links {
		refers += p.Total
	}
	if refers > 0 {
		parts = append(parts, "refers to "+times(refers, "node", "nodes"))
	}
	for _, in := range d.Incoming {
		parts = append(parts, count(in.Total)+textIf(in.More, "+", "")+" "+firstOf(in.Type, "untyped")+textIf(in.Total == 1 && !in.More, " refers", " refer")+" here by "+line(d.Doc.relation(in.Property)))
	}
	if more := len(parts) - summaryParts; more > 0 {
		parts = append(parts[:summaryParts], "and "+times(more, "more relation", "more relations"))
	}
	var changed h.Node
	if c := d.Changed; c != nil {
		changed = h.Group{h.If(len(parts) > 0, h.Text("; ")), h.Text("last changed "), timeAt(c.Time), h.Text(" by "), bdiLine(whoIs(c.Author))}
	}
	return h.P(h.Class("lead summary"), h.Text(strings.Join(parts, ", ")), changed)
}

// summaryParts is how many relations the line about a node names.
const summaryParts = 4

// drawVersions leads from each version of the node to the others: by links, and by a slider whose positions are the links
// of the list, from the oldest to the newest.
func (d instanceData) drawVersions(s state) h.Node {
	v := d.Versions
	last := len(v.Commits) - 1
	to := func(i int, class string, inside h.Node) h.Node {
		return h.Iff(i >= 0 && i <= last, func() h.Node {
			return h.A(h.If(class != "", h.Class(class)), h.If(i == 0, h.Rel("alternate")), h.Elsewhere(d.versionPath(s, i)), inside)
		})
	}
	number := func(i int) string {
		if v.More {
			return "Version " + fmt.Sprint(i) + " before the newest"
		}
		return fmt.Sprintf("Version %d of %d", last+1-i, last+1)
	}
	shown := "An older version"
	if v.Shown <= last {
		shown = number(v.Shown) + ", " + when(v.Commits[v.Shown].Time)
	}
	var list h.Group
	for i := last; i >= 0; i-- {
		c := v.Commits[i]
		list = append(list, h.Li(h.If(i == v.Shown, h.Aria("current", "true")),
			to(i, "", h.Text(number(i)+", "+when(c.Time))), space, faint(line(whoIs(c.Author))), h.If(i == 0 && v.Gone, h.Group{space, badge("bad", "deleted")})))
	}
	return h.Nav(h.Class("versions"), h.Aria("label", "Versions"), h.Data("key", "versions"),
		to(v.Shown+1, "button", h.Text("Older")),
		h.Input(h.Type("range"), h.Attr("data-versions"), h.Aria("label", "Version"), h.Aria("valuetext", shown), h.AutoComplete("off"),
			h.Attr("min", "0"), h.Attr("max", fmt.Sprint(last)), h.Value(fmt.Sprint(max(last-v.Shown, 0)))),
		to(v.Shown-1, "button", h.Text("Newer")),
		h.Details(h.Summary(h.Text(shown)), h.Ol(list),
			h.If(v.More, h.P(h.Class("faint"), h.Text("These are the newest; "), anchor("", nodeURL(d.Type, d.ID)+"/history", h.Text("the history")), h.Text(" has all.")))))
}

func (d instanceData) drawProperties() h.Node {
	group := func(key, heading string, list h.Group) h.Node {
		return h.If(len(list) > 0, h.Group{h.If(heading != "", h.H3(h.Class("props-of"), h.Text(heading))), h.Dl(h.Class("props panel"), h.Data("key", "props-"+key), list)})
	}
	others := h.Map(d.Other, func(o view.Other) h.Node {
		return h.Div(h.Class("prop"), h.Data("key", "other-"+o.Predicate), h.Dt(h.Text(line(o.Predicate)), span("kind", "not in the schema")), h.Dd(d.drawValues(o.Values), d.whoSaid(o.Predicate)))
	})
	if d.Only != "" {
		others = nil
	}
	return h.Section(h.Aria("labelledby", "h-props"), h.H2(h.ID("h-props"), h.Class("hide"), h.Text("Properties")),
		group("own", "", h.Map(d.Texts, d.drawProperty)),
		group("links", "Refers to", h.Map(d.Links, d.drawProperty)),
		group("texts", "Texts", h.Map(d.Long, d.drawProperty)),
		group("other", "Technical", others),
		h.If(d.hasMarkdown(), h.P(h.Class("faint"), either(d.Raw,
			anchor("", nodeURL(d.Type, d.ID), h.Text("Draw texts as Markdown")),
			anchor("", withQuery(nodeURL(d.Type, d.ID), url.Values{"raw": {"1"}}), h.Text("Texts as they are"))))),
		h.If(d.Pager != nil, h.Group{d.Pager.draw(), h.P(anchor("", nodeURL(d.Type, d.ID), h.Text("All properties")))}))
}

// drawProperty is a property with its values.
func (d instanceData) drawProperty(p view.Property) h.Node {
	name := h.Text(firstOf(p.Label, propertyName(p.Name)))
	if about := firstOf(p.Description, textIf(p.Label != "", p.Name, "")); about != "" {
		name = h.Abbr(h.Title(line(about)), name)
	}
	kind := firstOf(p.Class, datatypeName(p.Datatype)) + textIf(p.Many, ", many", "") + textIf(p.Required, ", required", "")
	return h.Div(h.Class("prop"), h.Data("key", "prop-"+p.Name), h.Dt(name, h.Span(h.Class("kind"), typeText(kind))),
		h.Dd(either(len(p.Values) > 0, h.Group{d.drawValues(p.Values), d.whoSaid(p.Name)}, faint("not set"))),
		h.If(d.Only == "" && len(p.Values) < p.Total, h.Dd(h.Class("more"), anchor("", d.MorePath(p.Name), h.Text("All "+count(p.Total)+" values")))))
}

// drawValues are values as the page of their node shows them.
func (d instanceData) drawValues(values []view.Cell) h.Node {
	if len(values) == 1 {
		return d.drawValue(values[0])
	}
	return h.Ul(h.Class("vals"), h.Map(values, func(c view.Cell) h.Node { return h.Li(d.drawValue(c)) }))
}

// isMarkdown reports a text that is drawn as Markdown.
func (d instanceData) isMarkdown(c view.Cell) bool { return !d.Raw && markdownIn(c) }

// markdownIn reports a text that is marked as Markdown.
func markdownIn(c view.Cell) bool {
	return c.Ref == nil && (c.Datatype == "" || c.Lang != "") && webURL(c.Text) == "" && markdown.Marked(c.Text)
}

// hasMarkdown reports that a text of the page is drawn as Markdown, or would be.
func (d instanceData) hasMarkdown() bool {
	return slices.ContainsFunc(slices.Concat(d.Texts, d.Long), func(p view.Property) bool { return slices.ContainsFunc(p.Values, markdownIn) })
}

// whole is a text with all its lines.
func (d instanceData) whole(c view.Cell) h.Node {
	if d.isMarkdown(c) {
		return h.Div(h.Class("markdown"), h.Dir("auto"), lang(c.Lang), markdown.Draw(c.Text))
	}
	return h.Div(h.Class("text"), h.Dir("auto"), lang(c.Lang), h.Text(c.Text))
}

// drawValue is a whole value; a long text is folded.
func (d instanceData) drawValue(c view.Cell) h.Node {
	marks := h.Group{langBadge(c.Lang), h.If(hasHidden(c.Text), h.Group{space, hiddenBadge(c.Text, "hidden characters")})}
	switch {
	case c.Ref != nil:
		return nodeLink(*c.Ref)
	case isLong(c):
		return h.Group{
			h.Details(h.Class("long"),
				h.Summary(h.Span(h.Class("cut"), h.Bdi(h.Dir("auto"), h.Text(line(c.Text)))), space, badge("", count(lengthOf(c))+" characters")),
				d.whole(c),
				h.If(isCut(c), onlyTheBeginning())), marks,
		}
	case webURL(c.Text) != "":
		return anchor("", webURL(c.Text), external(), h.Text(c.Text))
	case d.isMarkdown(c):
		return h.Group{d.whole(c), marks}
	case c.Datatype == "xsd:dateTime" || c.Datatype == "xsd:date":
		return timeAt(c.Text)
	}
	return h.Group{h.Span(h.Class("text"), h.Dir("auto"), lang(c.Lang), orElse(c.Text, faint("empty"))), marks}
}

// drawIncoming is what refers to the node, by type and property.
func (d instanceData) drawIncoming(colours *palette) h.Node {
	groups := h.Map(d.Incoming, func(in view.Incoming) h.Node {
		total := count(in.Total) + textIf(in.More, "+", "")
		typed := badge("", "no type")
		if in.Type != "" {
			typed = typeBadge(colours, in.Type)
		}
		return h.Div(h.Class("links-group"), h.Data("key", "in-"+in.Type+"-"+in.Property),
			h.H3(typed, space, h.Span(h.Text(line(d.Doc.relation(in.Property)))), space, badge("", total)),
			h.Ul(h.Map(in.Nodes, func(n view.Node) h.Node { return h.Li(h.Data("key", n.IRI), nodeLink(n)) }),
				h.If(in.More || in.Total > len(in.Nodes), h.Li(anchor("", d.AllOf(in), h.Text("All "+total+" that refer here by "+line(d.Doc.relation(in.Property))))))))
	})
	return section("in", h.Text("Referred to by"), nil, either(len(groups) > 0, h.Div(h.Class("panel"), groups), empty(h.Text("Nothing refers to this."))))
}

func (d instanceData) drawHistory(colours *palette) h.Node {
	return section("history", h.Text("History"), anchor("more", nodeURL(d.Type, d.ID)+"/history", h.Text("Whole history")),
		historyEntries(colours, d.History.Entries, d.Listed, d.Node, true))
}

// picture is where a script draws; the text stands there without one.
func picture(label string, without h.Node, attributes ...h.Node) h.Node {
	return h.Div(h.Class("picture full"), h.Group(attributes), h.Ask("data-library", static.URL("cytoscape.min.js")), h.Attr("data-keep"), h.Role("img"), h.Aria("label", label), h.P(h.Class("wait"), without))
}

func (d instanceData) drawPrograms() h.Node {
	return section("same", h.Text("For programs"), nil,
		h.Div(h.Class("panel pad"), snippet("MCP resource", d.URI), snippet("curl", d.Curl), snippet("Command line", d.CLI)))
}

// drawRecord is who made the node and who changed it last.
func (d instanceData) drawRecord() h.Node {
	by := func(what string, c *view.Commit) h.Node {
		if c == nil {
			return nil
		}
		return prop(what, commitLink(c.ID), space, h.Span(h.Class("faint"), timeAt(c.Time), h.Br(), bdiLine(whoIs(c.Author))))
	}
	return section("about", h.Text("Record"), nil, h.Dl(h.Class("props panel"), by("Made", d.Made), by("Last changed", d.Changed)))
}

// pictureSize says how much a picture shows.
func pictureSize(nodes, edges int) string {
	return fmt.Sprintf("Picture of %d nodes and %d links", nodes, edges)
}
