package project

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"trails/capability"
	"trails/text/jsontext"
)

// Encoding is a form in which capabilities are sent.
type Encoding struct {
	// Name is its address: "tools/list", "/capabilities".
	Name string
	// Encode returns the entry of one capability.
	Encode func(capability.Descriptor) ([]byte, error)
	// read compares an entry with the descriptor.
	read func(*reading, capability.Descriptor, []byte) error
	in   Process
}

// Encodings returns every encoding of capabilities in a process.
func Encodings(in Process) []Encoding {
	return []Encoding{Tools(in), entries(in), Operations(in), Actions(in)}
}

// Tools is the encoding of MCP, see [MCPTool].
func Tools(in Process) Encoding {
	return Encoding{"tools/list", func(d capability.Descriptor) ([]byte, error) { return encodeTool(MCPTool(d, in)) }, readTool, in}
}

// Difference is a field of which a view differs from the descriptor.
type Difference struct {
	Capability, Encoding string
	// Field is the descriptor's, or a place in one of its shapes: "input_shape.title.pattern".
	Field string
	// Shown and Meant are JSON; "" means a missing value.
	Shown, Meant string
}

func (d Difference) String() string {
	return d.Finding().String()
}

// Finding converts the difference to a finding.
func (d Difference) Finding() Finding {
	says := fmt.Sprintf("%s shows %s, and the descriptor says %s", d.Encoding, orNothing(d.Shown), orNothing(d.Meant))
	return Finding{d.Capability, d.Field, "view", says, "report it: only a bug of trails makes such a difference"}
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// Check compares an entry of the view with its descriptor. It reads the encoded bytes, with different code than wrote
// them.
func (v Encoding) Check(d capability.Descriptor) ([]Difference, error) {
	entry, err := v.Encode(d)
	if err != nil {
		return nil, err
	}
	r := &reading{capability: d.ID, view: v.Name, in: v.in}
	if err := v.read(r, d, entry); err != nil {
		return nil, fmt.Errorf("capability %s: %s shows what does not parse: %w", d.ID, v.Name, err)
	}
	return r.found, nil
}

// reading collects the differences in one entry.
type reading struct {
	capability, view string
	in               Process
	saved            bool // the entry is from a saved document, which may be formatted differently
	found            []Difference
}

// same compares two JSON values; nil is nothing.
func (r *reading) same(field string, shown, meant any) {
	s, m := textOf(shown), textOf(meant)
	if s != m {
		r.found = append(r.found, Difference{r.capability, r.view, field, s, m})
	}
}

// sameList compares two lists of texts.
func (r *reading) sameList(field string, shown []any, meant []string) {
	r.same(field, append([]string{}, texts(shown)...), append([]string{}, meant...))
}

func textOf(v any) string {
	if v == nil {
		return ""
	}
	return string(encode(v))
}

// parse reads JSON with numbers as they are written.
func parse(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

// sameShape compares a shape in the form of the descriptor: byte for byte or, in a saved document, in any order of
// members and field by field.
func (r *reading) sameShape(at string, shown json.RawMessage, meant capability.Shape) {
	text := encode(meant)
	if bytes.Equal(shown, text) || r.saved && jsontext.Equal(shown, text) {
		return
	}
	before := len(r.found)
	var read capability.Shape
	if r.saved && parse(shown, &read) == nil {
		for _, f := range meant.Fields {
			if other, ok := read.Field(f.Name); !ok || !jsontext.Equal(other, f) {
				r.found = append(r.found, Difference{r.capability, r.view, at + "." + f.Name, textOf(other), textOf(f)})
			}
		}
	}
	if len(r.found) == before {
		r.found = append(r.found, Difference{r.capability, r.view, at, string(shown), string(text)})
	}
}

// readTool compares a tool of tools/list with its descriptor. The shape is read from its JSON Schema.
func readTool(r *reading, d capability.Descriptor, text []byte) error {
	type trails struct {
		ID         any `json:"id"`
		Kind       any `json:"kind"`
		Scope      any `json:"scope"`
		Idempotent any `json:"idempotent"`
	}
	var tool struct {
		Name        any `json:"name"`
		Description any `json:"description"`
		Annotations struct {
			ReadOnly    any `json:"readOnlyHint"`
			Destructive any `json:"destructiveHint"`
			Idempotent  any `json:"idempotentHint"`
			OpenWorld   any `json:"openWorldHint"`
		} `json:"annotations"`
		Input  map[string]any `json:"inputSchema"`
		Output map[string]any `json:"outputSchema"`
		Trails trails         `json:"trails"`
		Title  any            `json:"title"`
		Meta   struct {
			Trails trails `json:"trails"`
			Loaded any    `json:"anthropic/alwaysLoad"`
			Words  any    `json:"anthropic/searchHint"`
		} `json:"_meta"`
	}
	if err := parse(text, &tool); err != nil {
		return err
	}
	r.same("id", tool.Name, capability.ToolName(d.ID))
	r.same("description", tool.Description, d.Description)
	r.same("idempotent", tool.Annotations.Idempotent, d.Idempotent)
	r.same("side_effects", tool.Annotations.ReadOnly, d.SideEffects == capability.None)
	r.same("side_effects", tool.Annotations.Destructive, d.SideEffects == capability.Destroys)
	r.same("policy_required", tool.Annotations.OpenWorld, openWorld(d, r.in))
	for _, t := range []trails{tool.Trails, tool.Meta.Trails} {
		r.same("id", t.ID, d.ID)
		r.same("id", t.Kind, d.Kind())
		if d.Kind() == capability.KindMeta {
			r.same("policy_required", t.Scope, d.PolicyRequired.Scope)
			r.same("idempotent", t.Idempotent, d.Idempotent)
		}
	}
	r.same("id", tool.Title, title(d))
	if !r.saved { // programs that save tools drop _meta
		r.same("id", tool.Meta.Loaded, alwaysLoaded(d.ID, title(d)))
		r.same("id", tool.Meta.Words, searchedFor(d.ID, title(d)))
	}
	r.object("input_shape", tool.Input, d.InputShape.Fields, d.InputShape.Closed, unsaid)
	r.output(tool.Output, d)
	return nil
}

// output compares the output schema of a tool with the shape of its answers.
func (r *reading) output(schema map[string]any, d capability.Descriptor) {
	if len(d.OutputShape.Fields) == 0 {
		r.same("output_shape", schema, anyObject)
		return
	}
	_, form := outputOf(d)
	r.object("output_shape", schema, slices.Concat(beginning, d.OutputShape.Fields, refusal), false, form)
}

// object compares the JSON Schema of an object with its fields.
func (r *reading) object(at string, schema map[string]any, fields []capability.Field, closed bool, of several) {
	r.members(at, schema, fields, closed, of)
	r.required(at, schema, fields, !of.open())
}

// required compares the members that the schema of an object requires, which are none unless it may require some.
func (r *reading) required(at string, schema map[string]any, fields []capability.Field, may bool) {
	required := []string{}
	for _, f := range fields {
		if f.Required && may {
			required = append(required, f.Name)
		}
	}
	list, _ := schema["required"].([]any)
	r.same(at+".required", sorted(texts(list)), sorted(required))
}

// members compares the members of an object.
func (r *reading) members(at string, schema map[string]any, fields []capability.Field, closed bool, of several) {
	r.same(at, has(schema["type"], "object"), true)
	var meant any
	if closed {
		meant = false
	}
	r.same(at+".closed", schema["additionalProperties"], meant)
	shown, _ := schema["properties"].(map[string]any)
	names := []string{}
	for _, f := range fields {
		names = append(names, f.Name)
		if property, ok := shown[f.Name].(map[string]any); ok {
			r.field(at+"."+f.Name, property, f, of)
		}
	}
	r.same(at, sorted(keys(shown)), slices.Compact(sorted(names)))
}

// schemaTypes are the JSON Schema types for types that are not strings.
var schemaTypes = map[capability.Type]string{
	capability.Boolean: "boolean", capability.Integer: "integer", capability.Number: "number",
	capability.Decimal: "number", capability.Vector: "array", capability.Object: "object",
	capability.LangString: "object",
}

func (r *reading) field(at string, schema map[string]any, f capability.Field, of several) {
	f.Nullable = f.Nullable && of != unsaid
	nullable := has(schema["type"], "null") || f.Type == capability.Any && !f.Many
	r.same(at+".nullable", nullable, f.Nullable || f.Type == capability.Any && !f.Many)
	switch {
	case of.open():
		f = shortOf(&f, of)
	case f.Brief || f.Rare:
		f = *briefly(&f)
	}
	r.same(at+".default", schema["default"], defaultOf(&f))
	if text, _ := schema["description"].(string); !strings.HasPrefix(text, f.Description) {
		r.same(at+".description", text, f.Description)
	}
	one := schema
	if f.Many {
		r.same(at+".many", has(schema["type"], "array"), true)
		r.same(at+".min_count", schema["minItems"], number(f.MinCount))
		r.same(at+".max_count", schema["maxItems"], number(f.MaxCount))
		one, _ = schema["items"].(map[string]any)
	}
	r.value(at, one, f, of)
}

// table compares the columns of a table.
func (r *reading) table(at string, schema map[string]any, cells []capability.Cell) {
	rows, _ := schema["items"].(map[string]any)
	columns, _ := rows["prefixItems"].([]any)
	r.same(at, len(columns), len(cells))
	for i, c := range cells[:min(len(cells), len(columns))] {
		column, _ := columns[i].(map[string]any)
		if about, _ := column["description"].(string); !strings.HasPrefix(about, c.Name) || !strings.HasSuffix(about, c.Says) {
			r.same(at+"."+c.Name, about, c.Name+": "+c.Says)
		}
		types, several := column["type"].([]any)
		if one, ok := column["type"].(string); ok && !several {
			types = []any{one}
		}
		r.sameList(at+"."+c.Name+".types", types, c.Types)
	}
}

// value compares the constraints of a single value.
func (r *reading) value(at string, schema map[string]any, f capability.Field, of several) {
	kind, ok := schemaTypes[f.Type]
	if !ok {
		kind = "string"
	}
	if len(f.Cells) > 0 {
		r.table(at+".cells", schema, f.Cells)
		return
	}
	if f.Type == capability.Any {
		r.same(at+".type", schema["type"], nil)
	} else {
		r.same(at+".type", has(schema["type"], kind), true)
	}
	pattern := f.Pattern
	if f.Type == capability.BigInteger && pattern == "" && !f.Brief {
		pattern = `^-?\d+$`
	}
	r.same(at+".pattern", schema["pattern"], orNil(portable(pattern)))
	r.same(at+".min_length", schema["minLength"], number(f.MinLength))
	r.same(at+".max_length", schema["maxLength"], number(f.MaxLength))
	r.same(at+".node_type", schema["trails:node_type"], orNil(f.NodeType))
	if kind == "integer" || kind == "number" {
		r.same(at+".min_value", schema["minimum"], numberOf(&f, f.MinValue))
		r.same(at+".max_value", schema["maximum"], numberOf(&f, f.MaxValue))
	}
	enum, fixed := f.OneOf, f.HasValue
	if f.Many {
		fixed = nil // null is one of the values, without a keyword for it
	} else if f.Nullable {
		if fixed != nil {
			enum, fixed = []any{fixed}, nil
		}
		if enum != nil {
			enum = append(slices.Clip(enum), nil)
		}
	}
	r.same(at+".has_value", schema["const"], fixed)
	if shown, _ := schema["enum"].([]any); shown != nil || enum != nil {
		r.same(at+".one_of", shown, enum)
	}
	if kind == "object" && len(f.Fields) > 0 {
		r.members(at, schema, f.Fields, !of.open(), of)
		r.required(at, schema, f.Fields, of.ofParts())
	}
}

// has reports whether the keyword type, a word or a list, contains the word.
func has(types any, word string) bool {
	list, ok := types.([]any)
	return types == word || ok && slices.Contains(list, any(word))
}

func keys(o map[string]any) (names []string) {
	for name := range o {
		names = append(names, name)
	}
	return names
}

func texts(list []any) (out []string) {
	for _, v := range list {
		text, _ := v.(string)
		out = append(out, text)
	}
	return out
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return append([]string{}, list...)
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func number(n *int) any {
	if n == nil {
		return nil
	}
	return *n
}
