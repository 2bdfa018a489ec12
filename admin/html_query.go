package admin

import (
	"strconv"

	"trails/admin/form"
	h "trails/admin/html"
	"trails/capability"
	"trails/fault"
)

// main is the page of queries: the editor's form, and the answer below it.
func (d sparqlData) main(p page) h.Node {
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Query")), lead(h.Text("Ask the graph in SPARQL 1.1: SELECT, ASK, CONSTRUCT or DESCRIBE. Changes are made with "), anchor("", capabilityURL("mutate"), h.Text("mutate")), h.Text("."))},
			actions(h.Div(h.ID("stored-menu"), d.Stored.drawMenu()), d.drawExamples())),
		h.Div(h.ID("yasgui"), h.Data("store", p.Frame.Graph), h.Ask("data-words", d.Words)),
		h.Form(h.ID("query-form"), h.Class("panel ask"), h.Method("post"), h.Action(queryURL), h.Attr("novalidate"),
			labelled("ask-text", "query", "SPARQL", h.Textarea(h.ID("query"), h.Name("query"), h.Class("code"), h.Rows("12"), h.Attr("spellcheck", "false"), h.AutoComplete("off"),
				h.Attr("autocapitalize", "off"), h.Required(), h.MaxLength("1000000"), textareaText(d.View.Query))),
			h.Button(h.Class("hide"), h.TabIndex("-1"), h.Aria("hidden", "true"), h.Text("Run")), // what Enter presses
			h.Div(h.ID("stored-part"), d.Stored.draw()),
			d.drawSettings(), d.drawSave()),
		h.Div(h.ID("answer"), h.TabIndex("-1"), d.drawAnswer(p.colours)),
	}
}

func (d sparqlData) drawExamples() h.Node {
	return h.If(len(d.Examples) > 0, h.Details(h.Class("menu"), h.ID("examples"), h.Summary(h.Text("Examples")), h.Ul(h.Class("menu-body"), h.Map(d.Examples, func(e example) h.Node {
		return h.Li(anchor("", e.Href(), h.Data("example", e.Query), h.Text(line(e.Title))))
	}))))
}

// drawSettings are the ways to run the query and to show its answer.
func (d sparqlData) drawSettings() h.Node {
	v := d.View
	numbers := func(id string, choices []int, chosen int, text func(int) string) h.Node {
		return h.Select(h.ID(id), h.Name(id), h.Map(choices, func(n int) h.Node { return option(strconv.Itoa(n), text(n), n == chosen) }))
	}
	return h.Div(h.Class("filter"),
		labelled("", "output", "Show", h.Select(h.ID("output"), h.Name("output"), h.Map(outputs, func(o output) h.Node { return option(o.Value, o.Text, o.Value == v.Output) }))),
		labelled("", "limit", "At most", numbers("limit", sparqlLimits, v.Limit, func(n int) string { return count(n) + " rows" })),
		labelled("", "timeout", "Time", numbers("timeout", sparqlTimes, v.Timeout, func(n int) string { return strconv.Itoa(n) + " s" })),
		labelled("", "at", "As of", h.Input(h.ID("at"), h.Name("at"), h.Value(v.At), h.Placeholder("now"), h.Title("Digits of a commit's id, head~3, or a time"),
			h.AutoComplete("off"), h.Attr("spellcheck", "false"), h.MaxLength("64"), h.Attr("size", "10"))),
		h.Button(h.Class("primary"), h.ID("run"), h.Text("Run")),
		h.Button(h.Type("button"), h.ID("stop"), h.Attr("hidden"), h.Text("Stop")),
		h.Button(h.Type("button"), h.ID("new-tab"), h.Attr("hidden"), h.Text("New tab")),
		h.P(h.Class("keys faint"), h.ID("keys"), h.Attr("hidden"), key("Ctrl"), space, key("Enter"), h.Text(" runs, "), key("Ctrl"), space, key("Space"), h.Text(" completes")))
}

func key(name string) h.Node { return h.Kbd(h.Text(name)) }

// drawSave is the form that stores the query.
func (d sparqlData) drawSave() h.Node {
	refused := d.View.Do == "save" && d.Fault != nil
	input := func(id, name, most, typed string) h.Node {
		return h.Input(h.ID(id), h.Name(name), h.AutoComplete("off"), h.If(refused, h.Value(typed)), h.If(name == "id", h.Attr("spellcheck", "false")), h.MaxLength(most))
	}
	may := h.Node(h.P(h.Class("faint save-about"), h.Text("You may not store queries: it needs the scope builder. Sign in with a token that has it, such as one of "),
		plainCode("trails token create FILE NAME --scopes runtime,builder"), h.Text("; it counts at once, without a restart.")))
	if d.Stored.May {
		may = h.Group{
			labelled("", "save-id", "Name, unless they say it: My list is stored as my_list", input("save-id", "id", "64", d.View.ID)),
			labelled("grow", "save-description", "Description, unless they say it", input("save-description", "description", "1000", d.View.Description)),
			submit("", "do", "save", "Save"),
		}
	}
	open := d.View.Do == "save" && (d.Kept == nil || d.Kept.Done == "")
	return h.Details(h.Class("fold"), h.ID("save"), h.If(open, h.Attr("open")), h.Summary(h.Text("Save as a stored query")), h.Div(h.Class("filter"),
		h.P(h.Class("soft save-about"), h.Text("It becomes a tool, a form, a command and an address. Its first lines say what it is: "), plainCode("#+ id: open_tasks"), h.Text(", "),
			plainCode("#+ description: …"), h.Text(", "), plainCode("#+ params: {owner: ref(Person), since: date}"), h.Text(".")),
		may))
}

// drawMenu are the stored queries, each to be opened.
func (s storedPart) drawMenu() h.Node {
	return h.If(len(s.List) > 0, h.Details(h.Class("menu"), h.Summary(h.Text("Stored queries")), h.Ul(h.Class("menu-body"), h.Map(s.List, func(l storedLine) h.Node {
		return h.Li(anchor("", l.Href(), h.Title(line(l.Description)), h.Text(line(l.Name)), h.If(l.Problem != "", h.Group{space, badge("bad", "broken")})))
	}))))
}

// draw is the stored query that the editor holds, and inputs for what it declares.
func (s storedPart) draw() h.Node {
	help := fieldHelp{Options: s.Options, SuggestURL: suggestNodesURL}
	return h.Group{
		h.Iff(s.Open != nil, s.drawOpen),
		h.If(len(s.Form.Fields) > 0, h.Div(h.Class("params"), h.Role("group"), h.Aria("label", "Parameters"), h.Map(s.Form.Fields, func(f form.Field) h.Node { return drawField(f, help) }))),
	}
}

func (s storedPart) drawOpen() h.Node {
	q := s.Open
	state := h.Node(h.Bdi(h.Class("bad-text"), h.Text(line(q.Problem))))
	switch {
	case q.Problem != "":
	case s.HasForm:
		state = anchor("", capabilityURL(q.Tool), h.Text("Its form"))
	case q.View != "":
		state = anchor("", savedView{storedLine: *q}.Href(), h.Text("Its view"))
	default:
		state = faint("no tool lists have it")
	}
	return h.P(h.Class("stored-open"), badge("good", "stored"), space, h.B(h.Text(line(q.Name))),
		h.If(q.Params != "", h.Group{space, span("soft", "("+line(q.Params)+")")}), space, state,
		h.If(s.May, h.Group{space, submit("small quiet", "do", "remove", "Remove…")}))
}

// draw is what came of storing or removing a stored query, or the question before.
func (k *kept) draw(v sparqlView) h.Node {
	if k == nil {
		return nil
	}
	if k.Done == "" {
		return k.drawQuestion(v)
	}
	commit := h.Node(h.Text("It was so before; nothing changed."))
	if k.Commit != "" {
		commit = h.Group{h.Text("Commit "), commitLink(k.Commit), h.Text(".")}
	}
	return h.Group{
		h.Section(h.Class("notice answer"), h.Role("status"), h.If(k.Done == "Stored" || k.Chart != "", h.Data("text", v.Query)),
			h.H2(h.Text(k.Done+": "+line(firstOf(k.Signature, k.Name)))),
			h.P(commit, h.If(k.Chart != "", h.Group{space, anchor("", k.Chart, h.Text("The answer with its chart")), h.Text(".")}), h.If(k.Tool != "", h.Group{
				h.Text(" It can be asked "), h.If(k.HasForm, h.Group{h.Text("by "), anchor("", capabilityURL(k.Tool), h.Text("its form")), h.Text(", as the tool "), plainCode(capability.ToolName(k.Tool)), h.Text(", ")}),
				h.Text("at "), plainCode("/queries/" + k.Name), h.Text(" and with "), plainCode("trails q FILE " + k.Name), h.Text("."),
			}))),
		warnings(k.Warnings),
	}
}

// drawQuestion asks before a text is lost.
func (k *kept) drawQuestion(v sparqlView) h.Node {
	heading, means, button, yes := "Replace ", "There is a stored query of this name with another text. The history keeps it.", "primary", "Yes, replace it"
	if k.Ask == "remove" {
		heading, means, button, yes = "Remove ", "Its tool, its address and its command go with it. The history keeps the text.", "danger", "Yes, remove it"
	}
	return h.Section(h.Class("notice notice-warn answer"), h.Role("alert"), h.Data("text", v.Query), h.H2(h.Text(heading+line(k.Name)+"?")), h.P(h.Text(means)),
		h.Pre(h.TabIndex("0"), h.Aria("label", "The text that is stored now"), h.Text(k.Text)),
		h.Form(h.Class("view"), h.Method("post"), h.Action(queryURL), v.drawHidden(), hiddenInput("was", k.Mark), submit(button, "do", k.Ask, yes)))
}

// drawHidden is the view for a form that only changes how the answer is shown.
func (v sparqlView) drawHidden() h.Node {
	return h.Group{
		hiddenInput("query", v.Query), h.If(v.At != "", hiddenInput("at", v.At)), hiddenInput("limit", strconv.Itoa(v.Limit)), hiddenInput("timeout", strconv.Itoa(v.Timeout)),
		h.If(v.Offset != 0, hiddenInput("offset", strconv.Itoa(v.Offset))), h.Map(v.Hidden(), keptInput), v.Chart.drawHidden(),
	}
}

// draw is why a query has no answer.
func (f *sparqlFault) draw() h.Node {
	if f == nil {
		return nil
	}
	says := h.P(h.Text("It has been logged; the trace id finds it there."))
	if f.Message != "" {
		says = h.P(h.Bdi(h.Class("breaks"), h.Text(f.Message)))
	}
	at := strconv.Itoa(f.Line)
	return h.Section(h.Class("notice notice-bad answer"), h.Role("alert"), h.Data("line", strconv.Itoa(max(0, f.Line-f.Added))), h.Data("column", strconv.Itoa(f.Column)),
		h.H2(h.Text(f.Title)), says,
		h.If(f.Line > 0, h.Pre(h.Class("quoted"), h.Aria("label", "Line "+at+" of the query"), faint(at), h.Text(" "+f.Quote.Before), h.Mark(h.Text(f.Quote.At)), h.Text(f.Quote.After))),
		h.If(len(f.Fields) > 0, h.Ul(h.Class("fields"), h.Map(f.Fields, func(e fault.FieldError) h.Node {
			return h.Li(plainCode(line(e.Field)), space, h.Bdi(h.If(e.Source != "", h.Text(line(e.Source)+": ")), h.Text(whole(e.Message))))
		}))),
		h.If(f.Added > 0, h.P(h.Class("faint"), h.Text("Lines are counted in the text that would be stored, which begins with its "+textIf(f.Added > 1, "name and description.", "name or description.")))),
		h.If(f.Mutate != "", h.P(anchor("button", f.Mutate, h.Text("Open mutate")))),
		h.If(f.Trace != "", drawTrace(f.Trace)))
}
