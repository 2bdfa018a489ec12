package capability

import (
	"encoding/json"
	"fmt"

	"trails/schema"
	"trails/text/jsontext"
)

// Examples are example values of the types with a special form.
var Examples = map[Type]any{
	Boolean: true, Integer: json.Number("1"), Number: json.Number("1.5"), Decimal: json.Number("1.5"), BigInteger: "1",
	Date: "2026-01-31", DateTime: "2026-01-31T12:00:00Z", Time: "12:00:00", Duration: "P1D",
	Year: "2026", URI: "https://example.org/", IRI: "urn:example:a", Bytes: "AA==",
	Vector: []any{json.Number("0.1"), json.Number("0.2")}, LangString: schema.LangJSON("text", "en"),
}

// Example is a value that the field takes.
func (f Field) Example() any {
	if !f.Many {
		return f.exampleOfOne()
	}
	if f.Sample != nil {
		return f.Sample
	}
	least := 1
	if f.MinCount != nil {
		least = max(1, *f.MinCount)
	}
	list := make([]any, least)
	for i := range list {
		list[i] = f.exampleOfOne()
	}
	return list
}

// exampleOfOne is one value of the field, a member of the list where it has many.
func (f Field) exampleOfOne() any {
	list, _ := f.Sample.([]any)
	switch v, known := Examples[f.Type]; {
	case f.Many && len(list) > 0:
		return list[0]
	case f.Sample != nil && !f.Many:
		return f.Sample
	case f.HasValue != nil:
		return f.HasValue
	case len(f.OneOf) > 0:
		return f.OneOf[0]
	case f.NodeType != "":
		return f.NodeType + "/id"
	case f.MinValue != nil:
		return f.MinValue
	case f.Type == Vector && f.Dim != nil:
		components := make([]any, *f.Dim)
		for i := range components {
			components[i] = json.Number("0.1")
		}
		return components
	case f.Type == Object && len(f.Fields) == 0:
		return map[string]any{"name": "value"}
	case f.Type == Object:
		members := map[string]any{}
		for _, member := range f.Fields {
			if member.Required {
				members[member.Name] = member.Example()
			}
		}
		if len(members) == 0 {
			members[f.Fields[0].Name] = f.Fields[0].Example()
		}
		return members
	case known:
		return v
	}
	return "text"
}

// SuchAs ends the refusal of what is no object by one that the shape takes: ", such as {…}". Where
// the constraints of a type allow none of the examples there are, it names what tells them.
func (s Shape) SuchAs() string {
	members := map[string]any{}
	for _, f := range s.Fields {
		if f.Required {
			members[f.Name] = f.Example()
		}
	}
	if len(s.Check(members)) > 0 {
		return fmt.Sprintf("; describe with type %q tells what it takes", s.NodeType)
	}
	return suchAs(members)
}

// suchAsOne ends a refusal with a valid value, unless any text is one.
func (f Field) suchAsOne() string {
	if f.Type == String && f.Sample == nil && len(f.OneOf) == 0 && f.HasValue == nil {
		return ""
	}
	return suchAs(f.exampleOfOne())
}

// longestExample is how many bytes of JSON an example in a refusal has at most.
const longestExample = 300

// suchAs ends a refusal with a valid example.
func suchAs(example any) string {
	text, err := jsontext.Marshal(example)
	if err != nil || len(text) > longestExample {
		return ""
	}
	return ", such as " + string(text)
}
