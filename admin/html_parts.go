package admin

import (
	"net/url"
	"slices"
	"strings"

	h "trails/admin/html"
	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/rdf"
)

// nodeLink links to a node by its label. A node that is not there is not linked, unless it is a page of the web.
func nodeLink(n view.Node) h.Node {
	switch page := pageOf(n); {
	case page != "":
		return anchor("node", page, h.Title(line(n.Type)+" "+line(n.ID)),
			h.Bdi(h.Dir("auto"), breaks(n.Label, n.ID), h.Text(labelOf(n))))
	case webURL(n.IRI) != "":
		return anchor("node", webURL(n.IRI), external(), h.Bdi(breaks(n.IRI), h.Text(line(n.IRI))))
	}
	return h.Span(h.Class("node absent"), h.Title(line(n.IRI)), h.Bdi(h.Dir("auto"), breaks(n.Label, n.IRI), h.Text(labelOf(n))))
}

// labelOf is how a node is called.
func labelOf(n view.Node) string {
	return firstOf(line(n.Label), line(n.ID), line(n.IRI), "(no name)")
}

// draw is a link by its text, of which something is seen.
func (l link) draw() h.Node {
	return anchor("", l.Href, h.Bdi(h.Text(firstOf(line(l.Text), "(no name)"))))
}

// external is the attribute of a link that leaves this site.
func external() h.Node { return h.Rel("noopener noreferrer external") }

// typeBadge is a type in its colour.
func typeBadge(colours *palette, name string) h.Node {
	return anchor("badge type "+colours.class(name), typeURL(name), h.Text(name))
}

// typeText is the name of a type, in which a line may break where a word begins.
func typeText(name string) h.Node {
	var parts h.Group
	isUpper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	begin := 0
	for i := 1; i < len(name); i++ {
		if isUpper(name[i]) && !isUpper(name[i-1]) {
			parts = append(parts, h.Text(name[begin:i]), h.Wbr())
			begin = i
		}
	}
	return h.Span(parts, h.Text(name[begin:]))
}

// swatch is the colour and the mark of a type, beside its name or what is of it.
func (p *typeColours) swatch(name string) h.Node {
	return h.Span(h.Class("swatch "+p.class(name)), h.Data("mark", p.mark(name)), h.Aria("hidden", "true"))
}

// commitLink is a commit by its id.
func commitLink(id string) h.Node { return anchor("id", commitURL(id), h.Text(id)) }

// capabilityLink is a capability by its id, linked if it has a page.
func capabilityLink(id string, listed bool) h.Node {
	return either(listed, anchor("id", capabilityURL(id), h.Text(line(id))), idCode(line(id)))
}

// timeAt is a time as people read it, with the exact value.
func timeAt(stamp string) h.Node {
	return h.Time(h.DateTime(stamp), h.Title(stamp), h.Text(when(stamp)))
}

// hiddenBadge warns of characters that cannot be seen.
func hiddenBadge(text, says string) h.Node {
	return h.If(hasHidden(text), h.Span(h.Class("badge warn"), h.Title("Holds characters that cannot be seen"), h.Text(says)))
}

// hiddenWarning warns of them where the text is what a machine says.
func hiddenWarning(text string) h.Node {
	return h.If(hasHidden(text), badge("warn", "hidden characters"))
}

// langBadge is the language of a text.
func langBadge(tag string) h.Node { return h.If(tag != "", badge("lang", tag)) }

// cell is a value on one line, for tables and differences.
func cell(c view.Cell) h.Node {
	switch {
	case c.Ref != nil:
		return nodeLink(*c.Ref)
	case c.Datatype == "xsd:dateTime" || c.Datatype == "xsd:date":
		return timeAt(c.Text)
	}
	return h.Group{valueLine(c.Text, c.Lang), langBadge(c.Lang), hiddenBadge(c.Text, "hidden")}
}

// valueLine is a text value on one line.
func valueLine(text, tag string) h.Node {
	return h.Bdi(h.Class(textIf(unbroken(text), "value breaks", "value")), h.Dir("auto"), lang(tag), orElse(line(text), faint("empty")))
}

// cutCell is a value with the length of its text if that is long.
func cutCell(c view.Cell) h.Node {
	return h.Group{cell(c), h.If(isLong(c), h.Group{space, badge("", count(lengthOf(c))+" characters")})}
}

// plusMinus is how many statements were added and removed.
func plusMinus(added, removed int64) h.Node {
	return h.Group{span("plus", "+"+count(added)), space, span("minus", "−"+count(removed))}
}

// commitName is what a commit is called: the sentence about it, else its message, else how much it changed.
func commitName(c view.Commit) string {
	return firstOf(line(c.What), line(c.Message), "+"+count(c.Added)+" −"+count(c.Removed)+" statements")
}

// commitLog is a list of commits, of which each can be taken back unless they are those until an earlier one.
func commitLog(list []view.Commit, asOf *asOf) h.Node {
	if len(list) == 0 {
		return empty(h.Text("Nothing was written yet."))
	}
	return h.Ol(h.Class("log panel"), h.Map(list, func(c view.Commit) h.Node {
		return h.Li(h.Data("key", c.ID),
			h.Div(h.Class("what"),
				h.Span(h.Class("msg"), anchor("", commitURL(c.ID), h.Bdi(h.Text(commitName(c)))),
					h.If(c.What != "" && c.Message != "", h.Group{h.Br(), h.Bdi(h.Class("why"), h.Text("“"+line(c.Message)+"”"))})),
				h.Span(h.Class("nowrap"), plusMinus(c.Added, c.Removed)), commitLink(c.ID), h.If(asOf == nil, undoLink(c.ID))),
			h.Div(h.Class("by"), authorLink(c.Author), h.If(c.Door != "", h.Span(h.Text(throughDoor(c.Door)))), timeAt(c.Time)))
	}))
}

// authorLink is who made a commit, as people call them, and leads to all that they made.
func authorLink(author string) h.Node {
	return anchor("", withQuery(commitsURL, url.Values{"author": {author}}), h.Title("All commits by "+line(author)), bdiLine(whoIs(author)))
}

// whoIs is an author as people call them: without the kind of the account, and without a browser.
func whoIs(author string) string {
	id, client, _ := strings.Cut(author, " via ")
	id = strings.TrimPrefix(id, policy.LocalActor)
	if client == "" || client == "browser" || strings.HasPrefix(client, "Mozilla/") {
		return id
	}
	return id + " with " + client
}

// throughDoor says where a call came in.
func throughDoor(door string) string {
	if said := map[string]string{"page": "on a page", "terminal": "at a terminal", "script": "by a script", "mcp": "over MCP", "http": "over HTTP"}[door]; said != "" {
		return said
	}
	return "through " + line(door)
}

// snippet is a text to copy.
func snippet(label, text string) h.Node {
	return h.Div(h.Class("snippet"), h.Header(h.Span(h.Text(label)), copyButton(" "+label)), h.Pre(h.TabIndex("0"), h.Text(text)))
}

// copyButton copies the text below it, if there are scripts.
func copyButton(what string) h.Node {
	return h.Button(h.Type("button"), h.Class("quiet"), h.Attr("data-copy"), h.Attr("hidden"), h.Text("Copy"), unseen(what))
}

// whatAgentsRead is a text as an agent gets it.
func whatAgentsRead(text string, tokens int) h.Node {
	return h.Div(h.Class("snippet"),
		h.Header(h.Span(h.Text("What the agent reads: "+times(tokens, "token", "tokens")), h.If(hasHidden(text), space), hiddenWarning(text))),
		h.Pre(h.TabIndex("0"), h.Bdi(h.Text(text))))
}

// draw leads to newer and older, or previous and next; a nil pager is nothing.
func (p *pager) draw() h.Node {
	if p == nil {
		return nil
	}
	to := func(l *link, id, rel string) h.Node {
		if l == nil {
			return nil
		}
		return anchor("button", l.Href, h.ID(id), h.Rel(rel), h.Text(l.Text))
	}
	return h.Nav(h.Class("pager"), h.Aria("label", "Pages"), h.Span(h.Text(p.Text)), h.Span(h.Class("grow")),
		to(p.Previous, "page-previous", "prev"), to(p.Next, "page-next", "next"))
}

// changeTable is what became of each property, with links to the states before and after; nothing when there is no change.
func changeTable(colours *palette, changes []view.PropertyChange, before, after state) h.Node {
	if len(changes) == 0 {
		return nil
	}
	return h.Table(h.Caption(h.Class("hide"), h.Text("Changes by property")), columns("Property", "Before", "After"),
		h.TBody(h.Map(changes, func(c view.PropertyChange) h.Node {
			return h.Tr(rowHead(h.Bdi(h.Class("breaks"), h.Text(colours.property(c.Property)))),
				h.Td(&within{before, h.Map(c.Old, func(c view.Cell) h.Node { return h.Del(unseen("was "), cutCell(c)) })}),
				h.Td(&within{after, h.Map(c.New, func(c view.Cell) h.Node { return h.Ins(unseen("is "), cutCell(c)) })}))
		})))
}

// callOf is the call that made a commit.
func callOf(call view.Activity, listed map[string]bool) h.Node {
	return h.Group{capabilityLink(call.Capability, listed[call.Capability]), space, faint("through " + line(call.Via))}
}

// historyEntry is what one commit did to a node; restore, if there is one, leads to making that version the node's again.
func historyEntry(colours *palette, e view.HistoryEntry, listed map[string]bool, restore h.Node) h.Node {
	c := e.Commit
	return h.Article(h.Class("diff panel"), h.Data("key", c.ID),
		h.Header(h.H3(anchor("", commitURL(c.ID), h.Bdi(h.Text(firstOf(line(c.What), line(c.Message), c.ID))))),
			h.If(c.What != "" && c.Message != "", h.Bdi(h.Class("soft"), h.Text("“"+line(c.Message)+"”"))),
			h.Span(h.Class("faint"), timeAt(c.Time)), authorLink(c.Author), h.If(c.Door != "", faint(throughDoor(c.Door))), undoLink(c.ID), restore,
			h.Iff(e.Activity != nil, func() h.Node { return h.Span(capabilityLink(e.Activity.Capability, listed[e.Activity.Capability])) })),
		changeTable(colours, e.Changes, state{}, state{}),
		h.If(e.More, h.P(h.Class("legend faint"), h.Text("More changed than is shown here; "), anchor("", commitURL(c.ID), h.Text("see the commit")), h.Text("."))))
}

// historyEntries are entries of a node's history, the newest first. The newest of the whole history is what the node is now;
// each other one, unless it deleted the node, is a version that can be restored.
func historyEntries(colours *palette, list []view.HistoryEntry, listed map[string]bool, of view.Node, newest bool) h.Node {
	if len(list) == 0 {
		return empty(h.Text("No commit touched it."))
	}
	var entries h.Group
	for i, e := range list {
		isNow := newest && i == 0
		var restore h.Node
		if !isNow && of.Type != "" && !deletes(e) {
			restore = anchor("faint", restoreAddress(e.Commit.ID, of), h.Text("Restore this version"), unseen(" of "+e.Commit.ID))
		}
		entries = append(entries, historyEntry(colours, e, listed, restore))
	}
	return entries
}

// deletes reports that a commit took the type of a node away, and gave it none.
func deletes(e view.HistoryEntry) bool {
	return slices.ContainsFunc(e.Changes, func(c view.PropertyChange) bool {
		return c.Property == string(rdf.Type) && len(c.Old) > 0 && len(c.New) == 0
	})
}

// serverState is how an upstream server stands in this process.
func serverState(state, problem string) h.Node {
	kinds := map[string]string{"up": "good", "down": "bad", "untrusted": "warn"}
	return h.Group{
		h.If(state != "", badge(kinds[state], line(state))),
		h.If(problem != "", h.Group{space, h.Bdi(h.Class("bad-text"), h.Text(line(problem)))}),
	}
}

// outcome is how a call ended.
func outcome(c call) h.Node {
	return either(c.Outcome == "ok", badge("good", "ok"), h.Span(h.Class("badge bad"), h.Title(line(c.Error)), h.Text(line(c.Outcome))))
}

// effect is what a capability does to the graph.
func effect(d capability.Descriptor) h.Node {
	kind := map[capability.SideEffects]string{capability.None: "good", capability.Destroys: "warn"}[d.SideEffects]
	return h.Group{badge(kind, effects[d.SideEffects]), h.If(d.ConsentRequired, h.Group{space, badge("bad", "asks first")})}
}

// legend lists the colours of a picture.
func legend(colours *palette, types []typeCount, more ...h.Node) h.Node {
	return h.Ul(h.Class("legend"), h.Aria("label", "Colours"), h.Map(types, func(t typeCount) h.Node {
		return h.Li(h.Class(colours.class(t.Name)), colours.swatch(t.Name), typeText(firstOf(t.Name, "no type")), space, faint(count(t.Count)))
	}), h.Group(more))
}
