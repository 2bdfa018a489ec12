package admin

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"trails/admin/form"
	h "trails/admin/html"
	"trails/builtin/view"
)

// main is the page: what was done, or the plan with its controls, or where data is given.
func (d *importData) main(page) h.Node {
	wrong := h.If(d.Wrong != "", h.P(h.Class("notice notice-bad"), h.Role("alert"), focused(), bdiMessage(d.Wrong)))
	switch {
	case d.Done != nil:
		return d.drawDone()
	case d.Plan != nil:
		again := h.If(d.Again, h.P(h.Class("notice"), h.Text("Nothing was imported. What stands here was looked at again after that, since others may have changed the graph.")))
		return h.Group{d.drawHead(), wrong, again, d.drawPlan()}
	case d.Key != "":
		return h.Group{d.drawHead(), wrong, h.Form(h.Method("post"), h.Action(importURL), d.drawDecisions(), h.P(submit("primary", doName, "check", "Check again"), space, anchor("button", importURL, h.Text("Another file"))))}
	}
	return h.Group{
		pageHead(h.Group{h.H1(h.Text("Import")), lead(h.Text("A spreadsheet or data file becomes instances: choose a file, or paste what you copied. Before anything changes you see what becomes of each column, and every mistake."))}),
		wrong, h.If(d.Cancelled != "", h.P(h.Class("notice"), h.Role("status"), bdiLine("Cancelled. What was sent of "+d.Cancelled+" is gone, and nothing was changed."))),
		drawImportForm(d.Asked.Type, d.Text, h.If(d.Lost, d.Asked.hidden())),
	}
}

// drawImportForm is where data is given: a file or a text.
func drawImportForm(typeName, text string, kept h.Node) h.Node {
	return h.Form(h.Class("panel pad import-door"), h.Method("post"), h.Action(importURL), h.EncType("multipart/form-data"), h.Attr("data-drop"), kept,
		labelled("", "import-file", "A file: CSV, TSV, Excel (.xlsx), JSON, NDJSON, Turtle, JSON-LD or other RDF, up to 500 MiB (without scripts 30)",
			h.Input(h.Type("file"), h.ID("import-file"), h.Name("file"))),
		labelled("", "import-text", "or paste a table, with the names of the columns in its first row",
			h.Textarea(h.ID("import-text"), h.Name("text"), h.Rows("6"), h.Text(text))),
		labelled("", "import-type", "What the rows are, if you know (a new name makes a new type)",
			h.Input(h.ID("import-type"), h.Name("type"), h.Value(typeName), h.Placeholder("found by the columns"), h.MaxLength("50"), h.AutoComplete("off"))),
		h.P(h.Button(h.Class("primary"), h.Text("Look at it"))),
		h.P(h.Class("faint"), h.Attr("data-progress"), h.Attr("aria-live", "polite")))
}

// hidden are the decisions as fields that are sent with another file.
func (c importChoices) hidden() h.Node {
	fields := h.Group{}
	for name, v := range map[string]string{"id": c.ID, "by": c.By, "dates": c.Dates, "decimal": c.Decimal, "sheet": c.Sheet, "mode": c.Mode} {
		fields = append(fields, h.If(v != "", hiddenInput(name, v)))
	}
	for i, name := range c.Names {
		fields = append(fields, hiddenInput(fmt.Sprint("name.", i), name), hiddenInput(fmt.Sprint("kind.", i), c.Kinds[name]), hiddenInput(fmt.Sprint("property.", i), c.Properties[name]))
	}
	for _, place := range slices.Sorted(maps.Keys(c.Cells)) {
		fields = append(fields, hiddenInput("cell."+place, c.Cells[place]))
	}
	return fields
}

func (d *importData) drawHead() h.Node {
	said := ""
	if d.Plan != nil {
		said = d.summary()
	}
	return pageHead(h.Group{h.H1(bdiLine("Import " + d.Name)), h.If(said != "", sub(h.Text(said)))},
		actions(anchor("button", importURL, h.Text("Another file"))))
}

// summary says in a sentence what would be done.
func (d *importData) summary() string {
	p := d.Plan
	switch {
	case len(p.Blocked) > 0:
		return "Something has to be decided first. Nothing was changed."
	case p.RDF:
		return fmt.Sprintf("%s are added as they are. Nothing was changed yet.", times(p.Records, "statement", "statements"))
	}
	text := times(p.Records, "row fits", "rows fit")
	if p.LeftOut > 0 {
		text += ", " + times(p.LeftOut-p.Following, "does not", "do not")
	}
	if p.Following > 0 {
		text += ", " + times(p.Following, "refers", "refer") + " to " + textIf(p.LeftOut-p.Following == 1, "it", "these")
	}
	for _, t := range p.Tables {
		if t.Type != "" {
			text += fmt.Sprintf("; they become %s %s", textIf(t.New, "instances of the new type", "instances of"), line(t.Type))
		}
	}
	if len(p.Types) == 0 && p.Records > 0 {
		text += ": " + metOf(p.Met)
	}
	return text + ". Nothing was changed yet."
}

// metOf says what became of nodes: 3 new, 12 changed, 185 equal.
func metOf(m view.Met) string {
	return fmt.Sprintf("%s new, %s changed, %s equal", count(m.New), count(m.Changed), count(m.Equal))
}

// drawPlan are the decisions, the mistakes and the first rows, in one form.
func (d *importData) drawPlan() h.Node {
	p := d.Plan
	blocked := len(p.Blocked) > 0
	return h.Form(h.Method("post"), h.Action(importURL), h.Class("import"),
		d.drawDecisions(),
		h.Map(p.Blocked, func(text string) h.Node { return h.P(h.Class("notice notice-warn"), bdiMessage(text)) }),
		h.If(p.TooMany, h.P(h.Class("notice notice-warn"), h.Text("More than a fifth of the rows do not fit: something is probably read amiss. Look at the kinds of the columns first."))),
		d.drawMistakes(),
		h.Map(p.Notes, func(text string) h.Node { return h.P(h.Class("notice"), h.Text("Note: "), bdiMessage(text)) }),
		h.Map(p.Tables, func(t view.ImportTable) h.Node { return d.drawTable(t) }),
		h.If(p.Schema != "", h.Details(h.ID("proposed"), h.Summary(h.Text("The new type, with its rules and the reasons for them")), snippet("YAML", p.Schema))),
		h.If(p.Removes > 0, h.P(h.Class("notice notice-warn"), h.Label(h.Input(h.Type("checkbox"), h.Name("mass"), h.Value("1"), h.If(d.Mass, h.Checked())), h.Text(" Remove "+times(p.Removes, "statement", "statements")+" of what is there, which the rows replace")))),
		h.Div(h.Class("actions import-do"),
			h.Button(h.Name(doName), h.Value("check"), h.Attr("formnovalidate"), h.Text("Check")), h.Button(h.Name(doName), h.Value("cancel"), h.Attr("formnovalidate"), h.Text("Cancel")),
			h.If(!blocked && (p.LeftOut == 0) != (p.Records == 0), submit("primary", doName, "load", "Load all "+count(p.Records+p.LeftOut))),
			h.If(!blocked && p.LeftOut > 0 && p.Records > 0, submit("primary", doName, "load-good", "Load the "+count(p.Records)+" that fit, give back "+count(p.LeftOut)))))
}

// drawDecisions are the decisions about the whole file, with what was sent and what the page remembers.
func (d *importData) drawDecisions() h.Node {
	c, p := d.shown(), d.Plan
	typeName, key := c.Type, c.ID
	dates, decimal := c.Dates, c.Decimal
	askDates, askDecimal := dates != "", decimal != ""
	var columns []string
	if p != nil {
		askDates, askDecimal = askDates || p.Date != "", askDecimal || p.Number != ""
		for _, t := range p.Tables {
			for _, column := range t.Columns {
				columns = append(columns, column.Name)
			}
		}
	}
	control := func(name, label, value string, required bool, options [][2]string) h.Node {
		return labelled("", "import-"+name, label, h.Select(h.ID("import-"+name), h.Name(name), h.If(required, h.Required()), h.Map(options, func(o [2]string) h.Node { return option(o[0], o[1], o[0] == value) })))
	}
	choice := func(name, label, value string, options ...[2]string) h.Node {
		return control(name, label, value, false, options)
	}
	// question is a choice without which nothing is loaded.
	question := func(name, label, value string, options ...[2]string) h.Node {
		return control(name, label, value, true, append([][2]string{{"", "choose"}}, options...))
	}
	keys := [][2]string{{"", "none: each row gets an id"}}
	for _, name := range columns {
		keys = append(keys, [2]string{name, line(name)})
	}
	ambiguous := func(text string) string {
		return textIf(text != "", " such as "+line(text)+" can be read in two ways", "")
	}
	by, sheets := [][2]string{{"", "their ids"}}, [][2]string{}
	if p != nil && len(p.Tables) == 1 {
		t := p.Tables[0]
		for _, column := range t.Columns {
			if !t.New && column.Property != "" && !column.Many {
				by = append(by, [2]string{column.Name, line(column.Name)})
			}
		}
		for _, name := range t.Sheets {
			sheets = append(sheets, [2]string{name, line(name)})
		}
	}
	sheet := c.Sheet
	date, number := "", ""
	if p != nil {
		date, number = p.Date, p.Number
	}
	decimals := [][2]string{{",", "comma: 1.234,56"}, {".", "point: 1,234.56"}}
	texts := func(says string) (options [][2]string) { // of the columns of a new type alone: one that is there has its kinds
		if p == nil || slices.ContainsFunc(p.Tables, func(t view.ImportTable) bool { return t.New }) {
			options = append(options, [2]string{asTexts, says})
		}
		return options
	}
	if _, err := strconv.ParseFloat(number, 64); err != nil { // otherwise they are numbers as they stand, and their column can be given the kind of texts
		decimals = append(decimals, texts("are no numbers: keep the texts")...)
	}
	return h.Group{
		hiddenInput("data", d.Key), hiddenInput(keyName, d.Once), h.If(len(sheets) < 2 && c.Sheet != "", hiddenInput("sheet", c.Sheet)), h.If(len(sheets) > 1, hiddenInput("was-sheet", sheet)), hiddenInput("was-type", typeName),
		h.Div(h.Class("filter"),
			h.If(p == nil || !p.RDF, labelled("", "import-type", "Type of the rows", h.Input(h.ID("import-type"), h.Name("type"), h.Value(typeName), h.MaxLength("50"), h.AutoComplete("off")))),
			h.If(len(sheets) > 1, choice("sheet", "Sheet", sheet, sheets...)),
			h.If(len(columns) > 0, choice("id", "Ids are in", key, keys...)),
			h.If(askDates, question("dates", "Dates"+ambiguous(date), dates, append([][2]string{{"dmy", "day first: 31/12/2023"}, {"mdy", "month first: 12/31/2023"}}, texts("are no dates: keep the texts")...)...)),
			h.If(askDecimal, question("decimal", "Numbers"+ambiguous(number), decimal, decimals...)),
			h.If(len(by) > 1, choice("by", "What is there is found by", c.By, by...)),
			h.If(len(columns) > 0, choice("mode", "Rows that are there already", c.Mode, [2]string{"", "are updated"}, [2]string{"skip", "are passed over"}, [2]string{"append", "are mistakes"}))),
	}
}

// drawMistakes are the mistakes by column and kind, each with its first places.
func (d *importData) drawMistakes() h.Node {
	if len(d.Plan.Mistakes) == 0 {
		return h.Group{}
	}
	shown := map[string]bool{}
	for _, t := range d.Plan.Tables {
		for _, at := range t.Lines {
			shown[fmt.Sprint(at)] = true
		}
	}
	return section("mistakes", h.Text("Mistakes"), nil, h.Ul(h.Class("panel pad mistakes"), h.Map(d.Plan.Mistakes, func(m view.ImportMistake) h.Node {
		column, places := slices.Index(d.Asked.Names, m.Column), placesOf(m)
		return h.Li(h.B(bdiLine(firstOf(m.Column, "Whole rows"))), h.Text(": "+times(m.Count, "cell", "cells")+". "), bdiMessage(strings.TrimPrefix(m.Message, m.Column+": ")), space,
			h.Map(places, func(p view.ImportPlace) h.Node {
				text := h.Group{h.Textf("line %d", p.Line), h.If(p.Text != "", h.Group{h.Text(" “"), bdiLine(p.Text), h.Text("”")})}
				id := fmt.Sprintf("cell.%d.%d", p.Line, column)
				return h.Group{either(column >= 0, anchor("", fragment(id), text), h.Span(text)), space,
					h.If(p.Message != "", h.Group{bdiMessage("(" + strings.TrimPrefix(p.Message, m.Column+": ") + ")"), space})}
			}),
			h.If(m.Count > len(places), faint(fmt.Sprintf("and %d more", m.Count-len(places)))))
	})))
}

// placesOf are the places of a mistake that are listed: the first ones, and others that have an advice of their own.
func placesOf(m view.ImportMistake) (places []view.ImportPlace) {
	for i, p := range m.Places {
		if i < importShown || p.Message != "" && len(places) < importAdvised {
			places = append(places, p)
		}
	}
	return places
}

// drawTable is one table: the first rows and those with mistakes, with a control for each column in its head and a field in
// the place of each bad cell.
func (d *importData) drawTable(t view.ImportTable) h.Node {
	if len(t.Columns) == 0 {
		return h.Group{}
	}
	bad := d.mistakesAt()
	head := h.Tr(h.Th(h.Scope("col"), h.Text("Line")), h.Map(t.Columns, func(c view.ImportColumn) h.Node { return d.drawColumn(t, c) }))
	rows := h.Group{}
	at := map[string]bool{}
	for n, cells := range t.Rows {
		row := h.Group{rowHead(h.Text(fmt.Sprint(t.Lines[n])))}
		for i, text := range cells {
			place := fmt.Sprintf("%d.%d", t.Lines[n], i)
			at[place] = true
			row = append(row, d.drawCell(place, text, bad[place]))
		}
		rows = append(rows, h.Tr(row))
	}
	// Bad cells further down are mended in a list of their own.
	var below []h.Node
	for _, m := range d.Plan.Mistakes {
		i := slices.Index(d.Asked.Names, m.Column)
		for _, p := range m.Places {
			place := fmt.Sprintf("%d.%d", p.Line, i)
			if i < 0 || at[place] {
				continue
			}
			at[place] = true
			below = append(below, h.Tr(rowHead(h.Text(fmt.Sprint(p.Line))), h.Td(bdiLine(m.Column)), d.drawCell(place, p.Text, bad[place])))
		}
	}
	var mended []h.Node
	for _, place := range slices.Sorted(maps.Keys(d.Asked.Cells)) {
		if !at[place] {
			mended = append(mended, hiddenInput("cell."+place, d.Asked.Cells[place]))
		}
	}
	return h.Group{
		section("rows", h.Textf("The first %d of %s rows", len(t.Rows), count(t.Count)), nil, scrolled("The first rows", h.THead(head), h.TBody(rows))),
		h.Group(mended),
		h.If(len(below) > 0, section("below", h.Text("Bad cells further down"), nil, scrolled("Bad cells further down", columns("Line", "Column", "Cell"), h.TBody(h.Group(below))))),
	}
}

// drawColumn is the head of a column: what it is called, and what it becomes.
func (d *importData) drawColumn(t view.ImportTable, c view.ImportColumn) h.Node {
	i := slices.Index(d.Asked.Names, c.Name)
	name, chosen, label := fmt.Sprint("kind.", i), d.Asked.Kinds[c.Name], "Kind of "
	found := "left out"
	switch {
	case t.New && c.Kind != "":
		found = c.Kind + textIf(c.Many, ", several", "")
	case !t.New:
		name, chosen, label = fmt.Sprint("property.", i), d.Asked.Properties[c.Name], "Property for "
		if c.Property != "" {
			found = c.Property
		}
	}
	if c.Key && c.Property == "" {
		found = "the id"
	}
	return h.Th(h.Scope("col"), bdiLine(c.Name), h.If(c.Key, h.Group{space, badge("", "key")}), h.If(c.Required, h.Group{space, badge("", "required")}), h.If(c.Many, h.Group{space, badge("", "several values")}),
		hiddenInput(fmt.Sprint("name.", i), c.Name),
		h.If(t.New && d.Asked.Properties[c.Name] != "", hiddenInput(fmt.Sprint("property.", i), d.Asked.Properties[c.Name])),
		h.Br(), h.Select(h.Name(name), h.Aria("label", label+line(c.Name)),
			option("", found, chosen == ""), h.Map(t.Can, func(can string) h.Node { return option(can, can, can == chosen) }), option(skipped, "leave out", chosen == skipped)))
}

// drawCell is a cell; a bad one, and one that was mended, is a field.
func (d *importData) drawCell(place, text, wrong string) h.Node {
	mended, is := d.Asked.Cells[place]
	if wrong == "" && !is {
		return h.Td(bdiLine(text))
	}
	if is {
		text = mended
	}
	// The field itself is what a link to a mistake leads to, so that it has the focus then.
	return h.Td(h.Class(textIf(wrong != "", "bad-cell", "mended")),
		h.Input(h.ID("cell."+place), h.Name("cell."+place), h.Value(text), h.Aria("label", "Cell in line "+place), h.If(wrong != "", h.Title(line(wrong)))),
		h.If(!is, hiddenInput("was."+place, text)))
}

// drawDone is what an import did, with the way back.
func (d *importData) drawDone() h.Node {
	done := d.Done
	return h.Group{
		pageHead(h.Group{h.H1(bdiLine("Imported " + d.Name)), sub(h.Text(times(done.Records, "row was loaded", "rows were loaded") + ": " + metOf(done.Met) + "."))}),
		h.If(d.Commit != "", h.Form(h.Class("actions"), h.Method("post"), h.Action(capabilityURL("undo")),
			h.Map(d.Plan.Tables, func(t view.ImportTable) h.Node {
				return h.If(t.Type != "", anchor("button primary", typeURL(t.Type), h.Text("Look at "+line(t.Type))))
			}),
			h.Span(h.Class("beside"), h.Text("commit "), commitLink(d.Commit)), hiddenInput(form.ArgPrefix+"commit", d.Commit), hiddenInput(keyName, "undo-"+d.Once), submit("", doName, doCall, "Undo"),
			anchor("button", importURL, h.Text("Import more")))),
		h.If(d.Commit == "", empty(h.Text("Nothing has changed: all of it was there already."))),
		h.Iff(d.Left != nil, func() h.Node { return d.Left.drawLeft(done.LeftOut) }),
	}
}

// drawLeft are the rows that were left out: in the form of their plan, or as text where there is none.
func (d *importData) drawLeft(rows int64) h.Node {
	return h.Group{
		h.P(h.Class("notice notice-warn"), h.Text(times(rows, "row does not fit and was left out", "rows do not fit and were left out")+textIf(d.Plan != nil || len(d.Text) <= mostLeftText, ": mend them here and load again, or ", ": ")),
			anchor("", importURL+"/rejected?data="+d.Key, h.Text("download them")), h.Text(" with what is wrong with each, mend them, and import that file.")),
		h.Iff(d.Plan != nil, d.drawPlan),
		h.Iff(d.Plan == nil && len(d.Text) <= mostLeftText, func() h.Node {
			return drawImportForm(d.Asked.Type, d.Text, h.Group{hiddenInput("name", d.Name), d.Asked.hidden()})
		}),
	}
}

// mostLeftText is how many bytes of rows that were left out are shown as text.
const mostLeftText = 200_000
