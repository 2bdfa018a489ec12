package project

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"trails/capability"
)

// Lower returns the JSON Schema of arguments that have a shape: an object,
// in the keywords that draft-07 and 2020-12 share, without $ref or any combination of schemas,
// and with one type at most for each member: that null may be given, too, descriptions say. Keys
// are sorted at every level and the same shape always gives the same bytes.
func Lower(shape capability.Shape) json.RawMessage {
	return encode(schemaOf(shape))
}

// lowered is the JSON Schema of an object before it is written.
type lowered struct {
	closed bool
	// fields are consecutive lists; of two fields with the same name the last counts.
	fields [][]capability.Field
	of     several
}

// several is how a schema expresses that a value may be null or of several types.
type several int

const (
	unsaid   several = iota // not at all, in arguments: hosts refuse lists of types
	listed                  // by a list of types, as JSON Schema has it
	whole                   // as listed, and an answer of which nothing is cut
	choices                 // by oneOf, as a DataSchema (WoT Thing Description 1.1, section 5.3.2), where a type is one word
	short                   // as listed, in the short and open form of output schemas, see [outputOf]
	shortest                // as short, without what is within the members
)

// open reports whether the schema is for answers of which some are refusals: it allows any other member, and requires
// none.
func (s several) open() bool { return s >= short }

// ofParts reports whether a schema requires members of the parts of a value, too. Of answers it does not: one that is
// cut to its room has all of its topmost members, and parts of which some are left out (package text/outline).
func (s several) ofParts() bool { return s == unsaid || s == whole }

func schemaOf(shape capability.Shape) lowered {
	return lowered{closed: shape.Closed, fields: [][]capability.Field{shape.Fields}}
}

// answerOf is the schema of what [Answer] returns.
func answerOf(d capability.Descriptor) lowered {
	return lowered{closed: d.OutputShape.Closed, fields: [][]capability.Field{beginning, d.OutputShape.Fields}, of: listed}
}

// AnswerSchema returns the JSON Schema of what a call answers, see [Answer]. It is true of answers that are cut, too.
func AnswerSchema(d capability.Descriptor) json.RawMessage { return encode(answerOf(d)) }

// WholeSchema is [AnswerSchema] of answers of which nothing is cut: their parts have all that the shape requires.
func WholeSchema(d capability.Descriptor) json.RawMessage {
	answer := answerOf(d)
	answer.of = whole
	return encode(answer)
}

// jsonForm is the form of a single value of a type in JSON Schema.
type jsonForm struct{ name, format, pattern, encoding string }

var jsonForms = map[capability.Type]jsonForm{
	capability.String:     {name: "string"},
	capability.Boolean:    {name: "boolean"},
	capability.Integer:    {name: "integer"},
	capability.Number:     {name: "number"},
	capability.Decimal:    {name: "number"},
	capability.BigInteger: {name: "string", pattern: `^-?\d+$`},
	capability.Date:       {name: "string", format: "date"},
	capability.DateTime:   {name: "string", format: "date-time"},
	capability.Time:       {name: "string"}, // RFC 3339 asks for an offset, xsd:time does not
	capability.Duration:   {name: "string"}, // draft-07 has no such format
	capability.Year:       {name: "string"},
	capability.URI:        {name: "string", format: "uri"},
	capability.IRI:        {name: "string", format: "iri"},
	capability.Bytes:      {name: "string", encoding: "base64"},
	capability.Vector:     {name: "array"},
	capability.LangString: {name: "object"},
	capability.Object:     {name: "object"},
	capability.Any:        {},
	capability.Text:       {name: "string"},
}

// formOf returns the form of one value. It panics on a type that is missing in the table, which is a bug.
func formOf(f *capability.Field) jsonForm {
	form, ok := jsonForms[f.Type]
	switch {
	case !ok:
		panic(fmt.Sprintf("project: field %s has the unknown type %q", f.Name, f.Type))
	case len(f.Cells) > 0:
		return jsonForm{name: "array"}
	case f.Brief:
		return jsonForm{name: form.name}
	}
	return form
}

// nulls says how a schema allows null.
type nulls int

const (
	never  nulls = iota // it is none
	within              // in the type and in the enum
	beside              // in another schema of oneOf
)

// lowered writes a schema, with keywords in sorted order, field by field. Building and sorting a tree of them takes
// four times as long.
func (w *writer) lowered(l lowered) {
	w.begin()
	if l.closed {
		w.set("additionalProperties", false)
	}
	w.properties(l.of, l.closed || l.of == unsaid, l.fields...)
	if !l.of.open() {
		w.required(l.fields...)
	}
	w.set("type", "object")
	w.end()
}

// properties writes the keyword for the members of an object, an empty one if there are none and always is set: a host
// refuses arguments without it.
func (w *writer) properties(of several, always bool, lists ...[]capability.Field) {
	first := len(w.fields)
	for _, fields := range lists {
		for i := range fields {
			w.fields = append(w.fields, &fields[i])
		}
	}
	sorted := w.fields[first:]
	slices.SortStableFunc(sorted, func(a, b *capability.Field) int { return cmp.Compare(a.Name, b.Name) })
	if len(sorted) > 0 || always {
		w.name("properties")
		w.begin()
		for i, f := range sorted {
			if i+1 < len(sorted) && sorted[i+1].Name == f.Name {
				continue
			}
			w.name(f.Name)
			w.field(of, f)
		}
		w.end()
	}
	clear(sorted)
	w.fields = w.fields[:first]
}

// required writes the keyword for the members that an object must have, if there are any.
func (w *writer) required(lists ...[]capability.Field) {
	none := true
	for _, fields := range lists {
		for i := range fields {
			switch f := &fields[i]; {
			case !f.Required:
				continue
			case none:
				w.name("required")
				w.b = append(w.b, '[')
			default:
				w.b = append(w.b, ',')
			}
			none = false
			w.text(fields[i].Name)
		}
	}
	if !none {
		w.b = append(w.b, ']')
	}
}

// field writes the schema of one field.
func (w *writer) field(of several, f *capability.Field) {
	var s capability.Field
	switch {
	case of.open():
		s = shortOf(f, of)
		f = &s
	case f.Brief || f.Rare:
		f = briefly(f)
	}
	null := never
	switch {
	case !f.Nullable || of == unsaid:
	case of == choices && (f.Many || formOf(f).name != ""):
		null = beside
	default:
		null = within
	}
	w.begin()
	if null == beside {
		w.whole(f)
		w.name("oneOf")
		w.b = append(w.b, '[', '{')
	}
	if f.Many {
		w.many(of, f, null)
	} else {
		w.one(of, f, null)
	}
	if null == beside {
		w.b = append(w.b, `},{"type":"null"}]`...)
	}
	w.end()
}

// briefly returns the short form of a field that is rarely used or described elsewhere: the type, the members of an
// object and, if nothing else describes these, the types of the members.
func briefly(f *capability.Field) *capability.Field {
	brief := capability.Field{Name: f.Name, Type: f.Type, Many: f.Many, Nullable: f.Nullable, Required: f.Required, Fields: f.Fields, Brief: true}
	if f.Rare && f.Type == capability.Object {
		brief.Description = f.Description
	}
	return &brief
}

// whole writes the keywords of a field that are not about single values.
func (w *writer) whole(f *capability.Field) {
	if v := defaultOf(f); v != nil {
		w.set("default", v)
	}
	w.setText("description", describe(f))
}

// many writes the keywords of an array of values.
func (w *writer) many(of several, f *capability.Field, null nulls) {
	if null != beside {
		w.whole(f)
	}
	w.name("items")
	w.begin()
	w.one(of, f, never)
	w.end()
	w.setInt("maxItems", f.MaxCount)
	w.setInt("minItems", f.MinCount)
	w.setType("array", null)
}

// one writes the keywords of a single value: its constraints and, unless the surrounding array has it, the
// description.
func (w *writer) one(of several, f *capability.Field, null nulls) {
	form := formOf(f)
	inner := (f.Type == capability.Object || f.Type == capability.LangString) && len(f.Fields) > 0 && len(f.Cells) == 0
	enum := f.OneOf
	if inner && !of.open() {
		w.set("additionalProperties", false)
	}
	if f.HasValue != nil && !f.Many {
		if null == never {
			w.set("const", f.HasValue)
		} else { // a const would still refuse null
			enum = []any{f.HasValue}
		}
	}
	w.setText("contentEncoding", form.encoding)
	if !f.Many && null != beside {
		w.whole(f)
	}
	if enum != nil {
		if null == within {
			enum = append(slices.Clip(enum), nil)
		}
		w.set("enum", enum)
	}
	w.setText("format", form.format)
	switch {
	case len(f.Cells) > 0:
		w.name("items")
		w.columns(of, f.Cells)
	case f.Type == capability.Vector:
		w.name("items")
		w.b = append(w.b, `{"type":"number"}`...)
	}
	w.setInt("maxItems", f.Dim)
	w.setInt("maxLength", f.MaxLength)
	if most := numberOf(f, f.MaxValue); most != nil {
		w.set("maximum", most)
	}
	w.setInt("minItems", f.Dim)
	w.setInt("minLength", f.MinLength)
	if least := numberOf(f, f.MinValue); least != nil {
		w.set("minimum", least)
	}
	w.setText("pattern", portable(cmp.Or(f.Pattern, form.pattern)))
	if inner {
		w.properties(of, true, f.Fields)
		if of.ofParts() {
			w.required(f.Fields)
		}
	}
	w.setText("trails:node_type", f.NodeType)
	w.setType(form.name, null)
}

// setType writes the type, if there is one.
func (w *writer) setType(name string, null nulls) {
	if null == within && name != "" {
		w.set("type", []string{name, "null"})
		return
	}
	w.setText("type", name)
}

// columns writes the rows of a table. Their cells are in prefixItems, which draft-07 validators ignore.
func (w *writer) columns(of several, cells []capability.Cell) {
	w.begin()
	w.name("prefixItems")
	list(w, cells, func(c capability.Cell) {
		w.begin()
		w.setText("description", c.Label())
		switch {
		case len(c.Types) == 1:
			w.set("type", c.Types[0])
		case len(c.Types) > 1 && of == choices:
			w.name("oneOf")
			list(w, c.Types, func(name string) {
				w.begin()
				w.set("type", name)
				w.end()
			})
		case len(c.Types) > 1:
			w.set("type", c.Types)
		}
		w.end()
	})
	w.end()
}

// numberOf returns a bound of a field if JSON has a number for it, otherwise nil: for dates, and for integers beyond
// those that JSON keeps.
func numberOf(f *capability.Field, bound any) any {
	_, isText := bound.(string)
	if isText || f.Type != capability.Integer && f.Type != capability.Number && f.Type != capability.Decimal {
		return nil
	}
	return bound
}

// defaultOf returns the default of a field that its schema has: none for false, because what may be left out is not so.
func defaultOf(f *capability.Field) any {
	switch {
	case f.Default == false:
		return nil
	case f.Many && f.Default != nil:
		return []any{f.Default}
	}
	return f.Default
}

// describe adds to a field's description what no keyword expresses.
func describe(f *capability.Field) string {
	texts := make([]string, 1, 6)
	texts[0] = f.Description
	if f.MinValue != nil && numberOf(f, f.MinValue) == nil {
		texts = append(texts, fmt.Sprintf("At least %v.", f.MinValue))
	}
	if f.MaxValue != nil && numberOf(f, f.MaxValue) == nil {
		texts = append(texts, fmt.Sprintf("At most %v.", f.MaxValue))
	}
	if f.Pattern != portable(f.Pattern) {
		texts = append(texts, fmt.Sprintf("Matches %s in the syntax of RE2.", f.Pattern))
	}
	if f.Many && f.HasValue != nil {
		texts = append(texts, fmt.Sprintf("One of the values must be %s.", encode(f.HasValue)))
	}
	if f.Unique {
		texts = append(texts, "Unique.")
	}
	if f.Scope != "" {
		texts = append(texts, fmt.Sprintf("It needs the scope %s.", f.Scope))
	}
	if len(texts) == 1 {
		return f.Description
	}
	return capability.Sentences(texts...)
}
