package admin

import (
	"fmt"
	"strconv"

	h "trails/admin/html"
)

// drawAnswer is the part of the page of queries that a script replaces: what came of storing, the fault or the answer,
// and, for a script, what the page says of stored queries.
func (d sparqlData) drawAnswer(colours *palette) h.Node {
	if d.Answer != nil && d.Answer.Chart != nil && d.Stored.May && d.Stored.Open != nil {
		d.Answer.Chart.KeepWith = d.Stored.Open.Name
	}
	return h.Group{
		h.If(d.Renew, h.Group{
			h.Div(h.Data("for", "stored-menu"), d.Stored.drawMenu()),
			h.Div(h.Data("for", "stored-part"), d.Stored.draw()),
		}),
		d.Kept.draw(d.View), d.Fault.draw(), d.Answer.draw(d.Took, colours),
	}
}

// draw is an answer: its size, the ways to show it, itself, and what is before and after it.
func (out *sparqlAnswer) draw(took string, colours *palette) h.Node {
	if out == nil {
		return nil
	}
	v := out.View
	link := v.Link()
	return h.Section(h.Class("section answer"), h.Aria("labelledby", "h-answer"), h.Data("link", link),
		h.Header(h.H2(h.ID("h-answer"), h.Text(out.size())),
			h.Span(h.Class("faint"), h.Text(took), h.If(out.Head != "", h.Group{h.Text(", true of "), commitLink(out.Head)})),
			h.If(link != "", anchor("more", link, h.Text("Link to this answer")))),
		h.Form(h.Class("views"), h.Method("post"), h.Action(queryURL), h.Aria("label", "Ways to show the answer"), v.drawHidden(), h.Ul(h.Map(out.Outputs, func(o output) h.Node {
			return h.Li(h.Button(h.Name("output"), h.Value(o.Value), h.If(o.Value == v.Output, h.Aria("current", "true")), h.Text(o.Text)))
		}))),
		out.drawAt(), out.drawCut(), warnings(out.Warnings), out.drawContent(colours), out.drawPager(), out.drawDownloads())
}

// size says in words how much the answer is.
func (out *sparqlAnswer) size() string {
	switch {
	case out.View.Output == "explain":
		return "How it is run"
	case out.Boolean != nil:
		return "Answer"
	case out.Graph:
		return times(out.Triples, "triple", "triples")
	case out.Count == 0:
		return "No rows"
	case out.First > 1:
		return "Rows " + count(out.First) + "–" + count(out.LastRow())
	}
	return times(out.Count, "row", "rows")
}

// drawAt says that the answer is of an earlier commit.
func (out *sparqlAnswer) drawAt() h.Node {
	if out.View.At == "" {
		return nil
	}
	now := out.View.Now()
	return h.P(h.Class("notice notice-warn as-of"), h.Role("note"), h.Text("As of commit "), commitLink(out.Head), h.Text(": this is what was there then."),
		h.If(now != "", h.Group{space, anchor("button", now, h.Text("Back to now"))}))
}

// drawCut says that there is more.
func (out *sparqlAnswer) drawCut() h.Node {
	return h.If(out.Cut != "", h.Div(h.Class("banner"), h.Span(h.Text("There is more. "), h.If(out.First <= 1, faint(out.Cut+"."))),
		h.Iff(out.More != nil, func() h.Node { return out.More.drawButton("more", out.More.UpTo()) })))
}

// drawButton asks for another view of the same query.
func (v *sparqlView) drawButton(id, text string) h.Node {
	if v == nil {
		return nil
	}
	return h.Form(h.Class("view"), h.Method("post"), h.Action(queryURL), v.drawHidden(), h.Button(h.ID(id), h.Name("output"), h.Value(v.Output), h.Text(text)))
}

// drawContent is the answer itself, in the form that was asked for.
func (out *sparqlAnswer) drawContent(colours *palette) h.Node {
	switch {
	case out.View.Output == "explain":
		return out.drawExplanation()
	case out.Raw != "":
		return h.Div(h.Class("snippet"), h.Header(h.Span(h.Text(out.Format)), copyButton(" the answer")),
			h.Pre(h.Class("raw"), h.TabIndex("0"), h.Aria("label", "The answer as "+out.Format), h.Text(out.Raw)))
	case out.Boolean != nil:
		return h.P(h.Class("panel truth"), badge(textIf(out.IsTrue(), "good", "warn"), strconv.FormatBool(out.IsTrue())),
			h.Text(textIf(out.IsTrue(), " The pattern has a solution.", " The pattern has no solution.")))
	}
	if out.Chart != nil {
		return out.Chart.draw(out.View)
	}
	return h.Group{
		h.If(out.View.Output == "chart" && out.Form != "select", h.P(h.Class("faint"), h.Text("A chart draws the rows of a SELECT; these are triples."))),
		out.drawPicture(colours), out.drawTable(colours),
	}
}

// drawPicture is the graph as SVG, or where a script draws it.
func (out *sparqlAnswer) drawPicture(colours *palette) h.Node {
	p := out.Drawn
	if p == nil {
		return nil
	}
	said := h.If(p.Joined != "", h.P(h.Class("faint"), h.Text(p.Joined)))
	if len(p.Nodes) == 0 {
		return said
	}
	if out.Figure != nil {
		return h.Group{said, framed(figurePicture, "The answer as a picture", "around paths", out.View.Link(), out.Figure.draw(colours, layoutAround, "The answer")), legend(colours, p.Types)}
	}
	return h.Group{said, h.Div(h.Class("panel"),
		picture(pictureSize(len(p.Nodes), len(p.Edges))+"; the table below has the answer", h.Text("The picture needs scripts; the table below does not."),
			h.Attr("data-picture")),
		h.Pre(h.Attr("hidden"), h.Class("picture-data"), h.Text(out.Picture)),
		legend(colours, p.Types, h.If(p.Left > 0, h.Li(h.Class("faint"), h.Textf("%d more are not drawn", p.Left)))))}
}

func (out *sparqlAnswer) drawTable(colours *palette) h.Node {
	if len(out.Lines) == 0 {
		return empty(h.Text(textIf(out.Graph, "The graph is empty.", "Nothing matches.")))
	}
	var rows h.Group
	for i, cells := range out.Lines {
		row := h.Group{h.Td(h.Class("num faint"), h.Text(strconv.Itoa(out.First+i)))}
		for k, c := range cells {
			number := out.Numbers[k] != ""
			if c.Datatype == out.Numbers[k] {
				c.Datatype = "" // the head has it
			}
			row = append(row, h.Td(h.If(number, h.Class("num")), c.draw(colours)))
		}
		rows = append(rows, h.Tr(row))
	}
	var heads h.Group
	for k, name := range out.Columns {
		heads = append(heads, h.Th(h.Scope("col"), h.If(out.Numbers[k] != "", h.Group{h.Class("num"), h.Title(out.Numbers[k])}), h.Bdi(h.Class("breaks"), h.Text(line(name)))))
	}
	begun := h.If(out.Begun > 0, h.P(h.Class("faint"), h.Text(times(out.Begun, "long text is", "long texts are")+" shown by the beginning: the whole is in the files, and on the pages of the nodes.")))
	return h.Group{h.Div(h.Class("scroll"), h.TabIndex("0"), h.Role("region"), h.Aria("label", "Table of the answer"), h.Table(h.Class("answer-table"),
		h.THead(h.Tr(h.Th(h.Scope("col"), h.Class("num"), unseen("Number")), heads)),
		h.TBody(rows))), begun}
}

// draw is a term: an entity and a page of the web are linked, a long literal is folded.
func (c sparqlCell) draw(colours *palette) h.Node {
	switch {
	case c.ID != "":
		return anchor("node entity "+colours.class(c.Type), nodeAt(c.Type, c.ID, c.At), h.Title(line(c.IRI)), colours.swatch(c.Type),
			h.Bdi(breaks(c.Label()), h.Text(firstOf(line(c.Label()), "(no name)"))))
	case c.Href != "":
		return anchor("", c.Href, external(), h.Bdi(breaks(c.Text), h.Text(line(c.Text))))
	case c.Kind == "uri":
		return h.Bdi(h.Class(textIf(unbroken(c.Text), "iri breaks", "iri")), h.Title(line(c.IRI)), h.Text(line(c.Text)))
	case c.Kind == "bnode":
		return span("faint id", line(c.Text))
	case c.Kind == "literal":
		return c.drawLiteral()
	}
	return nil
}

func (c sparqlCell) drawLiteral() h.Node {
	value := valueLine(c.Text, c.Lang)
	if c.Whole != "" {
		value = h.Details(h.Class("long"),
			h.Summary(h.Bdi(h.Class("value breaks"), h.Dir("auto"), h.Text(line(c.Text))), space, badge("", count(c.Size)+" characters")),
			h.Div(h.Class("text"), h.Dir("auto"), h.Text(c.Whole+textIf(c.IsCut(), "…", ""))))
	} else if c.Size > cellShown {
		value = h.Group{value, space, badge("", count(c.Size)+" characters")}
	}
	return h.Group{
		value,
		h.If(c.Lang != "", h.Group{space, badge("lang", line(c.Lang))}),
		h.If(c.Datatype != "", h.Group{space, span("datatype faint", line(c.Datatype))}),
		h.If(hasHidden(c.Text), h.Group{space, hiddenBadge(c.Text, "hidden")}),
	}
}

// drawExplanation is how the query is run.
func (out *sparqlAnswer) drawExplanation() h.Node {
	says := "It gives " + times(out.Count, "row", "rows") + " in all."
	switch {
	case out.Stopped:
		says = "The answer is not known."
	case out.Boolean != nil:
		says = fmt.Sprintf("The answer is %t.", out.IsTrue())
	case out.Graph:
		says = "It gives " + times(out.Triples, "triple", "triples") + " in all."
	}
	return h.Group{
		h.P(h.Class("soft"), h.Text(says)),
		snippet("How it is run: each operator below the one that takes its rows", out.PlanText()),
		h.Map(out.Notes, func(note string) h.Node { return h.P(h.Class("faint"), h.Text(note)) }),
		snippet("What is run: SQL", out.SQL),
		h.If(out.Steps != "", snippet("How SQL is run: SQLite's steps", out.Steps)),
	}
}

func (out *sparqlAnswer) drawPager() h.Node {
	if out.Previous == nil && out.Next == nil {
		return nil
	}
	return h.Nav(h.Class("pager"), h.Aria("label", "Pages of the answer"),
		h.Span(h.If(out.Unordered, h.Text("Without ORDER BY it is not promised which rows are on which page."))), h.Span(h.Class("grow")),
		out.Previous.drawButton("page-previous", "Previous"), out.Next.drawButton("page-next", "Next"))
}

// drawDownloads are the whole answer as files.
func (out *sparqlAnswer) drawDownloads() h.Node {
	if out.View.Output == "explain" {
		return nil
	}
	var files []h.Node
	for _, f := range out.Downloads {
		files = append(files, anchor("", f.Href, h.Download(f.File), h.Text(f.Text)))
	}
	links := h.Group{h.Text("The whole answer as a file: "), separated(h.Text(" · "), files)}
	tooLong := h.Group{h.Text("The query is too long for a link; its whole answer is at "), plainCode("POST /sparql"), h.Text(".")}
	return h.P(h.Class("downloads"), either(len(files) > 0, links, tooLong))
}
