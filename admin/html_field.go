package admin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trails/admin/form"
	h "trails/admin/html"
	"trails/capability"
)

// fieldHelp is what a page knows of the values of its fields; the zero value knows nothing.
type fieldHelp struct {
	// Upload is the field that takes a file, too.
	Upload string
	// Options are the first instances that each field may refer to.
	Options map[string][]suggestion
	// Labels are the names of the instances that fields refer to, by Type/id.
	Labels map[string]string
	// Words means that the fields are properties, besides those of every call.
	Words bool
	// Makes are the types of which a node can be made for each field, and Into the element that just got one.
	Makes map[string][]string
	Into  string
	// SuggestURL is where a row of a reference finds what may be meant.
	SuggestURL func(form.Field, form.Row) string
}

// fieldID is the id of the element with the whole of a field.
func fieldID(name string) string { return "field-" + name }

// drawField is one field with its name, its hints and its errors.
func drawField(f form.Field, help fieldHelp) h.Node {
	return h.Div(h.Class(textIf(f.Wrong(), "field wrong", "field")), h.Data("field", f.Name), h.ID(fieldID(f.Name)),
		h.Iff(f.Group(), func() h.Node {
			return h.FieldSet(
				h.If(!f.Many, h.Group{h.Role("radiogroup"), h.If(f.Wrong(), h.Aria("invalid", "true")), h.If(f.Required, h.Aria("required", "true"))}),
				h.Aria("describedby", f.DescribedBy()),
				h.Legend(fieldName(f, help)), fieldAbout(f), fieldGroup(f, help))
		}),
		h.Iff(!f.Group(), func() h.Node {
			return h.Group{h.Label(h.For(f.ID), fieldName(f, help)), fieldAbout(f), control(f, f.Rows[0], help), drawMakes(f, help)}
		}),
		h.If(f.Was != "", hiddenInput("was."+f.Name, f.Was)),
		h.If(f.Whole, hiddenInput("json."+f.Name, "1")),
		h.If(f.CanRemove(), h.Label(h.Class("choice remove"),
			h.Input(h.Type("checkbox"), h.Name("null."+f.Name), h.Value("1"), h.If(f.Removed, h.Checked())), h.Span(h.Text("Remove the value")))))
}

// fieldName is what a field is called. A property has its name as the title.
func fieldName(f form.Field, help fieldHelp) h.Node {
	return h.Group{h.Span(h.Class("name words"), h.Title(f.Name), h.Text(help.called(f))), h.If(f.Required, h.Group{space, span("need", "required")})}
}

// called is what people call a field.
func (help fieldHelp) called(f form.Field) string {
	words, known := wordsOfFields[f.Name]
	switch {
	case f.Title != "":
		return f.Title
	case !known || help.Words && !isCallField[f.Name]: // a property may be called like an argument
		return propertyName(f.Label())
	}
	return words
}

// wordsOfFields are what arguments are called whose names do not say it in words.
var wordsOfFields = map[string]string{
	"id": "id", "if_commit": "only if the newest commit is still", "max_chars": "most characters of the answer",
	"timeout_ms": "time limit in milliseconds", "at": "as of the commit",
	"allow_data_loss": "allow that data goes", "cursor": "continue after", "detach": "take away what refers to it, too",
}

// fieldAbout is what is said of a field, and what is wrong with it.
func fieldAbout(f form.Field) h.Node {
	var hints []h.Node
	for _, hint := range f.Hints {
		hints = append(hints, h.Bdi(h.Text(hint)))
	}
	return h.Group{
		h.Div(h.Class("about"), h.ID(f.ID+"-about"),
			h.If(f.Description != "", h.P(h.Text(f.Description))),
			h.If(len(hints) > 0, h.P(h.Class("hints"), separated(h.Text(" · "), hints))),
			h.If(f.Held != "", h.P(h.Class("held"), h.Text("There is "+f.Held+". It stays as it is, unless you write something here."))),
			h.If(f.Whole, h.P(h.Class("held"), h.Text("This value is written as JSON, because its field cannot show it otherwise.")))),
		h.If(f.Wrong(), h.Ul(h.Class("errors"), h.ID(f.ID+"-errors"), h.Map(f.Errors, func(message string) h.Node { return h.Li(h.Bdi(h.Text(message))) }))),
	}
}

// fieldGroup is the rows of a list, or the choices of a short one.
func fieldGroup(f form.Field, help fieldHelp) h.Node {
	if !f.Many {
		return h.Div(h.Class("choices"), h.Map(f.Options, func(o form.Option) h.Node {
			return h.Label(h.Class("choice"),
				h.Input(h.Type("radio"), h.ID(o.ID), h.Name("arg."+f.Name), h.Value(o.Value), h.If(o.Value == f.Rows[0].Text, h.Checked())),
				h.Span(bdiLine(o.Label), h.If(o.Foreign, h.Group{space, badge("warn", "not in the list")})))
		}))
	}
	var rows h.Group
	for i, r := range f.Rows {
		rows = append(rows, h.Div(h.Class("row"), control(f, r, help),
			h.If(r.Text != "", h.Button(h.Type("submit"), h.Class("small quiet"), h.Name("drop."+f.Name), h.Value(strconv.Itoa(i)), h.Attr("data-drop"),
				h.Text("Remove"), unseen(" row "+r.ID)))))
	}
	return h.Group{
		h.Div(h.Class("rows"), h.Data("rows", f.Name), rows),
		h.Button(h.Type("submit"), h.Class("small"), h.Name("add."+f.Name), h.Value("1"), h.Data("add", f.Name), h.Text("Add a row")), space, drawMakes(f, help),
	}
}

// drawMakes are the buttons that make a node for a field, in a form of its own.
func drawMakes(f form.Field, help fieldHelp) h.Node {
	return h.Map(help.Makes[f.Name], func(typeName string) h.Node {
		return h.Button(h.Type("submit"), h.Class("small make"), h.Name(doName), h.Value(doMake+" "+f.Name+" "+typeName), h.Text("New "+typeName))
	})
}

// control is the element that takes one value.
func control(f form.Field, r form.Row, help fieldHelp) h.Node {
	value := h.Value(r.Text)
	switch f.Control {
	case form.Lines, form.JSON:
		return h.Group{
			h.Textarea(controlAttributes(f, r, help), h.Rows(strconv.Itoa(f.Height(r))), h.If(f.Control == form.JSON, h.Class("code")), textareaText(r.Text)),
			h.Iff(f.Control == form.Lines && f.Type == capability.String && help.Words, func() h.Node { return markdownPreview(f, r) }),
			h.If(help.Upload == f.Name, h.Label(h.Class("upload"), h.Text("or a file "), h.Input(h.Type("file"), h.Name("file."+f.Name)))),
		}
	case form.Select:
		return h.Select(controlAttributes(f, r, help), h.Map(f.Options, func(o form.Option) h.Node {
			return option(o.Value, line(o.Label)+textIf(o.Foreign, " (not in the list)", ""), o.Value == r.Text)
		}))
	case form.Moment:
		return h.Span(h.Class("moment"),
			h.Input(h.Type("datetime-local"), h.Step("1"), controlAttributes(f, r, help), value),
			h.Input(h.Class("zone"), h.Name("zone."+f.Name), h.Value(r.Zone), h.Aria("label", help.called(f)+": offset from UTC"), h.Placeholder("Z"), h.Attr("size", "6")))
	case form.Reference:
		label := help.Labels[strings.TrimSpace(r.Text)]
		return h.Group{
			h.Span(h.Class("combo"),
				h.Input(h.Type("text"), controlAttributes(f, r, help), value, typeAhead(f.ID+"-known", help.SuggestURL(f, r), r.ID+"-list")),
				listbox(r.ID+"-list", help.called(f)),
				h.If(label != "", h.Span(h.Class("ref-label"), bdiLine(label)))),
			h.If(r.ID == f.ID, knownList(f.ID+"-known", help.Options[f.Name])),
		}
	case form.Number:
		return h.Input(h.Type("number"), controlAttributes(f, r, help), value)
	case form.Date:
		return h.Input(h.Type("date"), controlAttributes(f, r, help), value)
	case form.Clock:
		return h.Input(h.Type("time"), h.Step("1"), controlAttributes(f, r, help), value)
	case form.Line, form.Radios, form.Switch:
	}
	return h.Input(h.Type("text"), controlAttributes(f, r, help), value)
}

// markdownPreview shows a text as the page of its node will draw it. It needs a script.
func markdownPreview(f form.Field, r form.Row) h.Node {
	return h.Group{
		h.Button(h.Type("button"), h.Class("small"), h.Attr("data-scripted"), h.Attr("hidden"), h.Ask("hx-post", "/admin/markdown"),
			h.Attr("hx-params", "arg."+f.Name), h.Attr("hx-include", "#"+r.ID), h.Attr("hx-target", "#"+r.ID+"-drawn"), h.Aria("controls", r.ID+"-drawn"), h.Text("See as Markdown")),
		h.Div(h.ID(r.ID+"-drawn"), h.Class("drawn"), h.Attr("aria-live", "polite")),
	}
}

// textareaText is the text of a textarea. A browser leaves out the first line break.
func textareaText(text string) h.Node { return h.Text("\n" + text) }

// typeAhead are the attributes of an input that offers what its text may mean: from a list of the page, and with
// scripts from an address.
func typeAhead(known, suggest, list string) h.Node {
	return h.Group{
		h.List(known), h.AutoComplete("off"), h.Attr("spellcheck", "false"), h.Attr("data-combo"),
		h.Ask("hx-get", suggest), h.Attr("hx-trigger", "input changed delay:120ms, open"), h.Attr("hx-target", "#"+list),
		h.Attr("hx-swap", "innerHTML"), h.Attr("hx-sync", "this:replace"),
	}
}

// listbox is where a script shows what is suggested.
func listbox(id, label string) h.Node {
	return h.Ul(h.Class("listbox"), h.ID(id), h.Role("listbox"), h.Aria("label", label), h.Attr("hidden"))
}

// knownList is what a browser without scripts suggests.
func knownList(id string, known []suggestion) h.Node {
	return h.DataList(h.ID(id), h.Map(known, func(s suggestion) h.Node { return h.Option(h.Value(s.Value), h.Text(line(s.Label))) }))
}

// suggestions are the items of a listbox.
func suggestions(list string, items []suggestion) h.Node {
	if len(items) == 0 {
		return h.Li(h.Class("none"), h.Aria("disabled", "true"), h.Role("option"), h.Text("Nothing begins like that"))
	}
	var out h.Group
	for i, s := range items {
		out = append(out, h.Li(h.Role("option"), h.ID(fmt.Sprintf("%s-%d", list, i)), h.Data("value", s.Value), h.Aria("selected", "false"),
			bdiLine(s.Label), space, plainCode(line(s.Value))))
	}
	return out
}

// controlAttributes are those of each control, with the constraints that HTML knows.
func controlAttributes(f form.Field, r form.Row, help fieldHelp) h.Node {
	out := h.Group{
		h.ID(r.ID), h.Name("arg." + f.Name), h.Dir("auto"), h.Aria("describedby", f.DescribedBy()),
		h.If(f.Many && !f.Whole, h.Aria("label", help.called(f))),
		h.If(r.Bad || f.Wrong() && !f.Many, h.Aria("invalid", "true")),
		h.If(f.Required && !f.Many, h.Required()), h.If(help.Into == r.ID, h.AutoFocus()),
	}
	for _, c := range []struct {
		name, value string
		on          []form.Control
	}{
		{"minlength", f.MinLength, textControls}, {"maxlength", f.MaxLength, textControls}, {"pattern", f.Pattern, []form.Control{form.Line}},
		{"min", f.Min, []form.Control{form.Number, form.Date}}, {"max", f.Max, []form.Control{form.Number, form.Date}},
		{"step", f.Step, []form.Control{form.Number, form.Date}}, {"inputmode", f.InputMode, []form.Control{form.Line, form.Number}},
		{"placeholder", f.Placeholder, []form.Control{form.Line, form.JSON, form.Reference}},
	} {
		if c.value != "" && slices.Contains(c.on, f.Control) {
			out = append(out, h.Attr(c.name, c.value))
		}
	}
	return out
}

// textControls are the controls whose text may have a length.
var textControls = []form.Control{form.Line, form.Lines, form.JSON, form.Number, form.Date, form.Moment, form.Reference}

// keptInput is a value that a form sends again.
func keptInput(k hidden) h.Node { return hiddenInput(k.Name, k.Value) }
