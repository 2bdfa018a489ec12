package admin

import (
	h "trails/admin/html"
	"trails/builtin/view"
	"trails/capability"
	"trails/capability/project"
)

// main is the list of all capabilities.
func (d capabilitiesData) main(p page) h.Node {
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Capabilities")), lead(
			h.Text("All that you may do with this graph. An agent does the same, by the same names, and a program by "), anchor("", "/admin/api", h.Text("the API")), h.Text("."))}),
		h.Map(d.Groups, func(group capabilityGroup) h.Node {
			return group.draw(p.colours, wideTable(columns("Capability", "What it does", "Effect", "Scope"), h.TBody(h.Map(group.Items, func(c capability.Descriptor) h.Node {
				return h.Tr(rowHead(anchor("id", capabilityURL(c.ID), h.Text(c.ID))), h.Td(h.Text(line(c.Description))), h.Td(effect(c)), h.Td(scopeBadge(c)))
			}))))
		}),
	}
}

// draw is the part of a page about one family of capabilities.
func (group capabilityGroup) draw(colours *palette, body h.Node) h.Node {
	heading := h.Text(group.Title)
	if group.Type != "" {
		heading = typeBadge(colours, group.Type)
	}
	return section(group.Anchor, heading, nil, h.ID(group.Anchor), body)
}

func scopeBadge(c capability.Descriptor) h.Node { return badge("", string(c.PolicyRequired.Scope)) }

// main is what programs call: operations with their fields, and addresses.
func (d apiData) main(p page) h.Node {
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("API")), lead(h.Text("What programs call at "), plainCode(p.Frame.Address),
			h.Text(". Arguments are a JSON object, answers are JSON, and what was refused is a problem document."))}),
		h.Map(d.Groups, func(group capabilityGroup) h.Node { return group.draw(p.colours, h.Map(group.Items, drawOperation)) }),
		section("addresses", h.Text("Addresses"), nil, h.ID("addresses"), wideTable(columns("Methods", "Address", "What is there"), h.TBody(h.Map(d.Routes, func(r project.Route) h.Node {
			return h.Tr(h.Td(h.Text(r.Methods)),
				rowHead(either(isPlainGet(r), anchor("id", r.Path, h.Text(r.Path)), plainCode(r.Path)), h.If(r.Query != "", faint("?"+r.Query))), h.Td(h.Text(r.Says)))
		})))),
	}
}

// drawOperation is one capability as programs call it.
func drawOperation(c capability.Descriptor) h.Node {
	takes := h.P(h.Class("faint"), h.Text("It takes no arguments."))
	if fields := c.InputShape.Fields; len(fields) > 0 {
		takes = drawFields("Arguments", "Needed", fields)
	}
	return h.Details(h.Class("fold operation"),
		h.Summary(h.B(h.Text("POST")), space, plainCode("/invoke/"+c.ID), space, effect(c), space, scopeBadge(c)),
		h.Div(h.Class("pad"), h.P(h.Text(c.Description)), takes,
			h.If(len(c.OutputShape.Fields) > 0, drawFields("Answer", "Always", c.OutputShape.Fields)),
			h.P(anchor("button", capabilityURL(c.ID), h.Text("Try it")))))
}

// drawFields are the members of a JSON object.
func drawFields(title, required string, fields []capability.Field) h.Node {
	return wideTable(columns(title, "Type", required, "What it is"), h.TBody(h.Map(fields, func(f capability.Field) h.Node {
		return h.Tr(rowHead(plainCode(f.Name)), h.Td(h.Text(fieldType(f))), h.Td(h.If(f.Required, h.Text("yes"))), h.Td(h.Bdi(h.Text(f.Description))))
	})))
}

// main is the versions of a capability, the newest first.
func (d versionsData) main(page) h.Node {
	var replaced []h.Node
	for _, id := range d.Deprecates {
		replaced = append(replaced, plainCode(line(id)))
	}
	rows := h.Node(h.Map(d.Versions, drawVersion))
	if len(d.Versions) == 0 {
		rows = h.Tr(h.Td(h.ColSpan("4"), faint("It is not written down yet.")))
	}
	cut := line(d.Cut)
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Versions")), sub(idCode(line(d.ID)), h.If(d.Version == nil, badge("bad", "gone"))),
			lead(h.Text("What it was, the newest first. A new major number means that a call or a reader that worked may not work any more."),
				h.If(len(replaced) > 0, h.Group{h.Text(" It replaces "), separated(h.Text(", "), replaced), h.Text(".")}))}),
		h.If(cut != "", h.P(h.Class("notice"), h.Text(cut))),
		wideTable(columns("Version", "Since", "By", "What changed"), h.TBody(rows)),
	}
}

func drawVersion(v view.Version) h.Node {
	author := faint("the program")
	if by := line(v.Author); by != "" {
		author = h.Bdi(h.Text(by))
	}
	changes := h.Node(h.Map(v.Changes, func(c view.VersionChange) h.Node {
		return h.Group{plainCode(line(c.Field)), space, bdiLine(c.What), space, faint(c.Part), h.Br()}
	}))
	if len(v.Changes) == 0 {
		changes = faint("the first that this file has seen")
	}
	return h.Tr(
		rowHead(plainCode(line(v.Version)), h.If(v.Part != "", h.Group{space, badge("", v.Part)})),
		h.Td(timeAt(v.Time), h.Iff(v.Commit != nil, func() h.Node { return h.Group{h.Br(), commitLink(*v.Commit)} })),
		h.Td(author, h.Br(), faint(line(v.Program))), h.Td(changes))
}
