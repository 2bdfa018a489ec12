package admin

import (
	"net/url"

	h "trails/admin/html"
	"trails/admin/static"
)

// Pages are Go functions that return elements of package html. This file has what all pages are written with;
// html_parts.go has the pieces of the graph, such as a link to a node.

// fragment is the address of a part of the same page.
func fragment(id string) string { return "#" + url.PathEscape(id) }

// script and styleSheet load a static file.
func script(file string) h.Node { return h.Script(h.Src(static.URL(file)), h.Defer()) }

func styleSheet(file string, attributes ...h.Node) h.Node {
	return h.Link(h.Rel("stylesheet"), h.Href(static.URL(file)), h.Group(attributes))
}

// space stands between two elements of one line.
var space = h.Text(" ")

// bdiLine is text of the graph on one line.
func bdiLine(text string) h.Node { return h.Bdi(h.Text(line(text))) }

// bdiMessage is a message in the direction of its first letter.
func bdiMessage(text string) h.Node { return h.Bdi(h.Text(whole(text))) }

// anchor is a link; class "" is none.
func anchor(class, to string, children ...h.Node) h.Node {
	return h.A(h.If(class != "", h.Class(class)), h.Group(children), h.Href(to))
}

// span is text in a span of this class.
func span(class, text string) h.Node { return h.Span(h.Class(class), h.Text(text)) }

func faint(text string) h.Node { return span("faint", text) }

// unseen text is read aloud and not shown.
func unseen(text string) h.Node { return span("hide", text) }

// badge is a word in a frame, good, bad, warn or, with "", plain.
func badge(kind, text string) h.Node { return span(textIf(kind != "", "badge "+kind, "badge"), text) }

// plainCode is a word of a program, idCode one that names something.
func plainCode(text string) h.Node { return h.Code(h.Text(text)) }

func idCode(text string) h.Node { return h.Code(h.Class("id"), h.Text(text)) }

// textIf is one of two texts.
func textIf(ok bool, text, otherwise string) string {
	if ok {
		return text
	}
	return otherwise
}

// either is one of two elements, both of which can be made.
func either(ok bool, node, otherwise h.Node) h.Node {
	if ok {
		return node
	}
	return otherwise
}

// orElse is text, or an element in the place of an empty one.
func orElse(text string, otherwise h.Node) h.Node { return either(text != "", h.Text(text), otherwise) }

// lang is the attribute of a text whose language is known.
func lang(tag string) h.Node { return h.If(tag != "", h.Lang(tag)) }

// breaks lets a column break long words of these texts.
func breaks(texts ...string) h.Node { return h.If(unbroken(texts...), h.Class("breaks")) }

// times writes n and the word for so many.
func times(n any, one, many string) string { return count(n) + " " + plural(n, one, many) }

// separated puts an element between the others.
func separated(separator h.Node, nodes []h.Node) h.Node {
	var out h.Group
	for i, n := range nodes {
		if i > 0 {
			out = append(out, separator)
		}
		out = append(out, n)
	}
	return out
}

// pageHead is the top of a page: its heading with what is said below it, and what can be done.
func pageHead(about h.Node, actions ...h.Node) h.Node {
	return h.Div(h.Class("head"), h.Div(about), h.Group(actions))
}

func actions(children ...h.Node) h.Node { return h.Div(h.Class("actions"), h.Group(children)) }

func lead(children ...h.Node) h.Node { return h.P(h.Class("lead"), h.Group(children)) }

func sub(children ...h.Node) h.Node { return h.P(h.Class("sub"), h.Group(children)) }

// section is a part of a page. Its heading has the id h- and name; what is beside it may be nil.
func section(name string, heading, beside h.Node, body ...h.Node) h.Node {
	return h.Section(h.Class("section"), h.Aria("labelledby", "h-"+name),
		h.Header(h.H2(h.ID("h-"+name), heading), beside), h.Group(body))
}

// empty says that there is nothing to list.
func empty(children ...h.Node) h.Node { return h.P(h.Class("panel empty"), h.Group(children)) }

// alert says what went wrong, aloud.
func alert(message string) h.Node {
	return h.P(h.Class("notice notice-bad"), h.Role("alert"), bdiMessage(message))
}

// warnings lists what an answer warns of; nothing when there is nothing.
func warnings(list []string) h.Node {
	return h.If(len(list) > 0, h.Ul(h.Class("notice notice-warn"), h.Aria("label", "Warnings"),
		h.Map(list, func(w string) h.Node { return h.Li(h.Bdi(h.Class("breaks"), h.Text(whole(w)))) })))
}

// prop is a line of a list of properties.
func prop(name string, value ...h.Node) h.Node {
	return h.Div(h.Class("prop"), h.Dt(h.Text(name)), h.Dd(value...))
}

// fold is a part that is unfolded by its summary.
func fold(summary string, body ...h.Node) h.Node {
	return h.Details(h.Class("fold"), h.Summary(h.Text(summary)), h.Group(body))
}

// scrolled is a table that scrolls by itself, with a name for who does not see it.
func scrolled(label string, table ...h.Node) h.Node {
	return h.Div(h.Class("scroll"), h.TabIndex("0"), h.Role("region"), h.Aria("label", label), h.Table(table...))
}

// wideTable is a table that may be wider than the page.
func wideTable(table ...h.Node) h.Node {
	return h.Div(h.Class("scroll"), h.Table(h.Class("caps"), h.Group(table)))
}

// column is the head of a column, numberColumn of one with numbers, rowHead of a row.
func column(title string) h.Node { return h.Th(h.Scope("col"), h.Text(title)) }

func numberColumn(title string) h.Node {
	return h.Th(h.Scope("col"), h.Class("num"), h.Text(title))
}

func rowHead(children ...h.Node) h.Node { return h.Th(h.Scope("row"), h.Group(children)) }

// columns are the heads of a table.
func columns(titles ...string) h.Node { return h.THead(h.Tr(h.Map(titles, column))) }

// hiddenInput is a value that a form sends along.
func hiddenInput(name, value string) h.Node {
	return h.Input(h.Type("hidden"), h.Name(name), h.Value(value))
}

// labelled is an element of a form with its label; more are classes of the field.
func labelled(more, id, label string, control ...h.Node) h.Node {
	return h.Div(h.Class(textIf(more != "", "field "+more, "field")), h.Label(h.For(id), h.Text(label)), h.Group(control))
}

// option is one of a list to choose from.
func option(value, text string, selected bool) h.Node {
	return h.Option(h.Value(value), h.If(selected, h.Selected()), h.Text(text))
}

// submit is a button that sends a form with a value.
func submit(class, name, value, text string) h.Node {
	return h.Button(h.If(class != "", h.Class(class)), h.Name(name), h.Value(value), h.Text(text))
}
