package admin

import (
	"net/url"
	"strconv"
	"strings"

	h "trails/admin/html"
	"trails/admin/markdown"
)

// main is what the guide says of a page.
func (d helpData) main(page) h.Node {
	list := func(texts []string) h.Node {
		return h.Ul(h.Map(texts, func(text string) h.Node { return h.Li(markdown.Draw(text)) }))
	}
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Help")), lead(h.Text("What "), h.Code(bdiLine(d.Page)), h.Text(" shows, and how the same is done without a browser."))},
			actions(anchor("button", tourURL, h.Text("Tour of five steps")))),
		h.If(len(d.Shows) > 0 || len(d.Sections) == 0, section("shows", h.Text("What it shows"), nil, either(len(d.Shows) > 0, h.Div(h.Class("panel pad help"), list(d.Shows)), empty(h.Text("The guide has no line for this page; the tour leads through the most important ones."))))),
		h.If(len(d.Tools) > 0, section("without", h.Text("The same without a browser"), nil, h.Div(h.Class("panel pad help"),
			h.H3(h.Text("An agent calls")), list(d.Tools), h.H3(h.Text("On the command line")), list(d.Commands)))),
		h.Map(d.Sections, func(s helpSection) h.Node {
			return section("of-"+strings.ToLower(strings.ReplaceAll(s.Title, " ", "-")), h.Text(s.Title), nil, h.Div(h.Class("panel pad help"), markdown.Draw(s.Text)))
		}),
	}
}

// helpLink leads to the help of a page.
func helpLink(p page) h.Node {
	path, err := url.Parse(p.Frame.Path)
	if err != nil || !p.Frame.Known {
		return nil
	}
	return anchor("help-link", withQuery(helpURL, url.Values{"page": {path.Path}}), h.ID("help"), h.Title("What this page shows (?)"), h.Span(h.Aria("hidden", "true"), h.Text("?")), unseen("Help for this page"))
}

// main is a step, with the ways on and back.
func (d tourData) main(page) h.Node {
	at := d.Steps[d.Step-1]
	step := func(n int) string { return tourURL + "?step=" + strconv.Itoa(n) }
	return h.Group{
		pageHead(h.Group{h.H1(h.Textf("Tour, step %d of %d: %s", d.Step, len(d.Steps), at.title))}),
		h.Div(h.Class("panel pad help"), markdown.Draw(at.text), h.P(h.Class("actions"), anchor("button", at.address, h.Text("Open "+at.title)),
			h.If(d.Step > 1, anchor("button", step(d.Step-1), h.Rel("prev"), h.Text("Back"))),
			either(d.Step < len(d.Steps), anchor("button primary", step(d.Step+1), h.Rel("next"), h.Text("Next")), anchor("button primary", "/admin", h.Text("To the overview"))))),
	}
}

// drawOffer offers the tour to who is new.
func drawOffer() h.Node {
	return h.Form(h.Class("notice tour"), h.Method("post"), h.Action(tourURL), h.Aria("label", "Tour"),
		h.Text("New here? "), anchor("button", tourURL, h.Text("A tour of five steps")), space, h.Button(h.Class("quiet"), h.Text("No, thanks")))
}
