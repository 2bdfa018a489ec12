package admin

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	h "trails/admin/html"
	"trails/builtin/view"
	"trails/fault"
	kgschema "trails/schema"
	"trails/text/jsontext"
)

// main is the page: who may, what was done, the steps with their plan, and the controls that make the next step.
func (d *schemaEdit) main(p page) h.Node {
	head := pageHead(h.Group{h.H1(h.Text("Change the schema")), sub(h.Text("version " + d.Seen)), lead(h.Text(d.scope()))},
		actions(anchor("button", "/admin/schema", h.Text("The schema"))))
	if !d.May {
		return h.Group{head, h.P(h.Class("notice notice-warn"), h.Text("What you want can be written down all the same: take "), anchor("", "/admin/schema/yaml", h.Text("the schema as YAML")),
			h.Text(", change it, and give it to somebody who may apply it."))}
	}
	doing := textIf(d.On != "", "add", "plan")
	return h.Group{
		head,
		h.If(d.Done != "", h.Section(h.Class("notice"), h.Role("status"), focused(), h.Aria("label", "What happened"),
			h.P(h.Text("The schema was changed by commit "), commitLink(d.Done), h.Text(".")),
			actions(undoButton(d.Done), anchor("button", "/admin/schema", h.Text("See the schema"))))),
		h.Iff(d.Wrong != "", func() h.Node { return d.drawWrong(p.colours.property) }),
		h.If(d.Changed, h.P(h.Class("notice notice-warn"), h.Text("Somebody else changed the schema since you began: it is version "+d.Seen+" now. Your steps are kept. "), anchor("", "/admin/commits?schema=1", h.Text("See what was changed")))),
		h.Form(h.Method("post"), h.Action(schemaEditURL), h.Class("schema-edit"),
			h.Button(h.Class("hide"), h.TabIndex("-1"), h.Aria("hidden", "true"), h.Name(doName), h.Value(doing), h.Text("Go on")), // what Enter presses
			hiddenInput(keyName, d.Key), hiddenInput("seen", d.Seen), hiddenInput("on", d.On),
			h.Map(d.Steps, func(step string) h.Node { return hiddenInput("step", step) }),
			h.Iff(len(d.Steps) > 0, func() h.Node { return d.drawSteps(p.colours.property) }), d.drawEditor(), d.drawTypes()),
		h.Iff(d.Patch != "", func() h.Node {
			return section("yaml", h.Text("As YAML"), nil,
				fold("The steps", snippet("Patch", d.Patch)),
				fold("The schema that comes of them", snippet("Schema", string(d.after.YAML()))),
				h.P(h.Class("soft"), h.Text("The steps can also be applied by "), anchor("", capabilityURL(schemaApplyID), h.Text("the form of schema_apply")), h.Text(" and by "), plainCode("trails schema apply"), h.Text(", which know every word of the schema's language.")))
		}),
	}
}

// scope says who may change the schema.
func (d *schemaEdit) scope() string {
	switch {
	case d.Builder:
		return "You may add, change, rename and remove, because you have the scope builder. Nothing happens before you apply the steps."
	case d.May:
		return "You may add types and optional properties. What loosens, renames or removes needs the scope builder, which a token gives: write the steps here, and give their YAML to somebody who has it."
	}
	return "You may not change the schema. It needs a token that lets you apply schemas, and the scope builder for what loosens, renames or removes."
}

func (d *schemaEdit) drawWrong(called func(string) string) h.Node {
	return h.Section(h.Class("notice notice-bad"), h.Role("alert"), focused(), h.P(bdiMessage(d.Wrong)),
		h.If(len(d.Fields) > 0, h.Ul(h.Map(d.Fields[:min(len(d.Fields), brokenListed)], func(f fault.FieldError) h.Node {
			return h.Li(h.If(f.Field != "", h.Group{plainCode(line(f.Field)), space}), bdiMessage(mistake(f, called)))
		}))))
}

// drawSteps are the steps so far, what they would do, and the button that applies them.
func (d *schemaEdit) drawSteps(called func(string) string) h.Node {
	list := h.Group{}
	for i, one := range d.Steps {
		list = append(list, h.Li(h.Bdi(h.Text(whole(sentence(one)))), space,
			h.Button(h.Class("small quiet"), h.Name(doName), h.Value("take "+strconv.Itoa(i)), h.Text("Take back"), unseen(fmt.Sprintf(" step %d", i+1)))))
	}
	return section("steps", h.Text("Your steps"), nil, h.Div(h.Class("panel pad"), h.Ol(h.Class("steps"), list), d.drawPlan(called)))
}

// drawPlan is what the steps would do to the data.
func (d *schemaEdit) drawPlan(called func(string) string) h.Node {
	p := d.Plan.Plan
	if p == nil {
		return nil // the steps do not fit; the page says why
	}
	kind := func(r view.PlanRow) string {
		switch {
		case r.Safe():
			return "good"
		case strings.HasPrefix(r.Effect, "breaks"):
			return "bad"
		}
		return "warn"
	}
	return h.Group{
		h.H3(h.Text("What they do")),
		h.Ul(h.Class("steps plan"), h.Map(p.Rows, func(r view.PlanRow) h.Node {
			return h.Li(badge(kind(r), line(r.Effect)), space, bdiLine(r.Step), h.Iff(len(d.Broken) == 0, func() h.Node { return p.drawNodes(r) }))
		}), h.If(len(p.Rows) == 0, h.Li(h.Class("faint"), h.Text("Nothing: the schema is already like that.")))),
		h.If(len(d.Broken) > 0, h.Group{
			h.H3(h.Text("What stands against them")),
			h.Ul(h.Class("steps"), h.Map(d.Broken, func(f fault.FieldError) h.Node {
				return h.Li(d.drawBroken(f), space, h.If(f.Field != "", h.Group{plainCode(line(f.Field)), space}), bdiMessage(mistake(f, called)))
			})),
		}),
		h.Map(d.Plan.Warnings, func(text string) h.Node { return h.P(h.Class("notice notice-warn"), bdiMessage(text)) }),
		h.If(p.Loses > 0 && !d.Builder, h.P(h.Class("soft"), h.Text("You cannot apply what removes data: it needs the scope builder. Give the YAML below to somebody who has it, or take those steps back."))),
		h.If(p.Loses > 0 && !p.Blocked && d.Builder, h.P(h.Label(h.Class("choice"), h.Input(h.Type("checkbox"), h.Name("agreed"), h.Value(strconv.FormatInt(p.Loses, 10)), h.If(d.Agreed == strconv.FormatInt(p.Loses, 10), h.Checked())),
			h.Text(" Remove "+times(p.Loses, "statement", "statements")+". The history keeps them.")))),
		h.P(h.Class("actions"), h.If(!p.Blocked && len(p.Rows) > 0 && (p.Loses == 0 || d.Builder), submit(textIf(p.Loses > 0, "danger", "primary"), doName, "apply", "Apply "+times(len(d.Steps), "step", "steps"))),
			submit("", doName, "plan", "Look again"),
			h.If(p.Blocked, span("soft", "They cannot be applied before what stands against them is mended."))),
	}
}

// drawBroken links to the first nodes of one mistake, and to the list that has the others.
func (d *schemaEdit) drawBroken(f fault.FieldError) h.Node {
	names := f.Places
	if len(names) == 0 {
		names = []string{f.Node}
	}
	var nodes []h.Node
	for _, name := range names {
		if typeName, id, ok := nodeOf(name); ok && !d.renamed(typeName) {
			nodes = append(nodes, anchor("node", nodeURL(typeName, id), bdiLine(name)))
		} else {
			nodes = append(nodes, bdiLine(name))
		}
	}
	if more := f.Times - len(names); more > 0 {
		text := h.Node(h.Text("and " + count(more) + " more"))
		if typeName, _, ok := nodeOf(f.Node); ok && !d.renamed(typeName) {
			text = anchor("", typeURL(typeName), h.Text("and "+count(more)+" more of "+typeName))
		}
		nodes = append(nodes, text)
	}
	return separated(h.Text(", "), nodes)
}

// renamed reports that a type has its name only after the steps.
func (d *schemaEdit) renamed(typeName string) bool { return d.before.Type(typeName) == nil }

// drawEditor are the controls of what is open.
func (d *schemaEdit) drawEditor() h.Node {
	editor, about, _ := strings.Cut(d.On, " ")
	title, body, button := "", h.Node(nil), "Add this step"
	switch editor {
	case onNewType:
		title, body, button = "A new type", d.drawNewType(), "Add the type"
	case onNew:
		p := propertyTyped{}
		if d.Typed != nil {
			p = readProperty(d.Typed, 0)
		}
		title, body, button = "A new property of "+about, d.drawProperty(p), "Add the property"
	case onType:
		title, body = "The type "+about, d.drawType(about)
	case onProperty:
		_, p, err := d.propertyOf(about)
		if err != nil {
			return nil
		}
		title, body = about, d.drawProperty(p)
	default:
		return h.P(h.Class("actions"), submit(textIf(len(d.Steps) == 0, "primary", ""), doName, "open "+onNewType, "Add a type"))
	}
	return section("editor", bdiLine(title), nil, h.Div(h.Class("panel pad"), body,
		h.P(h.Class("actions"), submit(textIf(len(d.Steps) == 0, "primary", ""), doName, "add", button), submit("", doName, "close", "Close"))))
}

// field is an input with its label.
func schemaField(name, label, value string, more ...h.Node) h.Node {
	id := "f-" + name
	return labelled("", id, label, h.Input(h.ID(id), h.Name(name), h.Value(value), h.AutoComplete("off"), h.Group(more)))
}

// drawNewType are the controls of a new type, with a row for each property.
func (d *schemaEdit) drawNewType() h.Node {
	typed := d.Typed
	if typed == nil {
		typed = url.Values{}
	}
	rows := h.Group{}
	for i := range d.Rows {
		p, at := readProperty(typed, i), strconv.Itoa(i)
		tick := func(kind, name, value, what string, is bool) h.Node {
			return h.Td(h.Class("tick-cell"), h.Input(h.Type(kind), h.Name(name), h.Value(value), h.Aria("label", what+" "+strconv.Itoa(i+1)), h.If(is, h.Checked())))
		}
		rows = append(rows, h.Tr(
			h.Td(h.Input(h.Name(rowName(i, "title")), h.Value(p.Title), h.Aria("label", "Name of property "+strconv.Itoa(i+1)), h.AutoComplete("off"), h.MaxLength("100"), h.If(i == 0, h.Placeholder("such as Full name")))),
			h.Td(d.drawKind(rowName(i, "kind"), p.Kind, h.Aria("label", "Kind of property "+strconv.Itoa(i+1)))),
			h.Td(h.Input(h.Name(rowName(i, "values")), h.Value(p.Values), h.Aria("label", "Values of property "+strconv.Itoa(i+1)), h.AutoComplete("off"), h.If(i == 0, h.Placeholder("of a choice: open, done")))),
			tick("checkbox", rowName(i, "required"), "1", "Required property", p.Required), tick("checkbox", rowName(i, "many"), "1", "List in property", p.Many),
			tick("radio", "label", at, "Label is property", typed.Get("label") == at), tick("checkbox", "key", at, "Key has property", slices.Contains(typed["key"], at))))
	}
	return h.Group{
		h.Div(h.Class("schema-fields"), schemaField("title", "Name", typed.Get("title"), h.MaxLength("100"), h.Placeholder("such as Purchase order"), h.AutoFocus()),
			schemaField("description", "Description", typed.Get("description"), h.MaxLength("1000"))),
		hiddenInput("rows", strconv.Itoa(d.Rows)),
		scrolled("Properties of the new type", columns("Property", "Kind", "Values", "Required", "List", "Label", "Key"), h.TBody(rows)),
		h.P(h.Class("soft"), h.Text("Empty rows are left out. The label is what an instance is called; without a choice it is the first text. The key tells instances apart; without one each gets an id. Names are made of what you write: Full name is stored as fullName.")),
		h.P(submit("small", doName, "more", "More rows")),
		d.drawRareOfType("", readType(typed)),
	}
}

// drawKind is the control of a property's kind: the kinds of values, and the types that it can refer to.
func (d *schemaEdit) drawKind(name, chosen string, more ...h.Node) h.Node {
	known := chosen == ""
	options, types := h.Group{}, h.Group{}
	for _, k := range valueKinds {
		known = known || k.Value == chosen
		options = append(options, option(k.Value, k.Text, k.Value == chosen))
	}
	for _, t := range d.after.Types {
		known = known || kindRef+t.Name == chosen
		types = append(types, option(kindRef+t.Name, t.Name, kindRef+t.Name == chosen))
	}
	rare := h.Group{}
	for _, word := range rareKinds {
		known = known || word == chosen
		rare = append(rare, option(word, strings.ReplaceAll(word, "_", " ")+": "+kgschema.Datatypes[word].Noun, word == chosen))
	}
	return h.Select(h.Name(name), h.Group(more), options, h.If(!known, option(chosen, line(chosen), true)), h.If(len(types) > 0, h.OptGroup(h.Attr("label", "Reference to"), types)), h.OptGroup(h.Attr("label", "Rare"), rare))
}

// drawProperty are the controls of one property.
func (d *schemaEdit) drawProperty(p propertyTyped) h.Node {
	text := func(name, label, value string, more ...h.Node) h.Node {
		return schemaField(rowName(0, name), label, value, more...)
	}
	tick := func(name, label string, is bool) h.Node {
		return h.Label(h.Class("choice"), h.Input(h.Type("checkbox"), h.Name(rowName(0, name)), h.Value("1"), h.If(is, h.Checked())), h.Text(" "+label))
	}
	kind, values, embed := rowName(0, "kind"), rowName(0, "values"), rowName(0, "embed")
	return h.Div(h.Class("schema-fields"),
		text("title", "Name", p.Title, h.MaxLength("128"), h.Placeholder("such as Full name"), h.AutoFocus()),
		labelled("", "f-"+kind, "Kind", d.drawKind(kind, p.Kind, h.ID("f-"+kind))),
		h.Div(h.Class("field schema-ticks"), tick("required", "required", p.Required), tick("many", "a list", p.Many), tick("unique", "unique: no two share a value", p.Unique)),
		text("label", "Label, where people read the name", p.Label, h.MaxLength("80")),
		text("description", "Description", p.Description, h.MaxLength("1000")),
		labelled("", "f-"+values, "Only these values, one a line", h.Textarea(h.ID("f-"+values), h.Name(values), h.Rows("3"), textareaText(p.Values))),
		text("default", "Default, also for what is there when it becomes required", p.Default),
		text("least", "At least, of a number or date", p.Least), text("most", "At most, of a number or date", p.Most), text("longest", "Most characters of a text", p.Longest, h.Attr("inputmode", "numeric")),
		text("pattern", "Pattern of a text", p.Pattern, h.Placeholder("such as ^[A-Z]{2}-[0-9]+$"), h.Attr("spellcheck", "false")),
		text("example", "An example that has to fit the pattern", p.Example, h.Placeholder("such as AB-12")),
		h.Details(h.Class("schema-more"), h.If(p.isRare(), h.Attr("open")), h.Summary(h.Text("More")), h.Div(h.Class("schema-fields"),
			text("shortest", "Fewest characters of a text", p.Shortest, h.Attr("inputmode", "numeric")),
			text("fewest", "Fewest values of a list", p.Fewest, h.Attr("inputmode", "numeric")), text("highest", "Most values of a list", p.Highest, h.Attr("inputmode", "numeric")),
			text("has", "A value that has to be there", p.Has),
			text("languages", "Languages of a text with a language", p.Languages, h.Placeholder("such as en, de")),
			text("dim", "Numbers in a vector", p.Dim, h.Attr("inputmode", "numeric")),
			text("predicate", "IRI of its own", p.Predicate, h.Placeholder("such as http://xmlns.com/foaf/0.1/name"), h.Attr("spellcheck", "false")),
			h.Div(h.Class("field schema-ticks"), tick("unique_lang", "one text in each language", p.UniqueLang), tick("unsearched", "left out of the full-text search", p.Unsearched)),
			labelled("", "f-"+embed, "Found by meaning, too: sent to the endpoint of embeddings", h.Select(h.ID("f-"+embed), h.Name(embed),
				option("", "as the type says", p.Embed == ""), option("true", "yes", p.Embed == "true"), option("false", "no", p.Embed == "false"))))))
}

// drawRareOfType are the controls of a type that few types need.
func (d *schemaEdit) drawRareOfType(name string, t typeTyped) h.Node {
	tick := func(name, value, label string, is bool) h.Node {
		return h.Label(h.Class("choice"), h.Input(h.Type("checkbox"), h.Name(name), h.Value(value), h.If(is, h.Checked())), h.Text(" "+label))
	}
	var supers, ids h.Group
	for _, super := range d.doc().Types {
		if super.Name != name {
			supers = append(supers, tick("extends", super.Name, super.Name, slices.Contains(t.Extends, super.Name)))
		}
	}
	for _, kind := range []kgschema.Mint{kgschema.MintUUIDv7, kgschema.MintKey, kgschema.MintPreserve, kgschema.MintContent} {
		ids = append(ids, option(string(kind), idKinds[string(kind)], t.IDs == string(kind)))
	}
	return h.Details(h.Class("schema-more"), h.If(t.isRare(), h.Attr("open")), h.Summary(h.Text("More")), h.Div(h.Class("schema-fields"),
		h.If(len(supers) > 0, h.FieldSet(h.Class("field schema-ticks"), h.Legend(h.Text("Extends: has all properties of")), supers)),
		h.Div(h.Class("field schema-ticks"), tick("abstract", "1", "abstract: only types that extend it have instances", t.Abstract), tick("open", "1", "open: instances may have properties that are not declared", t.Open), tick("embed", "1", "all its texts are found by meaning, too: sent to the endpoint of embeddings", t.Embed)),
		labelled("", "f-unique", "Unique together, one group a line", h.Textarea(h.ID("f-unique"), h.Name("unique"), h.Rows("2"), h.Placeholder("such as name, born"), textareaText(t.Unique))),
		labelled("", "f-ids", "Ids of instances", h.Select(h.ID("f-ids"), h.Name("ids"), h.If(t.IDs == "", option("", "As without a choice: a new one for each", true)), ids)),
		schemaField("class", "IRI of its own", t.Class, h.Placeholder("such as http://xmlns.com/foaf/0.1/Person"), h.Attr("spellcheck", "false"))))
}

// drawType are the controls of a type.
func (d *schemaEdit) drawType(name string) h.Node {
	_, t, err := d.typeOf(name)
	if err != nil {
		return nil
	}
	properties := d.doc().properties(name)
	labels := h.Group{option("", "the id", t.Label == "")}
	for _, p := range properties {
		labels = append(labels, option(p.Name, p.Name+textIf(p.Label != "", " "+p.Label, ""), p.Name == t.Label))
	}
	return h.Div(h.Class("schema-fields"),
		schemaField("title", "Name", t.Title, h.MaxLength("100"), h.AutoFocus()),
		labelled("", "f-label", "Label: what an instance is called", h.Select(h.ID("f-label"), h.Name("label"), labels)),
		schemaField("description", "Description", t.Description, h.MaxLength("1000")),
		h.If(len(properties) > 0, h.FieldSet(h.Class("field schema-ticks"), h.Legend(h.Text("Key: what tells instances apart")), h.Map(properties, func(p kgschema.PropertyDocument) h.Node {
			return h.Label(h.Class("choice"), h.Input(h.Type("checkbox"), h.Name("key"), h.Value(p.Name), h.If(slices.Contains(t.Key, p.Name), h.Checked())), h.Text(" "+p.Name), beside(p.Label))
		}))),
		d.drawRareOfType(name, t))
}

// drawTypes are the types after the steps, each with what can be done to it.
func (d *schemaEdit) drawTypes() h.Node {
	doc := d.doc()
	act := func(do, text, of string) h.Node {
		return h.Button(h.Class("small quiet"), h.Name(doName), h.Value(do), h.Text(text), unseen(" "+of))
	}
	return section("types", h.Text("Types"), h.If(d.On != onNewType && d.On != "", h.Span(h.Class("more"), act("open "+onNewType, "Add a type", ""))),
		h.If(len(doc.Types) == 0, empty(h.Text("There is no type yet: add the first one."))),
		h.Map(doc.Types, func(t kgschema.TypeDocument) h.Node {
			return h.Details(h.Class("fold"), h.If(strings.HasSuffix(d.On, " "+t.Name) || strings.HasPrefix(d.On, onProperty+" "+t.Name+".") || len(doc.Types) == 1, h.Attr("open")),
				h.Summary(h.B(h.Text(t.Name)), space, faint(times(len(t.Properties), "property", "properties"))),
				h.P(h.Class("actions"), act("open "+onNew+" "+t.Name, "Add a property", "to "+t.Name), act("open "+onType+" "+t.Name, "Change or rename the type", t.Name), act("drop "+t.Name, "Remove the type", t.Name)),
				h.Ul(h.Class("schema-list"), h.Map(t.Properties, func(p kgschema.PropertyDocument) h.Node {
					path := t.Name + "." + p.Name
					return h.Li(h.Span(h.B(h.Text(p.Name)), h.Text(" "+propertyShown(p, doc.Base))), h.Span(h.If(p.Name != t.Properties[0].Name, act("up "+path, "Up", path)), act("open "+onProperty+" "+path, "Change or rename", path), act("drop "+path, "Remove", path)))
				})))
		}))
}

// propertyShown says what the values of a property are.
func propertyShown(p kgschema.PropertyDocument, base string) string {
	text, err := typedOf(p, base).words().MarshalJSON()
	if err != nil {
		return p.Type
	}
	members, _ := jsontext.Members(text)
	return line(propertyInWords(members))
}
