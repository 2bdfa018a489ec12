package project

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"trails/capability"
)

// Lower returns the JSON Schema of a shape: an object, in the keywords that
// draft-07 and 2020-12 share, without $ref or any combination of schemas. Keys are
// sorted at every level and the same shape always gives the same bytes.
func Lower(shape capability.Shape) json.RawMessage {
	return encode(lowerObject(shape.Closed, shape.Fields))
}

// anyObject is the JSON Schema of what every call answers. A list of tools is read by
// models, who pay for each word and see the answers themselves; what an answer has in it is
// in the descriptor. Besides, a refusal that the caller can mend comes as structured
// content, too, clients hold it against this schema (the TypeScript SDK does so for results
// with isError), and a linear schema has no word for "or".
var anyObject = json.RawMessage(`{"type":"object"}`)

// lowerObject lowers an object whose fields stand in one list after the other.
func lowerObject(closed bool, lists ...[]capability.Field) keywords {
	o := make(keywords, 0, 4)
	o.set("type", "object")
	if closed {
		o.set("additionalProperties", false)
	}
	size := 0
	for _, fields := range lists {
		size += len(fields)
	}
	properties, required := make(keywords, 0, size), []string(nil)
	for _, fields := range lists {
		for i := range fields {
			f := &fields[i]
			if f.Unlisted {
				continue
			}
			properties.set(f.Name, lowerField(f))
			if f.Required {
				required = append(required, f.Name)
			}
		}
	}
	if len(properties) > 0 || closed {
		o.set("properties", properties)
	}
	if len(required) > 0 {
		o.set("required", required)
	}
	return o
}

// lowerField lowers one field: the value, then the array around it, then what is
// said of the whole.
func lowerField(f *capability.Field) keywords {
	if f.Brief {
		f = &capability.Field{Name: f.Name, Type: f.Type, Many: f.Many, Nullable: f.Nullable, Needed: f.Needed, Brief: true}
	}
	o := lowerValue(f)
	if f.Many {
		o = lowerMany(f, o)
	}
	if f.Nullable && !f.Needed {
		o = allowNull(o)
	}
	if f.Default != nil && f.Default != false { // what may be left out is not so
		o.set("default", f.Default)
	}
	o.setText("description", describe(f))
	return o
}

// jsonTypes is how a single value of each type looks in JSON Schema.
var jsonTypes = map[capability.Type]keywords{
	capability.String:     {{"type", "string"}},
	capability.Boolean:    {{"type", "boolean"}},
	capability.Integer:    {{"type", "integer"}},
	capability.Number:     {{"type", "number"}},
	capability.Decimal:    {{"type", "number"}},
	capability.BigInteger: {{"type", "string"}, {"pattern", `^-?\d+$`}},
	capability.Date:       {{"type", "string"}, {"format", "date"}},
	capability.DateTime:   {{"type", "string"}, {"format", "date-time"}},
	capability.Time:       {{"type", "string"}}, // RFC 3339 asks for an offset, xsd:time does not
	capability.Duration:   {{"type", "string"}}, // draft-07 has no such format
	capability.Year:       {{"type", "string"}},
	capability.URI:        {{"type", "string"}, {"format", "uri"}},
	capability.IRI:        {{"type", "string"}, {"format", "iri"}},
	capability.Bytes:      {{"type", "string"}, {"contentEncoding", "base64"}},
	capability.Vector:     {{"type", "array"}, {"items", keywords{{"type", "number"}}}},
	capability.Object:     {{"type", "object"}},
	capability.Any:        {},
}

// lowerValue lowers the constraints of one value. It panics on a type that is not
// in the table, which only a bug can bring here.
func lowerValue(f *capability.Field) keywords {
	base, ok := jsonTypes[f.Type]
	if !ok {
		panic(fmt.Sprintf("project: field %s has the unknown type %q", f.Name, f.Type))
	}
	o := make(keywords, 0, len(base)+2)
	for _, m := range base {
		if !f.Brief || m.name == "type" || m.name == "items" {
			o = append(o, m)
		}
	}
	if f.Type == capability.Object && len(f.Fields) > 0 {
		o = lowerObject(true, f.Fields)
	}
	if len(f.Cells) > 0 {
		o = lowerTable(f.Cells)
	}
	o.setInt("minLength", f.MinLength)
	o.setInt("maxLength", f.MaxLength)
	o.setInt("minItems", f.Dim)
	o.setInt("maxItems", f.Dim)
	o.setText("pattern", f.Pattern)
	o.setText("trails:node_type", f.NodeType)
	if f.OneOf != nil {
		o.set("enum", f.OneOf)
	}
	if f.HasValue != nil && !f.Many {
		o.set("const", f.HasValue)
	}
	if isNumeric(f.Type) && f.MinValue != nil {
		o.set("minimum", f.MinValue)
	}
	if isNumeric(f.Type) && f.MaxValue != nil {
		o.set("maximum", f.MaxValue)
	}
	return o
}

// lowerTable lowers the rows of a table. Their cells stand in prefixItems, which a validator
// of draft-07 passes over.
func lowerTable(cells []capability.Cell) keywords {
	columns := make([]any, len(cells))
	for i, c := range cells {
		column, about := keywords{}, c.Name
		if c.Says != "" {
			about += ": " + c.Says
		}
		column.setText("description", about)
		var types []any
		for _, t := range c.Types {
			types = append(types, t)
		}
		switch len(types) {
		case 0:
		case 1:
			column.set("type", types[0])
		default:
			column.set("type", types)
		}
		columns[i] = column
	}
	return keywords{{"type", "array"}, {"items", keywords{{"prefixItems", columns}}}}
}

func isNumeric(t capability.Type) bool {
	return t == capability.Integer || t == capability.Number || t == capability.Decimal
}

// lowerMany wraps the schema of one value in that of an array of them.
func lowerMany(f *capability.Field, items keywords) keywords {
	o := keywords{{"type", "array"}, {"items", items}}
	o.setInt("minItems", f.MinCount)
	o.setInt("maxItems", f.MaxCount)
	return o
}

// allowNull makes null a value: of the type, and of an enum. A const becomes an
// enum of two, for it would still refuse null.
func allowNull(o keywords) keywords {
	if t := o.get("type"); t != nil {
		o.set("type", []any{t, "null"})
	}
	if i := slices.IndexFunc(o, func(m member) bool { return m.name == "const" }); i >= 0 {
		o[i] = member{"enum", []any{o[i].value}}
	}
	if enum, ok := o.get("enum").([]any); ok {
		o.set("enum", append(enum[:len(enum):len(enum)], nil))
	}
	return o
}

// describe adds to a field's description what no keyword can say.
func describe(f *capability.Field) string {
	texts := make([]string, 1, 6)
	texts[0] = f.Description
	if !isNumeric(f.Type) && f.MinValue != nil {
		texts = append(texts, fmt.Sprintf("At least %v.", f.MinValue))
	}
	if !isNumeric(f.Type) && f.MaxValue != nil {
		texts = append(texts, fmt.Sprintf("At most %v.", f.MaxValue))
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
	return sentences(texts)
}

func sentences(texts []string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	var b strings.Builder
	for _, text := range texts {
		if text == "" {
			continue
		}
		if b.Len() > 0 {
			if !strings.HasSuffix(b.String(), ".") {
				b.WriteByte('.')
			}
			b.WriteByte(' ')
		}
		b.WriteString(text)
	}
	return b.String()
}
