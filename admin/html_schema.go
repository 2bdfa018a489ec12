package admin

import (
	"fmt"
	"net/url"

	h "trails/admin/html"
	kgschema "trails/schema"
)

// main is the schema: each type with its properties, and all of it as text.
func (d schemaData) main(p page) h.Node {
	download := func(form, file string) h.Node {
		return anchor("more", "/admin/schema/"+form, h.Download(file), h.Text("Download"))
	}
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Schema")),
			sub(h.Span(h.Text("version "+fmt.Sprint(d.Version))), idCode(line(d.Base)), anchor("", "/admin/commits?schema=1", h.Text("Its changes")))},
			h.If(p.AsOf == nil, actions(
				anchor("button primary", withQuery(schemaEditURL, url.Values{"on": {onNewType}}), h.Text("Add a type")),
				anchor("button", schemaEditURL, h.Text("Change the schema"))))),
		h.If(len(d.Types) > 0, h.Nav(h.Aria("label", "Types of the schema"), h.Ul(h.Class("chips plain"), h.Map(d.Types, func(t typeShown) h.Node {
			return h.Li(typeAnchor(t.Name))
		})))),
		d.Graph.draw(p.colours),
		h.Map(d.Types, func(t typeShown) h.Node { return t.draw(p.colours) }),
		section("yaml", h.Text("As YAML"), download("yaml", "schema.yaml"), snippet("YAML", d.YAML)),
		section("turtle", h.Text("As SHACL in Turtle"), download("turtle", "schema.ttl"), h.Details(h.Summary(h.Text("Show")), snippet("Turtle", d.Turtle))),
	}
}

// typeAnchor links to a type on the same page.
func typeAnchor(name string) h.Node { return anchor("", fragment(name), h.Text(name)) }

// draw is one type.
func (t typeShown) draw(colours *palette) h.Node {
	names := func(list []string) h.Node {
		return h.Map(list, func(name string) h.Node { return h.Group{typeAnchor(name), space} })
	}
	fact := func(what string, names []string) h.Node {
		return h.If(len(names) > 0 && names[0] != "", h.Li(h.Text(what+" "), t.named(names)))
	}
	do := func(verb string) h.Node {
		return h.Group{h.Text(" · "), anchor("", capabilityURL(t.Capacity+"."+verb), h.Text(verb))}
	}
	properties := append(
		h.Map(t.Properties, func(p kgschema.PropertyDocument) h.Node { return schemaProperty(p, "") }),
		h.Map(t.Inherited, func(i inherited) h.Node { return schemaProperty(i.Property, i.From) })...)
	return h.Section(h.Class("section"), h.ID(t.Name), h.Aria("labelledby", "h-"+t.Name),
		h.Header(
			h.H2(h.ID("h-"+t.Name), h.Class(colours.class(t.Name)), colours.swatch(t.Name), h.Text(" "+t.Name)),
			h.If(t.Abstract, badge("", "abstract")),
			h.If(t.Open, h.Span(h.Class("badge"), h.Title("Its nodes may have names that the schema does not declare"), h.Text("open"))),
			h.If(t.Embed, h.Span(h.Class("badge"), h.Title("All its texts are found by what they mean, too"), h.Text("embed"))),
			h.Span(h.Class("more"), anchor("", typeURL(t.Name), h.Text("Instances")), h.Text(" · "), anchor("", typeQueryURL(t.Name), h.Text("query")),
				h.If(!t.Abstract, h.Group{do("create"), do("update"), do("delete")}))),
		h.If(t.Description != "", h.P(h.Class("soft"), h.Text(line(t.Description)))),
		h.Ul(h.Class("facts"),
			h.If(len(t.Extends) > 0, h.Li(h.Text("extends "), names(t.Extends))),
			h.If(len(t.Extended) > 0, h.Li(h.Text("extended by "), names(t.Extended))),
			fact("label", []string{t.Label}), fact("key", t.Key), h.Li(h.Text("ids "), h.B(h.Text(string(t.Mint)))),
			h.Map(t.Unique, func(together []string) h.Node { return fact("unique together", together) }),
			h.Li(h.Code(h.Class("id faint"), h.Text(line(t.IRI))))),
		h.Div(h.Class("scroll"), h.TabIndex("0"), h.Role("region"), h.Aria("label", "Properties of "+t.Name), h.Table(h.Class("schema-table"),
			columns("Property", "Values", "Constraints", "Description"),
			h.TBody(either(len(properties) > 0, properties, h.Tr(h.Td(h.ColSpan("4"), h.Class("empty"), h.Text("No properties."))))))))
}

// beside is the label of a property after its name; nothing when it has none.
func beside(label string) h.Node { return h.If(label != "", h.Group{space, span("soft", line(label))}) }

// named are properties of the type by their names, each with its label.
func (t typeShown) named(names []string) h.Node {
	return separated(h.Text(", "), h.Map(names, func(name string) h.Node {
		label := ""
		for _, p := range t.Properties {
			if p.Name == name {
				label = p.Label
			}
		}
		for _, i := range t.Inherited {
			if i.Property.Name == name {
				label = i.Property.Label
			}
		}
		return h.Group{h.B(h.Text(name)), beside(label)}
	}))
}

// schemaProperty is a property of a type, from the supertype that has it, or "".
func schemaProperty(p kgschema.PropertyDocument, from string) h.Node {
	values := plainCode(p.Type)
	if p.Class != "" {
		values = typeAnchor(p.Class)
	}
	mark := func(is bool, kind, text string) h.Node { return h.If(is, h.Group{space, badge(kind, text)}) }
	return h.Tr(
		rowHead(h.Abbr(h.Title(line(p.IRI)), h.Text(p.Name)), beside(p.Label), h.If(from != "", h.Group{space, anchor("badge", fragment(from), h.Text("from "+from))})),
		h.Td(h.Class("nowrap"), values, mark(p.Many, "", "many"), mark(p.Required, "good", "required"), mark(p.Unique, "", "unique")),
		h.Td(h.Map(constraints(p), func(c string) h.Node { return h.Group{h.Code(h.Class("constraint"), h.Text(line(c))), space} })),
		h.Td(h.Class("soft"), h.Text(line(p.Description))))
}
